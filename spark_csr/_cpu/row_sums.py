"""Rows put in order, and their entries of one place summed, on one core, in the memory of the rows."""

import numpy as np

from spark_csr._cpu.digits import is_sorted, sort_bucket
from spark_csr._engine import njit


@njit
def _sort_long(keys, data, window):
    """Sort the entries of one long row, unless they are in order."""
    if not is_sorted(keys, window):
        other_keys, other_data = np.empty(keys.size, keys.dtype), np.empty(keys.size, data.dtype)
        sort_bucket(keys, data, other_keys, other_data, np.uint64(0), np.uint64(keys.size), False, window, np.uint64(0))


@njit
def sum_rows(ends, start, window, short, indices, data):
    """Sort every row and sum its entries of one place, in the order they are in.

    The first row begins at `start`, and there is no gap between rows: before, where `ends` says where each ends, nor after.
    `indices` are unsigned; `window` has all bits that they use. Rows of up to `short` entries are sorted by insertion alone.
    """
    begin = free = start
    for row in range(np.uint64(ends.size)):
        first, stop = free, np.uint64(ends[row])
        if stop - begin > np.uint64(short):
            _sort_long(indices[begin:stop], data[begin:stop], window)
        for p in range(begin, stop):
            index, value = indices[p], data[p]
            to = free
            while to > first and indices[to - 1] > index:
                to -= 1
            if to > first and indices[to - 1] == index:
                data[to - 1] += value
                continue
            for k in range(free, to, -1):
                indices[k], data[k] = indices[k - 1], data[k - 1]
            indices[to], data[to] = index, value
            free += 1
        ends[row] = free
        begin = stop


@njit
def close_gaps(starts, bases, indptr, indices, data):
    """Move entries to the front, over the gaps that `sum_rows` left behind ranges of rows.

    Range `b` had the entries from `starts[b]` on, of rows from `bases[b]` on.
    """
    free = np.uint64(0)
    for b in range(bases.size - 1):
        start, stop = np.uint64(starts[b]), np.uint64(indptr[bases[b + 1]])
        gap = start - free
        if gap:
            for row in range(np.uint64(bases[b] + 1), np.uint64(bases[b + 1] + 1)):
                indptr[row] = np.uint64(indptr[row]) - gap
            for p in range(start, stop):
                indices[p - gap], data[p - gap] = indices[p], data[p]
        free = stop - gap
