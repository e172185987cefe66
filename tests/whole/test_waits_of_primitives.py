"""How often primitives wait for a value from the device: as often as their docstrings say, less what kernels read."""

import inspect
import re
import sys

import numpy as np
import pytest

from spark_csr import config
from spark_csr import primitives as p
from spark_csr._array import SIMULATED

pytestmark = pytest.mark.skipif(not SIMULATED, reason="reads of a GPU are counted under the simulator")

X, FLAGS, FLOATS = np.arange(20) % 7, np.arange(20) % 3 == 0, np.ones(20)
OFFSETS, COUNTS, IDS = np.array([0, 3, 3, 20]), np.array([3, 0, 2]), np.array([0, 0, 2])
NARROW = OFFSETS.astype(np.int32) // 5
MAP = np.arange(20) // 3 * 3


def twice(v):
    return 2 * v


READS = {  # name: (work, host reads, host reads with `config.validate` off)
    "inclusive_scan": (lambda: p.inclusive_scan(X), 0, 0),
    "exclusive_scan with total": (lambda: p.exclusive_scan(X, return_total=True), 0, 0),
    "segmented_scan": (lambda: p.segmented_scan(X, OFFSETS), 1, 1),
    "segmented_scan by flags": (lambda: p.segmented_scan(X, head_flags=FLAGS), 0, 0),
    "segmented_reduce": (lambda: p.segmented_reduce(X, OFFSETS), 1, 1),
    "segmented_reduce with index": (lambda: p.segmented_reduce(X, OFFSETS, "min", return_index=True), 1, 1),
    "right_flood": (lambda: p.right_flood(X, FLAGS), 0, 0),
    "right_flood in segments": (lambda: p.right_flood(X, FLAGS, offsets=OFFSETS), 1, 1),
    "right_flood_vjp": (lambda: p.right_flood_vjp(FLOATS, MAP), 1, 0),
    "flood_by_reduce_deduce": (lambda: p.flood_by_reduce_deduce(FLAGS), 0, 0),
    "offsets_from_counts": (lambda: p.offsets_from_counts(COUNTS), 2, 2),
    "allocate": (lambda: p.allocate(COUNTS), 2, 2),
    "counts_from_offsets": (lambda: p.counts_from_offsets(OFFSETS), 1, 0),
    "head_flags_from_offsets": (lambda: p.head_flags_from_offsets(OFFSETS), 1, 1),
    "offsets_from_segment_ids": (lambda: p.offsets_from_segment_ids(IDS, 3), 2, 2),
    "segment_ids": (lambda: p.segment_ids(OFFSETS), 1, 1),
    "local_index": (lambda: p.local_index(OFFSETS), 1, 1),
    "load_balance_search": (lambda: p.load_balance_search(OFFSETS), 1, 1),
    "load_balance_search of some": (lambda: p.load_balance_search(OFFSETS, COUNTS), 2, 2),
    "compact": (lambda: p.compact(X, FLAGS), 1, 1),
    "compact of known size": (lambda: p.compact(X, FLAGS, size=7), 1, 0),
    "compact in place": (lambda: p.compact(X, FLAGS, layout="sparse"), 0, 0),
    "partition": (lambda: p.partition(X, FLAGS), 1, 1),
    "repeat": (lambda: p.repeat(COUNTS, COUNTS), 2, 2),
    "repeat of known total": (lambda: p.repeat(COUNTS, COUNTS, total=5), 2, 0),
    "run_length_encode": (lambda: p.run_length_encode(X), 1, 1),
    "merge": (lambda: p.merge(MAP, MAP), 2, 0),
    "segmented_sort": (lambda: p.segmented_sort(X, OFFSETS), 1, 1),  # and two of the GPU's kernels
    "segmented_topk": (lambda: p.segmented_topk(X, np.array([0, 3, 9]), 2), 5, 5),
    "segmented_topk of many": (lambda: p.segmented_topk(X, OFFSETS, 17), 5, 5),  # and two of the GPU's kernels
    "cartesian_product": (lambda: p.cartesian_product(NARROW, NARROW), 5, 3),
    "cartesian_product of ranges": (lambda: p.cartesian_product((NARROW[:-1], NARROW[1:])), 5, 3),
    "cartesian_product of 64 bits": (lambda: p.cartesian_product(OFFSETS, NARROW), 6, 4),
    "cartesian_product of known total": (lambda: p.cartesian_product(NARROW, NARROW, total=16), 5, 0),
    "combinations": (lambda: p.combinations(NARROW), 4, 3),
    "permutations": (lambda: p.permutations(NARROW), 9, 8),
    "map_where": (lambda: p.map_where(twice, X, FLAGS), 1, 1),
    "transform_segments": (lambda: p.transform_segments(OFFSETS, lambda index, segment, rank: rank), 1, 1),
    "transform_compact": (lambda: p.transform_compact(20, lambda i, x: x[i] > 3, lambda k, i, x: x[i], X), 1, 1),
}


@pytest.mark.parametrize("validate", [True, False])
@pytest.mark.parametrize("name", READS)
def test_primitives_read_what_they_say(monkeypatch, name, validate):
    work, checked, unchecked = READS[name]
    read = []
    for module in [m for key, m in sys.modules.items() if key.startswith("spark_csr.primitives")]:
        for name, reader in (("to_host_scalar", lambda x: x.item()), ("to_host_list", lambda x: x.tolist())):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, lambda x, reader=reader: read.append(x) or reader(x))
    with config(validate=validate):
        work()
    assert len(read) == (checked if validate else unchecked)


NUMBERS = {"no": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}

ADDED_UP = {
    "cartesian_product": "three, and one for each factor",
    "merge": "one for each array",
    "segmented_sort": "three, of which kernels do two",
}
"""Functions whose docstrings give numbers that are to be added up."""


@pytest.mark.parametrize("name", sorted({name.partition(" ")[0] for name in READS} - ADDED_UP.keys()))
def test_docstrings_say_how_often_primitives_read(name):
    """The first number of host reads that a docstring gives is one of those above."""
    said = re.findall(r"(\w+)\s+host\s+reads?", inspect.getdoc(getattr(p, name)))
    seen = {number for key, (_, *numbers) in READS.items() if key.partition(" ")[0] == name for number in numbers}
    if said:
        assert NUMBERS.get(said[0], 1) in seen
    elif seen != {0}:
        assert re.search(r"(cost is that|exceptions are those) of\s+`", inspect.getdoc(getattr(p, name)))
