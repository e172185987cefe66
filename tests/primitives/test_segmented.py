"""Segmented scan and reduce: worked examples, empty segments everywhere, operators, indices, refusals."""

import itertools
import operator
from contextlib import nullcontext

import numpy as np
import pytest

import dtypes
import oracles
from spark_csr import Monoid
from spark_csr.primitives import segmented, segmented_reduce, segmented_scan

pytestmark = pytest.mark.usefixtures("small_tiles")

OFFSETS = {
    "none": [0],
    "one empty": [0, 0],
    "all empty": [0] * 30,
    "first and last empty": [0, 0, 0, 3, 9, 40, 40, 40],
    "one long": [0, 40],
    "one each": list(range(41)),
    "starts above zero, ends before the end": [3, 5, 5, 30],
    "ends on tiles": list(range(0, 41, 4)),
    "three and an end": list(range(0, 40, 3)),
    "nothing, in the middle": [20, 20, 20],
}
every_offsets = pytest.mark.parametrize("offsets", OFFSETS.values(), ids=OFFSETS)
X = np.random.default_rng(3).integers(-9, 9, 40)


def keep_left_unless_zero(a, b):
    """Associative, with identity 0; does not commute."""
    return a if a != 0 else b


@every_offsets
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_scan(xp, to_numpy, offsets, exclusive, reverse):
    got = segmented_scan(xp.asarray(X), xp.asarray(offsets), exclusive=exclusive, reverse=reverse)
    expected = oracles.segmented_scan(X, offsets, operator.add, 0, exclusive=exclusive, reverse=reverse)
    np.testing.assert_array_equal(to_numpy(got), expected)


def test_scan_worked_example(xp, to_numpy):
    x, flags = xp.arange(1, 9), xp.asarray([1, 0, 1, 0, 0, 1, 0, 0])
    assert to_numpy(segmented_scan(x, head_flags=flags, exclusive=True)).tolist() == [0, 1, 0, 3, 7, 0, 6, 13]
    offsets = xp.asarray([0, 2, 5, 8])
    assert to_numpy(segmented_scan(x, offsets, exclusive=True)).tolist() == [0, 1, 0, 3, 7, 0, 6, 13]
    assert to_numpy(segmented_scan(x, offsets)).tolist() == [1, 3, 3, 7, 12, 6, 13, 21]


@pytest.mark.parametrize("reverse", [False, True])
def test_scan_first_element_begins_a_segment_in_any_case(xp, to_numpy, reverse):
    flags = xp.asarray(np.isin(np.arange(9), [4]))
    got = segmented_scan(xp.ones(9, int), head_flags=flags, reverse=reverse)
    assert to_numpy(got).tolist() == ([4, 3, 2, 1, 5, 4, 3, 2, 1] if reverse else [1, 2, 3, 4, 1, 2, 3, 4, 5])


def test_scan_outside_of_all_segments_is_the_identity(xp, to_numpy):
    got = segmented_scan(xp.arange(1, 7), xp.asarray([2, 4]), op="prod")
    assert to_numpy(got).tolist() == [1, 1, 3, 12, 1, 1]


@every_offsets
def test_reduce(xp, to_numpy, offsets):
    got = segmented_reduce(xp.asarray(X), xp.asarray(offsets))
    np.testing.assert_array_equal(to_numpy(got), np.array(oracles.segmented_reduce(X, offsets, operator.add, 0), int))


@every_offsets
def test_reduce_keeps_the_order_of_operands(xp, to_numpy, offsets):
    x = np.where(np.arange(40) % 3 == 0, 0, np.arange(40))  # every tile has a first value of its own
    got = segmented_reduce(xp.asarray(x), xp.asarray(offsets), Monoid(keep_left_unless_zero, 0))
    np.testing.assert_array_equal(to_numpy(got), np.array(oracles.segmented_reduce(x, offsets, keep_left_unless_zero, 0), int))


def test_reduce_long_segments_in_order(xp, to_numpy, larger_tiles):
    lengths = np.array([0, 1, 15, 16, 17, 24, 40, 3])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    x = np.resize([0, 0, 5, 0, 7, 3, 0, 0, 0, 2, 9], offsets[-1])
    got = segmented_reduce(xp.asarray(x), xp.asarray(offsets), Monoid(keep_left_unless_zero, 0))
    assert to_numpy(got).tolist() == oracles.segmented_reduce(x.tolist(), offsets, keep_left_unless_zero, 0)


