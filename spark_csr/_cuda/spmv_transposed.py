"""`A.T @ x` and `A.T @ X` on a GPU: through a permutation that lists the entries by column.

Design: scattering with atomics would give other bits every run. The permutation depends on the pattern alone, so it is
found once and kept; each product then gathers values through it, by the tile kernel of `segmented`. Cost: two index arrays
of nnz entries beside the matrix.
"""

from typing import NamedTuple

import numpy as np

from spark_csr._array import index_dtype, namespace_of
from spark_csr._cuda.carries import carries_of
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.search import visit_items
from spark_csr._cuda.segmented import reduce_items_through, tile_size
from spark_csr._cuda.spmm import prepare_columns
from spark_csr._cuda.spmv import product
from spark_csr._cuda.workspace import Workspace
from spark_csr._shared.merge_path import Tiles, cut
from spark_csr._shared.visits import write_segment


class ByColumn(NamedTuple):
    """The pattern by columns: entry `p` of it is entry `order[p]` of the matrix and lies in row `rows[p]`."""

    tiles: Tiles
    offsets: object
    rows: object
    order: object


def plan_transposed(tiles, indptr, indices, columns):
    """Plan by one stable sort of the column indices."""
    xp, entries = namespace_of(indices), indices.size
    row_of = xp.empty(entries, index_dtype(indptr.size - 1))
    visit_items(write_segment, tiles, indptr, (row_of,))
    order = xp.argsort(indices, kind="stable")
    offsets = xp.searchsorted(indices[order], xp.arange(columns + 1)).astype(index_dtype(entries))
    listed, items = entries + columns, tile_size(entries + columns)
    cuts = xp.empty(-(-listed // items) + 1, index_dtype(columns))
    for_each(cuts.size, cut, offsets, columns, items, cuts)
    return ByColumn(Tiles(cuts, items, listed), offsets, row_of[order], order.astype(index_dtype(entries)))


def order_by_column(plan, data):
    """Return the values in the order of the plan."""
    return data[plan.order]


def prepare_transposed(plan, ring, indptr, indices, stored, dtype, columns, by_column=False):
    """Return `launch(data, x, y)`, where `data` is in the order of the plan already if `by_column`."""
    order = () if by_column else (plan.order,)
    if columns > 1:
        multiply = prepare_columns(plan.tiles, ring, plan.offsets, plan.rows, stored, dtype, columns, permuted=not by_column)
        return lambda data, x, y: multiply((data, *order), x, y)
    half = stored == np.float16
    item = product(ring, dtype, half, permuted=not by_column)
    workspace = Workspace(carries_of(plan.tiles.rows.size - 1), dtype)

    def launch(data, x, y):
        operands = (data.view(np.uint16) if half else data, plan.rows, x.reshape(-1), *order)
        with workspace as carry:
            reduce_items_through(carry, plan.tiles, ring.add, item, operands, plan.offsets, y.reshape(-1))

    return launch
