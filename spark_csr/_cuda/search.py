"""The segment of every item, its rank there, or both: load-balancing search, a tile per block.

What is done with item and segment is filled in: `segment_ids` writes the segment, `local_index` the rank, `repeat` the
segment's element, `product` a tuple, `choose` a combination.
"""

import functools

import numpy as np
from numba import uint16, uint32

from spark_csr._cuda.rows import find_last_mark, mark_row_ends, row_meanings
from spark_csr._cuda.segmented import BOX
from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, cuda, device_function
from spark_csr._engine.holes import ITEMS, THREADS, TILE, Hole

visit = Hole(
    "visit(operands, offsets, row, item)",
    "On GPUs: do what is asked for with one item of segment `row`. `item` counts from the first item of the first segment.",
)


def _visit_items(offsets, tile_rows, entries, operands):
    """Visit the items of one tile per block with their rows, side by side: mark the ends of rows, and flood the marks right."""
    ids = cuda.shared.array(TILE, uint32)
    ends = cuda.shared.array(TILE, uint16)
    thread = np.uint32(cuda.threadIdx.x)
    tile = np.int64(cuda.blockIdx.x)
    row = np.int64(tile_rows[tile])
    rows_here = np.uint32(np.int64(tile_rows[tile + 1]) - row)
    before = tile * np.int64(TILE) - row
    length = np.uint32(min(np.int64(entries) - tile * np.int64(TILE), np.int64(TILE)))

    mark_row_ends(offsets, row, rows_here, np.int64(offsets[0]) + before, ends)
    cuda.syncthreads()

    closed = find_last_mark(ends)
    first = np.uint32(thread * np.uint32(ITEMS))
    position = np.uint32(first - closed)
    for k in range(ITEMS):
        entry = np.uint32(first + np.uint32(k))
        if entry < length:
            if ends[entry] != 0:
                closed = np.uint32(closed + np.uint32(1))
            else:
                ids[position] = closed
                position = np.uint32(position + np.uint32(1))
    cuda.syncthreads()
    for k in range(ITEMS):
        i = np.uint32(thread + np.uint32(k * THREADS))
        if i < np.uint32(length - rows_here):
            visit(operands, offsets, row + np.int64(ids[i]), before + np.int64(i))


@functools.cache
def visiting_kernel(visit):
    """Return the kernel that runs the device function `visit(operands, offsets, row, item)` for each item."""
    return Kernel(specialise(_visit_items, visit=visit, TILE=BOX.tile, **row_meanings(BOX)), BOX.threads)


@device_function
def _write_row(operands, offsets, row, item):
    operands[0][item] = row


@device_function
def _write_rank(operands, offsets, row, item):
    operands[0][item] = item - (np.int64(offsets[row]) - np.int64(offsets[0]))


@device_function
def _write_both(operands, offsets, row, item):
    operands[0][item] = row
    operands[1][item] = item - (np.int64(offsets[row]) - np.int64(offsets[0]))


def _run(visit, tiles, offsets, *out):
    visiting_kernel(visit)(tiles.rows.size - 1, offsets, tiles.rows, tiles.entries, out)


def segment_ids(tiles, offsets, segment):
    _run(_write_row, tiles, offsets, segment)


def local_index(tiles, offsets, rank):
    _run(_write_rank, tiles, offsets, rank)


def load_balance_search(tiles, offsets, segment, rank):
    """Write both the segment of every item and its rank there."""
    _run(_write_both, tiles, offsets, segment, rank)
