"""How the blocks of a GPU share a product `A @ B`: equal shares of the list of products and row ends.

Rows of at most half a tile of products are taken, each by the block in whose share it ends; longer ones are left to the
caller.
"""

from typing import NamedTuple

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import index_dtype, namespace_of, to_host_scalar
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.scan import scan
from spark_csr._cuda.spgemm import BOX
from spark_csr._numba import njit
from spark_csr._shared.merge_path import Tiles, cut

SHORT = BOX.tile // 2
"""Products of the longest row that a block takes, and products and row ends of a share: together they fit into a tile."""


class Plan(NamedTuple):
    """Shares of the rows that blocks take. Products of the rows begin at `offsets`, those of entry `p` of A at `entries[p]`."""

    tiles: Tiles
    offsets: object
    entries: object
    longest: int
    searches_mask: bool


@njit
def count_products(entry, a_indices, b_indptr, counts):
    """Count the products of an entry of A."""
    j = np.int64(a_indices[entry])
    counts[entry] = np.int64(b_indptr[j + 1]) - np.int64(b_indptr[j])


def plan_spgemm(products, total, a_indptr, a_indices, b_indptr, b_indices, columns, dtype, budget):
    """Plan a product of `products` in every row and `total` in all, whatever the budget: rows that are composed instead would
    launch hundreds of kernels for each piece of them.
    """
    xp, rows = namespace_of(products), products.size
    counts, entries = xp.empty(a_indices.size, np.int64), xp.zeros(a_indices.size + 1, np.int64)
    for_each(counts.size, count_products, a_indices, b_indptr, counts)
    plus, end = ops.MONOIDS["sum"], xp.empty(1, np.int64)
    scan(plus, entries.dtype, counts.size, ops.element, ops.store, (counts, entries[1:]), end)
    taken, offsets = xp.where(products > SHORT, 0, products), xp.zeros(rows + 1, np.int64)
    scan(plus, offsets.dtype, rows, ops.element, ops.store, (taken, offsets[1:]), end)
    listed = to_host_scalar(end[0]) + rows
    cuts = xp.empty(-(-listed // SHORT) + 1, index_dtype(rows))
    for_each(cuts.size, cut, offsets, rows, SHORT, cuts)
    return Plan(Tiles(cuts, SHORT, listed), offsets, entries, SHORT, True)


def parts_of_plan(plan):
    """Return plans which together are the plan: here the plan itself, which is one launch."""
    return [plan]
