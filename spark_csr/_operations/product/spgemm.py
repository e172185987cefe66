"""`A @ B`: a sparse matrix times a sparse matrix, in two passes over the products: count the entries of every row, fill them.

Design: the backend says which rows its kernels take: those for the cores take all. Longer ones go through `spgemm_composed`,
piece by piece. Where B has many more columns than entries, columns are renumbered first: no array is as long as a matrix is
wide. A product with a diagonal matrix is that of `spgemm_diagonal`.
"""

import contextlib
import functools
import operator

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import index_dtype, namespace_of, to_host_scalar
from spark_csr._operations.form import memory
from spark_csr._operations.form.convert import empty
from spark_csr._operations.form.dtypes import dtype_of_long_sums
from spark_csr._operations.form.facts import has_sorted_columns
from spark_csr._operations.form.record import Csr
from spark_csr._operations.product.spgemm_composed import BYTES, count_composed, fill_composed
from spark_csr._operations.product.spgemm_diagonal import multiply_by_diagonal
from spark_csr._operations.product.spgemm_result import build_result, check_product, convert_operands
from spark_csr._operations.product.spgemm_size import count_products, room_if_limited, take_rows
from spark_csr._operations.select.points import without_positions
from spark_csr._progress import check_progress, watch
from spark_csr.primitives import argsort, inclusive_scan, segmented_sort

SUM = ops.MONOIDS["sum"]

WIDE = 8
"""Columns for every entry of B from which on they are renumbered. Not tuned."""


def spgemm(a, b, ring=ops.PLUS_TIMES, mask=None, progress=None, complement=False):
    """Return the record of `C[i, j] = add over k of multiply(A[i, k], B[k, j])`, with k in the order of A's entries.

    Rows are sorted, without duplicates; an entry is there where a product is, and, in `plus_times`, where the sum is not 0:
    SciPy leaves these out, too. With `mask`, only positions where it stores an entry, of whatever value, are computed; with
    `complement` all are, and those are left out. Rows of A and B may be unsorted and have duplicates. Computed in the result's
    dtype (float16 in float32; floats in 64 bits if sums are few and long), to which operands of another are converted first;
    index dtypes by the shape and the number of entries.

    Cost: reads the products twice: once to count the entries, and MemoryError if these need more than is available where the
    operands are (`memory.available_memory`), then to fill them; on a GPU once, if an entry for each product fits into the
    scratch memory. That is as `config.spgemm_memory` says. Same bits every run, for every number of threads and every budget.
    Host reads: how many products there are, and how many entries; whether a square operand with one entry a row on the average
    is a diagonal, the first time; some more where rows are composed.
    """
    check_product(a, b, mask)
    if complement:
        return without_positions(spgemm(a, b, ring, None, progress), mask)
    progress = check_progress(progress)
    a, b, result = convert_operands(a, b, ring)
    if mask is None and ring is ops.PLUS_TIMES and not progress and (scaled := multiply_by_diagonal(a, b, result)) is not None:
        return scaled
    products, counted = count_products(a, b)
    if not counted.total or (mask is not None and not mask.indices.size):
        return empty((a.shape[0], b.shape[1]), result, a.xp)
    if ring.add is SUM:
        wide = dtype_of_long_sums(a.data.dtype, counted.total, a.shape[0] * b.shape[1])
        a, b = a.as_dtype(wide), b.as_dtype(wide)
    multiply = _multiply_on_few_columns if b.shape[1] > WIDE * (b.indices.size + 1024) else _multiply
    return multiply(a, b, ring, mask, result, products, counted, progress)


