"""Elements that are vectors: each call gives what the calls on the columns give."""

import numpy as np
import pytest
from numba import njit

import dtypes
from spark_csr import Monoid, primitives
from spark_csr._array import DTYPES
from spark_csr.primitives import _rows

pytestmark = pytest.mark.usefixtures("small_tiles")


def keep_left_unless_zero(a, b):
    """Associative, with identity 0; does not commute."""
    return a if a != 0 else b


@njit
def double(v):
    return v + v


def sample(shape, dtype=np.float64):
    """Integers, which all dtypes hold, so that sums in any order are equal."""
    x = np.random.default_rng(len(shape)).integers(0 if np.dtype(dtype).kind in "bu" else -3, 4, shape)
    return x.astype(dtype)


def each_column(call, x):
    """The results of calls on each column, stacked; or those of a call that returns several."""
    flat = x.reshape(len(x), int(np.prod(x.shape[1:])))
    found = [call(np.ascontiguousarray(column)) for column in flat.T]
    if isinstance(found[0], tuple):
        return tuple(_stack([part[k] for part in found], x) for k in range(len(found[0])))
    return _stack(found, x)


def _stack(columns, x):
    return np.stack(columns, axis=-1).reshape(*columns[0].shape, *x.shape[1:])


def assert_equal(got, expected, to_numpy):
    for part, wanted in zip(*((x if isinstance(x, tuple) else (x,)) for x in (got, expected)), strict=True):
        assert (part.dtype, part.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_array_equal(to_numpy(part), wanted)


N = 23
OFFSETS = np.array([0, 0, 5, 6, 14, 23], np.int32)
PART = np.array([2, 5, 5, 17], np.int32)
VALID = np.random.default_rng(1).random(N) < 0.4
OPS = ["sum", "max", Monoid(keep_left_unless_zero, 0)]

SUMS = {
    "inclusive_scan": lambda x, on, op: primitives.inclusive_scan(x, op),
    "inclusive_scan, reverse": lambda x, on, op: primitives.inclusive_scan(x, op, reverse=True),
    "exclusive_scan": lambda x, on, op: primitives.exclusive_scan(x, op, return_total=True),
    "exclusive_scan, reverse": lambda x, on, op: primitives.exclusive_scan(x, op, reverse=True, initial=2, return_total=True),
    "segmented_scan": lambda x, on, op: primitives.segmented_scan(x, on(OFFSETS), op=op),
    "segmented_scan of a part": lambda x, on, op: primitives.segmented_scan(x, on(PART), op=op, exclusive=True, reverse=True),
    "segmented_scan of flags": lambda x, on, op: primitives.segmented_scan(x, head_flags=on(VALID), op=op),
    "segmented_reduce": lambda x, on, op: primitives.segmented_reduce(x, on(OFFSETS), op),
    "segmented_reduce of a part": lambda x, on, op: primitives.segmented_reduce(x, on(PART), op, initial=1),
}

OTHERS = {
    "mean": lambda x, on: primitives.segmented_reduce(x, on(OFFSETS), "mean"),
    "positions": lambda x, on: primitives.segmented_reduce(x, on(PART), "min", return_index=True),
    "right_flood": lambda x, on: primitives.right_flood(x, on(VALID), initial=2, limit=1),
    "left_flood": lambda x, on: primitives.left_flood(x, valid=on(VALID), offsets=on(PART)),
    "repeat": lambda x, on: primitives.repeat(x, on(np.arange(N) % 3)),
    "repeat by a number": lambda x, on: primitives.repeat(x, 2),
    "compact": lambda x, on: primitives.compact(x, on(VALID)),
    "compact, sparse": lambda x, on: primitives.compact(x, on(VALID), layout="sparse", fill_value=2),
    "partition": lambda x, on: primitives.partition(x, on(VALID))[0],
    "map_where": lambda x, on: primitives.map_where(double, x, on(VALID)),
    "sort_by_key": lambda x, on: primitives.sort_by_key(on(np.arange(N) * 7 % 5), x)[1],
    "right_flood_vjp": lambda x, on: primitives.right_flood_vjp(x, on(primitives.right_flood(VALID, return_index=True)[1])),
    "left flood's vjp": lambda x, on: primitives.right_flood_vjp(x, on(primitives.left_flood(VALID, return_index=True)[1])),
}


@pytest.mark.parametrize("op", OPS, ids=["sum", "max", "user"])
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("shape", [(N, 3), (N, 2, 2), (N, 1)], ids=str)
def test_sums_are_those_of_the_columns(xp, to_numpy, name, op, shape):
    x = sample(shape)
    expected = each_column(lambda column: SUMS[name](column, np.asarray, op), x)
    assert_equal(SUMS[name](xp.asarray(x), xp.asarray, op), expected, to_numpy)


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("shape", [(N, 3), (N, 2, 2), (N, 1)], ids=str)
def test_others_are_those_of_the_columns(xp, to_numpy, name, shape):
    x = sample(shape)
    expected = each_column(lambda column: OTHERS[name](column, np.asarray), x)
    assert_equal(OTHERS[name](xp.asarray(x), xp.asarray), expected, to_numpy)


@pytest.mark.parametrize("dtype", dtypes.each(DTYPES))
def test_dtypes(xp, to_numpy, dtype):
    x = sample((N, 3), dtype)
    for name in ("inclusive_scan", "segmented_reduce", "segmented_scan of a part"):
        expected = each_column(lambda column, name=name: SUMS[name](column, np.asarray, "sum"), x)
        assert_equal(SUMS[name](xp.asarray(x), xp.asarray, "sum"), expected, to_numpy)
    for name in ("compact", "repeat", "left_flood"):
        expected = each_column(lambda column, name=name: OTHERS[name](column, np.asarray), x)
        assert_equal(OTHERS[name](xp.asarray(x), xp.asarray), expected, to_numpy)


@pytest.mark.parametrize("n", [0, 4])
@pytest.mark.parametrize("columns", [0, 3])
def test_empty_arrays(xp, to_numpy, n, columns):
    x, off = xp.asarray(sample((n, columns))), xp.asarray(np.array([0, n]))
    flags = xp.zeros(n, bool)
    assert primitives.inclusive_scan(x).shape == (n, columns)
    totals = primitives.exclusive_scan(x, return_total=True)[1]
    np.testing.assert_array_equal(to_numpy(totals), to_numpy(x).sum(axis=0))
    for op in OPS:
        assert primitives.segmented_reduce(x, off, op).shape == (1, columns)
        assert primitives.segmented_reduce(x, off[:1], op).shape == (0, columns)
    assert [part.shape for part in primitives.segmented_reduce(x, off, "max", return_index=True)] == [(1, columns)] * 2
    assert primitives.segmented_reduce(x, off, "mean").shape == (1, columns)
    assert primitives.compact(x, flags).shape == (0, columns)
    assert primitives.right_flood(x, flags).shape == (n, columns)
    assert primitives.repeat(x, 2).shape == (2 * n, columns)
    assert primitives.map_where(double, x, flags).shape == (0, columns)
    assert primitives.sort_by_key(xp.zeros(n), x)[1].shape == (n, columns)


def test_what_comes_beside_rows_is_that_of_single_elements(xp, to_numpy):
    x, flags, keys = xp.asarray(sample((N, 3))), xp.asarray(VALID), xp.asarray(np.arange(N) * 7 % 5)
    assert primitives.partition(x, flags)[1] == VALID.sum()
    for function in (primitives.right_flood, primitives.left_flood):
        index = to_numpy(function(x, flags, return_index=True)[1])
        np.testing.assert_array_equal(index, function(np.ones(N), VALID, return_index=True)[1])
    np.testing.assert_array_equal(to_numpy(primitives.compact(x, flags, return_index=True)[1]), np.flatnonzero(VALID))
    np.testing.assert_array_equal(to_numpy(primitives.sort_by_key(keys, x)[0]), np.sort(np.arange(N) * 7 % 5))


def test_columns_in_fortran_order_lists_and_names(xp, to_numpy):
    x = sample((N, 3))
    turned = xp.asarray(np.ascontiguousarray(x.T)).T
    np.testing.assert_array_equal(to_numpy(primitives.inclusive_scan(turned)), np.cumsum(x, axis=0))
    np.testing.assert_array_equal(to_numpy(primitives.compact(mask=xp.asarray(VALID), x=turned)), x[VALID])
    assert primitives.repeat([[1, 2], [3, 4]], [2, 0]).tolist() == [[1, 2], [1, 2]]


@pytest.mark.parametrize("n, columns", [(3000, 3), (300, 70)])
def test_many_tiles_at_full_size(xp, to_numpy, n, columns, larger_tiles):
    rng = np.random.default_rng(0)
    x, order = rng.integers(-9, 9, (n, columns)), rng.integers(-1, n, 2 * n)
    cuts = np.sort(rng.integers(0, n + 1, n // 9))
    offsets = np.concatenate([[0], cuts, [n]]).astype(np.int32)
    np.testing.assert_array_equal(to_numpy(primitives.inclusive_scan(xp.asarray(x))), np.cumsum(x, axis=0))
    sums = primitives.segmented_reduce(xp.asarray(x), xp.asarray(offsets))
    totals = np.concatenate([np.zeros((1, columns), int), np.cumsum(x, axis=0)])
    np.testing.assert_array_equal(to_numpy(sums), np.diff(totals[offsets], axis=0))
    taken = _rows.take_rows(xp.asarray(x), xp.asarray(order), 5)
    np.testing.assert_array_equal(to_numpy(taken), np.where(order[:, None] < 0, 5, x[order]))


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda x: primitives.right_flood(x), ValueError, r"valid must be given for x of shape \(4, 3\): use \(x != 0\).any"),
        (lambda x: primitives.compact(x, np.ones(3, bool)), ValueError, "mask must have 4 elements, got 3"),
        (lambda x: primitives.compact(x, x > 0), ValueError, r"mask must be one-dimensional, got shape \(4, 3\)"),
        (lambda x: primitives.compact(x.astype(int), np.ones(4, bool), layout="sparse", fill_value=0.5), TypeError, "0.5"),
        (lambda x: primitives.repeat(x, np.ones(3, int)), ValueError, "counts must have the 4 elements of x"),
        (lambda x: primitives.sort_by_key(np.ones(3), x), ValueError, "must have the same length, got 3 and 4"),
        (lambda x: primitives.sort_by_key(x, np.ones(4)), ValueError, r"keys must be one-dimensional, got shape \(4, 3\)"),
        (lambda x: primitives.sort(x), ValueError, r"x must be one-dimensional, got shape \(4, 3\)"),
        (lambda x: primitives.merge(x, x), ValueError, r"a must be one-dimensional, got shape \(4, 3\)"),
        (lambda x: primitives.run_length_encode(x), ValueError, r"x must be one-dimensional, got shape \(4, 3\)"),
        (lambda x: primitives.segmented_sort(x, np.array([0, 4])), ValueError, r"one-dimensional, got shape \(4, 3\)"),
        (lambda x: primitives.segmented_reduce(x, np.array([0, 12])), ValueError, "offsets must end within the 4 values"),
        (lambda x: primitives.inclusive_scan(x.astype("S1")), TypeError, "x has dtype"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call(np.ones((4, 3)))
