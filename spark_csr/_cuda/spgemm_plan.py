"""How the blocks of a GPU share a product `A @ B`: equal shares of the list of products and row ends.

Rows of at most half a tile of products are taken, each by the block in whose share it ends. If there is memory for an entry of
each product, longer ones have a block of their own, or are made by all blocks.
"""

from typing import NamedTuple

import numpy as np

from spark_csr._array import index_dtype, namespace_of, to_host_list
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.spgemm_boxes import box_for, boxes_of_rows
from spark_csr._cuda.spgemm_sizes import BOX, LONG, LONGEST, LONGEST_SHORT, OF_BOXES, ROWS, TOTAL, entry_kernels, row_kernel
from spark_csr._engine.gpu import Box, blocks_for
from spark_csr._shared.merge_path import Tiles, cut


class Long(NamedTuple):
    """Rows that are too long for a block: row `i` is `listed[last - i]`, and its tiles begin at `tiles[i]`. There are
    `count` of them and `blocks` tiles of `tile` products, of which the last one of each row is filled up.
    """

    listed: object
    last: int
    tiles: object
    count: int
    blocks: int
    tile: int


class Counted(NamedTuple):
    """How many products there are, in all and in the longest row, and before each entry of A and each row.

    `shares` tells whether there are rows that share blocks, `of_box` how many have a block of each box, which are listed.
    """

    total: int
    longest: int
    before: object
    offsets: object
    shares: bool
    of_box: list
    listed: object
    long: Long


class Plan(NamedTuple):
    """Shares of the rows that blocks of `box` take; `tiles` is None if all rows are too long for that.

    `at_once`: whether rows are kept when they are counted. `longest`: the most products of rows that are taken. `all_blocks`:
    whether all blocks together make rows that are too long for one; else they are left to the caller.
    """

    tiles: Tiles | None
    box: Box
    counted: Counted
    longest: int
    searches_mask: bool
    at_once: bool
    all_blocks: bool
    columns: int


def count_products(a_indptr, a_indices, b_indptr, b_indices, dtype, products):
    """Write how many products every row has, and return `Counted`. The host reads once."""
    xp, rows, n, key = namespace_of(products), products.size, a_indices.size, b_indices.dtype
    chosen, boxes = box_for(dtype, key), boxes_of_rows(key)
    before, offsets = xp.empty(n + 1, np.int64), xp.empty(rows + 1, np.int64)
    listed, tiles = xp.empty(rows, index_dtype(rows)), xp.empty(rows, np.int64)
    blocks = max(blocks_for(n, BOX.tile), 1)
    sums, sizes = xp.empty(blocks, np.int64), xp.zeros(OF_BOXES + 3, np.int64)
    sum_tiles, write_before = entry_kernels()
    sum_tiles(blocks, a_indices, b_indptr, n, sums, before, sizes)
    write_before(blocks, a_indices, b_indptr, n, sums, before)
    limits = (chosen.tile // 2, *(shape.tile for shape in boxes), *[boxes[-1].tile] * (3 - len(boxes)))
    where = offsets, products, listed, tiles, sizes
    row_kernel(chosen.tile)(blocks_for(rows + 1, BOX.threads), rows, a_indptr, before, limits, *where)
    found = to_host_list(sizes)
    long = Long(listed, rows - 1, tiles, found[LONG] & ((1 << ROWS) - 1), found[LONG] >> ROWS, chosen.tile)
    of_box = found[OF_BOXES : OF_BOXES + len(boxes)]
    longest = max(found[LONGEST_SHORT], found[LONGEST])
    return Counted(found[TOTAL], longest, before, offsets, found[LONGEST_SHORT] > 0, of_box, listed, long)


def plan_spgemm(products, counted, a_indptr, a_indices, b_indptr, b_indices, columns, dtype, budget):
    """Plan a product; `budget(wanted)` says how many of the wanted bytes of scratch memory may be used, and these decide
    whether rows are kept when they are counted, and longer rows are taken.
    """
    chosen, key, rows = box_for(dtype, b_indices.dtype), b_indices.dtype, products.size
    wanted = counted.total * (dtype.itemsize + key.itemsize)
    at_once = budget(wanted) >= wanted
    longest = max(chosen.tile // 2, boxes_of_rows(key)[-1].tile) if at_once else chosen.tile // 2
    wanted += counted.long.blocks * counted.long.tile * 2 * (dtype.itemsize + 8)
    all_blocks = at_once and counted.longest > longest and budget(wanted) >= wanted
    tiles = None
    if counted.shares or any(counted.of_box):
        short, listed = chosen.tile // 2, counted.total + rows
        cuts = namespace_of(products).empty(-(-listed // short) + 1, index_dtype(rows))
        for_each(cuts.size, cut, counted.offsets, rows, short, cuts)
        tiles = Tiles(cuts, short, listed)
    return Plan(tiles, chosen, counted, counted.longest if all_blocks else longest, True, at_once, all_blocks, columns)


def parts_of_plan(plan):
    """Return plans which together are the plan: here the plan itself, which is one launch."""
    return [plan]
