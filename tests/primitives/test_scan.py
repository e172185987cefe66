"""Scans against a loop: sizes around the tile, operators, directions, dtypes, and what they refuse."""

import operator

import numpy as np
import pytest

import dtypes
import oracles
from spark_csr import Monoid
from spark_csr.primitives import exclusive_scan, inclusive_scan

pytestmark = pytest.mark.usefixtures("small_tiles")

SIZES = [0, 1, 3, 4, 8, 9, 15, 16, 17, 49]


def keep_left_unless_zero(a, b):
    """Associative, with identity 0; does not commute."""
    return a if a != 0 else b


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("reverse", [False, True])
def test_sum(xp, to_numpy, n, reverse):
    x = np.random.default_rng(n).integers(-9, 9, n)
    inclusive = inclusive_scan(xp.asarray(x), reverse=reverse)
    exclusive, total = exclusive_scan(xp.asarray(x), reverse=reverse, return_total=True)
    np.testing.assert_array_equal(to_numpy(inclusive), oracles.scan(x, operator.add, 0, reverse=reverse))
    np.testing.assert_array_equal(to_numpy(exclusive), oracles.scan(x, operator.add, 0, exclusive=True, reverse=reverse))
    assert to_numpy(total) == x.sum()
    assert total.shape == ()


@pytest.mark.parametrize("n", [300, 1200])
def test_more_tiles_than_one_block_scans(xp, to_numpy, n):
    """Two boxes of tiles, and five: each begins with what the last thread of the one before hands on."""
    x = np.random.default_rng(0).integers(0, 9, n)
    np.testing.assert_array_equal(to_numpy(inclusive_scan(xp.asarray(x))), np.cumsum(x))


@pytest.mark.parametrize("op", dtypes.some(["prod", "min", "max"], ["prod", "max"]))
@pytest.mark.parametrize("reverse", [False, True])
def test_named_operators(xp, to_numpy, op, reverse):
    x = np.resize([1.0, -1, 2, 1, -2, 1, 0.5], 21)
    got = inclusive_scan(xp.asarray(x), op, reverse=reverse)
    expected = oracles.OPS[op].accumulate(x[::-1])[::-1] if reverse else oracles.OPS[op].accumulate(x)
    np.testing.assert_array_equal(to_numpy(got), expected)


@pytest.mark.parametrize("op", ["any", "all"])
def test_logical_operators_give_bool(xp, to_numpy, op):
    x = np.resize([True] * 9 + [False], 13) == (op == "all")
    got = to_numpy(inclusive_scan(xp.asarray(x), op))
    assert got.dtype == bool
    np.testing.assert_array_equal(got, oracles.OPS[op].accumulate(x))


@pytest.mark.parametrize("reverse", [False, True])
def test_operator_that_does_not_commute(xp, to_numpy, reverse):
    x = np.resize([0, 0, 3, 0, 5, 0, 0, 7], 25)
    got = inclusive_scan(xp.asarray(x), Monoid(keep_left_unless_zero, 0), reverse=reverse)
    np.testing.assert_array_equal(to_numpy(got), oracles.scan(x, keep_left_unless_zero, 0, reverse=reverse))


@pytest.mark.parametrize("op", ["min", "max"])
def test_nan_wins(xp, to_numpy, op):
    x = np.array([1.0, 2, np.nan, 0, 5, 6, 7, 8, 9])
    np.testing.assert_array_equal(to_numpy(inclusive_scan(xp.asarray(x), op)), oracles.OPS[op].accumulate(x))


@pytest.mark.parametrize("dtype", dtypes.each())
def test_sum_has_the_dtype_and_value_of_numpy(xp, to_numpy, dtype):
    x = np.resize([1, 0, 1, 1, 2], 11).astype(dtype)
    got = to_numpy(inclusive_scan(xp.asarray(x)))
    expected = np.cumsum(x)
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def test_small_integers_do_not_overflow(xp, to_numpy):
    assert to_numpy(inclusive_scan(xp.full(20, 100, xp.int8)))[-1] == 2000


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("op, wanted", [("min", "max"), ("max", "min")])
def test_identities_of_min_and_max(xp, to_numpy, dtype, op, wanted):
    assert to_numpy(exclusive_scan(xp.zeros(1, dtype), op))[0] == getattr(np.iinfo(dtype), wanted)


