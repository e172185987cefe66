"""Write every element of `x` as often as its segment is long, over tiles of equal work: as `segment_ids`, fused."""

import functools

import numpy as np
from numba import types

from spark_csr._cuda.block import row_ends
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.segmented import BOX
from spark_csr._cuda.target import cuda
from spark_csr._specialise import specialise


def _repeat_tile(x, offsets, tile_rows, entries, out):
    """A block takes one tile: marks the ends of rows, floods them right, writes each item's element side by side."""
    ids = cuda.shared.array(TILE, uint16)
    ends = cuda.shared.array(TILE, uint16)
    thread = np.uint32(cuda.threadIdx.x)
    tile = np.int64(cuda.blockIdx.x)
    row = np.int64(tile_rows[tile])
    rows_here = np.uint32(np.int64(tile_rows[tile + 1]) - row)
    before = tile * np.int64(TILE) - row
    length = np.uint32(min(np.int64(entries) - tile * np.int64(TILE), np.int64(TILE)))

    mark_row_ends(offsets, row, rows_here, before, ends)
    cuda.syncthreads()

    closed = rows_closed_before(ends)
    first = np.uint32(thread * np.uint32(ITEMS))
    position = np.uint32(first - closed)
    for k in range(ITEMS):
        entry = np.uint32(first + np.uint32(k))
        if entry < length:
            if ends[entry] != 0:
                closed = np.uint32(closed + np.uint32(1))
            else:
                ids[position] = np.uint16(closed)
                position = np.uint32(position + np.uint32(1))
    cuda.syncthreads()
    for k in range(ITEMS):
        i = np.uint32(thread + np.uint32(k * THREADS))
        if i < np.uint32(length - rows_here):
            out[before + np.int64(i)] = x[row + np.int64(ids[i])]


@functools.cache
def repeat_kernel():
    mark_row_ends, rows_closed_before = row_ends(BOX)
    kernel = specialise(
        _repeat_tile,
        mark_row_ends=mark_row_ends,
        rows_closed_before=rows_closed_before,
        uint16=types.uint16,
        TILE=BOX.tile,
        ITEMS=BOX.items,
        THREADS=BOX.threads,
    )
    return Kernel(kernel, BOX.threads)


def repeat(tiles, x, offsets, out):
    repeat_kernel()(tiles.rows.size - 1, x, offsets, tiles.rows, tiles.entries, out)
