"""`A @ X` on a GPU: a thread takes one tile of the matrix and one column of X; neighbours share the tile.

The loads of data and indices are then the same for a whole warp, those of a row of X lie side by side. Sums are carried from
tile to tile as in `segmented`. Cost: with fewer than eight columns many lanes read matrix entries of their own.
"""

import functools

import numpy as np

from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.segmented import BOX
from spark_csr._cuda.target import blocks_for, cuda, device_function
from spark_csr._cuda.workspace import Workspace
from spark_csr._holes import IDENTITY, THREADS, TILE, add, decode, multiply, read_value, scalar
from spark_csr._shared.half import product_meanings
from spark_csr._specialise import specialise


def _multiply_tiles(values, indptr, indices, x, tile_rows, entries, columns, carry, y):
    """Write, in a thread for each tile and column, the rows that end in the tile; store the rest in `carry`."""
    thread = np.int64(cuda.blockIdx.x) * np.int64(THREADS) + np.int64(cuda.threadIdx.x)
    tile = thread // columns
    column = thread - tile * columns
    if tile * np.int64(TILE) < entries:
        row, last_row = np.int64(tile_rows[tile]), np.int64(tile_rows[tile + 1])
        position = tile * np.int64(TILE) - row
        stop = min((tile + 1) * np.int64(TILE), np.int64(entries)) - last_row
        while row <= last_row:
            row_end = np.int64(indptr[row + 1]) if row < last_row else stop
            total = scalar(IDENTITY)
            while position < row_end:
                j = np.int64(indices[position])
                total = scalar(add(total, scalar(multiply(read_value(values, position), scalar(x[j * columns + column])))))
                position += 1
            if row < last_row:
                y[row * columns + column] = total
            else:
                carry[tile * columns + column] = total
            row += 1


def _finish_cut_rows(tile_rows, tiles, columns, carry, y):
    """Add to each cut row, in order, what its tiles handed on. A thread has one tile and column; it acts if a cut row begins
    there.
    """
    thread = np.int64(cuda.blockIdx.x) * np.int64(THREADS) + np.int64(cuda.threadIdx.x)
    tile = thread // columns
    column = thread - tile * columns
    if tile + 1 < tiles:
        row = np.int64(tile_rows[tile + 1])
        if tile == 0 or np.int64(tile_rows[tile]) != row:
            total = scalar(IDENTITY)
            while np.int64(tile_rows[tile + 1]) == row:
                total = scalar(add(total, scalar(carry[tile * columns + column])))
                tile += 1
            y[row * columns + column] = scalar(add(total, scalar(y[row * columns + column])))


def _value(values, position):
    return scalar(decode(values[0][position]))


def _permuted_value(values, position):
    return scalar(decode(values[0][np.int64(values[1][position])]))


@functools.cache
def kernels(ring, dtype, half, permuted):
    """Return both kernels; if `permuted`, entry `p` of the pattern has value `data[order[p]]`."""
    meanings = product_meanings(ring, dtype, half) | {
        "IDENTITY": ring.add.identity_for(dtype).item(),
        "TILE": BOX.tile,
        "THREADS": BOX.threads,
    }
    read_value = device_function(specialise(_permuted_value if permuted else _value, **meanings))
    multiply_tiles = specialise(_multiply_tiles, read_value=read_value, **meanings)
    return Kernel(multiply_tiles, BOX.threads), Kernel(specialise(_finish_cut_rows, **meanings), BOX.threads)


def run_columns(tiles, ring, indptr, indices, values, x, y, carry):
    """Compute `Y = A @ X`, with the values of A in `values`: `(data,)` or `(data, order)`.

    `carry` is memory for an element of every tile and column.
    """
    half = values[0].dtype == np.float16
    if half:
        values = (values[0].view(np.uint16), *values[1:])
    count, columns = tiles.rows.size - 1, x.shape[1]
    multiply_tiles, finish = kernels(ring, y.dtype, half, len(values) == 2)
    flat_x, flat_y = x.reshape(-1), y.reshape(-1)
    blocks = blocks_for(count * columns, BOX.threads)
    multiply_tiles(blocks, values, indptr, indices, flat_x, tiles.rows, tiles.entries, columns, carry, flat_y)
    finish(blocks if count > 1 else 0, tiles.rows, count, columns, carry, flat_y)


def prepare_spmm(tiles, ring, indptr, indices, stored, dtype, columns):
    """Return `launch(data, x, y)`; an `x` in Fortran order is copied to C order."""
    workspace = Workspace((tiles.rows.size - 1) * columns, dtype)

    def launch(data, x, y):
        with workspace as carry:
            run_columns(tiles, ring, indptr, indices, (data,), x, y, carry)

    return launch
