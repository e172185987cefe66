"""`A @ B` on a GPU: a block expands, sorts and combines the products of some rows in its shared memory.

Design: a block takes rows of at most half a tile of products, those that end in its tile of the list of products and row ends.
Sorting is stable and one thread adds the products of a position, so sums are made in the order of A's entries. If there is
memory for an entry for each product, `spgemm_count` expands everything once and keeps the rows, which `spgemm_fill` copies to
where they belong; else everything is expanded twice, to count and to fill. Where rows are kept, longer ones are computed one to
a block (`spgemm_block`), or by all blocks (`spgemm_long`) if there is memory for their products too. Others are left to the
caller. Nothing is launched for kinds of rows that are not there. Cost: one offset for every entry of A beside the operands.
Source: Winter et al., *Adaptive Sparse Matrix-Matrix Multiplication on the GPU*, 2019 (its local stage).
"""

from typing import NamedTuple

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import namespace_of, to_host_scalar
from spark_csr._cuda.spgemm_block import multiply_rows
from spark_csr._cuda.spgemm_boxes import boxes_of_rows
from spark_csr._cuda.spgemm_gather import gather_rows
from spark_csr._cuda.spgemm_long import multiply_long_rows
from spark_csr._cuda.spgemm_rows import kernel


class Kept(NamedTuple):
    """The rows that were computed while they were counted, each from where its products would begin.

    `zero[0]` is 1 if a value is 0. A long row has a gap after the entries of each tile; `earlier[t]` is the number of entries
    of long rows in the tiles before tile `t`.
    """

    indices: object
    data: object
    zero: object
    earlier: object


def _launch(plan, made, a, b, mask, *out):
    """Launch for rows that share blocks, if there are any."""
    counted, where = plan.counted, a[:2] if mask is None else mask
    if counted.shares:
        made(plan.tiles.rows.size - 1, a, b, where, counted.before, counted.offsets, plan.tiles.rows, *out)


def spgemm_count(plan, ring, a, b, mask, counts):
    """Count the entries of every row; `counts` are 0 before. Return what is kept for `spgemm_fill`, if anything."""
    masked, columns, dtype, counted = mask is not None, b[1], a[2].dtype, plan.counted
    zero = namespace_of(counts).zeros(1, np.int64)
    if not plan.at_once:
        made = kernel(ops.PLUS_TIMES, dtype, columns.dtype, masked, False, True)
        _launch(plan, made, (*a[:2], a[1]), (*b[:2], b[1]), mask, counts, counted.offsets, columns, columns, zero)
        return None
    made = kernel(ring, dtype, columns.dtype, masked, True, True)
    kept = [namespace_of(x).empty(counted.total, x.dtype) for x in (columns, a[2])]
    _launch(plan, made, a, b, mask, counts, counted.offsets, *kept, zero)
    where, out, earlier = (counted.before, counted.offsets), (counts, *kept, zero), None
    multiply_rows(plan.box.tile // 2, counted.listed, counted.of_box, ring, a, b, mask, *where, *out)
    if plan.all_blocks:
        earlier = multiply_long_rows(counted.long, ring, a, b, mask, *where, plan.columns, *out)
    return Kept(*kept, zero, earlier)


def spgemm_fill(plan, ring, a, b, mask, kept, indptr, indices, data):
    """Write the entries of the product; return whether one of the values is 0. The host reads that unless rows were kept."""
    counted = plan.counted
    if kept is None:
        zero = namespace_of(indptr).zeros(1, np.int64)
        made = kernel(ring, data.dtype, b[1].dtype, mask is not None, True, False)
        _launch(plan, made, a, b, mask, counted.offsets, indptr, indices, data, zero)
        return ring is ops.PLUS_TIMES and bool(to_host_scalar(zero[0]))
    tile_rows, longest = None if plan.tiles is None else plan.tiles.rows, boxes_of_rows(b[1].dtype)[-1].tile
    where = counted.offsets, indptr, counted.long, kept.earlier
    gather_rows(plan.box, tile_rows, longest, *where, kept.indices, kept.data, indices, data)
    return False
