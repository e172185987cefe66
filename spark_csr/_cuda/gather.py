"""Copy rows of a matrix, or lists of values, to where they are wanted: a visit to every entry of the tiles."""

import numpy as np

from spark_csr._cuda.search import visit_items
from spark_csr._cuda.segmented import tile_size
from spark_csr._engine.gpu import device_function


def gather_tile_size(total):
    """Return how many entries and row ends a tile takes."""
    return tile_size(total)


@device_function
def _copy_entry(operands, entry, row, rank):
    starts, low, indices, data, out_indices, out_data = operands
    source = np.int64(starts[row]) + rank
    out_indices[entry] = np.uint64(indices[source]) - np.uint64(low)
    out_data[entry] = data[source]


@device_function
def _copy_value(operands, entry, row, rank):
    starts, data, out_data = operands
    out_data[entry] = data[np.int64(starts[row]) + rank]


def gather_segments(tiles, starts, offsets, low, indices, data, out_indices, out_data):
    """Copy columns and values, or the values alone if `indices` is None."""
    visit, operands = _copy_entry, (starts, low, indices, data, out_indices, out_data)
    if indices is None:
        visit, operands = _copy_value, (starts, data, out_data)
    visit_items(visit, tiles, offsets, operands)
