"""The extreme of every segment, and where it first is.

Design: as `segmented`, and each range is looked through once more, sixteen items at once, while it is in the cache. Of a row
that tiles cut, a later share counts where it is better than all before.
"""

import functools

import numpy as np

from spark_csr._cpu.segmented import is_for_one_core, range_reducer
from spark_csr._engine import compile_kernel, cores_for, for_tiles, helper, njit, specialise
from spark_csr._engine.holes import Hole, add, reduce_range, scalar
from spark_csr._engine.numba.intrinsics.vectors import WIDE, first_equal
from spark_csr._shared.merge_path import tile_bounds

find_equal = Hole(
    "find_equal(x, start, stop, value) -> int64",
    "Return the position of the first element equal to `value`, the extreme of elements `start` to `stop` (NaN if one of them "
    "is NaN); -1 if the range is empty.",
)


@njit(forceinline=True)
def _find_in_order(x, start, stop, value):
    """Return the first of items `start` to `stop` that is `value`, to which they were reduced; -1 if there are none."""
    found = np.int64(-1)
    while start < stop:
        if x[start] == value or x[start] != x[start]:
            found = np.int64(start)
            stop = start
        start += 1
    return found


@njit(forceinline=True)
def _find_among_few(x, start, count, value):
    """Do as `_find_in_order` for 16 items or fewer; 16 items must exist from `start` on."""
    rank = first_equal(x, start, count, value)
    return np.int64(start + rank) if rank < WIDE else np.int64(-1)


@njit(forceinline=True)
def _find_among_many(x, start, stop, value):
    """Do as `_find_in_order`, sixteen items at a time until the end of the array is near; for NaN one item at a time."""
    found, wide = np.int64(-1), np.uint64(WIDE)
    while start + wide <= stop and value == value:
        found = _find_among_few(x, start, wide, value)
        if found >= 0:
            stop = start
        start += wide
    return found if found >= 0 else _find_in_order(x, start, stop, value)


@njit(forceinline=True)
def _find_at_once(x, start, stop, value):
    """Do as `_find_in_order` for numbers of one word. It calls functions, since Numba counts references to what is read across
    branches.
    """
    count, wide = stop - start, np.uint64(WIDE)
    if count <= wide and start + wide <= np.uint64(x.size) and value == value:
        found = _find_among_few(x, start, count, value)
    else:
        found = _find_among_many(x, start, stop, value)
    return found


@helper(inlined=False)
def _find_in_tile(tile, x, offsets, tile_rows, items, identity, out, index, carry, carried_index):
    """Find the extremes of the rows that end in a tile, then that of its part of the next row."""
    rows = np.uint64(out.size)
    base = np.uint64(offsets[0])
    entries = np.uint64(offsets[rows]) - base + rows
    row, last_row, position, stop = tile_bounds(tile, tile + 1, tile_rows, items, entries, base)
    while row < last_row:
        row_end = np.uint64(offsets[row + 1])
        value = reduce_range((x,), position, row_end, identity)
        at = find_equal(x, position, row_end, value)  # before anything is stored: what was read of `x` may be read no more
        out[row], index[row] = value, at
        position = row_end
        row += 1
    value = reduce_range((x,), position, stop, identity)
    carry[tile], carried_index[tile] = value, find_equal(x, position, stop, value)


def _find_in_tiles(cores, x, offsets, tile_rows, items, identity, out, index):
    """Find the extremes of each tile, then combine the parts of rows that tiles cut, in order."""
    tiles = tile_rows.size - 1
    carry, carried_index = np.empty(tiles, out.dtype), np.empty(tiles, np.int64)
    for_tiles(cores, tiles, _find_in_tile, (x, offsets, tile_rows, items, identity, out, index, carry, carried_index))
    running, at = identity, np.int64(-1)
    for t in range(tiles - 1):
        is_better = at < 0 or (scalar(add(running, carry[t])) != running and running == running)
        if is_better and carried_index[t] >= 0:
            running, at = carry[t], carried_index[t]
        cut_row = tile_rows[t + 1]
        if tile_rows[t + 2] > cut_row:
            if at >= 0 and (index[cut_row] < 0 or scalar(add(running, out[cut_row])) == running or running != running):
                out[cut_row], index[cut_row] = running, at
            running, at = identity, np.int64(-1)


@functools.cache
def _kernel(monoid, dtype):
    """Return the kernel and the identity."""
    find_equal = _find_at_once if dtype.kind in "iuf" else _find_in_order
    meanings = {"reduce_range": range_reducer(monoid, dtype), "find_equal": find_equal, "add": monoid.op, "scalar": dtype.type}
    return compile_kernel(specialise(_find_in_tiles, **meanings)), monoid.identity_for(dtype)


def extreme_positions(tiles, monoid, offsets, x, out, index):
    """Write the least or greatest item of every segment, and its position; -1 for a segment without items."""
    kernel, identity = _kernel(monoid, x.dtype)
    cores = 1 if is_for_one_core(tiles) else cores_for(kernel)
    kernel(cores, x, offsets, tiles.rows, tiles.items, identity, out, index)
