"""What a tile finds that looks back: all tiles have told, or many of themselves alone; segments, and numbers of 64 bits."""

import numpy as np
import pytest

from namespaces import CUPY
from spark_csr import _ops as ops
from spark_csr._array import SIMULATED

if CUPY is None and not SIMULATED:
    pytest.skip("needs CuPy, its stand-in, or the simulator", allow_module_level=True)

from spark_csr._cuda.look_back import ALONE, DONE, parts_of, tell_and_look_back, word_meanings
from spark_csr._engine.copies import specialise
from spark_csr._engine.gpu.launch import Kernel
from spark_csr._engine.gpu.target import WARP, cuda, device_function
from spark_csr._engine.holes import scalar

SUM = ops.MONOIDS["sum"]


def _look_back(states, tile, total, broken, initial, out):
    found = tell_and_look_back(states, np.int64(tile), scalar(total), broken != 0, scalar(initial))
    if cuda.threadIdx.x == 0:
        out[0] = found


def words_of(values, flags):
    """What tiles have told: a word for each, or two for 64 bits."""
    bits = values.astype(np.uint64) if values.dtype.kind == "u" else values.astype(np.int64).view(np.uint64)
    halves = np.stack([bits & np.uint64(0xFFFFFFFF), bits >> np.uint64(32)], axis=1)[:, : parts_of(values.dtype)]
    return (halves | np.uint64(1 << 32) * flags.astype(np.uint64)[:, None]).ravel()


def look_back(xp, to_numpy, values, flags, total=5, broken=0, initial=100, operator=ops.plus):
    """What the tile behind these finds, and the words of all tiles afterwards."""
    dtype, tile = values.dtype, values.size
    states = xp.asarray(np.concatenate([words_of(values, flags), np.zeros(parts_of(dtype), np.uint64)]))
    out = xp.zeros(1, dtype)
    kernel = specialise(_look_back, **word_meanings(SUM, dtype, operator))
    Kernel(kernel, WARP)(1, states, tile, dtype.type(total), broken, dtype.type(initial), out)
    return to_numpy(out)[0], to_numpy(states)


NUMBERS = np.random.default_rng(0).integers(-(2**40), 2**40, 3 * WARP + 2)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.int32, np.int8])
@pytest.mark.parametrize("done", [0, 1, WARP, NUMBERS.size - WARP, NUMBERS.size - 1])
def test_tiles_alone_are_added_up_to_the_first_that_is_done(xp, to_numpy, dtype, done):
    """From the next tile to more of them than a warp has lanes; what the others before tell is not looked at."""
    values = NUMBERS.astype(dtype)
    flags = np.where(np.arange(values.size) <= done, DONE, ALONE)
    found, states = look_back(xp, to_numpy, values, flags)
    expected = values[done:].sum(dtype=dtype)
    assert found == expected
    told = np.array([expected]) + np.array([5], dtype)
    np.testing.assert_array_equal(states[-parts_of(values.dtype) :], words_of(told, np.array([DONE])))


@pytest.mark.parametrize("tiles", [0, 1, WARP - 1, WARP, WARP + 1])
def test_what_comes_before_all_tiles_is_added_once(xp, to_numpy, tiles):
    values = NUMBERS[:tiles]
    assert look_back(xp, to_numpy, values, np.full(tiles, ALONE))[0] == 100 + values.sum()


def test_a_tile_in_which_a_segment_begins_tells_its_own(xp, to_numpy):
    found, states = look_back(xp, to_numpy, NUMBERS, np.full(NUMBERS.size, DONE), broken=1)
    assert found == NUMBERS[-1]
    np.testing.assert_array_equal(states[-2:], words_of(np.array([5]), np.array([DONE])))


@device_function
def keep_left_unless_zero(a, b):
    return a if a != 0 else b


def test_earlier_tiles_come_first(xp, to_numpy):
    values = np.array([9, 7, 0, 0, 3, 4, 0])
    flags = np.full(7, ALONE)
    assert look_back(xp, to_numpy, values, flags, initial=0, operator=keep_left_unless_zero)[0] == 9
    flags[2] = DONE
    assert look_back(xp, to_numpy, values, flags, initial=0, operator=keep_left_unless_zero)[0] == 3
