"""Sorted runs on one core: made by insertion, then merged level by level between two arrays."""

import numpy as np

from spark_csr._cpu.merge import ONE, merge_ranges
from spark_csr._engine import njit
from spark_csr._shared.order import is_less


@njit
def insert_run(x, start, stop, keys, index, base):
    """Write elements `start` to `stop` of `x` in order into `keys[base + start:]`, and their positions into `index`, if any."""
    first = base + start
    for p in range(start, stop):
        value = x[p]
        slot = base + p
        while slot > first and is_less(value, keys[slot - ONE]):
            keys[slot] = keys[slot - ONE]
            if index is not None:
                index[slot] = index[slot - ONE]
            slot -= ONE
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
        levels += ONE
    if levels & ONE:
        keys, index, base, other_keys, other_index, other_base = other_keys, other_index, other_base, keys, index, base
    for k in range(ONE << levels):
        insert_run(x, start + (length * k >> levels), start + (length * (k + ONE) >> levels), keys, index, base)
    while levels > np.uint64(0):
        for pair in range(ONE << (levels - ONE)):
            k = np.uint64(2) * pair
            begin = start + (length * k >> levels)
            middle = start + (length * (k + ONE) >> levels)
            end = start + (length * (k + np.uint64(2)) >> levels)
            merge_ranges(
                keys, index, base + begin, base + middle, keys, index, base + middle, base + end,
                other_keys, other_index, other_base + begin,
            )  # fmt: skip
        levels -= ONE
        keys, index, base, other_keys, other_index, other_base = other_keys, other_index, other_base, keys, index, base
