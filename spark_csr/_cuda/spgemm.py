"""`A @ B` on a GPU: a block expands, sorts and combines the products of some rows in its shared memory.

Design: a block takes rows of at most half a tile of products, those that end in its tile of the list of products and row ends.
Sorting is stable and one thread adds the products of a position, so sums are made in the order of A's entries. If there is
memory for an entry for each product, `spgemm_count` expands everything once and keeps the rows, which `spgemm_fill` copies to
where they belong; else everything is expanded twice, to count and to fill. Where rows are kept, longer ones are computed one to
a block (`spgemm_block`), or by all blocks (`spgemm_long`) if there is memory for their products too. Others are left to the
caller. Cost: one offset for every entry of A beside the operands. Source: Winter et al., *Adaptive Sparse Matrix-Matrix
Multiplication on the GPU*, 2019 (its local stage).
"""

from typing import NamedTuple

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import by_width, namespace_of, to_host_scalar
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.gather import gather_segments, gathered_items
from spark_csr._cuda.spgemm_block import multiply_rows
from spark_csr._cuda.spgemm_long import multiply_long_rows
from spark_csr._cuda.spgemm_rows import kernel
from spark_csr._shared.merge_path import Tiles, cut


class Kept(NamedTuple):
    """The rows that were computed while they were counted: row `i` begins at `starts[i]`. `zero[0]` is 1 if a value is 0."""

    starts: object
    indices: object
    data: object
    zero: object


def _launch(plan, made, a, b, mask, *out):
    where = a[:2] if mask is None else mask
    made(plan.tiles.rows.size - 1, a, b, where, plan.before, plan.offsets, plan.tiles.rows, *out)


def spgemm_count(plan, ring, a, b, mask, counts):
    """Count the entries of every row. Return what is kept for `spgemm_fill`, if anything."""
    masked, columns, dtype = mask is not None, b[1], a[2].dtype
    zero = namespace_of(counts).zeros(1, np.int64)
    if not plan.at_once:
        made = kernel(ops.PLUS_TIMES, dtype, columns.dtype, masked, False, True)
        _launch(plan, made, (*a[:2], a[1]), (*b[:2], b[1]), mask, counts, plan.offsets, columns, columns, zero)
        return None
    kept = Kept(plan.offsets, *(namespace_of(x).empty(plan.total, x.dtype) for x in (columns, a[2])), zero)
    made = kernel(ring, dtype, columns.dtype, masked, True, True)
    _launch(plan, made, a, b, mask, counts, plan.offsets, kept.indices, kept.data, zero)
    where, out = (plan.before, plan.offsets), (counts, kept.indices, kept.data, zero)
    multiply_rows(plan.tiles, plan.products, ring, a, b, mask, *where, *out)
    if plan.long is not None:
        multiply_long_rows(plan.long, ring, a, b, mask, *where, plan.columns, *out)
    return kept


def spgemm_fill(plan, ring, a, b, mask, kept, indptr, indices, data):
    """Write the entries of the product; return whether one of the values is 0. The host reads that unless rows were kept."""
    if kept is None:
        zero = namespace_of(indptr).zeros(1, np.int64)
        made = kernel(ring, data.dtype, b[1].dtype, mask is not None, True, False)
        _launch(plan, made, a, b, mask, plan.offsets, indptr, indices, data, zero)
        return ring is ops.PLUS_TIMES and bool(to_host_scalar(zero[0]))
    rows, listed = indptr.size - 1, indices.size + indptr.size - 1
    items = gathered_items(listed)
    cuts = namespace_of(indptr).empty(-(-listed // items) + 1, np.int64)
    for_each(cuts.size, cut, indptr, rows, items, cuts)
    moved = by_width(kept.indices), by_width(kept.data), by_width(indices), by_width(data)
    gather_segments(Tiles(cuts, items, listed), kept.starts, indptr, 0, *moved)
    return False
