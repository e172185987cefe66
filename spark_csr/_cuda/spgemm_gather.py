"""Rows of `A @ B` from where they were kept, with gaps between them, to where they belong.

Design: the blocks take the same rows as when these were computed, so that there is nothing to plan; those of long rows are one
launch with the others. Cost: a block for each tile of products, although there are fewer entries than products.
"""

import functools

import numpy as np

from spark_csr._array import by_width
from spark_csr._cuda.spgemm_combine import find_tile
from spark_csr._engine import specialise
from spark_csr._engine.gpu import WARP, Kernel, box, cuda
from spark_csr._engine.holes import THREADS, TILE

THREADS_OF_BLOCK = box(128, 1).threads  # not tuned
MOST_BITS = WARP.bit_length() - 1


def _gather_rows(tile_rows, tiles, longest, offsets, indptr, long, earlier, kept_indices, kept_data, indices, data):
    """Copy the rows that end in one tile per block, but for rows of more than `longest` products; behind the tiles, what one
    tile of a long row has found.
    """
    thread = np.uint32(cuda.threadIdx.x)
    tile = np.int64(cuda.blockIdx.x)
    source, target, count = np.int64(0), np.int64(0), np.int64(0)
    row, last_row = np.int64(0), np.int64(0)
    if tile < tiles:
        row, last_row = np.int64(tile_rows[tile]), np.int64(tile_rows[tile + 1])
        if row < last_row:
            source = offsets[row]
            products = offsets[row + 1] - source
            if products > TILE // 2:
                target = indptr[row]
                count = indptr[row + 1] - target if products <= longest else np.int64(0)
                row += 1
    else:
        tile -= tiles
        number, of_tile, inside, _ = find_tile(long, offsets, tile)
        source, count = offsets[of_tile] + inside, earlier[tile + 1] - earlier[tile]
        target = indptr[of_tile] + earlier[tile] - earlier[long[2][number]]
    p = np.int64(thread)
    while p < count:
        indices[target + p] = np.uint64(kept_indices[source + p])
        data[target + p] = kept_data[source + p]
        p += THREADS
    if row < last_row:
        mean = np.uint32(indptr[last_row] - indptr[row]) // np.uint32(last_row - row)
        bits = np.uint32(MOST_BITS)  # of the number of lanes that a row gets
        while bits > 0 and mean >> bits - 1 == 0:
            bits -= 1
        row += np.int64(thread >> bits)
        while row < last_row:
            start, stop = indptr[row], indptr[row + 1]
            source = offsets[row] - start
            p = start + np.int64(thread & ((1 << bits) - 1))
            while p < stop:
                indices[p] = np.uint64(kept_indices[source + p])
                data[p] = kept_data[source + p]
                p += np.int64(1 << bits)
            row += np.int64(THREADS >> bits)


@functools.cache
def gather_kernel(chosen):
    """Return the kernel for rows that blocks of a box have computed: half a tile of products at most, if they are not alone."""
    return Kernel(specialise(_gather_rows, TILE=chosen.tile, THREADS=THREADS_OF_BLOCK), THREADS_OF_BLOCK)


def gather_rows(chosen, tile_rows, longest, offsets, indptr, long, earlier, kept_indices, kept_data, indices, data):
    """Copy all rows that were kept; `tile_rows` is None if all are long, `earlier` if none is."""
    tiles = 0 if tile_rows is None else tile_rows.size - 1
    blocks = tiles + (0 if earlier is None else long.blocks)
    where = (offsets if tile_rows is None else tile_rows), tiles, longest, offsets, indptr
    moved = (by_width(x) for x in (kept_indices, kept_data, indices, data))
    gather_kernel(chosen)(blocks, *where, tuple(long[:4]), offsets if earlier is None else earlier, *moved)
