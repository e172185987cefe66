"""Entries with two indices each, in any order, to the three arrays of a compressed matrix: one radix sort of packed keys."""

import numpy as np

from spark_csr._array import by_width, namespace_of
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.radix import radix_sort
from spark_csr._numba import njit


@njit
def pack(i, major, minor, bits, keys):
    keys[i] = np.uint64(major[i]) << np.uint64(bits) | np.uint64(minor[i])


@njit
def take_minor(i, keys, mask, indices):
    indices[i] = np.uint64(keys[i]) & np.uint64(mask)


@njit
def write_row_start(row, keys, bits, entries, indptr):
    """Write how many entries lie in rows before this one; the row of a key is its bits above `bits`."""
    low, high = np.int64(0), np.int64(entries)
    while low < high:
        middle = (low + high) >> 1
        if np.uint64(keys[middle]) >> np.uint64(bits) < np.uint64(row):
            low = middle + 1
        else:
            high = middle
    indptr[row] = low


def assemble(major, minor, data, minors, ordered, indptr, indices, out):
    """Write entries by row `major`, stably, and if `ordered` by `minor` in a row. If `data` is None, `out` takes positions."""
    n, xp = major.size, namespace_of(major)
    bits = max(minors - 1, 0).bit_length()
    in_use = bits + max(indptr.size - 2, 0).bit_length()
    keys = xp.empty(n, np.uint32 if in_use <= 32 else np.uint64)
    for_each(n, pack, by_width(major), by_width(minor), bits, keys)
    out[...] = xp.arange(n, dtype=out.dtype) if data is None else data
    radix_sort(keys, out, 0 if ordered else bits, in_use)
    for_each(n, take_minor, keys, np.uint64((1 << bits) - 1), indices)
    for_each(indptr.size, write_row_start, keys, bits, n, indptr)
