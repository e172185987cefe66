"""`A @ X` on the cores: a few sums of a row of Y stay in registers while the rows of X stream past them.

Design: an X in Fortran order is turned into rows first, which costs less than gathering from many columns; not where each
row is read about twice, and near the last one. A large X whose rows are read in any order is turned a few columns at a time:
what they take stays in the cache until it is read.
"""

import functools

import numpy as np

from spark_csr._cpu.relayout import copy_to_rows
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import as_argument, compile_kernel, cores_for, for_tiles, helper, specialise
from spark_csr._engine.holes import WIDTH, Hole, add, decode, multiply, scalar
from spark_csr._engine.numba.intrinsics.copies import LINE
from spark_csr._engine.numba.intrinsics.prefetch import prefetch_at
from spark_csr._engine.numba.intrinsics.registers import register_array
from spark_csr._shared.half import product_meanings
from spark_csr._shared.merge_path import tile_bounds

PREFETCH_DISTANCE = Hole("PREFETCH_DISTANCE: int", "How many items lie between the current one and the one that is prefetched.")
ELEMENTS_PER_LINE = Hole("ELEMENTS_PER_LINE: int", "How many elements of type `scalar` a cache line holds, at least 1.")
prefetch_row = Hole("prefetch_row(x, row, column)", "Prefetch `WIDTH` columns of a row of `x`, or do nothing.")

WIDTHS = (32, 16, 8, 4, 3, 2)
"""Columns of Y that are summed at a time. 32 float64 fill four of the widest vector registers. Not tuned further."""


@helper
def _prefetch_row(x, row, column):
    """Ask for the cache lines of `WIDTH` columns of X."""
    for item in range(np.uint64(0), np.uint64(WIDTH + ELEMENTS_PER_LINE), np.uint64(ELEMENTS_PER_LINE)):
        prefetch_at(x, row * np.uint64(x.shape[1]) + column + item)


@helper
def _prefetch_nothing(x, row, column):
    """Ask for nothing: a row of X takes one cache line, or no row has to be asked for."""


@helper
def _add_entries(indices, data, x, start, stop, column, identity, sums):
    """Set `sums` to the products of entries `start` to `stop` with `WIDTH` columns of X from `column` on, added in order."""
    last = np.uint64(indices.size) - 1
    for c in range(np.uint64(WIDTH)):
        sums[c] = identity
    for p in range(start, stop):
        a, j = scalar(decode(data[p])), indices[p]
        prefetch_row(x, np.uint64(indices[min(p + PREFETCH_DISTANCE, last)]), column)
        for c in range(np.uint64(WIDTH)):
            sums[c] = scalar(add(sums[c], scalar(multiply(a, scalar(x[j, column + c])))))


@helper(inlined=False)
def _multiply_tile(tile, indptr, indices, data, x, tile_rows, items, identity, first, y, carry):
    """Write columns `first` and on of the rows that end in a tile, then its part of the next row; tiles as in `segmented`.

    If `WIDTH` does not divide the number of columns, the last block overlaps the one before and gives the same again.
    """
    rows, columns = np.uint64(y.shape[0]), np.uint64(x.shape[1])
    last_block = columns - WIDTH
    row, last_row, position, stop = tile_bounds(tile, tile + 1, tile_rows, items, np.uint64(indptr[rows]) + rows, np.uint64(0))
    sums = register_array(identity, WIDTH)
    while row < last_row:
        row_end = np.uint64(indptr[row + 1])
        for block in range(np.uint64(0), columns, np.uint64(WIDTH)):
            column = min(block, last_block)
            _add_entries(indices, data, x, position, row_end, column, identity, sums)
            for c in range(np.uint64(WIDTH)):
                y[row, np.uint64(first) + column + c] = sums[c]
        position = row_end
        row += 1
    for block in range(np.uint64(0), columns, np.uint64(WIDTH)):
        column = min(block, last_block)
        _add_entries(indices, data, x, position, stop, column, identity, sums)
        for c in range(np.uint64(WIDTH)):
            carry[tile, column + c] = sums[c]


def _spmm_tiles(cores, indptr, indices, data, x, tile_rows, items, identity, first, y):
    """Write each tile, then add the carries, in order."""
    tiles, columns = tile_rows.size - 1, np.uint64(x.shape[1])
    carry = np.empty((tiles, columns), y.dtype)
    for_tiles(cores, tiles, _multiply_tile, (indptr, indices, data, x, tile_rows, items, identity, first, y, carry))
    running = np.empty(columns, y.dtype)
    running[:] = identity
    for t in range(tiles - 1):
        cut_row = tile_rows[t + 1]
        closes = tile_rows[t + 2] > cut_row
        for c in range(columns):
            running[c] = scalar(add(running[c], carry[t, c]))
            if closes:
                place = np.uint64(first) + c
                y[cut_row, place] = scalar(add(running[c], y[cut_row, place]))
                running[c] = identity


@functools.cache
def block_width(columns, reading):
    """The width that gives the least work: every block reads the row's entries and multiplies `width` columns. To read an entry
    costs as much as to multiply `reading` columns."""
    fitting = [width for width in WIDTHS if width <= columns]
    return min(fitting, key=lambda width: -(-columns // width) * (reading + width))


@functools.cache
def _kernel(ring, dtype, half, width, ahead):
    """Return the kernel."""
    numbers = {"WIDTH": width, "ELEMENTS_PER_LINE": max(1, LINE // dtype.itemsize), "PREFETCH_DISTANCE": ahead}
    meanings = product_meanings(ring, dtype, half) | numbers
    meanings["prefetch_row"] = _prefetch_row if width * dtype.itemsize > LINE else _prefetch_nothing
    return compile_kernel(specialise(_spmm_tiles, **meanings), packed=True, reads=("indptr", "indices", "data", "x"))


def prepare_spmm(tiles, ring, indptr, indices, stored, dtype, columns):
    """Return `launch(data, x, y)`, which holds all that repeated products with `columns` columns share."""
    half, identity = stored == np.float16, as_argument(ring.add.identity_for(dtype))
    serially = tiles.entries * columns <= TUNING.spmm_serial

    def multiply(data, x, first, y):
        width = block_width(x.shape[1], TUNING.spmm_reading)
        kernel = _kernel(ring, dtype, half, width, TUNING.spmm_ahead)
        data = data.view(np.uint16) if half else data
        cores = 1 if serially else cores_for(kernel)
        kernel(cores, indptr, indices, data, x, tiles.rows, tiles.items, identity, first, y)

    @functools.cache
    def is_near():
        return _is_near(tiles, indices)

    def launch(data, x, y):
        if x.flags.c_contiguous or (0 < indices.size <= TUNING.spmm_few_entries * x.shape[0] and is_near()):
            multiply(data, x, 0, y)
            return
        strip = columns
        if x.nbytes > TUNING.spmm_large_bytes and indices.size and not is_near():
            strip = min(columns, max(2, LINE // dtype.itemsize))
        rows = np.empty((x.shape[0], strip), dtype)
        for first in range(0, columns, strip):
            first = min(first, columns - strip)
            copy_to_rows(x[:, first : first + strip], rows)
            multiply(data, rows, first, y)

    return launch


def _is_near(tiles, indices):
    """Return whether tiles read rows of X that are near each other."""
    starts = np.arange(tiles.rows.size - 1) * tiles.items - tiles.rows[:-1]
    starts = np.unique(starts[starts < indices.size])
    spans = np.maximum.reduceat(indices, starts) - np.minimum.reduceat(indices, starts)
    return spans.mean() <= TUNING.spmm_near_columns
