"""The largest elements of every row of `A @ B`, without the product itself.

Design: on the cores one kernel adds up a row and selects from it, see `_cpu.topk`. On a GPU, where B has many more columns than
entries, and where sums are rounded to a narrower dtype before they are compared, products of some rows at a time are made, and
the largest elements of each are selected by `segmented_topk`.
"""

import functools
import math

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import goes_to_gpu, index_dtype, namespace_of, to_host_scalar
from spark_csr._operations.form import memory
from spark_csr._operations.form.canonical import sort_indices
from spark_csr._operations.form.convert import to_dense
from spark_csr._operations.form.dtypes import dtype_of_long_sums
from spark_csr._operations.form.keep import select_entries
from spark_csr._operations.form.record import Csr
from spark_csr._operations.product.spgemm import WIDE, spgemm
from spark_csr._operations.product.spgemm_result import check_product, convert_operands
from spark_csr._operations.product.spgemm_size import count_products
from spark_csr._operations.select.index import select
from spark_csr.primitives import offsets_from_counts, segmented_topk
from spark_csr.primitives._memory import allocate_array

BYTES = 64
"""The most bytes of scratch memory for each scalar product or dense element of a piece: the element, its position, and what
`segmented_topk` sorts by."""

UNUSED = -1
"""The column where a row has no more elements."""


def topk_of_product(a, b, k, threshold=None, penalties=None, apart=False):
    """Return the record of the `k` largest elements of every row of `A @ B`; of equal ones, those in lower columns.

    Elements are those that `spgemm` stores, above `threshold` if that is not None; NaN count as smaller than every number. With
    `penalties`, an array of one number for each column, all elements count, stored or not, and their sums less these numbers
    are compared and returned; those on the diagonal do not count if `apart`. Rows are sorted by column.

    Cost: on the cores the products are added up once, and read once more, or the columns are read, a packed comparison for
    several; scratch memory as wide as the result for each core, and room for k elements of every row, as far as there are so
    many. On a GPU that of `spgemm` and `segmented_topk` for pieces of `config.spgemm_memory`; one host read a piece more.
    """
    check_product(a, b)
    a, b, result = convert_operands(a, b, ops.PLUS_TIMES)
    shape = a.shape[0], b.shape[1]
    products, counted = count_products(a, b)
    wide = dtype_of_long_sums(a.data.dtype, counted.total, max(shape[0] * shape[1], 1))
    a, b = a.as_dtype(wide), b.as_dtype(wide)
    is_narrow = shape[1] <= WIDE * (b.indices.size + 1024)
    fused = not goes_to_gpu(a.data) and (penalties is not None or (is_narrow and wide == result))
    choose, limit = _choose_fused if fused else _choose_in_pieces, None if threshold is None else _limit_in(result, threshold)
    chosen = sort_indices(choose(a, b, k, limit, penalties, apart, products, counted, result))
    return chosen.as_dtype(result)


def _most(products, columns, k, penalties, apart):
    """Return how many elements every row may have at most."""
    if penalties is None:
        return products.clip(None, min(k, columns))
    return namespace_of(products).full_like(products, min(k, columns - apart))


def _choose_fused(a, b, k, limit, penalties, apart, products, counted, result):
    columns, dtype = b.shape[1], a.data.dtype
    offsets = offsets_from_counts(_most(products, columns, k, penalties, apart))
    indices = allocate_array(np, int(offsets[-1]), index_dtype(columns), "the columns of the elements")
    data = allocate_array(np, indices.size, dtype, "the elements")
    indices.fill(UNUSED)
    work = products if penalties is None else products + columns // 8  # to read the accumulator is work, too
    counted = counted._replace(total=int(work.sum()))
    budget = functools.partial(memory.scratch_budget, a.data)
    plan = a.backend.plan_spgemm(work, counted, a.indptr, a.indices, b.indptr, b.indices, columns, dtype, budget)
    a.backend.topk_of_products(plan, a.arrays, b.arrays, penalties, int(apart), limit, offsets, indices, data)
    found, used = Csr(offsets, indices, data, (a.shape[0], columns)), indices >= 0
    return found if used.all() else select_entries(found, used)


def _limit_in(dtype, threshold):
    """Return the number of a dtype such that elements above it are those above a threshold; None if all are."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return np.float64(threshold).astype(dtype)
    least, largest = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if threshold < least:
        return None
    return dtype.type(largest if threshold >= largest else math.floor(threshold))


def _choose_in_pieces(a, b, k, limit, penalties, apart, products, counted, result):
    """Make the product of some rows at a time, and select from it, rounded to the dtype of the result."""
    xp, (rows, columns) = a.xp, (a.shape[0], b.shape[1])
    work = products if penalties is None else xp.full_like(products, columns)
    before = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(work)])
    most = memory.scratch_budget(a.data, BYTES * to_host_scalar(before[-1])) // BYTES
    counts, indices, data, first = [xp.zeros(0, np.int64)], [b.indices[:0]], [xp.zeros(0, result)], 0
    while first < rows:
        last = to_host_scalar(xp.searchsorted(before, before[first] + most, side="right")) - 1
        last = min(max(last, first + 1), rows)
        piece = spgemm(select(a, slice(first, last), slice(None)), b).as_dtype(result)
        if penalties is not None:
            piece = _less_penalties(piece, penalties, first if apart else None)
        elif limit is not None:
            piece = select_entries(piece, piece.data > limit)
        offsets, values, index = segmented_topk(piece.data, piece.indptr, min(k, columns - apart))
        for parts, part in ((counts, offsets[1:] - offsets[:-1]), (indices, piece.indices[index]), (data, values)):
            parts.append(part)
        first = last
    return Csr(offsets_from_counts(xp.concatenate(counts)), xp.concatenate(indices), xp.concatenate(data), (rows, columns))


def _less_penalties(piece, penalties, diagonal):
    """Return all elements of some rows less the penalties, as entries; those from column `diagonal` on down are the least."""
    xp, (rows, columns) = piece.xp, piece.shape
    dense, row = to_dense(piece) - penalties, xp.arange(rows)
    if diagonal is not None:
        dense[row, row + diagonal] = -np.inf
    indptr, indices = xp.arange(rows + 1) * columns, xp.tile(xp.arange(columns, dtype=piece.indices.dtype), rows)
    return Csr(indptr, indices, dense.ravel(), piece.shape)
