"""`for_each`: every index once, with arrays and numbers, serial and parallel."""

import numba
import numpy as np
import pytest

from spark_csr._array import SIMULATED
from spark_csr.primitives import for_each, load_balance_search
from spark_csr.primitives.foreach import for_each_tile, for_few

pytestmark = pytest.mark.usefixtures("small_tiles")


@numba.njit
def count(i, hits):
    hits[i] += 1


@numba.njit
def fill_row(i, ragged, offsets, value, scale):
    for p in range(offsets[i], offsets[i + 1]):
        ragged[p] = value + scale * (p - offsets[i])


@numba.njit
def distance(k, i, j, out):
    out[k] = abs(i[k] - j[k])


def not_compiled(i, hits):
    hits[i] = 1


@pytest.mark.parametrize("n", [0, 1, 16, 17, 50])
def test_every_index_once(xp, to_numpy, n):
    hits = xp.zeros(55, int)
    for_each(n, count, hits)
    np.testing.assert_array_equal(to_numpy(hits), np.arange(55) < n)


@numba.njit
def count_tile(start, stop, hits, starts):
    starts[start] = 1
    for i in range(start, stop):
        hits[i] += 1


@pytest.mark.parametrize("n", [0, 1, 4, 16, 17, 50])
def test_tiles_hold_every_index_once(xp, to_numpy, n):
    hits, starts = xp.zeros(55, int), xp.zeros(55, int)
    for_each_tile(n, count_tile, hits, starts)
    np.testing.assert_array_equal(to_numpy(hits), np.arange(55) < n)
    on_cores = xp is np and not SIMULATED
    assert np.flatnonzero(to_numpy(starts)).tolist() == list(range(0, n, (4 if n > 16 else 16) if on_cores else 1))


@pytest.mark.parametrize("n", [0, 1, 7])
@pytest.mark.parametrize("work", [1, 10**9])
def test_few_indices_once(xp, to_numpy, n, work):
    hits = xp.zeros(10, int)
    for_few(n, work, count, hits)
    np.testing.assert_array_equal(to_numpy(hits), np.arange(10) < n)


@pytest.mark.parametrize("rows", [3, 20])
def test_numbers_and_several_arrays(xp, to_numpy, rows):
    offsets = np.arange(rows + 1) * 2
    ragged = xp.zeros(rows * 2)
    for_each(rows, fill_row, ragged, xp.asarray(offsets), 5, 0.5)
    np.testing.assert_array_equal(to_numpy(ragged), np.resize([5, 5.5], rows * 2))


def test_elements_that_know_their_row_and_column(xp, to_numpy):
    """C[i][j] = |i - j| for [[6, 5, 5], [2], [9, 9]]: one call an element, none of them loops over a row."""
    i, j = load_balance_search(xp.asarray([0, 3, 4, 6]))
    out = xp.full(6, -1)
    for_each(6, distance, i, j, out)
    assert to_numpy(out).tolist() == [0, 1, 2, 1, 2, 1]


def test_size_may_be_a_numpy_integer(xp, to_numpy):
    hits = xp.zeros(3, int)
    for_each(np.int32(2), count, hits)
    assert to_numpy(hits).tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: for_each(-1, count, np.zeros(1)), ValueError, "-1"),
        (lambda: for_each(3, count), ValueError, "at least one array"),
        (lambda: for_each(3, count, 5), ValueError, "at least one array"),
        (lambda: for_each(1.5, count, np.zeros(1)), TypeError, "float"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.skipif(SIMULATED, reason="without the compiler @njit leaves functions as they are")
@pytest.mark.parametrize("body", [not_compiled, len, None])
def test_refuses_bodies_that_are_not_compiled(body):
    with pytest.raises(TypeError, match="@numba.njit"):
        for_each(3, body, np.zeros(3))


@numba.njit
def count_up(i, out):
    out[i] += i


@pytest.mark.parametrize("n", [1, 4, 15, 16, 17, 19, 20, 21, 1000])
def test_every_index_of_every_block_is_visited_once(n, cpu_only):
    out = np.zeros(n + 1, np.int64)
    for_each(n, count_up, out)
    np.testing.assert_array_equal(out, [*range(n), 0])


@numba.njit
def double(i, x, out):
    out[i] = 2 * x[i]


@pytest.mark.parametrize("function", [for_each, for_each_tile])
@pytest.mark.parametrize(
    "view", [lambda x: x[::2], lambda x: x[::-1], lambda x: x.reshape(2, 3)], ids=["steps", "back", "axes"]
)
def test_views_that_a_gpu_would_read_wrongly_are_refused(xp, function, view):
    x = view(xp.arange(6.0))
    if xp is np and not SIMULATED:
        for_each(x.shape[0], double, x, out := np.empty_like(x))
        np.testing.assert_array_equal(out, 2 * x)
    else:
        with pytest.raises(ValueError, match=r"contiguous arrays of one axis on a GPU, got one of shape \("):
            function(x.shape[0], double, x, xp.empty(x.shape))


@numba.njit(inline="always")
def copy_from_before(i, x, out):
    out[i] = x[i - 2]


@pytest.mark.skipif(SIMULATED, reason="nothing is compiled")
@pytest.mark.parametrize("n", [3, 50])
def test_functions_that_numba_would_make_part_of_the_kernel_count_from_the_end(n, cpu_only):
    x = np.arange(n)
    for_each(n, copy_from_before, x, out := np.empty_like(x))
    assert out.tolist() == np.roll(x, 2).tolist()
