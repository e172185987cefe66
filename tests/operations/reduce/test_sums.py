"""Sums and counts of records: what the methods rely on. `matrix/test_reductions.py` compares the methods with SciPy's."""

import itertools

import numpy as np
import pytest

import battery
from spark_csr import config
from spark_csr._operations.reduce.sums import combine, count_nonzeros, sums
from spark_csr._ops import MONOIDS


def record(xp, name):
    return battery.build(xp, name)._csr


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("name", ["Nx0", "0xN", "middle rows empty", "one dense row"])
def test_rows_without_entries_give_the_identity(xp, to_numpy, name):
    csr = record(xp, name)
    indptr, _, data, _ = battery.BATTERY[name]
    expected = [max(data[a:b], default=-np.inf) for a, b in itertools.pairwise(indptr)]
    np.testing.assert_array_equal(to_numpy(combine(csr, 1, MONOIDS["max"], csr.data.dtype)), expected)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_same_bits_for_any_number_of_threads(cpu_only, axis):
    csr = battery.csr_array((40_000, 300))._csr
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 20, 40_000)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    csr = type(csr)(offsets, rng.integers(0, 300, offsets[-1], np.int32), rng.standard_normal(offsets[-1]), csr.shape)
    with config(threads=1):
        one = sums(csr, axis)
    np.testing.assert_array_equal(sums(csr, axis), one)


def test_counts_are_not_the_pattern_itself(xp, to_numpy):
    csr = record(xp, "band")
    counts = count_nonzeros(csr, 1)
    counts[...] = 0
    assert to_numpy(count_nonzeros(csr, 1)).sum() == csr.data.size
