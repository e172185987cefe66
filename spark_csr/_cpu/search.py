"""The segment of every item, its rank there, or both: load-balancing search, a tile at a time.

Design: as in `repeat`, results are stored by eights, and what follows overwrites those that were too many.
"""

import functools

import numpy as np
from numba import njit, prange

from spark_csr._cpu.segmented import on_one_core
from spark_csr._cpu.threads import compiled_both_ways, run_parallel
from spark_csr._specialise import specialise


@njit(forceinline=True)
def _segment(out, item, row, rank):
    out[0][item] = row


@njit(forceinline=True)
def _rank(out, item, row, rank):
    out[0][item] = rank


@njit(forceinline=True)
def _both(out, item, row, rank):
    out[0][item] = row
    out[1][item] = rank


def _visit_items(offsets, tile_rows, items, out):
    """Each tile writes what is asked for of its items."""
    base, eight = np.uint64(offsets[0]), np.uint64(8)
    rows = np.uint64(offsets.size - 1)
    for t in prange(tile_rows.size - 1):
        tile = np.uint64(t)
        row = np.uint64(tile_rows[tile])
        position = tile * np.uint64(items) - row
        entry = min((tile + np.uint64(1)) * np.uint64(items), rows + np.uint64(out[0].size))
        stop = entry - np.uint64(tile_rows[tile + np.uint64(1)])
        while position < stop:
            row_start = np.uint64(offsets[row]) - base
            row_end = min(np.uint64(offsets[row + np.uint64(1)]) - base, stop)
            while position < row_end and position + eight <= stop:
                for k in range(eight):
                    write(out, position + k, row, position + k - row_start)
                position += eight
            for k in range(position, row_end):
                write(out, k, row, k - row_start)
            position = row_end
            row += np.uint64(1)


@functools.cache
def _kernels(write):
    return compiled_both_ways(specialise(_visit_items, write=write))


def _run(write, tiles, offsets, *out):
    alone, together = _kernels(write)
    if on_one_core(tiles):
        alone(offsets, tiles.rows, tiles.items, out)
    else:
        run_parallel(together, offsets, tiles.rows, tiles.items, out)


def segment_ids(tiles, offsets, segment):
    _run(_segment, tiles, offsets, segment)


def local_index(tiles, offsets, rank):
    _run(_rank, tiles, offsets, rank)


def load_balance_search(tiles, offsets, segment, rank):
    """Both."""
    _run(_both, tiles, offsets, segment, rank)
