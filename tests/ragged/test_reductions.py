"""Reductions along every axis against plain loops over nested lists."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given

from nested import EXAMPLES, array, joined, loose, plain, ragged_lists
from spark_csr import Ragged, config
from spark_csr._cpu.tuning import TUNING


@pytest.fixture(autouse=True)
def _many_tiles_on_one_core(monkeypatch):
    """Kernels for all cores, which take long to compile, have a test of their own."""
    monkeypatch.setattr(TUNING, "reduce_tile", 4)
    monkeypatch.setattr(TUNING, "reduce_tiles", 10**9)


IN_PLAIN_PYTHON = {
    "sum": lambda pairs: sum(v for _, v in pairs),
    "min": lambda pairs: min((v for _, v in pairs), default=math.inf),
    "max": lambda pairs: max((v for _, v in pairs), default=-math.inf),
    "any": lambda pairs: any(v for _, v in pairs),
    "all": lambda pairs: all(v for _, v in pairs),
    "mean": lambda pairs: sum(v for _, v in pairs) / len(pairs) if pairs else math.nan,
    "argmin": lambda pairs: min(((v, i) for i, v in pairs), default=(0, -1))[1],
    "argmax": lambda pairs: min(((-v, i) for i, v in pairs), default=(0, -1))[1],
}
"""Of the `(coordinate, value)` that are combined."""


def combined(lists, ndim, axis, func):
    """What `func` makes of the values along an axis; lists are aligned at their starts."""
    if axis is None:
        return func(list(enumerate(joined(lists, ndim - 1))))
    if axis:
        return [combined(item, ndim - 1, axis - 1, func) for item in lists]
    return merged(list(enumerate(lists)), ndim, func)


def merged(pairs, ndim, func):
    if ndim == 1:
        return func(pairs)
    longest = max((len(item) for _, item in pairs), default=0)
    return [merged([(i, item[j]) for i, item in pairs if j < len(item)], ndim - 1, func) for j in range(longest)]


def assert_reduced(R, lists, ndim, ops=tuple(IN_PLAIN_PYTHON)):
    for axis in (None, *range(ndim)):
        for op in ops:
            got = getattr(R, op)(axis=axis)
            want = combined(lists, ndim, axis, IN_PLAIN_PYTHON[op])
            np.testing.assert_equal(plain(got), want, err_msg=f"{op} along {axis}")
            assert isinstance(got, Ragged) == (axis is not None and ndim > 2)


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_every_axis(xp, ndim, lists):
    R = array(xp, lists, ndim, np.float64)
    assert_reduced(R, lists, ndim)
    assert_reduced(loose(R), lists, ndim, ("sum", "argmin"))


@given(ragged_lists())
def test_every_axis_of_any_lists(xp, drawn):
    ndim, lists = drawn
    assert_reduced(array(xp, lists, ndim, np.float64), lists, ndim, ("sum", "max", "argmax"))


def test_axes_from_the_end(xp):
    R = array(xp, [[[1, 2], [3]], [], [[4, 5, 6]]], 3, np.float64)
    for axis in (0, 1, 2):
        assert plain(R.sum(axis=axis - 3)) == plain(R.sum(axis=axis))


def test_local_reduction(xp):
    """The greatest value of every event and where it is: [1, 2], [3], [2, 5, 1, 4]."""
    R = array(xp, [[1, 2], [3], [2, 5, 1, 4]], 2, np.float64)
    assert R.max(axis=1).tolist() == [2, 3, 5]
    assert R.argmin(axis=1).tolist() == [0, 0, 2]


def test_lists_of_every_length(xp, to_numpy):
    """Up to two vectors, and beyond; the last lists end where nothing stands behind them."""
    counts = [*range(20), 40, 3, 0, 16, 17, 1]
    values = np.random.default_rng(0).integers(-50, 50, sum(counts)) / 4
    bounds = np.cumsum([0, *counts])
    lists = [values[a:b].tolist() for a, b in itertools.pairwise(bounds)]
    R = array(xp, lists, 2, np.float64)
    assert R.sum(axis=1).tolist() == [sum(x) for x in lists]
    for op, best in (("min", min), ("max", max)):
        assert getattr(R, op)(axis=1, initial=0).tolist() == [best([0, *x]) for x in lists]
        assert getattr(R, f"arg{op}")(axis=1).tolist() == [x.index(best(x)) if x else -1 for x in lists]


@pytest.mark.parametrize("op", ["min", "max"])
def test_nan_is_least_and_greatest(xp, to_numpy, op):
    """At every position of lists of up to 20, and in the shares of tiles."""
    lists = [
        [2.0] * at + [math.nan] + [3.0, math.nan, 1.0][: length - at - 1] for length in (1, 4, 9, 20) for at in range(length)
    ]
    R = array(xp, lists, 2, np.float64)
    assert to_numpy(np.isnan(getattr(R, op)(axis=1))).all()
    assert getattr(R, f"arg{op}")(axis=1).tolist() == [int(np.flatnonzero(np.isnan(x))[0]) for x in lists]
    assert int(getattr(R, f"arg{op}")()) == 0
    assert math.isnan(getattr(R, op)())


@pytest.mark.parametrize("op", ["min", "max"])
def test_extremes_that_are_the_identity(xp, op):
    """Infinity found is not infinity assumed."""
    worst = {"min": math.inf, "max": -math.inf}[op]
    lists = [[], [worst] * 9, [], [worst, 0.0, worst], [worst] * 30, []]
    R = array(xp, lists, 2, np.float64)
    assert getattr(R, f"arg{op}")(axis=1).tolist() == [-1, 0, -1, 1, 0, -1]
    assert getattr(R, op)(axis=1).tolist() == [worst, worst, worst, 0, worst, worst]


def test_initial(xp):
    R = array(xp, [[3, 4], [], [-1]], 2, np.float64)
    assert R.sum(axis=1, initial=10).tolist() == [17, 10, 9]
    assert R.min(axis=1, initial=0).tolist() == [0, 0, -1]
    assert R.max(axis=0, initial=3).tolist() == [3, 4]
    assert int(R.max(initial=9)) == 9
    with pytest.raises(TypeError, match="initial must fit"):
        R.sum(initial=1j)


def test_dtypes_of_results(xp):
    R = array(xp, [[3, 0], [], [1]], 2)
    assert R.astype(np.int8).sum(axis=1).dtype == np.int64
    assert R.astype(bool).mean(axis=1).dtype == np.float64
    assert R.any(axis=1).dtype == R.all(axis=1).dtype == bool
    half = R.astype(np.float16)
    assert half.sum(axis=1).dtype == half.sum(axis=0).dtype == half.mean(axis=1).dtype == np.float16
    assert R.astype(float).argmin(axis=1).dtype == R.astype(float).argmin(axis=0).dtype == np.int32
    assert R.astype(bool).argmin(axis=1).tolist() == [1, -1, 0]


def test_means_of_halves_do_not_overflow(xp):
    R = array(xp, [[60000, 60000, 60000], []], 2, np.float16)
    np.testing.assert_array_equal(R.mean(axis=1).tolist(), [float(np.float16(60000)), math.nan])


def test_complex_numbers_have_sums_and_no_order(xp):
    R = array(xp, [[1j, 2], [], [3 - 1j]], 2, np.complex128)
    assert R.sum(axis=1).tolist() == [2 + 1j, 0, 3 - 1j]
    np.testing.assert_array_equal(R.mean(axis=0).tolist(), [1.5, 2])
    for op in ("min", "max", "argmin", "argmax"):
        with pytest.raises(TypeError, match="needs an order"):
            getattr(R, op)(axis=1)


def test_refuses_what_is_no_axis(xp):
    R = array(xp, [[1], []], 2)
    for axis in (2, -3):
        with pytest.raises(ValueError, match=f"axis {axis} is out of range"):
            R.sum(axis=axis)
    with pytest.raises(TypeError, match="integer"):
        R.argmin(axis=1.0)


def test_reading_leaves_values_alone(xp, to_numpy):
    R = array(xp, [[[3, 1], [2]], [[0, 5, 4]]], 3, np.float64)
    before = [x.copy() for x in (R.values, *R.offsets)]
    for axis in (None, 0, 1, 2):
        R.sum(axis=axis)
        R.argmin(axis=axis)
    for x, y in zip(before, (R.values, *R.offsets), strict=True):
        np.testing.assert_array_equal(to_numpy(x), to_numpy(y))


def test_same_for_any_number_of_threads(cpu_only):
    """Enough for both cores; one list among short ones that many tiles share."""
    rng = np.random.default_rng(3)
    offsets = np.concatenate([[0], np.cumsum([*rng.poisson(9, 4000), 20_000, *rng.poisson(9, 4000)])])
    R, results = Ragged(rng.integers(-999, 999, offsets[-1]) / 8, offsets), []
    for threads in (1, 2):
        with config(threads=threads):
            results.append([R.sum(axis=1), R.argmax(axis=1)])
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(results[0][0], [x.sum() for x in R])
    np.testing.assert_array_equal(results[0][1], [x.argmax() if x.size else -1 for x in R])


def kept(lists, ndim, axis, func):
    """What `keepdims=True` gives: the results, with lists of one in place of the axis."""
    if axis:
        return [kept(item, ndim - 1, axis - 1, func) for item in lists]
    return [combined(lists, ndim, 0, func)]


@pytest.mark.parametrize("ndim, lists", [x for x in EXAMPLES if x[0] > 1])
def test_keepdims(xp, ndim, lists):
    R = loose(array(xp, lists, ndim, np.float64))
    for axis in range(ndim):
        assert plain(R.sum(axis=axis, keepdims=True)) == kept(lists, ndim, axis, IN_PLAIN_PYTHON["sum"])
    wanted = combined(lists, ndim, None, IN_PLAIN_PYTHON["sum"])
    assert R.sum(keepdims=True).flatten().tolist() == [wanted]
    assert R.sum(keepdims=True).ndim == ndim
    assert plain(R - R.max(axis=-1, keepdims=True)) == plain(R - R.max(axis=-1))
    assert plain(R * R.sum(keepdims=True)) == plain(R * wanted)
    positions = R.argmin(axis=-1, keepdims=True)
    assert set(positions.counts(-1).tolist()) <= {0, 1}
    assert R[positions].flatten().tolist() == [min(x) for x in joined(lists, ndim - 2) if x]


def test_keepdims_stretches_every_axis(xp):
    R = array(xp, [[[1, 2], [3, 4]], [], [[5, 6]]], 3)
    assert (R - R.sum(axis=1, keepdims=True)).to_lists() == [[[-3, -4], [-1, -2]], [], [[0, 0]]]
    square = array(xp, [[1, 2], [3, 4]], 2)
    assert (square - square.sum(axis=0, keepdims=True)).to_lists() == [[-3, -4], [-1, -2]]
    assert (square.sum(axis=1, keepdims=True) - square).to_lists() == [[2, 1], [4, 3]]
    doubled = 2 * square.sum(axis=1, keepdims=True)
    assert (square + doubled + doubled).to_lists() == [[13, 14], [31, 32]]
    assert (doubled + doubled).to_lists() == [[12], [28]]
    assert array(xp, [1, 2, 3], 1).sum(axis=0, keepdims=True).tolist() == [6]
    with pytest.raises(ValueError, match="differ: list 1 of level 1 has 1 items in one array and 2 in the other"):
        array(xp, [[[1, 2], [3]]], 3) - array(xp, [[[1, 2], [3]]], 3).sum(axis=1, keepdims=True)


def test_lists_of_one_are_stretched_only_if_kept(xp):
    with pytest.raises(ValueError, match="lists are stretched only along an axis that a reduction kept with keepdims=True"):
        array(xp, [[1, 2], [3, 4]], 2) - array(xp, [[1], [2]], 2)


def test_empty_lists_of_integers_have_no_extreme(xp, to_numpy):
    R = array(xp, [[3, 4], [], [-1]], 2)
    for op, worst in (("min", np.iinfo(np.int64).max), ("max", np.iinfo(np.int64).min)):
        with pytest.raises(ValueError, match="list 1 is empty, and int64 has no value .* initial=, or return_mask=True"):
            getattr(R, op)(axis=-1)
        with pytest.raises(ValueError, match="the array holds no values"):
            getattr(array(xp, [[], []], 2), op)()
        found, mask = getattr(R, op)(axis=-1, return_mask=True)
        assert to_numpy(mask).tolist() == [True, False, True]
        assert to_numpy(found).tolist()[1] == worst
        found, mask = getattr(R, op)(axis=-1, return_mask=True, initial=0, keepdims=True)
        assert mask.to_lists() == [[True], [False], [True]]
        assert found.to_lists()[1] == [0]
        assert getattr(R, op)(axis=0).tolist() == ({"min": [-1, 4], "max": [3, 4]}[op])
    assert not bool(array(xp, [[], []], 2).max(return_mask=True)[1])
    deep = array(xp, [[[1], []], []], 3).astype(bool)
    with pytest.raises(ValueError, match="list 1 is empty, and bool"):
        deep.min(axis=-1)


def test_products(xp):
    R = array(xp, [[3, 4], [], [-1]], 2, np.float64)
    assert R.prod(axis=1).tolist() == [12, 1, -1]
    assert R.prod(axis=0).tolist() == [-3, 4]
    assert int(R.prod(initial=2)) == -24
