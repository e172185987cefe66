"""Copy rows of a matrix, or lists of values, from where they lie to where they are wanted, over tiles of equal work.

Design: tiles cut the result evenly, so that one long row is shared out like many short ones. Rows are short and of any length,
which a loop that is unrolled for long ones pays for: copied as blocks of bytes, ten entries take half the time.
"""

import numpy as np

from spark_csr._cpu.segmented import is_for_one_core, tile_size
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit
from spark_csr._engine.numba.intrinsics.copies import copy_items
from spark_csr._engine.numba.intrinsics.prefetch import prefetch_at
from spark_csr._shared.merge_path import tile_bounds

ROWS_AHEAD = 16
"""How many rows lie between the one that is copied and the one that is prefetched. Not tuned further."""


def gather_tile_size(total):
    """Return how many entries and row ends a tile takes."""
    return total if total <= TUNING.reduce_serial else tile_size(total)


@njit
def _copy_rows(starts, offsets, low, row, last, position, stop, indices, data, out_indices, out_data):
    """Copy rows `row` to `last` from `position` on, and the part before `stop` of the row after these."""
    low = np.uint64(low)
    first = position
    while row <= last and position < stop:
        end = min(np.uint64(offsets[row + 1]), stop)
        source = np.uint64(starts[row]) + (position - np.uint64(offsets[row]))
        if indices is not None:
            copy_items(indices, source, end - position, out_indices, position)
        copy_items(data, source, end - position, out_data, position)
        position = end
        row += 1
    if indices is None:
        return
    if low != 0:
        for k in range(first, stop):
            out_indices[k] -= low


@njit
def _copy_tile(tile, starts, offsets, low, tile_rows, items, indices, data, out_indices, out_data):
    """Copy the rows and parts of rows that lie in a tile."""
    row, last, position, stop = tile_bounds(tile, tile + 1, tile_rows, items, out_data.size + starts.size, np.uint64(0))
    _copy_rows(starts, offsets, low, row, last, position, stop, indices, data, out_indices, out_data)


@compile_kernel(reads=("indices", "data"))
def _copy_tiles(cores, starts, offsets, low, tile_rows, items, indices, data, out_indices, out_data):
    args = starts, offsets, low, tile_rows, items, indices, data, out_indices, out_data
    for_tiles(cores, tile_rows.size - 1, _copy_tile, args)


def gather_segments(tiles, starts, offsets, low, indices, data, out_indices, out_data):
    """Copy columns and values, or the values alone if `indices` is None."""
    cores = 1 if is_for_one_core(tiles) else cores_for(_copy_tiles)
    _copy_tiles(cores, starts, offsets, low, tiles.rows, tiles.items, indices, data, out_indices, out_data)


@njit
def _take_tile(tile, x, order, width, fill, rows, out):
    """Copy the rows of a tile, or `fill` where the position is negative."""
    width, start = np.uint64(width), tile * np.uint64(rows)
    count = np.uint64(order.size)
    for i in range(start, min(start + np.uint64(rows), count)):
        prefetch_at(x, np.uint64(max(np.int64(order[min(i + ROWS_AHEAD, count - 1)]), 0)) * width)
        source = np.int64(order[i])
        if source < 0:
            copy_items(fill, np.uint64(0), width, out, i * width)
        else:
            copy_items(x, np.uint64(source) * width, width, out, i * width)


@compile_kernel
def _take_tiles(cores, x, order, width, fill, rows, out):
    for_tiles(cores, (order.size + rows - 1) // rows, _take_tile, (x, order, width, fill, rows, out))


def take_rows(x, order, width, fill, out):
    """Write row `order[i]` of `x`, or `fill` where that is negative, as row `i`; all are flat arrays of rows of `width`."""
    cores = 1 if out.size <= TUNING.reduce_serial else cores_for(_take_tiles)
    _take_tiles(cores, x, order, width, fill, max(TUNING.for_each_block // width, 1), out)
