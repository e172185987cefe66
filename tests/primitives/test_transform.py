"""Functions of every item of segments, and of items that pass a test, against plain loops."""

import itertools
import math

import numba
import numpy as np
import pytest

from spark_csr._array import SIMULATED
from spark_csr.primitives import compact, offsets_from_counts, transform_compact, transform_segments

pytestmark = pytest.mark.usefixtures("small_tiles")

needs_types = pytest.mark.skipif(SIMULATED, reason="without the compiler @njit leaves functions as they are")

OFFSETS = [
    [0],
    [0, 0],
    [0] * 40,
    [0, 3, 4, 6],
    [0, 0, 0, 2],
    [0, 2, 2, 2, 4],
    [0, 2, 2],
    [5, 5, 8, 8, 40],
    [0, 1, 90, 91],
    [0] * 20 + list(range(25)) + [24] * 20,
    *([0, n] for n in (1, 7, 8, 9, 15, 16, 17, 33)),
]


def items_of(offsets):
    """The position, the segment and the rank of every item."""
    pairs = enumerate(itertools.pairwise(offsets))
    return [(start + rank, segment, rank) for segment, (start, stop) in pairs for rank in range(stop - start)]


def mixed(index, segment, rank):
    return 10_000 * index + 100 * segment + rank


@pytest.mark.parametrize("offsets", OFFSETS, ids=str)
def test_every_item_with_its_segment_and_its_rank(xp, to_numpy, offsets):
    got = transform_segments(xp.asarray(offsets), mixed)
    assert got.dtype == np.int64
    assert to_numpy(got).tolist() == [mixed(*item) for item in items_of(offsets)]


def scaled(index, segment, rank, x, of_segment, scale):
    return x[index] * of_segment[segment] + scale * rank


@pytest.mark.parametrize("dtype", ["int32", "uint64"])
def test_arrays_and_numbers_follow(xp, to_numpy, larger_tiles, dtype):
    """Over the ends of tiles; each array is as long as it must be, so another segment than the right one is out of bounds."""
    counts = np.tile([0, 1, 7, 8, 9, 0, 0, 15, 16, 17, 31, 100, 0, 3], 9)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(dtype)
    x, of_segment = np.random.default_rng(1).random((2, offsets[-1]))
    of_segment = of_segment[: counts.size]
    got = to_numpy(transform_segments(xp.asarray(offsets), scaled, xp.asarray(x), xp.asarray(of_segment), 0.5))
    np.testing.assert_allclose(got, [scaled(*item, x, of_segment, 0.5) for item in items_of(offsets.tolist())], rtol=1e-15)


def note(index, segment, rank, hits):
    hits[index] += 1 + 10 * segment
    return index


@needs_types
def test_each_item_is_visited_once(xp, to_numpy, larger_tiles):
    offsets = np.cumsum([0, 1, 0, 9, 1, 1, 17, 30, 0])
    hits = xp.zeros(offsets[-1], int)
    transform_segments(xp.asarray(offsets), note, hits)
    assert to_numpy(hits).tolist() == [1 + 10 * segment for _, segment, _ in items_of(offsets)]


def is_even(index, segment, rank):
    return rank % 2 == 0


def half(index, segment, rank):
    return rank / 2


def turned(index, segment, rank):
    return rank * 1j


def narrow(index, segment, rank, x):
    return x[index]


@pytest.mark.parametrize("offsets", [[0, 3, 3, 20], pytest.param([0, 0], marks=needs_types)])
@pytest.mark.parametrize(
    "func, given, dtype",
    [
        (is_even, None, bool),
        (half, None, float),
        (turned, None, complex),
        (narrow, "float32", "float32"),
        (narrow, "int8", "int8"),
    ],
)
def test_the_dtype_is_that_of_the_function(xp, to_numpy, offsets, func, given, dtype):
    arrays = [] if given is None else [np.arange(20).astype(given)]
    got = transform_segments(xp.asarray(offsets), func, *map(xp.asarray, arrays))
    assert got.dtype == dtype
    assert to_numpy(got).tolist() == [func(*item, *arrays) for item in items_of(offsets)]


SCALE = 3


def of_module(index, segment, rank, x, shift=7):
    return SCALE * x[index] + shift


