"""How the blocks of a GPU share a product `A @ B`: equal shares of the list of products and row ends.

Rows of at most half a tile of products are taken, each by the block in whose share it ends; longer ones are left to the
caller.
"""

from typing import NamedTuple

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import index_dtype, namespace_of, to_host_list
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.scan import scan
from spark_csr._cuda.spgemm_block import boxes_for
from spark_csr._cuda.spgemm_long import find_long_rows
from spark_csr._cuda.spgemm_rows import box_for
from spark_csr._cuda.target import device_function
from spark_csr._numba import njit
from spark_csr._shared.merge_path import Tiles, cut


class Counted(NamedTuple):
    """How many products there are, in all and in the longest row, and before each entry of A and each row."""

    total: int
    longest: int
    before: object
    offsets: object


class Plan(NamedTuple):
    """Shares of the rows that blocks take. Products of the rows begin at `offsets`, those of entry `p` of A at `before[p]`.

    `at_once`: whether rows are kept when they are counted. The longest row has `products`. `long`: rows that are too long for a
    block; where it is None there are none, or they are left to the caller.
    """

    tiles: Tiles
    offsets: object
    before: object
    total: int
    longest: int
    searches_mask: bool
    at_once: bool
    columns: int
    products: int
    long: object


@device_function
def _products_of_entry(operands, entry):
    a_indices, b_indptr, _ = operands
    j = np.int64(a_indices[entry])
    return np.int64(b_indptr[j + 1]) - np.int64(b_indptr[j])


@device_function
def _store_behind(operands, entry, result):
    operands[2][entry + 1] = result


@njit
def _count_row(row, a_indptr, before, offsets, products):
    """Write the position of a row's first product, and how many it has; there is one row more, without products."""
    start = before[np.int64(a_indptr[row])]
    offsets[row] = start
    if row < products.size:
        products[row] = before[np.int64(a_indptr[row + 1])] - start


def count_products(a_indptr, a_indices, b_indptr, products):
    """Write how many products every row has, and return `Counted`: a scan over the entries of A. The host reads once."""
    xp, rows = namespace_of(products), products.size
    before, offsets, sizes = xp.zeros(a_indices.size + 1, np.int64), xp.empty(rows + 1, np.int64), xp.zeros(2, np.int64)
    operands = a_indices, b_indptr, before
    scan(ops.MONOIDS["sum"], before.dtype, a_indices.size, _products_of_entry, _store_behind, operands, sizes[:1])
    for_each(rows + 1, _count_row, a_indptr, before, offsets, products)
    if rows:
        sizes[1:] = products.max()
    return Counted(*to_host_list(sizes), before, offsets)


def plan_spgemm(products, counted, a_indptr, a_indices, b_indptr, b_indices, columns, dtype, budget):
    """Plan a product; `budget(wanted)` says how many of the wanted bytes of scratch memory may be used, and these decide
    whether rows are kept when they are counted, and longer rows are taken.
    """
    xp, rows, tile = namespace_of(products), products.size, box_for(dtype, b_indices.dtype).tile
    short, listed = tile // 2, counted.total + rows
    cuts = xp.empty(-(-listed // short) + 1, index_dtype(rows))
    for_each(cuts.size, cut, counted.offsets, rows, short, cuts)
    tiles, long = Tiles(cuts, short, listed), None
    wanted = counted.total * (dtype.itemsize + b_indices.dtype.itemsize)
    at_once = budget(wanted) >= wanted
    longest = max(short, boxes_for(b_indices.dtype)[-1].tile) if at_once else short
    if at_once and counted.longest > longest:
        found = find_long_rows(products, longest, tile)
        wanted += found.total * 2 * (dtype.itemsize + 8)
        if budget(wanted) >= wanted:
            long, longest = found, counted.longest
    known = counted.offsets, counted.before, counted.total
    return Plan(tiles, *known, longest, True, at_once, columns, counted.longest, long)


def parts_of_plan(plan):
    """Return plans which together are the plan: here the plan itself, which is one launch."""
    return [plan]
