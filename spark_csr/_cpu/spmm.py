"""`A @ X` on the cores: a few sums of a row of Y stay in registers while the rows of X stream past them."""

import functools

import numpy as np

from spark_csr._cpu.cache import njit
from spark_csr._cpu.registers import register_array
from spark_csr._cpu.team import for_tiles
from spark_csr._cpu.threads import compiled, cores_for
from spark_csr._specialise import specialise
from spark_csr.half import product_meanings

WIDTHS = (32, 16, 8, 4, 3, 2)
"""Columns of Y that are summed at a time. 32 float64 fill four of the widest vector registers. Not tuned further."""

SERIAL = 65536
"""Entries times columns up to which one core does it all. Not tuned further."""

READING = 8
"""What reading an entry of A costs, in columns. Not tuned further."""


def _add_entries(indices, data, x, start, stop, column, identity, sums):
    """`sums` = the products of entries `start` to `stop` with `width` columns of X from `column` on, added in order."""
    for c in range(np.uint64(width)):
        sums[c] = identity
    for p in range(start, stop):
        a, j = scalar(stored(data[p])), np.uint64(indices[p])
        for c in range(np.uint64(width)):
            sums[c] = scalar(add(sums[c], scalar(multiply(a, scalar(x[j, column + c])))))


def _spmm_tile(tile, indptr, indices, data, x, tile_rows, items, identity, y, carry):
    """Write the rows that end in a tile, then its share of the next; tiles as in `segmented`.

    Where `width` does not divide the number of columns, the last block overlaps the one before and gives the same again.
    """
    rows, columns = np.uint64(y.shape[0]), np.uint64(y.shape[1])
    end = np.uint64(indptr[rows]) + rows
    last_block = columns - np.uint64(width)
    row, last_row = np.uint64(tile_rows[tile]), np.uint64(tile_rows[tile + np.uint64(1)])
    position = tile * np.uint64(items) - row
    stop = min((tile + np.uint64(1)) * np.uint64(items), end) - last_row
    sums = register_array(identity, width)
    while row < last_row:
        row_end = np.uint64(indptr[row + np.uint64(1)])
        for block in range(np.uint64(0), columns, np.uint64(width)):
            column = min(block, last_block)
            add_entries(indices, data, x, position, row_end, column, identity, sums)
            for c in range(np.uint64(width)):
                y[row, column + c] = sums[c]
        position = row_end
        row += np.uint64(1)
    for block in range(np.uint64(0), columns, np.uint64(width)):
        column = min(block, last_block)
        add_entries(indices, data, x, position, stop, column, identity, sums)
        for c in range(np.uint64(width)):
            carry[tile, column + c] = sums[c]


def _spmm_tiles(cores, indptr, indices, data, x, tile_rows, items, identity, y):
    """Write each tile, then add the carries, in order."""
    tiles, columns = tile_rows.size - 1, np.uint64(y.shape[1])
    carry = np.empty((tiles, columns), y.dtype)
    for_tiles(cores, tiles, spmm_tile, (indptr, indices, data, x, tile_rows, items, identity, y, carry))
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


def block_width(columns):
    """The width that gives the least work: every block reads the row's entries and multiplies `width` columns."""
    fitting = [width for width in WIDTHS if width <= columns]
    return min(fitting, key=lambda width: -(-columns // width) * (READING + width))


@functools.cache
def _kernel(ring, dtype, half, width):
    """Return the kernel and the identity."""
    meanings = product_meanings(ring, dtype, half) | {"width": width}
    add_entries = njit(inline="always")(specialise(_add_entries, **meanings))
    tile = njit(specialise(_spmm_tile, add_entries=add_entries, **meanings))
    kernel = compiled(specialise(_spmm_tiles, spmm_tile=tile, **meanings), packed=True)
    return kernel, ring.add.identity_for(dtype)


def spmm(tiles, ring, indptr, indices, data, x, y):
    half = data.dtype == np.float16
    kernel, identity = _kernel(ring, y.dtype, half, block_width(x.shape[1]))
    cores = 1 if tiles.entries * x.shape[1] <= SERIAL else cores_for(kernel)
    kernel(cores, indptr, indices, data.view(np.uint16) if half else data, x, tiles.rows, tiles.items, identity, y)