def test_defaults_and_names_of_the_module_are_used(xp, to_numpy):
    x = xp.arange(5)
    assert to_numpy(transform_segments(xp.asarray([0, 5]), of_module, x)).tolist() == [7, 10, 13, 16, 19]
    decorated = numba.njit(of_module)
    assert to_numpy(transform_segments(xp.asarray([2, 4]), decorated, x)).tolist() == [13, 16]
    for c in (1, 2):
        got = transform_segments(xp.asarray([0, 2]), lambda index, segment, rank, c=c: index + c)
        assert to_numpy(got).tolist() == [c, c + 1]


def is_small(index, x, bound):
    return x[index] < bound


def is_any(index, x, bound):
    return True


def combined(destination, source, x, bound):
    return 1000 * destination + source + x[source]


@pytest.mark.parametrize("n", [0, 1, 3, 5, 15, 16, 17, 33, 49, 100])
@pytest.mark.parametrize("bound", [-1, 3, 9, 20])
def test_compact_is_the_comprehension(xp, to_numpy, n, bound):
    x = np.random.default_rng(n).integers(0, 10, n).astype(float)
    sources = [i for i in range(n) if x[i] < bound]
    got = transform_compact(n, is_small, combined, xp.asarray(x), bound)
    assert to_numpy(got).tolist() == [combined(k, i, x, bound) for k, i in enumerate(sources)]
    assert got.dtype == float or SIMULATED
    got = transform_compact(n, is_small, None, xp.asarray(x), bound)
    assert got.dtype == np.int32
    assert to_numpy(got).tolist() == sources


@pytest.mark.parametrize("density", [0.02, 0.5, 0.98, 1])
def test_compact_over_the_ends_of_tiles(xp, to_numpy, larger_tiles, density):
    x = np.random.default_rng(1).random(1000)
    got = to_numpy(transform_compact(x.size, is_small, combined, xp.asarray(x), density))
    sources = np.flatnonzero(x < density)
    np.testing.assert_array_equal(got, [combined(k, i, x, density) for k, i in enumerate(sources)])


def test_compact_of_fewer_items_than_elements(xp, to_numpy):
    assert to_numpy(transform_compact(7, is_any, combined, xp.zeros(90), 0)).tolist() == [1001 * k for k in range(7)]


def exists(index, x, calls):
    calls[index] += 1
    return x[index] >= 0


def root(destination, source, x, calls):
    calls[source] += 10
    return math.sqrt(x[source])


@needs_types
def test_functions_are_called_once_and_for_selected_items_only(xp, to_numpy):
    x, calls = xp.asarray([4, -1, 9, -1, 16] * 9), xp.zeros(45, int)
    assert to_numpy(transform_compact(45, exists, root, x, calls)).tolist() == [2, 3, 4] * 9
    assert to_numpy(calls).tolist() == [11, 1, 11, 1, 11] * 9


def refuses(index, segment, rank, x):
    if x[index] > 5:
        raise ValueError("too large")
    return rank


def refuses_one(index, x):
    if x[index] > 5:
        raise ValueError("too large")
    return x[index] > 2


def accepts_all(index, x):
    return True


def refuses_selected(destination, source, x):
    if x[source] > 5:
        raise ValueError("too large")
    return x[source]


@needs_types
def test_exceptions_reach_the_caller(cpu_only):
    x = np.arange(100)
    for call in (
        lambda: transform_segments([0, 40, 100], refuses, x),
        lambda: transform_compact(100, refuses_one, None, x),
        lambda: transform_compact(100, accepts_all, refuses_selected, x),
    ):
        with pytest.raises(ValueError, match="too large"):
            call()
    assert transform_segments([0, 2, 6], refuses, x).tolist() == [0, 1, 0, 1, 2, 3]
    assert transform_compact(6, refuses_one, None, x).tolist() == [3, 4, 5]


