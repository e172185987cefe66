"""`A.T @ x` and `A.T @ X` on the cores, without the transpose: rows scatter into private sums, which are then combined.

Design: the matrix is cut into parts (groups of tiles, by the pattern alone). A part scatters into a buffer of its own,
only as wide as the columns it touches, so a banded matrix pays for its band and not for parts x columns. Buffers are
combined in the order of the parts: same bits for every number of threads, no atomics.
"""

import functools
from typing import NamedTuple

import numpy as np

from spark_csr._cpu.cache import njit
from spark_csr._cpu.memory import ask_ahead
from spark_csr._cpu.team import for_tiles
from spark_csr._cpu.threads import compiled, cores_for
from spark_csr._specialise import specialise
from spark_csr.half import product_meanings

BLOCK = 4096  # columns that one core combines at a time; not tuned

SERIAL = 65536
"""Entries times columns up to which one core does it all, as for `A @ X`. Not tuned further."""


def _scatter_part(part, indptr, indices, data, x, columns, tile_rows, items, parts, lows, starts, identity, buffers):
    """Scatter tiles `parts[part]` to `parts[part + 1]`; column `lows[part]` stands at row `starts[part]` of the buffers."""
    rows, following = np.uint64(indptr.size - 1), part + np.uint64(1)
    end = np.uint64(indptr[rows]) + rows
    width = np.uint64(1) if one_column else np.uint64(columns)
    for i in range(np.uint64(starts[part]) * width, np.uint64(starts[following]) * width):
        buffers[i] = identity
    shift = np.int64(starts[part]) - np.int64(lows[part])
    tile, last_tile = np.uint64(parts[part]), np.uint64(parts[following])
    row = np.uint64(tile_rows[tile])
    position = tile * np.uint64(items) - row
    stop = min(last_tile * np.uint64(items), end) - np.uint64(tile_rows[last_tile])
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


def _combine_block(block, rows, columns, lows, starts, identity, buffers, y):
    """Add the parts that touch a block of rows of Y, in order."""
    width = np.uint64(1) if one_column else np.uint64(columns)
    first = np.int64(block) * BLOCK
    last = min(rows, first + BLOCK)
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


def _multiply_transposed(cores, indptr, indices, data, x, columns, cuts, identity, buffers, rows, y):
    """Scatter all parts, then combine them."""
    tile_rows, items, parts, lows, starts = cuts
    scattered = indptr, indices, data, x, columns, tile_rows, items, parts, lows, starts, identity, buffers
    for_tiles(cores, parts.size - 1, scatter_part, scattered)
    for_tiles(cores, (rows + BLOCK - 1) // BLOCK, combine_block, (rows, columns, lows, starts, identity, buffers, y))


class Parts(NamedTuple):
    """Tiles `tile_of[p]:tile_of[p+1]` are part `p`; it touches columns from `lows[p]` on, `starts[p+1] - starts[p]` of them."""

    tile_rows: np.ndarray
    items: int
    tile_of: np.ndarray
    lows: np.ndarray
    starts: np.ndarray


@njit
def _column_range(tile, indices, tile_rows, items, low, high):
    """Write the least column that a tile touches, and the greatest plus one; an empty range where it touches none."""
    following = tile + np.uint64(1)
    start = tile * np.uint64(items) - np.uint64(tile_rows[tile])
    stop = min(following * np.uint64(items) - np.uint64(tile_rows[following]), np.uint64(indices.size))
    least, greatest = np.int64(2**62), np.int64(-1)
    for p in range(start, stop):
        least = min(least, np.int64(indices[p]))
        greatest = max(greatest, np.int64(indices[p]))
    low[tile], high[tile] = least, greatest + 1


@compiled
def _column_ranges(cores, indices, tile_rows, items, low, high):
    for_tiles(cores, tile_rows.size - 1, _column_range, (indices, tile_rows, items, low, high))


def plan_transposed(tiles, indptr, indices, columns):
    """As many parts as keep the private sums within the result and an eighth of the matrix; at least one."""
    count = tiles.rows.size - 1
    low, high = np.empty(count, np.int64), np.empty(count, np.int64)
    cores = 1 if tiles.entries <= SERIAL else cores_for(_column_ranges)
    _column_ranges(cores, indices, tiles.rows, tiles.items, low, high)
    for parts in (64, 32, 16, 8, 4, 2, 1):
        tile_of = np.unique(np.linspace(0, count, parts + 1).astype(np.int64))
        lows = np.minimum.reduceat(low, tile_of[:-1])
        widths = np.maximum(np.maximum.reduceat(high, tile_of[:-1]) - lows, 0)
        if widths.sum() <= columns * 1.25 + indices.size / 8:
            break
    return Parts(tiles.rows, tiles.items, tile_of, lows, np.concatenate([[0], np.cumsum(widths)]))


@functools.cache
def _kernel(ring, dtype, half, one_column):
    """Return the kernel and the identity."""
    meanings = product_meanings(ring, dtype, half) | {"one_column": one_column}
    scatter, combine = (njit(specialise(body, **meanings)) for body in (_scatter_part, _combine_block))
    kernel = compiled(specialise(_multiply_transposed, scatter_part=scatter, combine_block=combine))
    return kernel, ring.add.identity_for(dtype)


def spmm_transposed(plan, ring, indptr, indices, data, x, y):
    half, columns = data.dtype == np.float16, x.shape[1]
    kernel, identity = _kernel(ring, y.dtype, half, columns == 1)
    data = data.view(np.uint16) if half else data
    buffers = np.empty(int(plan.starts[-1]) * columns, y.dtype)
    cuts = plan.tile_rows, plan.items, plan.tile_of, plan.lows, plan.starts
    cores = 1 if (indices.size + y.shape[0]) * columns <= SERIAL else cores_for(kernel)
    kernel(cores, indptr, indices, data, x.reshape(-1), columns, cuts, identity, buffers, y.shape[0], y.reshape(-1))
