"""Copy rows of a matrix, or lists of values, to where they are wanted: a visit to every entry of the tiles."""

import numpy as np

from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.search import visit_items
from spark_csr._cuda.segmented import tile_size
from spark_csr._engine import njit
from spark_csr._engine.gpu import device_function


def gather_tile_size(total):
    """Return how many entries and row ends a tile takes."""
    return tile_size(total)


@device_function
def _copy_entry(operands, entry, row, rank):
    starts, low, indices, data, out_indices, out_data = operands
    source = starts[row] + rank
    out_indices[entry] = np.uint64(indices[source]) - np.uint64(low)
    out_data[entry] = data[source]


@device_function
def _copy_value(operands, entry, row, rank):
    starts, data, out_data = operands
    out_data[entry] = data[starts[row] + rank]


def gather_segments(tiles, starts, offsets, low, indices, data, out_indices, out_data):
    """Copy columns and values, or the values alone if `indices` is None."""
    visit, operands = _copy_entry, (starts, low, indices, data, out_indices, out_data)
    if indices is None:
        visit, operands = _copy_value, (starts, data, out_data)
    visit_items(visit, tiles, offsets, operands)


@njit
def _take_element(i, x, order, width, fill, out):
    """Write an element of row `i // width`: neighbours read neighbours."""
    row = np.uint64(i) // np.uint64(width)
    column = np.uint64(i) - row * np.uint64(width)
    source = np.int64(order[row])
    out[i] = fill[column] if source < 0 else x[np.uint64(source) * np.uint64(width) + column]


def take_rows(x, order, width, fill, out):
    """Write row `order[i]` of `x`, or `fill` where that is negative, as row `i`; all are flat arrays of rows of `width`."""
    for_each(out.size, _take_element, x, order, width, fill, out)
