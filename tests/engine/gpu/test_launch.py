"""What the host does per product on a GPU: counted under the simulator, where launches go through the same file."""

import itertools

import numpy as np
import pytest

from spark_csr import Monoid, Ragged, config, csr_array, prune
from spark_csr import primitives as p
from spark_csr._array import SIMULATED
from spark_csr._operations.form.keep import select_entries
from spark_csr._operations.select.points import values_at
from spark_csr._operations.select.prune import eliminate_zeros

pytestmark = pytest.mark.skipif(not SIMULATED, reason="counts launches under the simulator")


def launches_of(function):
    """How many kernels a call launches."""
    from spark_csr._engine.gpu import launch

    before = launch.launches
    function()
    return launch.launches - before


def short_rows():
    """Rows of two: each goes to a few lanes."""
    return csr_array((np.ones(20), np.tile([0, 1], 10), np.arange(0, 21, 2)), shape=(10, 3))


def one_long_row():
    """A row of 60 among rows of one: tiles, some of which cut it."""
    indptr = np.r_[0:10, 69, 70]
    return csr_array((np.ones(70), np.arange(70) % 60, indptr), shape=(11, 60))


def test_bounded_short_rows_take_one_launch():
    matrix, x = short_rows(), np.ones(3)
    matrix @ x
    assert launches_of(lambda: matrix @ x) == 1


def test_cut_rows_take_two_launches():
    matrix, x = one_long_row(), np.ones(60)
    matrix @ x
    assert launches_of(lambda: matrix @ x) == 2


def test_a_repeated_product_looks_up_one_plan(monkeypatch):
    from spark_csr._operations.form import record
    from spark_csr._operations.product import spmv

    matrix, x = one_long_row(), np.ones(60)
    matrix @ x
    monkeypatch.setattr(spmv, "_prepare", lambda *_: pytest.fail("the product was prepared again"))
    monkeypatch.setattr(record, "backend_of", lambda *_: pytest.fail("the backend was looked up again"))
    np.testing.assert_array_equal(matrix @ x, np.diff(matrix.indptr))


def test_nothing_is_launched_for_nothing():
    assert launches_of(lambda: csr_array((0, 5)) @ np.ones(5)) == 0


NONE, NO_FLAGS, NO_SEGMENTS = np.empty(0), np.empty(0, bool), np.zeros(1, np.int32)


@pytest.mark.parametrize(
    "function",
    [
        lambda: p.inclusive_scan(NONE),
        lambda: p.segmented_scan(NONE, NO_SEGMENTS),
        lambda: p.segmented_reduce(NONE, NO_SEGMENTS),
        lambda: p.right_flood(NONE, NO_FLAGS),
        lambda: p.right_flood_vjp(NONE, NO_SEGMENTS[1:]),
        lambda: p.flood_by_reduce_deduce(NO_FLAGS),
        lambda: p.segment_ids(NO_SEGMENTS),
        lambda: p.compact(NONE, NO_FLAGS),
        lambda: p.partition(NONE, NO_FLAGS),
        lambda: p.sort(NO_SEGMENTS[1:]),
        lambda: p.merge(NONE, NONE),
        lambda: p.segmented_sort(NONE, NO_SEGMENTS),
        lambda: p.cartesian_product(NO_SEGMENTS, NO_SEGMENTS),
        lambda: Ragged(NONE, NO_SEGMENTS).coordinates(),
        lambda: Ragged(NONE, NO_SEGMENTS).map(lambda value, i, j: value),
    ],
)
def test_primitives_launch_nothing_for_nothing(function):
    assert launches_of(function) == 0


X, FLAGS, SEGMENTS, COUNTS = np.arange(20.0), np.arange(20) % 3 == 0, np.array([0, 3, 3, 20]), np.array([3, 0, 2])
LAUNCHES = {  # what the docstrings say
    "inclusive_scan of floats": (1, lambda: p.inclusive_scan(X)),
    "inclusive_scan of complex numbers": (1, lambda: p.inclusive_scan(X + 1j)),
    "inclusive_scan of integers": (1, lambda: p.inclusive_scan(COUNTS)),
    "inclusive_scan by a user's operator": (1, lambda: p.inclusive_scan(COUNTS, Monoid(lambda a, b: max(a, b), 0))),
    "right_flood": (1, lambda: p.right_flood(X, FLAGS)),
    "segmented_reduce": (3, lambda: p.segmented_reduce(X, SEGMENTS)),
    "segmented_reduce with index": (6, lambda: p.segmented_reduce(X, SEGMENTS, "max", return_index=True)),
    "segment_ids": (2, lambda: p.segment_ids(SEGMENTS)),
    "local_index": (2, lambda: p.local_index(SEGMENTS)),
    "load_balance_search": (2, lambda: p.load_balance_search(SEGMENTS)),
    "head_flags_from_offsets": (1, lambda: p.head_flags_from_offsets(SEGMENTS)),
    "offsets_from_counts": (2, lambda: p.offsets_from_counts(COUNTS)),
    "compact": (3, lambda: p.compact(X, FLAGS)),
    "compact with index": (4, lambda: p.compact(X, FLAGS, return_index=True)),
    "compact in place": (1, lambda: p.compact(X, FLAGS, layout="sparse")),
    "partition": (3, lambda: p.partition(X, FLAGS)),
    "repeat": (3, lambda: p.repeat(COUNTS, COUNTS)),
    "run_length_encode": (5, lambda: p.run_length_encode(X)),
}


