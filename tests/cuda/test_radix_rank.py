"""Tiles of a radix sort that look back while others are late, over the words of the pass before."""

import numpy as np
import pytest
from numba import int64

from namespaces import CUPY
from spark_csr._array import SIMULATED

if CUPY is None and not SIMULATED:
    pytest.skip("needs CuPy, its stand-in, or the simulator", allow_module_level=True)

from spark_csr._cuda.radix_digits import BINS
from spark_csr._cuda.radix_rank import ALONE, DONE, look_back_for_digit, rank_meanings, tell_count
from spark_csr._engine.copies import specialise
from spark_csr._engine.gpu.launch import Kernel
from spark_csr._engine.gpu.target import box, cuda, fetch_add, load_volatile
from spark_csr._engine.holes import position_type

TILES = 12


def _look_back_late(tickets, states, done, delays, totals, out):
    """Tell what each tile has, some of them after others have asked, and what it found before it."""
    ticket = cuda.shared.array(1, int64)
    if cuda.threadIdx.x == 0:
        ticket[0] = np.int64(fetch_add(tickets, np.int64(0), np.uint64(1)))
    cuda.syncthreads()
    tile = np.int64(ticket[0])
    at = tile * np.int64(BINS) + np.int64(cuda.threadIdx.x)
    seen = position_type(0)
    for _ in range(delays[tile]):
        seen = position_type(seen | load_volatile(states, at))
    if tile != 0:
        tell_count(states, tile, np.uint32(ALONE), totals[at])
        out[at] = look_back_for_digit(states, tile, np.uint32(done))
    if seen != position_type(1):  # never: the loads above count for something
        tell_count(states, tile, np.uint32(done), position_type(out[at] + totals[at]))


@pytest.mark.parametrize("position", [np.uint32, np.uint64])
@pytest.mark.parametrize("done", [DONE, DONE + 1])
def test_tiles_wait_for_those_that_are_late(xp, to_numpy, position, done):
    """The words hold what all tiles told in the pass before, which says nothing in this one."""
    kind, rng = np.dtype(position), np.random.default_rng(done)
    totals = rng.integers(0, 100, TILES * BINS).astype(position)
    of_before = position((2 * DONE + 1 - done) << (8 * kind.itemsize - 2)) | rng.integers(0, 1000, totals.size).astype(position)
    states, out = xp.asarray(of_before), xp.zeros(totals.size, position)
    delays = xp.asarray(np.arange(TILES) % 3 * 60)
    kernel = specialise(_look_back_late, **rank_meanings(np.dtype(np.uint32), kind, box(256, 24)))
    Kernel(kernel, BINS)(TILES, xp.zeros(1, np.uint64), states, done, delays, xp.asarray(totals), out)
    expected = np.cumsum(totals.reshape(TILES, BINS), axis=0) - totals.reshape(TILES, BINS)
    np.testing.assert_array_equal(to_numpy(out).reshape(TILES, BINS), expected)
