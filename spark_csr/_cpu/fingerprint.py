"""Whether an array has changed since it was last looked at: a number that is made of all its elements and their places.

The number is the sum of a mixed word of every element and its place, modulo 2**64. One changed element always changes it, and
several do with all but one chance in 2**64. Multipliers and shifts are those of SplitMix64: Steele, Lea and Flood, "Fast
splittable pseudorandom number generators", OOPSLA 2014.
"""

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit

ITEMS = 1 << 15
"""Elements of a tile. Not tuned."""


@njit
def _mix_tile(tile, x, sums):
    total, first = np.uint64(0), np.uint64(tile) * np.uint64(ITEMS)
    for i in range(first, min(first + np.uint64(ITEMS), np.uint64(x.size))):
        word = np.uint64(x[i]) + i * np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        total += word ^ (word >> np.uint64(31))
    sums[tile] = total


@compile_kernel
def _mix(cores, x, sums):
    for_tiles(cores, sums.size, _mix_tile, (x, sums))


def fingerprint(x):
    """Return the number of an array of integers. Cost: one pass."""
    sums = np.empty(-(-x.size // ITEMS), np.uint64)
    _mix(1 if x.size <= TUNING.reduce_serial else cores_for(_mix), x.view(f"u{x.itemsize}"), sums)
    return int(sums.sum())
