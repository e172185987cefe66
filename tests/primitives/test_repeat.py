"""Runs written out and found again: sizes around the tile, counts of zero anywhere, every bit of every dtype."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dtypes
from spark_csr import config
from spark_csr.primitives import repeat, run_length_encode

pytestmark = pytest.mark.usefixtures("small_tiles")

COUNTS = [[], [0], [1], [3], [0, 0, 2], [2, 0, 0], [3, 1, 0, 2], [0] * 20, [1] * 17, [30, 0, 1], [8, 9, 7, 0, 16, 1]]
every_counts = pytest.mark.parametrize("counts", COUNTS, ids=str)


def runs_of(x):
    groups = [list(group) for _, group in itertools.groupby(x)]
    return [group[0] for group in groups], [len(group) for group in groups]


@every_counts
def test_repeat_is_numpys(xp, to_numpy, counts):
    x, counts = np.arange(1.0, len(counts) + 1), np.array(counts, int)
    np.testing.assert_array_equal(to_numpy(repeat(xp.asarray(x), xp.asarray(counts))), np.repeat(x, counts))


@pytest.mark.parametrize("most", [3, 9, 17, 40])
def test_long_and_short_runs_in_one_tile(xp, to_numpy, larger_tiles, most):
    """On the cores, eight elements are written at a time."""
    counts = np.random.default_rng(most).integers(0, most, 50)
    x = np.arange(50.0)
    np.testing.assert_array_equal(to_numpy(repeat(xp.asarray(x), xp.asarray(counts))), np.repeat(x, counts))


@pytest.mark.parametrize("n, count", [(0, 3), (1, 0), (1, 41), (5, 0), (5, 2), (15, 1), (16, 1), (17, 2), (8, 5), (49, 1)])
def test_one_count_for_all(xp, to_numpy, n, count):
    x = np.arange(n)
    np.testing.assert_array_equal(to_numpy(repeat(xp.asarray(x), count)), np.repeat(x, count))


@pytest.mark.parametrize("dtype", dtypes.each())
def test_every_dtype_there_and_back(xp, to_numpy, dtype):
    x = np.resize([1, 0, 1], 5).astype(dtype)
    counts = np.array([1, 9, 2, 1, 5])
    out = repeat(xp.asarray(x), xp.asarray(counts))
    assert out.dtype == dtype
    np.testing.assert_array_equal(to_numpy(out), np.repeat(x, counts))
    values, lengths = run_length_encode(out)
    assert values.dtype == dtype
    expected, expected_lengths = runs_of(np.repeat(x, counts))
    np.testing.assert_array_equal(to_numpy(values), expected)
    assert to_numpy(lengths).tolist() == expected_lengths


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_counts_of_any_integer_dtype(xp, to_numpy, dtype):
    counts = np.array([127, 0, 2], dtype)
    np.testing.assert_array_equal(
        to_numpy(repeat(xp.arange(3), xp.asarray(counts))), np.repeat(np.arange(3), counts.astype(int))
    )


def test_worked_example(xp, to_numpy):
    assert to_numpy(repeat(xp.asarray([1, 3, 6]), xp.asarray([3, 2, 3]))).tolist() == [1, 1, 1, 3, 3, 6, 6, 6]
    values, counts = run_length_encode(xp.asarray([1, 1, 1, 3, 3, 6, 6, 6]))
    assert to_numpy(values).tolist() == [1, 3, 6]
    assert to_numpy(counts).tolist() == [3, 2, 3]
    assert counts.dtype == np.int32


def test_zero_is_a_value(xp, to_numpy):
    assert to_numpy(repeat(xp.asarray([0, 3, 6]), xp.asarray([3, 2, 3]))).tolist() == [0, 0, 0, 3, 3, 6, 6, 6]
    x = np.array([0.0, -0.0, -0.0, np.nan, np.nan, 0.0])
    out = to_numpy(repeat(xp.asarray(x), xp.asarray([1, 2, 0, 3, 1, 1])))
    assert out.tobytes() == np.repeat(x, [1, 2, 0, 3, 1, 1]).tobytes()


@pytest.mark.parametrize("counts", [[0, 2, 1], [2, 0, 1], [2, 1, 0], [0, 3, 0]], ids=str)
def test_a_count_of_zero_writes_nothing(xp, to_numpy, counts):
    """Neither onto the element that starts where it would, nor past the end."""
    out = to_numpy(repeat(xp.asarray([7, 8, 9]), xp.asarray(counts)))
    assert out.tolist() == [v for v, c in zip([7, 8, 9], counts, strict=True) for _ in range(c)]


def test_one_run_of_everything_and_many_of_one(xp, to_numpy):
    assert to_numpy(run_length_encode(xp.zeros(33))[1]).tolist() == [33]
    values, counts = run_length_encode(xp.arange(33))
    assert to_numpy(values).tolist() == list(range(33))
    assert to_numpy(counts).tolist() == [1] * 33


@pytest.mark.parametrize("n", [0, 1, 2])
def test_runs_of_few(xp, to_numpy, n):
    values, counts = run_length_encode(xp.ones(n))
    assert to_numpy(values).tolist() == [1] * min(n, 1)
    assert to_numpy(counts).tolist() == [n] * min(n, 1)


def test_equal_means_the_same_bits(xp, to_numpy):
    other_nan = np.array([0x7FF8000000000001], np.uint64).view(float)[0]
    x = np.array([np.nan, np.nan, other_nan, 0.0, -0.0, -0.0, 1])
    values, counts = run_length_encode(xp.asarray(x))
    assert to_numpy(counts).tolist() == [2, 1, 1, 2, 1]
    assert to_numpy(repeat(values, counts)).tobytes() == x.tobytes()


def test_complex_runs_differ_in_either_part(xp, to_numpy):
    x = np.array([1 + 1j, 1 + 1j, 1 + 2j, 2 + 2j, 2 + 2j, complex(2, np.nan), complex(2, np.nan)])
    for dtype in (np.complex64, np.complex128):
        assert to_numpy(run_length_encode(xp.asarray(x.astype(dtype)))[1]).tolist() == [2, 1, 2, 2]


floats = st.sampled_from([0.0, -0.0, 1.0, np.nan])


@given(st.lists(st.tuples(floats, st.integers(0, 9)), max_size=6))
def test_decode_of_encode_is_the_array(xp, to_numpy, pairs):
    x, counts = np.array([p[0] for p in pairs], float), np.array([p[1] for p in pairs], int)
    expanded = np.repeat(x, counts)
    assert to_numpy(repeat(xp.asarray(x), xp.asarray(counts))).tobytes() == expanded.tobytes()
    values, lengths = run_length_encode(xp.asarray(expanded))
    assert np.repeat(to_numpy(values), to_numpy(lengths)).tobytes() == expanded.tobytes()
    bits = to_numpy(values).view(np.uint64)
    assert (bits[1:] != bits[:-1]).all()
    assert (to_numpy(lengths) > 0).all()


def test_total_from_a_caller_who_knows(xp, to_numpy):
    x, counts = np.arange(4), np.array([5, 0, 30, 2])
    for validate in (True, False):
        with config(validate=validate):
            got = repeat(xp.asarray(x), xp.asarray(counts), total=37)
            assert to_numpy(repeat(xp.asarray(x), 2, total=8)).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
        np.testing.assert_array_equal(to_numpy(got), np.repeat(x, counts))


def test_strided_views(xp, to_numpy):
    x, counts = np.arange(30), np.arange(30) % 4
    got = repeat(xp.asarray(x)[::-3], xp.asarray(counts)[::-3])
    np.testing.assert_array_equal(to_numpy(got), np.repeat(x[::-3], counts[::-3]))
    assert to_numpy(run_length_encode(xp.asarray([1, 2, 1, 3, 1, 4])[::2])[1]).tolist() == [3]


TWO = np.ones(2)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: repeat({1}, 2), TypeError, "x must be a NumPy or CuPy array, got set"),
        (lambda: repeat(TWO, {1, 2}), TypeError, "counts must be an integer array or an int, got set"),
        (lambda: repeat(TWO, 1.5), TypeError, "counts must be an integer array or an int, got float"),
        (lambda: repeat(TWO, np.array([1.0, 2])), TypeError, "counts must hold integers, got dtype float64"),
        (lambda: repeat(TWO, np.array([1, 2, 3])), ValueError, r"counts must have the 2 elements of x, got shape \(3,\)"),
        (lambda: repeat(TWO, np.array([1, -2])), ValueError, r"counts\[1\] = -2"),
        (lambda: repeat(TWO, -1), ValueError, "counts must be 0 or above, got -1"),
        (lambda: repeat(TWO, 2**61), MemoryError, "4611686018427387904 elements need .* GiB"),
        (lambda: repeat(TWO, 2**62), ValueError, r"less than 2\*\*63"),
        (lambda: repeat(TWO, np.array([2**62, 2**62])), ValueError, r"less than 2\*\*63"),
        (lambda: repeat(TWO, np.array([2**64 - 1, 1], np.uint64)), ValueError, r"less than 2\*\*63"),
        (lambda: repeat(TWO, np.array([1, 2]), total=4), ValueError, "total must be the sum of counts, 3, got 4"),
        (lambda: repeat(TWO, 2, total=3), ValueError, "total must be the sum of counts, 4, got 3"),
        (lambda: repeat(TWO, 2, total=-4), ValueError, "total must be 0 or above, got -4"),
        (lambda: run_length_encode({1}), TypeError, "set"),
        (lambda: run_length_encode(np.ones((2, 2))), ValueError, "one-dimensional"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_same_result_for_any_number_of_threads(cpu_only):
    x, counts = np.arange(3000.0), np.arange(3000) % 7
    runs = set()
    for threads in (1, 2):
        with config(threads=threads):
            runs.add(repeat(x, counts).tobytes())
    assert len(runs) == 1