def test_of_bools_and_indices_on_every_device(xp, to_numpy):
    """A frontier's neighbours that were not seen: expansion by segments, then a selection."""
    indptr, columns, seen = np.array([0, 3, 6, 7]), np.array([0, 1, 2, 0, 1, 2, 2]), np.array([True, False, False])
    frontier = np.array([2, 0])
    offsets = offsets_from_counts(indptr[frontier + 1] - indptr[frontier])
    arrays = map(xp.asarray, (frontier, indptr, columns))
    reached = transform_segments(xp.asarray(offsets), target, *arrays)
    assert to_numpy(reached).tolist() == [2, 0, 1, 2]
    got = transform_compact(reached.size, is_new, take, reached, xp.asarray(seen))
    assert to_numpy(got).tolist() == [2, 1, 2]
    assert to_numpy(got).tolist() == to_numpy(compact(reached, xp.asarray(~seen[to_numpy(reached)]))).tolist()


def target(index, segment, rank, frontier, indptr, columns):
    return columns[indptr[frontier[segment]] + rank]


def is_new(index, reached, seen):
    return not seen[reached[index]]


def take(destination, source, reached, seen):
    return reached[source]


def closes_over(c):
    return lambda index, segment, rank: c


TWO, ONE = np.array([0, 2]), np.ones(4)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: transform_segments(np.array([0, 3, 2]), mixed), ValueError, r"offsets must not decrease"),
        (lambda: transform_segments(np.array([0.0, 3]), mixed), TypeError, "offsets"),
        (lambda: transform_segments(TWO, 3), TypeError, r"Python function of \(index, segment, rank\), got 3"),
        (lambda: transform_segments(TWO, mixed, ONE), TypeError, r"take \(index, segment, rank, arrays\[0\]\), got 'mixed'"),
        (lambda: transform_segments(TWO, closes_over(2)), TypeError, "must not close over variables"),
        (
            lambda: transform_segments(TWO, narrow, ONE.reshape(2, 2)),
            ValueError,
            r"arrays\[0\] must be a contiguous array of one",
        ),
        (lambda: transform_segments(TWO, narrow, ONE[::2]), ValueError, r"arrays\[0\] must be a contiguous array"),
        (lambda: transform_segments(TWO, narrow, ONE.astype("float16")), TypeError, r"arrays\[0\] has dtype float16"),
        (lambda: transform_segments(TWO, narrow, "x"), TypeError, r"arrays\[0\] must be an array or a number, got str"),
        (lambda: transform_segments(TWO, narrow, np.ma.array(ONE)), TypeError, r"arrays\[0\] is a masked array"),
        (
            lambda: transform_segments(TWO, narrow, 2**70),
            TypeError,
            r"arrays\[0\] must be a number .* got 11805916207",
        ),
        (lambda: transform_segments(TWO, narrow, np.datetime64("2020")), TypeError, r"arrays\[0\] .* got np.datetime64"),
        (lambda: transform_compact(2**60, is_small, None, ONE, 1), MemoryError, "flags of 1152921504606846976 items"),
        (lambda: transform_compact(-1, is_small, None, ONE, 1), ValueError, "n must be 0 or above, got -1"),
        (lambda: transform_compact(1.5, is_small, None, ONE, 1), TypeError, "n must be an integer, got 1.5"),
        (lambda: transform_compact(1, is_small, None, 1, 1), ValueError, "at least one array"),
        (lambda: transform_compact(1, is_small, None, ONE), TypeError, r"take \(index, arrays\[0\]\), got 'is_small'"),
        (lambda: transform_compact(1, None, None, ONE), TypeError, r"Python function of \(index, arrays\[0\]\), got None"),
        (
            lambda: transform_compact(1, is_small, 5, ONE, 1),
            TypeError,
            r"of \(destination, source, arrays\[0\], arrays\[1\]\), got 5",
        ),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


def pair(index, segment, rank):
    return index, rank


def nothing(index, segment, rank):
    pass


def number(index, x):
    return x[index]


def no_number(destination, source, x):
    return "x"


@needs_types
@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: transform_segments(TWO, pair), "return a number"),
        (lambda: transform_segments(TWO, nothing), "return a number"),
        (lambda: transform_compact(4, number, None, ONE), "return a bool, got float64"),
        (lambda: transform_compact(4, lambda i, x: x[i] > 0, no_number, ONE), "return a number"),
    ],
)
def test_what_functions_must_return(call, message):
    with pytest.raises(TypeError, match=message):
        call()
