"""Copy segments from where they lie to where they are wanted, over tiles of equal work: rows of a matrix, above all.

Design: tiles cut the result evenly, so that one long segment is shared out like many short ones.
"""

import numpy as np
from numba import prange

from spark_csr._cpu.cache import njit
from spark_csr._cpu.segmented import on_one_core
from spark_csr._cpu.threads import run_parallel


@njit(nogil=True, cache=True)
def _copy_segments(x, starts, offsets, segment, last, position, stop, out):
    """Copy segments `segment` to `last`, from `position` on, and of the one after these what lies before `stop`."""
    segment, last = np.uint64(segment), np.uint64(last)
    position, stop = np.uint64(position), np.uint64(stop)
    while segment <= last and position < stop:
        end = min(np.uint64(offsets[segment + np.uint64(1)]), stop)
        shift = np.uint64(starts[segment]) - np.uint64(offsets[segment])
        for k in range(position, end):
            out[k] = x[k + shift]
        position = end
        segment += np.uint64(1)


@njit(parallel=True, nogil=True, cache=True)
def _copy_tiles(x, starts, offsets, tile_rows, items, out):
    entries = out.size + starts.size
    for t in prange(tile_rows.size - 1):
        segment, last = tile_rows[t], tile_rows[t + 1]
        _copy_segments(x, starts, offsets, segment, last, t * items - segment, min((t + 1) * items, entries) - last, out)


def gather_segments(tiles, x, starts, offsets, out):
    if on_one_core(tiles):
        _copy_segments(x, starts, offsets, 0, starts.size, 0, out.size, out)
    else:
        run_parallel(_copy_tiles, x, starts, offsets, tiles.rows, tiles.items, out)
