"""The digits that a radix sort goes by, eight bits of a key each, and which lanes of a warp have the same."""

import numpy as np

from spark_csr._array import SIMULATED
from spark_csr._cuda.warp import ballot
from spark_csr._engine.gpu import WARP, box, device_function
from spark_csr._engine.numba.intrinsics.ballots import lanes_alike

BITS = box(256, 1).threads.bit_length() - 1
"""A thread for each digit: eight bits (three in the simulator's small blocks)."""

BINS = 1 << BITS


@device_function
def _narrow_digit(key, shift, mask):
    return np.uint32(key) >> np.uint32(shift) & np.uint32(mask)


@device_function
def _wide_digit(key, shift, mask):
    return np.uint32(key >> np.uint64(shift)) & np.uint32(mask)


def digit_of(key):
    """Return the device function that reads a digit of keys of a dtype."""
    return _narrow_digit if key.itemsize <= 4 else _wide_digit


@device_function
def _simulate_match(mine):
    """Return the lanes with the same digit as this one. All lanes call."""
    same = np.uint32((1 << WARP) - 1)
    for b in range(BITS):
        has = np.uint32(mine & np.uint32(1 << b)) != 0
        votes = np.uint32(ballot(has))
        same = np.uint32(same & (votes if has else np.uint32(votes ^ 0xFFFFFFFF)))
    return same


@device_function
def _match(mine):
    return lanes_alike(mine, BITS)


match_digit = _simulate_match if SIMULATED else _match
