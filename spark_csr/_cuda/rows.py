"""Which row every item of a block is in: row boundaries are marked 1, 2, 3, ... in shared memory, and marks flooded right."""

import functools

import numpy as np

from spark_csr._cuda.block import block_flood
from spark_csr._engine import helper, inline
from spark_csr._engine.gpu import cuda
from spark_csr._engine.holes import ITEMS, THREADS, flood_threads


@helper
def _clear_marks(marks):
    """Set all marks of the tile to 0. All threads call."""
    thread = np.uint32(cuda.threadIdx.x)
    for k in range(ITEMS):
        marks[thread + np.uint32(k * THREADS)] = np.uint16(0)
    cuda.syncthreads()


@helper
def find_last_mark(marks):
    """Return the last mark before the thread's own entries, else 0 (right flood). All threads call."""
    thread = np.uint32(cuda.threadIdx.x)
    newest = np.uint32(0)
    for k in range(ITEMS):
        mark = np.uint32(marks[thread * ITEMS + np.uint32(k)])
        newest = mark if mark != 0 else newest
    return flood_threads(thread, newest)


@helper
def mark_row_ends(offsets, row, rows, start, ends):
    """Mark where rows end in a tile's list of items and row ends: `ends[entry] = 1, 2, 3, ...`, 0 for items.

    `start` is the tile's first item. A row's end has an entry of its own, so empty rows do not collide. All threads call; a
    barrier must follow.
    """
    _clear_marks(ends)
    for k in range(ITEMS):
        i = np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS)
        if i < rows:
            entry = np.int64(offsets[row + np.int64(i) + 1]) - start + np.int64(i)
            ends[np.uint32(entry)] = np.uint16(i + 1)


def _find_rows(offsets, row, rows, start, length, owners, begins):
    """Write for each of a block's items from `start` on its row, counted from `row` on, and where these rows begin among the
    items; behind the last one stands `length`. All threads call; a barrier must follow.
    """
    thread = np.uint32(cuda.threadIdx.x)
    _clear_marks(owners)
    if thread == 0:
        begins[rows] = np.uint16(length)
    for k in range(ITEMS):
        i = thread + np.uint32(k * THREADS)
        if i < rows:
            head = np.uint32(offsets[row + np.int64(i)] - start)
            begins[i] = np.uint16(head)
            if np.uint32(offsets[row + np.int64(i) + 1] - start) > head:
                owners[head] = np.uint16(i + 1)
    cuda.syncthreads()
    current = find_last_mark(owners)
    for k in range(ITEMS):
        i = thread * ITEMS + np.uint32(k)
        mark = np.uint32(owners[i])
        current = mark if mark != 0 else current
        if i < length:
            owners[i] = np.uint16(current - 1)


def row_meanings(box):
    """Return what the names in `mark_row_ends`, `find_last_mark` and `_find_rows` mean for tiles of `box`."""
    return {"ITEMS": box.items, "THREADS": box.threads, "flood_threads": block_flood(box.threads)}


@functools.cache
def row_finder(box):
    """Return the device function `_find_rows` for tiles of `box`."""
    return inline(_find_rows, **row_meanings(box))
