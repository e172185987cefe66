"""Sort keys that are nothing but their digit, of one byte or two: count every value, then write them in order."""

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles_by_core, njit

LINE = 8
"""Counters on a cache line: as many are left unused between those of two cores."""


@njit
def _count_values(core, tile, keys, size, counts):
    """Count the values of `size` keys in `counts[core, value]`."""
    mine = counts[core]
    first = tile * np.uint64(size)
    for i in range(first, min(first + np.uint64(size), np.uint64(keys.size))):
        mine[keys[i]] += 1


@compile_kernel
def _write_values(cores, keys, size, counts):
    """Count on all cores, then write on one."""
    for_tiles_by_core(cores, -(-keys.size // size), _count_values, (keys, size, counts))
    at = np.uint64(0)
    for value in range(np.uint64(counts.shape[1] - LINE)):
        for core in range(np.uint64(counts.shape[0])):
            stop = at + counts[core, value]
            for i in range(at, stop):
                keys[i] = value
            at = stop


def sort_by_counting(keys, values, size):
    """Sort unsigned keys below `values` in place; a tile counts `size` of them."""
    cores = min(cores_for(_write_values), TUNING.counting_cores)
    _write_values(cores, keys, size, np.zeros((cores, values + LINE), np.uint64))
