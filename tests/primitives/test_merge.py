"""Merging two sorted arrays, and the test for bitonic sequences: worked examples, ties, every dtype, refusals."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dtypes
from spark_csr import config
from spark_csr._array import DTYPES
from spark_csr.primitives import is_bitonic, merge

pytestmark = pytest.mark.usefixtures("small_tiles")

LENGTHS = [(0, 0), (0, 1), (1, 0), (1, 1), (0, 40), (40, 0), (7, 8), (8, 8), (9, 8), (16, 16), (31, 2), (2, 47), (25, 24)]
ORDERED = dtypes.each([t for t in DTYPES if t.kind != "c"], dtypes.KEYS)
descents = st.lists(st.integers(-4, 4), max_size=40)


def expected_merge(a, b):
    """A stable sort of both, and where each element lands."""
    both = np.concatenate([a, b])
    order = np.argsort(both, kind="stable")
    positions = np.argsort(order, kind="stable")
    return both[order], positions[: a.size], positions[a.size :]


def check(xp, to_numpy, a, b):
    got = merge(xp.asarray(a), xp.asarray(b), return_index=True)
    out = to_numpy(merge(xp.asarray(a), xp.asarray(b)))
    expected = expected_merge(a, b)
    for mine, wanted in zip(got, expected, strict=True):
        np.testing.assert_array_equal(to_numpy(mine), wanted)
    assert out.dtype == expected[0].dtype
    assert out.tobytes() == to_numpy(got[0]).tobytes() == expected[0].tobytes()


def test_worked_example(xp, to_numpy):
    a, b = xp.asarray([1, 3, 12, 28]), xp.asarray([2, 10, 15, 21])
    out, of_a, of_b = merge(a, b, return_index=True)
    assert to_numpy(out).tolist() == [1, 2, 3, 10, 12, 15, 21, 28]
    assert to_numpy(of_a).tolist() == [0, 2, 4, 7]
    assert to_numpy(of_b).tolist() == [1, 3, 5, 6]
    assert of_a.dtype == of_b.dtype == np.int32


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize("values", [3, 1000])
def test_lengths_around_the_tile(xp, to_numpy, lengths, values):
    rng = np.random.default_rng(lengths)
    check(xp, to_numpy, *(np.sort(rng.integers(0, values, n)) for n in lengths))


@pytest.mark.parametrize("shift", [-100, 100])
def test_one_side_all_before_the_other(xp, to_numpy, shift):
    check(xp, to_numpy, np.arange(20), np.arange(20) + shift)


def test_ties_do_not_collide_and_a_comes_first(xp, to_numpy):
    """Ranks need the lower bound on one side and the upper bound on the other: else equal elements share an address."""
    _, of_a, of_b = merge(xp.asarray([5, 5, 5]), xp.asarray([5, 5]), return_index=True)
    assert to_numpy(of_a).tolist() == [0, 1, 2]
    assert to_numpy(of_b).tolist() == [3, 4]
    out = to_numpy(merge(xp.asarray([0.0, 0.0]), xp.asarray([-0.0])))
    assert np.signbit(out).tolist() == [False, False, True]


@pytest.mark.parametrize("dtype", ORDERED)
def test_every_dtype(xp, to_numpy, dtype):
    some = np.array([0, 1, 1, 0, 1] if dtype == bool else [0, 100, 3, 3, 7, 127, 50], dtype)
    if dtype.kind in "if":
        some = np.concatenate([some, -some])
    check(xp, to_numpy, np.sort(np.resize(some, 19)), np.sort(np.resize(some, 12)))


@pytest.mark.parametrize("dtype", [np.uint64, np.int64, np.int8])
def test_extremes(xp, to_numpy, dtype):
    info = np.iinfo(dtype)
    check(xp, to_numpy, np.array([info.min, info.min, info.max - 1, info.max], dtype), np.array([info.min, info.max], dtype))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_nan_is_last(xp, to_numpy, dtype):
    a = np.array([-np.inf, -1, 0, np.inf, np.nan, np.nan], dtype)
    b = np.array([-np.inf, 2, np.inf, np.inf, np.nan], dtype)
    check(xp, to_numpy, a, b)
    check(xp, to_numpy, b, np.full(9, np.nan, dtype))


@pytest.mark.parametrize("dtypes", ["?b", "bB", "iI", "ef", "ie", "fd", "Bq"])
def test_two_dtypes(xp, to_numpy, dtypes):
    check(xp, to_numpy, np.array([0, 1, 1]).astype(dtypes[0]), np.array([0, 1, 5]).astype(dtypes[1]))


@given(descents, descents)
def test_is_a_stable_sort_of_both(xp, to_numpy, a, b):
    check(xp, to_numpy, np.sort(np.array(a, np.int64)), np.sort(np.array(b, np.int64)))


def test_strided_views_and_reading_changes_nothing(xp, to_numpy):
    a, b = xp.arange(30), xp.arange(30.0)[::-1]
    out = merge(a[::3], b[::-2].astype(int))
    np.testing.assert_array_equal(to_numpy(out), np.sort(np.concatenate([np.arange(0, 30, 3), np.arange(0, 30, 2)])))
    np.testing.assert_array_equal(to_numpy(a), np.arange(30))


@pytest.mark.parametrize(
    "a, b, error, message",
    [
        ({1, 2}, np.arange(2), TypeError, "a must be a NumPy or CuPy array, got set"),
        (np.arange(2), np.ones((2, 2)), ValueError, "b must be one-dimensional"),
        (np.array([1j]), np.arange(2), TypeError, "a must have an order, and complex128 has none"),
        (np.arange(2), np.array(["x"]), TypeError, "b has dtype <U1"),
        (np.array([1, 3, 2]), np.arange(2), ValueError, r"a must ascend, got a\[1\] = 3 > a\[2\] = 2: sort it first"),
        (np.arange(2), np.array([0, np.nan, 1, 0]), TypeError, "no dtype holds both int64 and float64 exactly"),
        (np.arange(2, dtype="u8"), np.arange(2), TypeError, "no dtype holds both uint64 and int64 exactly"),
        (np.ones(2), np.array([0, np.nan, 1, 0]), ValueError, r"b must ascend, got b\[1\] = nan > b\[2\] = 1.0"),
        (np.array([True, False]), np.array([True]), ValueError, r"a\[0\] = True > a\[1\] = False"),
    ],
)
def test_refuses(a, b, error, message):
    with pytest.raises(error, match=message):
        merge(a, b)


def test_unsorted_input_is_not_looked_for_when_told_so(xp):
    with config(validate=False):
        assert merge(xp.asarray([3, 1]), xp.asarray([5])).size == 3


@pytest.mark.parametrize(
    "x, expected",
    [
        ([1, 2, 5, 4, 2], True),
        ([7, 5, 3, 4, 6], True),  # 7 > 5 > 3 < 4 < 6: one change of direction
        ([1, 3, 2, 4, 5], False),
        ([4, 5, 2, 1, 3], False),  # only when rotated
        ([], True),
        ([1], True),
        ([3, 3, 3], True),
        ([1, 1, 2, 2, 1, 1], True),
        ([2, 2, 1, 1, 2, 2], True),
        ([1, 2, 2, 1, 1, 2], False),
        (list(range(30)), True),
        ([*range(30), 7], True),
        ([*range(30), 7, 8], False),
    ],
)
def test_bitonic(xp, x, expected):
    assert is_bitonic(xp.asarray(np.array(x, np.int64))) is expected


@given(descents)
def test_bitonic_is_one_change_of_direction(xp, x):
    signs = [np.sign(b - a) for a, b in itertools.pairwise(x) if a != b]
    assert is_bitonic(xp.asarray(np.array(x, np.int64))) == (sum(a != b for a, b in itertools.pairwise(signs)) <= 1)


@pytest.mark.parametrize("dtype", ORDERED)
def test_bitonic_in_every_dtype(xp, dtype):
    assert is_bitonic(xp.asarray(np.array([0, 1, 1, 0], dtype)))
    assert not is_bitonic(xp.asarray(np.array([0, 1, 0, 1], dtype)))


def test_bitonic_takes_nan_as_the_greatest(xp):
    assert is_bitonic(xp.asarray([1.0, 2, np.nan, np.nan, 3]))
    assert not is_bitonic(xp.asarray([1.0, np.nan, 2, np.nan]))


@pytest.mark.parametrize("x, error", [({1}, TypeError), (np.ones((1, 1)), ValueError), (np.array([1j]), TypeError)])
def test_bitonic_refuses(x, error):
    with pytest.raises(error):
        is_bitonic(x)