class Product:
    """A product in two steps. The kernels count and fill the rows that they take, `self.rest` is composed."""

    def __init__(self, a, b, ring, mask, products, counted):
        self.a, self.b, self.ring, self.mask, self.kept = a, b, ring, mask, None
        self.backend, total = a.backend, counted.total
        pattern = a.indptr, a.indices, b.indptr, b.indices
        budget = functools.partial(memory.scratch_budget, a.data)
        self.plan = self.backend.plan_spgemm(products, counted, *pattern, b.shape[1], a.data.dtype, budget)
        if mask is not None and self.plan.searches_mask and not mask.plan(has_sorted_columns):
            self.mask = Csr(mask.indptr, segmented_sort(mask.indices, mask.indptr), mask.data, mask.shape)
        self.where = None if mask is None else (self.mask.indptr, self.mask.indices)
        self.rows = (products > self.plan.longest).nonzero()[0] if counted.longest > self.plan.longest else products[:0]
        self.rest = take_rows(a, self.rows) if self.rows.size else None
        self.rest_mask = take_rows(mask, self.rows) if self.rows.size and mask is not None else None
        self.report, self.done, self.parts = None, 0, [self.plan]
        self.budget = budget(BYTES * (total + b.shape[1])) if self.rows.size else 0

    def count(self, counts, free=None, itemsize=0):
        """Count the entries of every row; MemoryError as soon as those counted, of `itemsize` bytes, do not fit into `free`.

        Return an array of one number that says whether a value is 0, if that is known already, else None.
        """
        for part in self._parts(free is not None):
            self.kept = self.backend.spgemm_count(part, self.ring, self.a.arrays, self.b.arrays, self.where, counts)
            if free is not None and (found := to_host_scalar(counts.sum())) * itemsize > free:
                raise memory.size_error(found, found * itemsize, free, "at least ")
        if self.rest is not None:
            out = namespace_of(counts).empty(self.rows.size, np.int64)
            count_composed(self.rest, self.b, self.ring, self.rest_mask, self.budget, out)
            counts[self.rows] = out
        return None if self.kept is None else self.kept.zero

    @contextlib.contextmanager
    def watch(self, progress):
        """Report how many parts are counted and filled, if somebody asks."""
        if progress:
            self.parts = self.backend.parts_of_plan(self.plan)
        with watch(progress, "matmul", "steps", 2 * len(self.parts)) as self.report:
            yield

    def _parts(self, in_parts):
        """Yield the plan, or its parts if that is wanted or somebody asks how far they are."""
        for part in self.backend.parts_of_plan(self.plan) if in_parts else self.parts:
            yield part
            self.done += 1
            if self.report is not None:
                self.report(self.done, 2 * len(self.parts))

    def fill(self, indptr, indices, data):
        """Write columns and values; return whether one of the values is 0."""
        operands = self.a.arrays, self.b.arrays, self.where
        filled = [
            self.backend.spgemm_fill(part, self.ring, *operands, self.kept, indptr, indices, data)
            for part in self._parts(False)
        ]
        zero = functools.reduce(operator.or_, filled)
        if self.rest is not None:
            starts = indptr[:-1][self.rows]
            found = fill_composed(self.rest, self.b, self.ring, self.rest_mask, self.budget, starts, indices, data)
            zero = zero or found
        return zero


def _multiply(a, b, ring, mask, result, products, counted, progress):
    product, total = Product(a, b, ring, mask, products, counted), counted.total
    itemsize = a.data.dtype.itemsize + index_dtype(b.shape[1]).itemsize
    free = None
    if mask is None and total * itemsize > memory.SMALL:
        free = room_if_limited(a, b, products, itemsize)
    count = functools.partial(product.count, free=free, itemsize=itemsize)
    with product.watch(progress) if progress else contextlib.nullcontext():
        return build_result(a, b, ring, result, count, product.fill)


def _multiply_on_few_columns(a, b, ring, mask, result, products, counted, progress):
    """Multiply with columns numbered by rank among those of B; other columns of the mask get a number that no product has."""
    xp, wide = b.xp, b.shape[1]
    order = argsort(b.indices)
    columns = b.indices[order]
    first = xp.concatenate([xp.ones(1, bool), columns[1:] != columns[:-1]])
    ranks, columns = xp.empty(order.size, np.int64), columns[first]
    ranks[order] = inclusive_scan(first) - 1
    shape = b.shape[0], columns.size + 1
    narrow = index_dtype(columns.size)
    b = Csr(b.indptr, ranks.astype(narrow), b.data, shape)
    width = a.shape[0], columns.size + 1
    if mask is not None:
        at = xp.searchsorted(columns, mask.indices)
        found = columns[xp.minimum(at, columns.size - 1)] == mask.indices
        mask = Csr(mask.indptr, xp.where(found, at, columns.size).astype(narrow), mask.data, width)
    out = _multiply(a, b, ring, mask, result, products, counted, progress)
    return Csr(out.indptr, columns[out.indices], out.data, (a.shape[0], wide))
