"""Write every element of `x` as often as its segment is long, over tiles of equal work.

Design: as `segment_ids`, with the element written in place of its number. The end of a short run is what no processor
predicts, so copies are stored by eights, and what follows overwrites those that were too many.
"""

import numpy as np

from spark_csr._cpu.segmented import is_for_one_core
from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit
from spark_csr._shared.merge_path import tile_bounds


@njit
def _repeat_rows(x, offsets, row, last_row, position, stop, out):
    """Write rows `row` to `last_row`, and the part before `stop` of the row after these."""
    eight = np.uint64(8)
    while row < last_row:
        row_end = np.uint64(offsets[row + 1])
        value = x[row]
        filled = position
        if filled + eight <= stop:
            for k in range(eight):
                out[filled + k] = value
            filled += eight
            while filled < row_end and filled + eight <= stop:
                for k in range(eight):
                    out[filled + k] = value
                filled += eight
        for k in range(filled, row_end):
            out[k] = value
        position = row_end
        row += 1
    if position < stop:
        value = x[row]
        for k in range(position, stop):
            out[k] = value


@njit
def _repeat_tile(tile, x, offsets, tile_rows, items, out):
    """Write the rows and parts of rows that lie in a tile."""
    bounds = tile_bounds(tile, tile + 1, tile_rows, items, out.size + offsets.size - 1, np.uint64(0))
    _repeat_rows(x, offsets, *bounds, out)


@compile_kernel
def _repeat_tiles(cores, x, offsets, tile_rows, items, out):
    for_tiles(cores, tile_rows.size - 1, _repeat_tile, (x, offsets, tile_rows, items, out))


def repeat(tiles, x, offsets, out):
    _repeat_tiles(1 if is_for_one_core(tiles) else cores_for(_repeat_tiles), x, offsets, tiles.rows, tiles.items, out)
