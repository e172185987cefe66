"""Whether an array has changed since it was last looked at: two numbers for each tile, made of its elements and their places.

Each number is a sum over elements, modulo 2**64: the two halves of the element, mixed with the key of its place, are
multiplied, which takes vector instructions. It is as fast as memory. A change leaves both as they were with a chance of about
one in 2**64. Keys are random numbers: with multiples of one number, sums would stay the same if some elements of two columns
were exchanged. Source: the accumulation of XXH3, Collet, *xxHash*, 2019.
"""

import functools

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit

ITEMS = 1 << 15
"""Elements of a tile. Not tuned."""

LOW = 0xFFFFFFFF


@functools.cache
def _keys():
    """Return the keys of the places in a tile. Tiles may share them, since their numbers are not added."""
    return np.random.default_rng(0).integers(0, 1 << 64, ITEMS, np.uint64)


@njit
def _mix_tile(tile, x, keys, sums):
    first = tile * ITEMS
    one, other = np.uint64(0), np.uint64(0)
    for i in range(first, min(first + ITEMS, np.uint64(x.size))):
        word, key = np.uint64(x[i]), keys[i - first]
        a, b = word ^ key, word + (key << 32 | key >> 32)
        one += (a & LOW) * (a >> 32) + word
        other += ((b & LOW) * (b >> 32)) ^ word
    sums[tile, 0], sums[tile, 1] = one, other


@compile_kernel
def _mix(cores, x, keys, sums):
    for_tiles(cores, sums.shape[0], _mix_tile, (x, keys, sums))


def fingerprint(x):
    """Return the numbers of all tiles of an array of numbers with one axis, as bytes. Cost: one pass."""
    words = x.view(f"u{min(x.itemsize, 8)}")
    sums = np.empty((-(-words.size // ITEMS), 2), np.uint64)
    _mix(1 if words.size <= TUNING.reduce_serial else cores_for(_mix), words, _keys(), sums)
    return sums.tobytes()