@pytest.mark.parametrize("op", ["sum", "max"])
def test_reduce_long_segments_of_numbers(xp, to_numpy, larger_tiles, op):
    offsets = np.concatenate([[0], np.cumsum([0, 1, 15, 16, 17, 24, 40, 3])])
    x = np.arange(offsets[-1]) ** 2 % 101
    got = to_numpy(segmented_reduce(xp.asarray(x), xp.asarray(offsets), op))
    empty = 0 if op == "sum" else -(2**63)
    assert got.tolist() == [oracles.OPS[op].reduce(x[a:b], initial=empty) for a, b in itertools.pairwise(offsets)]


@every_offsets
@pytest.mark.parametrize("op", ["min", "max"])
def test_reduce_with_index(xp, to_numpy, offsets, op):
    x = np.resize([3.0, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5], 40)
    values, index = segmented_reduce(xp.asarray(x), xp.asarray(offsets), op, return_index=True)
    pick, identity = (np.argmin, np.inf) if op == "min" else (np.argmax, -np.inf)
    pairs = list(itertools.pairwise(offsets))
    expected = np.array([a + pick(x[a:b]) if a < b else -1 for a, b in pairs], int)
    np.testing.assert_array_equal(to_numpy(index), expected)
    np.testing.assert_array_equal(to_numpy(values), np.where(expected >= 0, x[expected], identity))


def test_reduce_largest_and_least_of_each_event(xp, to_numpy):
    values, index = segmented_reduce(xp.asarray([1, 2, 3, 2, 5, 1, 4]), xp.asarray([0, 2, 3, 7]), "max", return_index=True)
    assert to_numpy(values).tolist() == [2, 3, 5]
    assert to_numpy(index).tolist() == [1, 2, 4]
    _, index = segmented_reduce(xp.asarray([1, 2, 3, 2, 5, 1, 4]), xp.asarray([0, 2, 3, 7]), "min", return_index=True)
    assert to_numpy(index).tolist() == [0, 2, 5]


def test_reduce_index_of_nan(xp, to_numpy):
    x = xp.asarray([3.0, np.nan, 1, np.nan, 2])
    values, index = segmented_reduce(x, xp.asarray([0, 4, 5]), "max", return_index=True)
    assert to_numpy(index).tolist() == [1, 4]
    np.testing.assert_array_equal(to_numpy(values), [np.nan, 2])


@pytest.mark.parametrize("op", ["prod", "any", "all"])
def test_reduce_named_operators(xp, to_numpy, op):
    x, offsets = np.resize([1, 1, 1, 0, 1, 2], 30), [0, 3, 3, 9, 30]
    got = to_numpy(segmented_reduce(xp.asarray(x), xp.asarray(offsets), op))
    assert got.tolist() == [oracles.OPS[op].reduce(x[a:b]) for a, b in itertools.pairwise(offsets)]
    assert got.dtype == (bool if op != "prod" else np.int64)


@pytest.mark.parametrize("dtype", dtypes.each())
def test_reduce_to_means(xp, to_numpy, dtype):
    x, offsets = np.resize([1, 0, 2, 1, 1], 26).astype(dtype), [1, 3, 3, 26]
    got = to_numpy(segmented_reduce(xp.asarray(x), xp.asarray(offsets), "mean"))
    assert got.dtype == x.mean().dtype
    np.testing.assert_allclose(got, [x[1:3].mean(), np.nan, x[3:].mean()], rtol=1e-3 if got.dtype.itemsize == 2 else 1e-6)


@pytest.mark.parametrize("dtype", dtypes.each())
def test_reduce_has_the_dtype_and_value_of_numpy(xp, to_numpy, dtype):
    x = np.resize([1, 0, 2, 1, 1], 25).astype(dtype)
    got = to_numpy(segmented_reduce(xp.asarray(x), xp.asarray([0, 2, 2, 25])))
    expected = np.array([x[:2].sum(), x[:0].sum(), x[2:].sum()])
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype, op", [(bool, "sum"), (np.int8, "prod"), (np.uint8, "sum"), (np.uint32, "mean")])
def test_reduce_casts_what_it_reads(xp, to_numpy, monkeypatch, dtype, op):
    monkeypatch.setattr(segmented, "CAST_BY_KERNEL", 0)
    x, offsets = np.resize([1, 3, 2, 1, 127], 65).astype(dtype), [1, 3, 3, 4, 9, 65]
    got = to_numpy(segmented_reduce(xp.asarray(x), xp.asarray(offsets), op))
    with np.errstate(invalid="ignore"), pytest.warns(RuntimeWarning, match="empty") if op == "mean" else nullcontext():
        expected = np.array([getattr(x[a:b], op)() for a, b in itertools.pairwise(offsets)])
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int8])
def test_reduce_with_initial(xp, to_numpy, dtype):
    got = segmented_reduce(xp.ones(5, dtype), xp.asarray([0, 2, 2, 5]), initial=10)
    assert to_numpy(got).tolist() == [12, 10, 13]


