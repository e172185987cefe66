"""What a tile finds that looks back in a fixed order: in its group, in groups before, and before larger groups."""

import numpy as np
import pytest
from numba import int64

from namespaces import CUPY
from spark_csr import _ops as ops
from spark_csr._array import SIMULATED

if CUPY is None and not SIMULATED:
    pytest.skip("needs CuPy, its stand-in, or the simulator", allow_module_level=True)

from spark_csr._cuda.look_back import parts_of, word_meanings
from spark_csr._cuda.look_back_in_order import tell_and_look_back_in_order, words_for
from spark_csr._engine.copies import specialise
from spark_csr._engine.gpu.launch import Kernel
from spark_csr._engine.gpu.target import WARP, cuda, device_function, fetch_add
from spark_csr._engine.holes import scalar

TILES = 2 * WARP * WARP + 3 * WARP + 2


def _look_back(tickets, states, totals, broken, initial, out):
    """Blocks may start in any order: each takes a ticket."""
    ticket = cuda.shared.array(1, int64)
    if cuda.threadIdx.x == 0:
        ticket[0] = np.int64(fetch_add(tickets, np.int64(0), np.uint64(1)))
    cuda.syncthreads()
    tile = np.int64(ticket[0])
    found = tell_and_look_back_in_order(states, tile, scalar(totals[tile]), broken[tile] != 0, scalar(initial))
    if cuda.threadIdx.x == 0:
        out[tile] = found


def look_back(xp, totals, broken=None, initial=0, operator=ops.plus):
    """What each tile finds, a block for each."""
    dtype, tiles = totals.dtype, totals.size
    states, out = xp.zeros(parts_of(dtype) * words_for(tiles), np.uint64), xp.zeros(tiles, dtype)
    broken = np.zeros(tiles, np.uint8) if broken is None else broken
    kernel = Kernel(specialise(_look_back, **word_meanings(ops.MONOIDS["sum"], dtype, operator)), WARP)
    kernel(tiles, xp.zeros(1, np.uint64), states, xp.asarray(totals), xp.asarray(broken), dtype.type(initial), out)
    return out


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8])
@pytest.mark.parametrize("tiles", [1, 2, WARP, WARP + 1, WARP * WARP, WARP * WARP + 1, TILES])
def test_all_tiles_before_and_what_comes_before_all(xp, to_numpy, dtype, tiles):
    totals = np.random.default_rng(0).integers(-100, 100, tiles).astype(dtype)
    expected = (7 + np.cumsum(totals, dtype=dtype) - totals).astype(dtype)
    np.testing.assert_array_equal(to_numpy(look_back(xp, totals, initial=7)), expected)


@pytest.mark.parametrize("distance", [1, 5, WARP, 3 * WARP + 1, WARP * WARP + 7])
def test_tiles_in_which_segments_begin(xp, to_numpy, distance):
    """Nothing before the last of them counts, in whatever group it is."""
    totals = np.random.default_rng(1).integers(-100, 100, TILES).astype(np.float64)
    broken = (np.arange(TILES) % distance == distance - 1).astype(np.uint8)
    running, expected = 3.0, []
    for total, breaks in zip(totals, broken, strict=True):
        expected.append(running)
        running = total if breaks else running + total
    np.testing.assert_array_equal(to_numpy(look_back(xp, totals, broken, initial=3)), expected)


@device_function
def keep_left_unless_zero(a, b):
    return a if a != 0 else b


def test_earlier_tiles_come_first(xp, to_numpy):
    """Each finds the first that is not 0 of all before it."""
    for first in (0, WARP - 1, WARP, WARP * WARP - 1, WARP * WARP, TILES - 2):
        totals = np.where(np.arange(TILES) < first, 0, np.arange(1.0, TILES + 1))
        expected = np.where(np.arange(TILES) <= first, 0, first + 1)
        np.testing.assert_array_equal(to_numpy(look_back(xp, totals, operator=keep_left_unless_zero)), expected)
