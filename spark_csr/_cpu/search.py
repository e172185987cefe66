"""The segment of every item: load-balancing search, a tile at a time."""

import numpy as np
from numba import prange

from spark_csr._cpu.segmented import on_one_core
from spark_csr._cpu.threads import compiled_both_ways, run_parallel


def _segment_ids(offsets, tile_rows, items, out):
    """Each tile writes the row of its items."""
    base = np.uint64(offsets[0])
    rows = np.uint64(offsets.size - 1)
    for t in prange(tile_rows.size - 1):
        tile = np.uint64(t)
        row = np.uint64(tile_rows[tile])
        position = tile * np.uint64(items) - row
        entry = min((tile + np.uint64(1)) * np.uint64(items), rows + np.uint64(out.size))
        stop = entry - np.uint64(tile_rows[tile + np.uint64(1)])
        while position < stop:
            row_end = min(np.uint64(offsets[row + np.uint64(1)]) - base, stop)
            while position < row_end:
                out[position] = row
                position += np.uint64(1)
            row += np.uint64(1)


_segment_ids_alone, _segment_ids_together = compiled_both_ways(_segment_ids)


def segment_ids(tiles, offsets, out):
    if on_one_core(tiles):
        _segment_ids_alone(offsets, tiles.rows, tiles.items, out)
    else:
        run_parallel(_segment_ids_together, offsets, tiles.rows, tiles.items, out)
