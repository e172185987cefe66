"""`A.T @ x` of one vector or two: rows scatter into private sums, which are then combined. `spmv_transposed` takes more.

Design: a part of the matrix (a group of tiles, by the pattern alone) scatters into a window of its own, from the first column
that it touches to the last, so a banded matrix pays for its band and not for parts x columns. Windows are combined in the order
of the parts: same bits for every number of threads, no atomics.
"""

import functools
from typing import NamedTuple

import numpy as np

from spark_csr._cpu.memory import prefetch_ahead
from spark_csr._cpu.segmented import is_for_one_core
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, helper, njit, specialise
from spark_csr._engine.holes import PREFETCH_DISTANCE_BYTES, WIDTH, add, decode, multiply, scalar
from spark_csr._shared.half import product_meanings
from spark_csr._shared.merge_path import tile_bounds


def steps_of(products, parts):
    """Return in how many steps each part is scattered: Ctrl-C is answered between two."""
    return products // parts // TUNING.transposed_step + 1


@njit(forceinline=True)
def bounds_of_step(step, steps, first, last):
    """Return the tiles of one step of a part, which are its tiles `first` to `last`."""
    count = last - first
    return np.uint64(first + count * step // steps), np.uint64(first + count * (step + 1) // steps)


@helper(inlined=False)
def _scatter_products(part, step, steps, indptr, indices, data, x, cuts, identity, buffers):
    """Scatter one step of tiles `parts[part]` to `parts[part + 1]`; column `lows[part]` stands at row `starts[part]` of the
    buffers, which the first step clears.
    """
    tile_rows, items, parts, lows, starts = cuts
    following, columns = part + 1, np.uint64(WIDTH)
    for i in range(np.uint64(starts[part]) * columns, np.uint64(starts[following]) * columns if step == 0 else np.uint64(0)):
        buffers[i] = identity
    shift = np.uint64(starts[part]) - np.uint64(lows[part])
    tile, last_tile = bounds_of_step(step, steps, parts[part], parts[following])
    entries = np.uint64(indices.size) + np.uint64(indptr.size - 1)
    row, _, position, stop = tile_bounds(tile, last_tile, tile_rows, items, entries, np.uint64(0))
    while position < stop:
        row_end, source = min(np.uint64(indptr[row + 1]), stop), row * columns
        while position < row_end:
            prefetch_ahead(data, position, PREFETCH_DISTANCE_BYTES)
            prefetch_ahead(indices, position, PREFETCH_DISTANCE_BYTES)
            a, i = scalar(decode(data[position])), (np.uint64(indices[position]) + shift) * columns
            for c in range(columns):
                buffers[i + c] = scalar(add(buffers[i + c], scalar(multiply(a, scalar(x[source + c])))))
            position += 1
        row += 1


@helper(inlined=False)
def _combine_block(block, columns, size, cuts, identity, buffers, y):
    """Add the windows that have columns of a block of `size` columns, in order."""
    _, _, _, lows, starts = cuts
    vectors, first = np.uint64(WIDTH), np.int64(block) * size
    last = min(columns, first + size)
    for i in range(np.uint64(first) * vectors, np.uint64(last) * vectors):
        y[i] = identity
    for part in range(lows.size):
        low, start = lows[part], starts[part]
        begin, end = max(first, low), min(last, low + starts[part + 1] - start)
        if begin < end:
            source, target = np.uint64(begin - low + start) * vectors, np.uint64(begin) * vectors
            for i in range(np.uint64(end - begin) * vectors):
                y[target + i] = scalar(add(y[target + i], buffers[source + i]))


def _multiply(cores, steps, indptr, indices, data, x, columns, size, cuts, identity, buffers, y):
    """Scatter all parts, then combine them."""
    for step in range(steps):
        for_tiles(cores, cuts[2].size - 1, _scatter_products, (step, steps, indptr, indices, data, x, cuts, identity, buffers))
    for_tiles(cores, (columns + size - 1) // size, _combine_block, (columns, size, cuts, identity, buffers, y))


class Windows(NamedTuple):
    """Parts of a matrix: tiles `tile_of[p]:tile_of[p+1]` are part `p`.

    Part `p` touches columns from `lows[p]` on, `starts[p+1] - starts[p]` of them.
    """

    tile_rows: np.ndarray
    items: int
    tile_of: np.ndarray
    lows: np.ndarray
    starts: np.ndarray


@njit
def _find_columns(tile, indices, tile_rows, items, entries, low, high):
    """Write the least column that a tile touches, and the greatest plus one; an empty range where it touches none."""
    _, _, start, stop = tile_bounds(tile, tile + 1, tile_rows, items, entries, np.uint64(0))
    least, greatest = np.int64(2**62), np.int64(-1)
    for p in range(start, stop):
        least = min(least, np.int64(indices[p]))
        greatest = max(greatest, np.int64(indices[p]))
    low[tile], high[tile] = least, greatest + 1


@compile_kernel
def _find_columns_of_tiles(cores, indices, tile_rows, items, entries, low, high):
    for_tiles(cores, tile_rows.size - 1, _find_columns, (indices, tile_rows, items, entries, low, high))


def windows_of(tiles, indices, columns):
    """Return as many windows as keep the private sums within the result and an eighth of the matrix; at least one."""
    low, high = (np.empty(tiles.rows.size - 1, np.int64) for _ in range(2))
    cores = 1 if is_for_one_core(tiles) else cores_for(_find_columns_of_tiles)
    _find_columns_of_tiles(cores, indices, *tiles, low, high)
    for parts in (64, 32, 16, 8, 4, 2, 1):
        tile_of = np.unique(np.linspace(0, low.size, parts + 1).astype(np.int64))
        lows = np.minimum.reduceat(low, tile_of[:-1])
        widths = np.maximum(np.maximum.reduceat(high, tile_of[:-1]) - lows, 0)
        if widths.sum() <= columns * 1.25 + indices.size / 8:
            break
    return Windows(tiles.rows, tiles.items, tile_of, lows, np.concatenate([[0], np.cumsum(widths)]))


@functools.cache
def _kernel(ring, dtype, half, width, ahead):
    """Return the kernel for as many vectors as `width`."""
    meanings = product_meanings(ring, dtype, half) | {"WIDTH": width, "PREFETCH_DISTANCE_BYTES": ahead}
    return compile_kernel(specialise(_multiply, **meanings), reads=("indptr", "indices", "data", "x"))


def prepare_windows(windows, ring, indptr, indices, half, dtype, identity, width):
    """Return `launch(data, x, y)` for as many vectors as `width`."""
    kernel, room = _kernel(ring, dtype, half, width, TUNING.memory_ahead), int(windows.starts[-1]) * width

    def launch(data, x, y):
        data = data.view(np.uint16) if half else data
        cores = 1 if (indices.size + y.shape[0]) * width <= TUNING.transposed_serial else cores_for(kernel)
        given = indptr, indices, data, x.reshape(-1), y.shape[0], TUNING.windows_block, tuple(windows)
        kernel(cores, steps_of(indices.size * width, windows.lows.size), *given, identity, np.empty(room, dtype), y.reshape(-1))

    return launch