@pytest.mark.parametrize("dtype, initial", [(int, 1.5), (np.uint64, -1), (float, 1j), (bool, np.nan)])
def test_reduce_with_initial_that_does_not_fit(xp, dtype, initial):
    with pytest.raises((TypeError, ValueError, OverflowError)):
        segmented_reduce(xp.ones(3, dtype), xp.asarray([0, 3]), initial=initial)


def test_reduce_initial_comes_in_front(xp, to_numpy):
    got = segmented_reduce(xp.asarray([0, 3, 4]), xp.asarray([0, 1, 3]), Monoid(keep_left_unless_zero, 0), initial=8)
    assert to_numpy(got).tolist() == [8, 8]


@pytest.mark.parametrize("dtype", dtypes.each([np.int64, np.uint8, np.uint64, np.int16], "BqQ"))
def test_offsets_of_every_integer_dtype(xp, to_numpy, dtype):
    offsets = xp.asarray(np.array([0, 3, 3, 21], dtype))
    x = xp.asarray(X)
    np.testing.assert_array_equal(to_numpy(segmented_reduce(x, offsets)), [X[:3].sum(), 0, X[3:21].sum()])


def test_strided_operands(xp, to_numpy):
    x, offsets = xp.asarray(X)[::-2], xp.asarray([0, 9, 1, 9, 4, 9, 20])[::2]
    expected = [v.sum() for v in np.split(X[::-2], [1, 4])]
    np.testing.assert_array_equal(to_numpy(segmented_reduce(x, offsets)), expected)
    assert to_numpy(segmented_scan(x, offsets))[-1] == expected[-1]


@pytest.mark.parametrize("function", [segmented_reduce, segmented_scan])
@pytest.mark.parametrize(
    "offsets, error, message",
    [
        (np.array([0, 3, 2]), ValueError, r"offsets\[1\] = 3 > offsets\[2\] = 2"),
        (np.array([-2, 3]), ValueError, r"offsets\[0\] = -2"),
        (np.array([0, 6]), ValueError, r"within the 5 values, got offsets\[1\] = 6"),
        (np.array([0, 2**63 + 2], np.uint64), ValueError, str(2**63 + 2)),
        (np.array([], int), ValueError, "offsets must have one element more"),
        (np.array([[0, 5]]), ValueError, "one-dimensional"),
        (np.array([0.0, 5]), TypeError, "must hold integers, got dtype float64"),
        (np.array([False, True]), TypeError, "must hold integers, got dtype bool"),
        ({0, 5}, TypeError, "set"),
    ],
)
def test_refuses_offsets(function, offsets, error, message):
    with pytest.raises(error, match=message):
        function(np.arange(5), offsets)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda x: segmented_scan(x), ValueError, "either offsets or head_flags"),
        (lambda x: segmented_scan(x, np.array([0, 5]), head_flags=np.ones(5, bool)), ValueError, "not both"),
        (lambda x: segmented_scan(x, head_flags=np.ones(4, bool)), ValueError, "head_flags must have 5 elements, got 4"),
        (lambda x: segmented_reduce(x, np.array([0, 5]), "median"), ValueError, "unknown monoid 'median'"),
        (lambda x: segmented_scan(x, np.array([0, 5]), op="mean"), ValueError, "'mean' is no monoid, .* call segmented_reduce"),
        (lambda x: segmented_reduce(x, np.array([0, 5]), "mean", initial=1), ValueError, "'mean' takes neither initial nor"),
        (lambda x: segmented_reduce(x, np.array([0, 5]), return_index=True), ValueError, "return_index"),
        (lambda x: segmented_reduce(x * 1j, np.array([0, 5]), "min"), TypeError, "needs an order"),
        (lambda x: segmented_reduce(x.astype(object), np.array([0, 5])), TypeError, "object"),
        (lambda x: segmented_reduce({1, 2}, np.array([0, 2])), TypeError, "set"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call(np.arange(5))


def test_unsigned_values_beyond_int64_in_short_segments(xp, to_numpy):
    x = xp.asarray(np.resize(np.array([1, 2**63 + 1, 5], np.uint64), 40))
    assert to_numpy(segmented_reduce(x, xp.asarray([0, 3, 6, 9]), "max")).tolist() == [2**63 + 1] * 3


def test_an_identity_in_an_array_may_be_written_into(cpu_only):
    def add(a, b):
        return a + b

    identity = np.array(0)
    first = Monoid(add, identity, name="written")
    segmented_reduce(np.array([1, 2]), np.array([0, 0, 2]), first)
    identity[...] = 5
    for monoid in (first, Monoid(add, np.array(0), name="written")):
        assert segmented_reduce(np.array([1.0, 2]), np.array([0, 0, 2]), monoid).tolist() == [0, 3]