MATRIX = csr_array(np.arange(12.0).reshape(3, 4))
UNLIKE = csr_array(np.eye(4)[:3])
RAGGED = Ragged(X, SEGMENTS)
ROWS, COLUMNS = np.array([2, 0, 1, 0]), np.array([1, 3, 0, 3])
OPERATIONS = {
    "keep": (3, lambda: select_entries(MATRIX._csr, MATRIX.data > 3)),
    "prune by a threshold": (3, lambda: prune(MATRIX, 2)),
    "eliminate_zeros": (3, lambda: eliminate_zeros(MATRIX._csr)),
    "values_at": (1, lambda: values_at(MATRIX._csr, ROWS, COLUMNS)),
    "a slice of rows": (0, lambda: MATRIX[:2]),
    "sum": (1, lambda: MATRIX.sum()),
    "sum of rows": (1, lambda: MATRIX.sum(axis=1)),
    "sum of columns": (1, lambda: MATRIX.sum(axis=0)),
    "sum of equal patterns": (0, lambda: MATRIX + MATRIX),
    "sum of two patterns": (4, lambda: MATRIX + UNLIKE),
    "coordinates": (2, lambda: RAGGED.coordinates()),
    "map": (1, lambda: RAGGED.map(lambda value, i, j: value + i - j)),
    "a number for each item": (2, lambda: RAGGED + COUNTS),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_launch_what_they_say(name):
    """Plans are made by a first call."""
    launches, function = OPERATIONS[name]
    function()
    assert launches_of(function) == launches


@pytest.mark.parametrize("name", LAUNCHES)
def test_primitives_launch_what_they_say(name):
    """Without the one that checks offsets."""
    launches, function = LAUNCHES[name]
    with config(validate=False):
        assert launches_of(function) == launches


def test_a_merge_takes_two_launches_where_nothing_is_checked():
    with config(validate=False):
        assert launches_of(lambda: p.merge(X, X)) == 2


@pytest.mark.parametrize("n", [1, 2, 5, 16, 17])
def test_reduce_and_deduce_go_up_and_down_the_levels_of_a_tree(n):
    assert launches_of(lambda: p.flood_by_reduce_deduce(np.ones(n, bool))) == 2 * (n - 1).bit_length() + 2


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_rows_by_any_number_of_lanes(lanes, monkeypatch):
    import importlib

    spmv = importlib.import_module("spark_csr._cuda.spmv")
    monkeypatch.setattr(spmv, "lanes_for", lambda indptr, entries: (lanes, 60))
    matrix = one_long_row()
    np.testing.assert_array_equal(matrix @ np.ones(60), np.diff(matrix.indptr))


@pytest.mark.parametrize("few_tiles", [0, 1000])
def test_cut_rows_are_finished_by_threads_or_blocks(few_tiles, monkeypatch):
    from spark_csr._cuda.tuning import TUNING

    monkeypatch.setattr(TUNING, "spmv_few_tiles", few_tiles)
    matrix = one_long_row()
    np.testing.assert_array_equal(matrix @ np.arange(60.0), matrix.toarray() @ np.arange(60.0))


@pytest.mark.parametrize("lengths", [[5000], [3, 4100, 0, 0, 900, 1], list(range(90)), [17] * 100, [0] * 900 + [300]])
def test_blocks_add_the_carries_of_tiles_and_of_blocks(lengths):
    """Tiles of 16 here, and blocks of as many tiles."""
    offsets = np.r_[0, np.cumsum(lengths)]
    x = np.arange(offsets[-1])
    wanted = [x[start:stop].sum() for start, stop in itertools.pairwise(offsets)]
    np.testing.assert_array_equal(p.segmented_reduce(x, offsets), wanted)


def test_argument_types_decide_the_kernel():
    from numba import types

    from spark_csr._engine.gpu.compile import type_of

    x = np.empty(3, np.float32)
    assert type_of((x, 1)) == types.Tuple((types.CPointer(types.float32), types.int64))
    assert type_of(x, views=True) == types.Array(types.float32, 1, "C")
    assert type_of(np.empty(1, bool)) == types.CPointer(types.uint8)


def test_kernels_are_looked_up_by_what_decides_their_types():
    from spark_csr._engine.gpu.compile import type_of
    from spark_csr._engine.numba.parameters import look_over

    def kinds(args):
        found = []
        look_over(args, False, [], found)
        return tuple(found)

    x, y = np.zeros(3), np.zeros(3, np.float32)
    given = [
        (x,),
        (y,),
        (1,),
        (2**63,),
        (1.0,),
        (1j,),
        (True,),
        (np.int32(1),),
        (np.float64(1),),
        ((x, y), 1),
        (x, y, 1),
        (x, (y, 1)),
    ]
    looked_up, typed = [kinds(args) for args in given], [tuple(map(type_of, args)) for args in given]
    for i in range(len(given)):
        for j in range(len(given)):
            assert typed[i] == typed[j] or looked_up[i] != looked_up[j]
    assert kinds((x, 5, (y, 2.5))) == kinds((np.ones(7), 6, (y[:1], 3.5)))
