"""Where the extreme of every segment is: the first item that is what the segment was reduced to.

Design: a second pass over the tiles of the reduction, sixteen items at once, which ends in each row where the item is found; of
a row that tiles cut the first find counts.
"""

import functools

import numpy as np
from numba import prange

from spark_csr._cpu.cache import njit
from spark_csr._cpu.segmented import on_one_core
from spark_csr._cpu.threads import compiled_both_ways, run_parallel
from spark_csr._cpu.vectors import WIDE, first_equal
from spark_csr._specialise import specialise


@njit(inline="always")
def _find(x, start, stop, value, none):
    """The first of items `start` to `stop` that is `value`, else `none`."""
    found, wide = none, np.uint64(WIDE)
    while start < stop and start + wide <= np.uint64(x.size):
        rank = first_equal(x, start, min(wide, stop - start), value)
        if rank < wide:
            found = start + rank
            stop = start
        start += wide
    while start < stop:
        if x[start] == value or (x[start] != x[start] and value != value):
            found = start
            stop = start
        start += np.uint64(1)
    return found


def _find_in_tiles(x, offsets, tile_rows, items, reduced, out):
    """Each tile: the rows that end in it, then its share of the next. Then what was found of rows that tiles cut."""
    tiles = tile_rows.size - 1
    rows, none = np.uint64(out.size), np.uint64(x.size)
    base = np.uint64(offsets[0])
    end = np.uint64(offsets[rows]) + rows
    carry = np.empty(tiles, np.uint64)
    for t in prange(tiles):
        tile = np.uint64(t)
        row = np.uint64(tile_rows[tile])
        last_row = np.uint64(tile_rows[tile + np.uint64(1)])
        position = base + tile * np.uint64(items) - row
        stop = min(base + (tile + np.uint64(1)) * np.uint64(items), end) - last_row
        while row < last_row:
            row_end = np.uint64(offsets[row + np.uint64(1)])
            out[row] = find(x, position, row_end, reduced[row], none)
            position = row_end
            row += np.uint64(1)
        carry[tile] = find(x, position, stop, reduced[row], none) if position < stop else none
    running = none
    for t in range(tiles - 1):
        running = min(running, carry[t])
        cut_row = tile_rows[t + 1]
        if tile_rows[t + 2] > cut_row:
            out[cut_row] = min(running, np.uint64(out[cut_row]))
            running = none


@functools.cache
def _kernels():
    return compiled_both_ways(specialise(_find_in_tiles, find=_find))


def first_positions(tiles, offsets, x, reduced, out):
    """`x.size` for a segment without items."""
    serial, parallel = _kernels()
    arguments = x, offsets, tiles.rows, tiles.items, reduced, out
    if on_one_core(tiles):
        serial(*arguments)
    else:
        run_parallel(parallel, *arguments)
