"""`A @ X` on the cores: a row of Y is summed in a small buffer while the rows of X stream past it."""

import functools

import numpy as np
from numba import njit, prange

from spark_csr._cpu.memory import ask_ahead, prefetch_entry
from spark_csr._cpu.threads import run_parallel
from spark_csr._specialise import specialise
from spark_csr.half import stored_reader

ROWS_AHEAD = 16
"""Rows of X asked for ahead of use: 1.6x on random columns against none, 8 and 4 less (EPYC 9005, 2026-11)."""

NARROW = 8
"""Columns up to which sums stay in registers. Not tuned further."""


def _add_rows(indices, data, x, start, stop, identity, total):
    """`total` = the products of entries `start` to `stop`, added in order; four entries for each pass over `total`."""
    columns = np.uint64(x.shape[1])
    line = np.uint64(max(1, 64 // x.itemsize))
    last = np.uint64(indices.size - 1)
    for c in range(columns):
        total[c] = identity
    p = start
    while p < stop:
        ask_ahead(data, p)
        ask_ahead(indices, p)
        many = np.uint64(4) if p + np.uint64(4) <= stop else np.uint64(1)
        for q in range(p, p + many):
            coming = np.uint64(indices[min(q + np.uint64(ROWS_AHEAD), last)])
            for c in range(np.uint64(0), columns, line):
                prefetch_entry(x, coming, c)
        a, i = scalar(stored(data[p])), np.uint64(indices[p])
        if many == np.uint64(4):
            b, j = scalar(stored(data[p + np.uint64(1)])), np.uint64(indices[p + np.uint64(1)])
            d, k = scalar(stored(data[p + np.uint64(2)])), np.uint64(indices[p + np.uint64(2)])
            e, m = scalar(stored(data[p + np.uint64(3)])), np.uint64(indices[p + np.uint64(3)])
            for c in range(columns):
                here = scalar(add(total[c], scalar(multiply(a, scalar(x[i, c])))))
                here = scalar(add(here, scalar(multiply(b, scalar(x[j, c])))))
                here = scalar(add(here, scalar(multiply(d, scalar(x[k, c])))))
                total[c] = scalar(add(here, scalar(multiply(e, scalar(x[m, c])))))
        else:
            for c in range(columns):
                total[c] = scalar(add(total[c], scalar(multiply(a, scalar(x[i, c])))))
        p += many


def _add_few_columns(indices, data, x, start, stop, identity, total):
    """The same for a narrow X: four columns at a time in registers; the last ones are computed twice where four do not fit."""
    last = np.uint64(x.shape[1] - 1)
    for c in range(np.uint64(0), np.uint64(x.shape[1]), np.uint64(4)):
        c1, c2, c3 = min(c + np.uint64(1), last), min(c + np.uint64(2), last), min(c + np.uint64(3), last)
        s0, s1, s2, s3 = identity, identity, identity, identity
        for p in range(start, stop):
            ask_ahead(data, p)
            ask_ahead(indices, p)
            a = scalar(stored(data[p]))
            j = np.uint64(indices[p])
            s0 = scalar(add(s0, scalar(multiply(a, scalar(x[j, c])))))
            s1 = scalar(add(s1, scalar(multiply(a, scalar(x[j, c1])))))
            s2 = scalar(add(s2, scalar(multiply(a, scalar(x[j, c2])))))
            s3 = scalar(add(s3, scalar(multiply(a, scalar(x[j, c3])))))
        total[c], total[c1], total[c2], total[c3] = s0, s1, s2, s3


def _spmm_tiles(indptr, indices, data, x, tile_rows, items, identity, y):
    """Tiles as in `segmented`: each writes the rows that end in it and hands on its share of the next."""
    tiles = tile_rows.size - 1
    rows, columns = np.uint64(y.shape[0]), np.uint64(y.shape[1])
    end = np.uint64(indptr[rows]) + rows
    carry = np.empty((tiles, columns), y.dtype)
    for t in prange(tiles):
        tile = np.uint64(t)
        row, last_row = np.uint64(tile_rows[tile]), np.uint64(tile_rows[tile + np.uint64(1)])
        position = tile * np.uint64(items) - row
        stop = min((tile + np.uint64(1)) * np.uint64(items), end) - last_row
        total = np.empty(columns, y.dtype)
        while row < last_row:
            row_end = np.uint64(indptr[row + np.uint64(1)])
            add_rows(indices, data, x, position, row_end, identity, total)
            for c in range(columns):
                y[row, c] = total[c]
            position = row_end
            row += np.uint64(1)
        add_rows(indices, data, x, position, stop, identity, total)
        for c in range(columns):
            carry[tile, c] = total[c]
    running = np.empty(columns, y.dtype)
    running[:] = identity
    for t in range(tiles - 1):
        cut_row = tile_rows[t + 1]
        closes = tile_rows[t + 2] > cut_row
        for c in range(columns):
            running[c] = scalar(add(running[c], carry[t, c]))
            if closes:
                y[cut_row, c] = scalar(add(running[c], y[cut_row, c]))
                running[c] = identity


@functools.cache
def _kernel(ring, dtype, half, narrow):
    meanings = {
        "add": ring.add.op,
        "multiply": ring.multiply,
        "scalar": dtype.type,
        "stored": stored_reader(half),
    }
    add_rows = njit(inline="always")(specialise(_add_few_columns if narrow else _add_rows, **meanings))
    kernel = specialise(_spmm_tiles, add_rows=add_rows, **meanings)
    return njit(parallel=True, nogil=True, cache=True)(kernel), ring.add.identity_for(dtype)


def spmm(tiles, ring, indptr, indices, data, x, y):
    half = data.dtype == np.float16
    kernel, identity = _kernel(ring, y.dtype, half, x.shape[1] <= NARROW)
    run_parallel(kernel, indptr, indices, data.view(np.uint16) if half else data, x, tiles.rows, tiles.items, identity, y)