def test_initial_comes_first(xp, to_numpy):
    x = xp.arange(1, 10)
    out, total = exclusive_scan(x, initial=100, return_total=True)
    assert to_numpy(out).tolist() == [100, 101, 103, 106, 110, 115, 121, 128, 136]
    assert to_numpy(total) == 145
    out, total = exclusive_scan(x, initial=100, reverse=True, return_total=True)
    assert to_numpy(out).tolist() == [144, 142, 139, 135, 130, 124, 117, 109, 100]
    assert to_numpy(total) == 145


def test_initial_of_nothing_is_the_total(xp, to_numpy):
    out, total = exclusive_scan(xp.zeros(0, int), initial=7, return_total=True)
    assert out.size == 0
    assert to_numpy(total) == 7


@pytest.mark.parametrize("dtype, initial", [(int, 1.5), (np.uint64, -1), (float, 1j), (int, 2**63), (int, np.nan)])
def test_initial_that_does_not_fit(xp, dtype, initial):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        exclusive_scan(xp.ones(3, dtype), initial=initial)


def test_exclusive_sum_of_one_to_eight(xp, to_numpy):
    assert to_numpy(exclusive_scan(xp.arange(1, 9))).tolist() == [0, 1, 3, 6, 10, 15, 21, 28]


def test_write_addresses_of_varying_output(xp, to_numpy):
    out, total = exclusive_scan(xp.asarray([1, 0, 1, 2, 1, 0, 3, 0]), return_total=True)
    assert to_numpy(out).tolist() == [0, 1, 1, 2, 4, 5, 5, 8]
    assert to_numpy(total) == 8


def test_strided_and_reversed_views(xp, to_numpy):
    x = np.arange(30)
    for view in (slice(None, None, 3), slice(None, None, -1)):
        np.testing.assert_array_equal(to_numpy(inclusive_scan(xp.asarray(x)[view])), np.cumsum(x[view]))


def test_reading_changes_nothing(xp, to_numpy):
    x = xp.arange(20.0)
    inclusive_scan(x)
    np.testing.assert_array_equal(to_numpy(x), np.arange(20.0))


@pytest.mark.parametrize("scan", [inclusive_scan, exclusive_scan])
@pytest.mark.parametrize(
    "x, op, error, message",
    [
        ({1, 2}, "sum", TypeError, "must be a NumPy or CuPy array, got set"),
        (np.ones(()), "sum", ValueError, r"x must have one axis or more, got a single number: use x.reshape\(1\)"),
        (np.array(["a"]), "sum", TypeError, "dtype <U1"),
        (np.array([None]), "sum", TypeError, "dtype object"),
        (np.ones(2, "datetime64[s]"), "sum", TypeError, "datetime64"),
        (np.ones(2, np.longdouble), "sum", TypeError, "longdouble|float128"),
        (np.ones(2), "median", ValueError, "unknown monoid 'median'"),
        (np.ones(2), None, ValueError, "unknown monoid None"),
        (np.ones(2, complex), "min", TypeError, "'min' needs an order, and complex128 has none"),
        (np.ones(2, complex), "max", TypeError, "'max' needs an order, and complex128 has none"),
    ],
)
def test_refuses(scan, x, op, error, message):
    with pytest.raises(error, match=message):
        scan(x, op)


def test_operator_that_does_not_compile_is_named(cpu_only):
    with pytest.raises(Exception, match="open_a_file"):
        inclusive_scan(np.ones(3), Monoid(open_a_file, 0))


def open_a_file(a, b):
    return open(a)
