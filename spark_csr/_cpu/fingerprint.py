"""Whether an array has changed since it was last looked at: two numbers that are made of all its elements and their places.

Each number is a sum over elements, modulo 2**64: the two halves of the element, mixed with its place, are multiplied, which
takes vector instructions. It is as fast as memory. A change leaves both as they were with a chance of about one in 2**64.
Source: the accumulation of XXH3, Collet, *xxHash*, 2019, with a key for each place instead of a secret.
"""

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit

ITEMS = 1 << 15
"""Elements of a tile. Not tuned."""

STEP = 0x9E3779B97F4A7C15
LOW = 0xFFFFFFFF


@njit
def _mix_tile(tile, x, sums):
    first = np.uint64(tile) * np.uint64(ITEMS)
    one, other, key = np.uint64(0), np.uint64(0), (first + np.uint64(1)) * np.uint64(STEP)
    for i in range(first, min(first + np.uint64(ITEMS), np.uint64(x.size))):
        word = np.uint64(x[i])
        a, b = word ^ key, word + key
        one += (a & np.uint64(LOW)) * (a >> np.uint64(32)) + word
        other += ((b & np.uint64(LOW)) * (b >> np.uint64(32))) ^ word
        key += np.uint64(STEP)
    sums[tile, 0], sums[tile, 1] = one, other


@compile_kernel
def _mix(cores, x, sums):
    for_tiles(cores, sums.shape[0], _mix_tile, (x, sums))


def fingerprint(x):
    """Return the two numbers of an array of numbers with one axis. Cost: one pass."""
    words = x.view(f"u{min(x.itemsize, 8)}")
    sums = np.empty((-(-words.size // ITEMS), 2), np.uint64)
    _mix(1 if words.size <= TUNING.reduce_serial else cores_for(_mix), words, sums)
    return tuple(sums.sum(axis=0).tolist())
