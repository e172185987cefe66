"""Prefix scans of the columns of a matrix that lies in memory row by row: all columns in one pass.

Design: as in `scan`, tiles of rows are reduced, what they hand on is scanned, and each tile is scanned from its carry. The
columns are the inner loop: their additions do not wait for each other, so a core needs no blocks side by side. The last tile is
scanned only, which leaves the total in the place of its carry.
"""

import functools

import numpy as np

from spark_csr._cpu.scan import SIDE_BY_SIDE, direction_meanings
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, helper, specialise
from spark_csr._engine.holes import EXCLUSIVE, add, is_segment_start, position_of_item, scalar


@helper(inlined=False)
def _sum_tile(tile, x, heads, n, rows, identity, carries, broken):
    """Reduce the rows of a tile that come after its last head."""
    columns, start = np.uint64(carries.shape[1]), tile * np.uint64(rows)
    broken[tile] = False
    for c in range(columns):
        carries[tile, c] = identity
    for k in range(start, start + np.uint64(rows)):
        i = position_of_item(k, n)
        if is_segment_start(heads, i, n):
            broken[tile] = True
            for c in range(columns):
                carries[tile, c] = identity
        for c in range(columns):
            carries[tile, c] = scalar(add(carries[tile, c], scalar(x[i * columns + c])))


@helper(inlined=False)
def _scan_tile(tile, x, heads, n, rows, identity, carries, out):
    """Scan the rows of a tile from its carry."""
    columns, start = np.uint64(carries.shape[1]), tile * np.uint64(rows)
    for k in range(start, min(start + np.uint64(rows), np.uint64(n))):
        i = position_of_item(k, n)
        if is_segment_start(heads, i, n):
            for c in range(columns):
                carries[tile, c] = identity
        for c in range(columns):
            before = carries[tile, c]
            after = scalar(add(before, scalar(x[i * columns + c])))
            out[i * columns + c] = before if EXCLUSIVE else after
            carries[tile, c] = after


def _scan_rows(cores, x, heads, n, rows, identity, carries, broken, out):
    """Scan all columns; row 0 of `carries` holds what the first tile begins with, the last row the total afterwards."""
    tiles, columns = carries.shape[0], carries.shape[1]
    first = carries[0].copy()
    for_tiles(cores, tiles - 1, _sum_tile, (x, heads, n, rows, identity, carries, broken))
    for c in range(np.uint64(columns)):
        carry = first[c]
        for t in range(np.uint64(tiles)):
            mine = carries[t, c]
            carries[t, c] = carry
            carry = mine if broken[t] else scalar(add(carry, mine))
    for_tiles(cores, tiles, _scan_tile, (x, heads, n, rows, identity, carries, out))


@functools.cache
def _kernel(monoid, dtype, segmented, exclusive, reverse):
    meanings = direction_meanings(monoid, dtype, segmented, exclusive, reverse)
    return compile_kernel(specialise(_scan_rows, **meanings)), monoid.identity_for(dtype)


def scan_rows(monoid, dtype, x, out, *, heads=None, initial=None, exclusive=False, reverse=False):
    """Scan the columns of `x`, of two or more columns and one or more rows, into `out`; return the totals."""
    kernel, identity = _kernel(monoid, dtype, heads is not None, exclusive, reverse)
    n, columns = x.shape
    serially = x.size <= TUNING.scan_serial
    rows = n if serially else max(TUNING.scan_block * SIDE_BY_SIDE // columns, 1)
    carries = np.full((-(-n // rows), columns), identity if initial is None else initial, dtype)
    broken = np.zeros(carries.shape[0], np.bool_)
    kernel(1 if serially else cores_for(kernel), x.reshape(-1), heads, n, rows, identity, carries, broken, out.reshape(-1))
    return carries[-1]
