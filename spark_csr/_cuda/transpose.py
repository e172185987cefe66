"""The transpose of a compressed matrix: a radix sort of its columns, which rows and values follow."""

import numpy as np

from spark_csr._array import by_width, index_dtype, namespace_of
from spark_csr._cuda.assemble import write_row_start
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.radix import radix_argsort
from spark_csr._cuda.search import segment_ids
from spark_csr._cuda.segmented import tile_items
from spark_csr._numba import njit
from spark_csr._shared.merge_path import Tiles, cut


@njit
def take(i, source, order, out):
    out[i] = source[np.uint64(order[i])]


def _rows(offsets, entries):
    """Return the row of every entry."""
    xp, rows = namespace_of(offsets), offsets.size - 1
    listed, out = entries + rows, xp.empty(entries, index_dtype(rows))
    items = tile_items(listed)
    cuts = xp.empty(-(-listed // items) + 1, index_dtype(rows))
    for_each(cuts.size, cut, offsets, rows, items, cuts)
    segment_ids(Tiles(cuts, items, listed), offsets, out)
    return out


def transpose(offsets, columns, data, indptr, indices, out):
    """Write the entries of every column in the order of their rows; if `data` is None, `out` takes positions."""
    n, columns = columns.size, by_width(columns)
    order = out if data is None else namespace_of(out).empty(n, index_dtype(n))
    radix_argsort(columns.copy(), order, 0, max(indptr.size - 2, 0).bit_length())
    order, keys = by_width(order), namespace_of(out).empty_like(columns)
    for_each(n, take, columns, order, keys)
    for_each(indptr.size, write_row_start, keys, 0, n, indptr)
    for_each(n, take, by_width(_rows(offsets, n)), order, by_width(indices))
    if data is not None:
        for_each(n, take, by_width(data), order, by_width(out))
