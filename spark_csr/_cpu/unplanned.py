"""`A @ x` on the cores without a plan: for arrays that somebody else may change between two products.

Design: each tile searches where it begins, so that nothing is kept from one product to the next, and checks the offsets that it
reads, so that no product reads outside of `indices` and `data` whatever they are. Cost: a binary search for each tile, and a
comparison for each row.
"""

import functools

import numpy as np

from spark_csr import _ops as ops
from spark_csr._cpu.dots import dots
from spark_csr._cpu.segmented import tile_size
from spark_csr._cpu.spmv import row_reducers
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import as_argument, compile_kernel, cores_for, for_tiles, njit, specialise
from spark_csr._engine.holes import Hole, add, reduce_range, scalar

reduce_regular = Hole("reduce_regular(tile, *args)", "Do as `reduce_tile`, for rows of similar length.")
reduce_irregular = Hole("reduce_irregular(tile, *args)", "Do as `reduce_tile`, for rows of varying length.")

GLANCE = 4096
"""Rows in the middle of the matrix whose lengths tell how irregular rows are. Not tuned."""


@njit(forceinline=True)
def _find_row(entry, offsets, rows):
    """Return how many rows end before an entry of the list of items and row ends, see `Tiles`."""
    low, high = np.int64(0), rows
    while low < high:
        middle = (low + high) >> 1
        if np.int64(offsets[middle + 1]) + middle < entry:
            low = middle + 1
        else:
            high = middle
    return low


def _reduce_tile(tile, operands, offsets, items, entries, identity, out, cuts, carry, odd):
    """Reduce the rows that end in a tile, then the part of the next row that lies in it; note offsets that are out of order."""
    rows = np.int64(out.size)
    first, behind = np.int64(tile) * items, min((np.int64(tile) + 1) * items, entries)
    row, last_row = _find_row(first, offsets, rows), _find_row(behind, offsets, rows)
    position, stop = first - row, behind - last_row
    cuts[tile] = row
    if position < 0 or stop < position or stop > entries - rows or np.int64(offsets[row]) > position:
        odd[0] = True
        return
    while row < last_row:
        row_end = np.int64(offsets[row + 1])
        if row_end < position or row_end > stop:
            odd[0] = True
            return
        out[row] = reduce_range(operands, np.uint64(position), np.uint64(row_end), identity)
        position = row_end
        row += 1
    carry[tile] = reduce_range(operands, np.uint64(position), np.uint64(stop), identity)


@njit(forceinline=True)
def _are_lengths_irregular(offsets, rows, most):
    """Return whether more than a share of the rows in the middle have another length than the row before."""
    first = max(rows // 2 - GLANCE // 2, 0)
    looked, changes = min(GLANCE, rows - first - 1), 0
    for row in range(first, first + looked):
        start, end, next_end = offsets[row], offsets[row + 1], offsets[row + 2]
        changes += next_end - end != end - start
    return changes > most * looked


def _reduce_rows(cores, operands, offsets, items, entries, most, identity, out):
    """Reduce each tile, then add the carries in order. Return whether the offsets are in order; else `out` is meaningless."""
    tiles, rows = (entries + items - 1) // items, out.size
    cuts, carry, odd = np.empty(tiles + 1, np.int64), np.empty(tiles, out.dtype), np.zeros(1, np.bool_)
    given = operands, offsets, items, entries, identity, out, cuts, carry, odd
    if _are_lengths_irregular(offsets, rows, most):
        for_tiles(cores, tiles, reduce_irregular, given)
    else:
        for_tiles(cores, tiles, reduce_regular, given)
    cuts[tiles], running = rows, identity
    for tile in range(0 if odd[0] else tiles - 1):
        running = scalar(add(running, carry[tile]))
        row = cuts[tile + 1]
        if cuts[tile + 2] > row:
            out[row] = scalar(add(running, out[row]))
            running = identity
    return not odd[0]


@functools.cache
def _kernel(dtype, in_lanes, far, ahead):
    if in_lanes:
        regular, irregular, *_ = dots(far, ahead)
    else:
        *_, regular, masked = row_reducers(ops.PLUS_TIMES, dtype, False, ahead)
        irregular = masked if dtype.kind in "iuf" else regular
    tiles = (njit(specialise(_reduce_tile, reduce_range=reduce)) for reduce in (regular, irregular))
    names = dict(zip(("reduce_regular", "reduce_irregular"), tiles, strict=True))
    return compile_kernel(specialise(_reduce_rows, add=ops.plus, scalar=dtype.type, **names), reads=("operands", "offsets"))


def multiply_unplanned(indptr, indices, data, x, y):
    """Write `A @ x` into `y`; return False where the offsets do not ascend from 0 to the number of entries.

    Columns are not checked. Cost: that of a planned product, a few microseconds, and a comparison for each row.
    """
    entries, dtype = indices.size + y.size, y.dtype
    if indptr.item(0) != 0 or indptr.item(-1) != indices.size:
        return False
    far = indices.size * (dtype.itemsize + indices.itemsize) > TUNING.spmv_far_bytes
    in_lanes = data.dtype == dtype and dtype.char in "fd"
    kernel = _kernel(dtype, in_lanes, far, TUNING.memory_ahead)
    cores = 1 if entries <= TUNING.reduce_serial else cores_for(kernel)
    given = (data, indices, x), indptr, tile_size(entries), entries, TUNING.spmv_irregular
    return kernel(cores, *given, as_argument(dtype.type(0)), y)
