"""Sorted runs on one core: made by insertion, then merged level by level between two arrays."""

import numpy as np

from spark_csr._cpu.merge import merge_ranges
from spark_csr._engine import njit
from spark_csr._shared.order import is_less


@njit
def insert_run(x, start, stop, keys, index, base):
    """Write elements `start` to `stop` of `x` in order into `keys[base + start:]`, and their positions into `index`, if any."""
    first = base + start
    for p in range(start, stop):
        value = x[p]
        slot = base + p
        while slot > first and is_less(value, keys[slot - 1]):
            keys[slot] = keys[slot - 1]
            if index is not None:
                index[slot] = index[slot - 1]
            slot -= 1
        keys[slot] = value
        if index is not None:
            index[slot] = p


@njit
def sort_range(x, start, stop, run, keys, index, base, other_keys, other_index, other_base):
    """Elements `start` to `stop` of `x` in order into `keys[base + start:]`; the other arrays are scratch. Up to `run` elements
    are inserted."""
    length = stop - start
    levels = np.uint64(0)
    while (length >> levels) > np.uint64(run):
        levels += 1
    if levels & 1:
        keys, index, base, other_keys, other_index, other_base = other_keys, other_index, other_base, keys, index, base
    for k in range(1 << levels):
        insert_run(x, start + (length * k >> levels), start + (length * (k + 1) >> levels), keys, index, base)
    while levels > 0:
        for pair in range(1 << (levels - 1)):
            k = 2 * pair
            begin = start + (length * k >> levels)
            middle = start + (length * (k + 1) >> levels)
            end = start + (length * (k + 2) >> levels)
            merge_ranges(
                keys, index, base + begin, base + middle, keys, index, base + middle, base + end,
                other_keys, other_index, other_base + begin,
            )  # fmt: skip
        levels -= 1
        keys, index, base, other_keys, other_index, other_base = other_keys, other_index, other_base, keys, index, base
