"""`A.T @ x` and `A.T @ X` on the cores, without the transpose: rows scatter into private sums, which are then combined.

Design: the matrix is cut into parts (groups of tiles, by the pattern alone). A part scatters into a buffer of its own,
only as wide as the columns it touches, so a banded matrix pays for its band and not for parts x columns. Buffers are
combined in the order of the parts: same bits for every number of threads, no atomics.
"""

import functools
from typing import NamedTuple

import numpy as np
from numba import prange

from spark_csr._cpu.memory import ask_ahead
from spark_csr._cpu.threads import compiled_both_ways, run_parallel
from spark_csr._specialise import specialise
from spark_csr.half import product_meanings

BLOCK = 4096  # columns that one core combines at a time; not tuned

SERIAL = 65536
"""Entries times columns up to which one core does it all, as for `A @ X`. Not tuned further."""


def _scatter_parts(indptr, indices, data, x, columns, tile_rows, items, parts, lows, starts, identity, buffers):
    """Part `p` takes tiles `parts[p]:parts[p+1]`; column `lows[p]` stands at row `starts[p]` of the buffers."""
    rows = np.uint64(indptr.size - 1)
    end = np.uint64(indptr[rows]) + rows
    width = np.uint64(1) if one_column else np.uint64(columns)
    for p in prange(parts.size - 1):
        for i in range(np.uint64(starts[p]), np.uint64(starts[p + 1])):
            for c in range(width):
                buffers[i * width + c] = identity
        shift = np.int64(starts[p]) - np.int64(lows[p])
        row = np.uint64(tile_rows[parts[p]])
        position = np.uint64(parts[p]) * np.uint64(items) - row
        stop = min(np.uint64(parts[p + 1]) * np.uint64(items), end) - np.uint64(tile_rows[parts[p + 1]])
        while position < stop:
            row_end = min(np.uint64(indptr[row + np.uint64(1)]), stop)
            while position < row_end:
                ask_ahead(data, position)
                ask_ahead(indices, position)
                a = scalar(stored(data[position]))
                i = np.uint64(np.int64(indices[position]) + shift) * width
                for c in range(width):
                    buffers[i + c] = scalar(add(buffers[i + c], scalar(multiply(a, scalar(x[row * width + c])))))
                position += np.uint64(1)
            row += np.uint64(1)


def _combine_parts(rows, columns, lows, starts, identity, buffers, y):
    """Each block of rows of Y adds the parts that touch it, in order."""
    width = np.uint64(1) if one_column else np.uint64(columns)
    for b in prange((rows + BLOCK - 1) // BLOCK):
        first, last = np.int64(b * BLOCK), min(rows, np.int64((b + 1) * BLOCK))
        for i in range(np.uint64(first) * width, np.uint64(last) * width):
            y[i] = identity
        for p in range(lows.size):
            low, start = np.int64(lows[p]), np.int64(starts[p])
            begin, end = max(first, low), min(last, low + np.int64(starts[p + 1]) - start)
            if begin < end:
                source = np.uint64(begin - low + start) * width
                target = np.uint64(begin) * width
                for i in range(np.uint64(end - begin) * width):
                    y[target + i] = scalar(add(y[target + i], buffers[source + i]))


class Parts(NamedTuple):
    """Tiles `tile_of[p]:tile_of[p+1]` are part `p`; it touches columns from `lows[p]` on, `starts[p+1] - starts[p]` of them."""

    tile_rows: np.ndarray
    items: int
    tile_of: np.ndarray
    lows: np.ndarray
    starts: np.ndarray


def _column_ranges(indices, tile_rows, items, low, high):
    """The least column that each tile touches, and the greatest plus one; an empty range where it touches none."""
    tiles = tile_rows.size - 1
    for t in prange(tiles):
        start = np.uint64(t) * np.uint64(items) - np.uint64(tile_rows[t])
        stop = min(np.uint64(t + 1) * np.uint64(items) - np.uint64(tile_rows[t + 1]), np.uint64(indices.size))
        least, greatest = np.int64(2**62), np.int64(-1)
        for p in range(start, stop):
            least = min(least, np.int64(indices[p]))
            greatest = max(greatest, np.int64(indices[p]))
        low[t], high[t] = least, greatest + 1


_find_ranges = compiled_both_ways(_column_ranges)


def plan_transposed(tiles, indptr, indices, columns):
    """As many parts as keep the private sums within the result and an eighth of the matrix; at least one."""
    count = tiles.rows.size - 1
    low, high = np.empty(count, np.int64), np.empty(count, np.int64)
    on_one_core, on_all = _find_ranges
    arguments = indices, tiles.rows, tiles.items, low, high
    if tiles.entries <= SERIAL:
        on_one_core(*arguments)
    else:
        run_parallel(on_all, *arguments)
    for parts in (64, 32, 16, 8, 4, 2, 1):
        tile_of = np.unique(np.linspace(0, count, parts + 1).astype(np.int64))
        lows = np.minimum.reduceat(low, tile_of[:-1])
        widths = np.maximum(np.maximum.reduceat(high, tile_of[:-1]) - lows, 0)
        if widths.sum() <= columns * 1.25 + indices.size / 8:
            break
    return Parts(tiles.rows, tiles.items, tile_of, lows, np.concatenate([[0], np.cumsum(widths)]))


@functools.cache
def _kernels(ring, dtype, half, one_column):
    meanings = product_meanings(ring, dtype, half) | {"one_column": one_column}
    scatter, combine = (compiled_both_ways(specialise(kernel, **meanings)) for kernel in (_scatter_parts, _combine_parts))
    return scatter, combine, ring.add.identity_for(dtype)


def spmm_transposed(plan, ring, indptr, indices, data, x, y):
    half, columns = data.dtype == np.float16, x.shape[1]
    scatter, combine, identity = _kernels(ring, y.dtype, half, columns == 1)
    data = data.view(np.uint16) if half else data
    buffers = np.empty(int(plan.starts[-1]) * columns, y.dtype)
    cuts = plan.tile_rows, plan.items, plan.tile_of, plan.lows, plan.starts
    scattered = indptr, indices, data, x.reshape(-1), columns, *cuts, identity, buffers
    combined = y.shape[0], columns, plan.lows, plan.starts, identity, buffers, y.reshape(-1)
    if (indices.size + y.shape[0]) * columns <= SERIAL:
        scatter[0](*scattered)
        combine[0](*combined)
    else:
        run_parallel(scatter[1], *scattered)
        run_parallel(combine[1], *combined)
