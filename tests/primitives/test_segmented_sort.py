"""Segmented sort and argsort: against Python's stable sort, for every length, dtype, order, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dtypes
import oracles
from spark_csr import config
from spark_csr._array import DTYPES, SIMULATED
from spark_csr.primitives import segmented_argsort, segmented_sort, segmented_topk

pytestmark = pytest.mark.usefixtures("small_tiles")

REAL = dtypes.each([dtype for dtype in DTYPES if dtype.kind != "c"], "?Qe" if SIMULATED else dtypes.KEYS)
OFFSETS = {
    "none": [0],
    "all empty": [0] * 30,
    "first and last empty": [0, 0, 0, 3, 9, 40, 40, 40],
    "one long": [0, 40],
    "one each": list(range(41)),
    "starts above zero, ends before the end": [3, 5, 5, 30, 36],
    "short ones": list(range(0, 41, 4)),
    "around a run": [0, 24, 24, 40],
    "long ones and short ones": [0, 2, 35, 36, 40],
    "nothing, in the middle": [20, 20, 20],
}
every_offsets = pytest.mark.parametrize("offsets", OFFSETS.values(), ids=OFFSETS)
directions = pytest.mark.parametrize("descending", [False, True], ids=["ascending", "descending"])
X = np.random.default_rng(3).integers(-9, 9, 40)


def check(xp, to_numpy, x, offsets, descending=False, *, both=not SIMULATED):
    """To the bit: equal elements that look different (-0.0, NaN with a sign) tell whether it is stable."""
    expected = np.array(oracles.segmented_argsort(x, offsets, descending=descending), int)
    index = to_numpy(segmented_argsort(xp.asarray(x), xp.asarray(offsets), descending=descending))
    assert index.dtype == np.int32
    np.testing.assert_array_equal(index, expected)
    if both and x.dtype in (int, np.float16, bool):  # every other dtype would be one more compilation of the same loops
        got = to_numpy(segmented_sort(xp.asarray(x), xp.asarray(offsets), descending=descending))
        assert got.dtype == x.dtype
        assert got.tobytes() == x[expected].tobytes()


@every_offsets
def test_sort(xp, to_numpy, offsets):
    check(xp, to_numpy, X, offsets)


@directions
def test_both_functions_in_both_directions(xp, to_numpy, descending):
    check(xp, to_numpy, X, OFFSETS["long ones and short ones"], descending, both=True)


@pytest.mark.parametrize("n", [0, 1, 8, 9, 16, 17, 24, 25, 32, 33, 49])
def test_one_segment_of_every_size(xp, to_numpy, n):
    check(xp, to_numpy, np.random.default_rng(n).integers(0, 1 + n // 3, n), [0, n])


@pytest.mark.parametrize(
    "x",
    [np.arange(40)[::-1], np.zeros(40, int), np.repeat([1, 0], 20), np.repeat([0, 1], [3, 37])],
    ids=["in reverse", "all equal", "halves the wrong way round", "few small ones"],
)
def test_given_orders(xp, to_numpy, x):
    check(xp, to_numpy, x, [0, 6, 40])


@pytest.mark.parametrize("dtype", REAL)
@directions
def test_dtypes(xp, to_numpy, dtype, descending):
    rng = np.random.default_rng(7)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        x = rng.choice(np.array([info.min, info.max, info.max - 1, 0, 1, 2, 3], dtype), 40)
    elif dtype.kind == "f":
        x = rng.choice(np.array([0.0, -0.0, 1, -1, 2.5, -2.5, np.inf, -np.inf, np.nan, -np.nan], dtype), 40)
    else:
        x = rng.integers(0, 2, 40).astype(dtype)
    check(xp, to_numpy, x, [0, 3, 34, 34, 39], descending)


@pytest.mark.parametrize("dtype", [np.float64, np.float16])
@directions
def test_nan_last_and_zeros_equal(xp, to_numpy, dtype, descending):
    tiny = np.finfo(dtype).smallest_subnormal
    x = np.array([np.nan, 0.0, -0.0, -tiny, np.inf, tiny, -np.inf, 0.0, np.nan, -0.0, 1.0], dtype)
    got = to_numpy(segmented_sort(xp.asarray(x), xp.asarray([0, 11]), descending=descending))
    zeros = [0.0, -0.0, 0.0, -0.0]
    upwards = [-np.inf, -tiny, *zeros, tiny, 1.0, np.inf]
    downwards = [np.inf, 1.0, tiny, *zeros, -tiny, -np.inf]
    np.testing.assert_array_equal(got, np.array([*(downwards if descending else upwards), np.nan, np.nan], dtype))
    assert np.signbit(got[got == 0]).tolist() == [False, True, False, True]


def test_nan_only(xp, to_numpy):
    check(xp, to_numpy, np.full(40, np.nan), [0, 2, 40])


def test_outside_of_all_segments_nothing_moves(xp, to_numpy):
    x = np.arange(20)[::-1].copy()
    assert to_numpy(segmented_sort(xp.asarray(x), xp.asarray([4, 6, 9]))).tolist() == [
        *range(19, 15, -1), 14, 15, 11, 12, 13, *range(10, -1, -1),
    ]  # fmt: skip
    assert to_numpy(x).tolist() == list(range(19, -1, -1))


def test_offsets_of_any_integer_dtype(xp, to_numpy):
    check(xp, to_numpy, X, np.array([0, 3, 3, 9], np.uint64))


def test_strided_operands(xp, to_numpy):
    x, offsets = X[::-2], np.array([0, 9, 1, 9, 4, 9, 20])[::2]
    got = to_numpy(segmented_sort(xp.asarray(X)[::-2], xp.asarray([0, 9, 1, 9, 4, 9, 20])[::2]))
    np.testing.assert_array_equal(got, x[oracles.segmented_argsort(x, offsets)])


def test_lengths_of_every_kind_compiled(cpu_only, monkeypatch):
    """Tiles, pieces and runs as large as in real use."""
    monkeypatch.undo()
    rng = np.random.default_rng(1)
    lengths = np.concatenate([rng.integers(0, 60, 2000), [70_000], rng.integers(0, 3000, 20), [140_000, 0, 65_536, 65_537]])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    x = rng.integers(0, 1000, offsets[-1])
    ids = np.repeat(np.arange(lengths.size), lengths)
    for threads in (1, 2):
        with config(threads=threads):
            np.testing.assert_array_equal(segmented_argsort(x, offsets), np.lexsort((x, ids)))
            np.testing.assert_array_equal(segmented_sort(x, offsets), x[np.lexsort((x, ids))])


@given(st.lists(st.lists(st.integers(-3, 3), max_size=9 if SIMULATED else 40), max_size=4), st.booleans(), st.integers(0, 50))
def test_laws(xp, to_numpy, rows, descending, k):
    x = np.array([v for row in rows for v in row], np.int64)
    offsets = np.cumsum([0, *map(len, rows)])
    check(xp, to_numpy, x, offsets, descending)
    if SIMULATED:
        return
    _, values, _ = segmented_topk(xp.asarray(x), xp.asarray(offsets), k)
    assert to_numpy(values).tolist() == [v for row in rows for v in sorted(row, reverse=True)[:k]]


@pytest.mark.parametrize("function", [segmented_sort, segmented_argsort, lambda x, offsets: segmented_topk(x, offsets, 2)])
@pytest.mark.parametrize(
    "x, offsets, error, message",
    [
        (np.arange(5), np.array([0, 3, 2]), ValueError, r"offsets\[1\] = 3 > offsets\[2\] = 2"),
        (np.arange(5), np.array([-2, 3]), ValueError, r"offsets\[0\] = -2"),
        (np.arange(5), np.array([0, 6]), ValueError, r"within the 5 values, got offsets\[1\] = 6"),
        (np.arange(5), np.array([], int), ValueError, "offsets must have one element more"),
        (np.arange(5), np.array([0.0, 5]), TypeError, "must hold integers, got dtype float64"),
        (np.arange(5), {0, 5}, TypeError, "set"),
        (np.ones(5, complex), np.array([0, 5]), TypeError, "complex128: complex numbers have no order"),
        (np.ones((2, 2)), np.array([0, 2]), ValueError, "one-dimensional"),
        (np.array([None]), np.array([0, 1]), TypeError, "object"),
        ({1, 2}, np.array([0, 2]), TypeError, "set"),
    ],
)
def test_refuses(function, x, offsets, error, message):
    with pytest.raises(error, match=message):
        function(x, offsets)
