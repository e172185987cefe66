"""A visit to every item of segments, with the segment and the rank of the item: load-balancing search, a tile per block.

What is done with them is filled in: a search writes them, `repeat` the segment's element, `product` a tuple, `choose` a
combination, `transform_segments` what a user's function returns.
"""

import functools

import numpy as np
from numba import uint16, uint32

from spark_csr._cuda.rows import find_last_mark, mark_row_ends, row_meanings
from spark_csr._cuda.segmented import BOX
from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, cuda
from spark_csr._engine.holes import ITEMS, THREADS, TILE, visit


def _visit_items(offsets, tile_rows, entries, operands):
    """Visit the items of one tile per block with their rows, side by side: mark the ends of rows, and flood the marks right."""
    ids = cuda.shared.array(TILE, uint32)
    ends = cuda.shared.array(TILE, uint16)
    thread = np.uint32(cuda.threadIdx.x)
    tile = np.int64(cuda.blockIdx.x)
    row = np.int64(tile_rows[tile])
    rows_here = np.uint32(tile_rows[tile + 1] - row)
    base, before = np.int64(offsets[0]), tile * TILE - row
    length = np.uint32(min(entries - tile * TILE, np.int64(TILE)))

    mark_row_ends(offsets, row, rows_here, base + before, ends)
    cuda.syncthreads()

    closed = find_last_mark(ends)
    first = thread * ITEMS
    position = first - closed
    for k in range(ITEMS):
        entry = first + np.uint32(k)
        if entry < length:
            if ends[entry] != 0:
                closed += 1
            else:
                ids[position] = closed
                position += 1
    cuda.syncthreads()
    for k in range(ITEMS):
        i = thread + np.uint32(k * THREADS)
        if i < length - rows_here:
            owner, item = row + np.int64(ids[i]), before + np.int64(i)
            visit(operands, item, owner, base + item - np.int64(offsets[owner]))


@functools.cache
def _visiting_kernel(visit, views):
    return Kernel(specialise(_visit_items, visit=visit, TILE=BOX.tile, **row_meanings(BOX)), BOX.threads, views=views)


def visit_items(visit, tiles, offsets, operands, *, calls_user=False):
    """Visit every item of the tiles. If `visit` calls a user's function, arrays arrive with their sizes."""
    _visiting_kernel(visit, calls_user)(tiles.rows.size - 1, offsets, tiles.rows, tiles.entries, operands)
