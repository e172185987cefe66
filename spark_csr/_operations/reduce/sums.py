"""Sums and counts of all entries, of every row, or of every column.

Design: rows are segments, so they are reduced as segments. Columns go through the engine of `A.T @ x` (the kernels
`spmv_transposed`, on the cores `windows` for one vector), over a semiring whose `multiply` ignores `x`: nothing is
multiplied, so a NaN in one position cannot spoil another, and the same bits come out every run. Cost: of columns, the plan of
the transposed product. Everywhere `axis` means that of the record: None for all entries, 1 for every row, 0 for every column.
"""

import math

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import count_nonzero, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._operations.form import dtypes
from spark_csr._operations.form.canonical import sum_before_cast, without_duplicates
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._operations.form.record import tiles
from spark_csr._operations.product.spmv_transposed import multiply_transposed
from spark_csr.primitives.scan import accumulator_dtype
from spark_csr.primitives.search import merge_path_tiles
from spark_csr.primitives.segmented import dtype_of_means, widen

SUM = ops.MONOIDS["sum"]


@ops.operator_for("biufc")
def first(a, x):
    """Return the entry itself: the `multiply` of a reduction."""
    return a


SUM_OF_FIRST = ops.Semiring(SUM, first).freeze()


def _as_one_segment(csr):
    """Return offsets that make all entries one segment, and its tiles."""
    offsets = csr.xp.asarray([0, csr.indices.size], dtype=index_dtype(csr.indices.size))
    return offsets, merge_path_tiles(offsets, csr.indices.size)


def segments_of(csr, axis):
    """Return the offsets of the segments that are reduced, and their tiles: the rows for `axis` 1, all entries for None."""
    return csr.plan(_as_one_segment) if axis is None else (csr.indptr, csr.plan(tiles))


def combine(csr, axis, monoid, dtype):
    """Combine the entries of every row (`axis` 1) or of all (None) in `dtype`; a row without entries gives the identity.

    Cost: one pass over the data. Same bits every run.
    """
    offsets, cuts = segments_of(csr, axis)
    x = widen(csr.data, np.dtype(dtype))
    out = namespace_of(x).empty(offsets.size - 1, dtype)
    if out.size:
        backend_of(x).segmented_reduce(cuts, monoid, offsets, x, out)
    return out if axis == 1 else out[0]


def cast_entries(csr, dtype):
    """Return the entries in a dtype, or as they are if that is within it: they can then be widened while they are read.

    Entries of one position are summed first if the cast of their sum is another one than the sum of their casts.
    """
    stored = csr.data.dtype
    if np.can_cast(stored, dtype):
        return csr
    if dtype == bool or (stored.kind in "fc" and dtype.kind in "iu"):
        csr = sum_before_cast(csr, dtype)
    return csr.as_dtype(dtype)


def sum_entries(csr, axis, dtype):
    """Sum entries of a narrower dtype in `dtype`, one by one: two True of one position are 2. Columns of floats are summed in
    64 bits: a part of the matrix adds all its entries of a column to one sum, whose error would grow."""
    dtype = computed_dtype(dtype)
    if axis == 0:
        wide = np.result_type(dtype, np.float64) if dtype.kind in "fc" else dtype
        return multiply_transposed(csr, csr.xp.empty(csr.shape[0], wide), SUM_OF_FIRST)
    return combine(csr, axis, SUM, dtype)


def count_elements(csr, axis):
    """Return how many elements, stored or not, are combined into one."""
    return math.prod(csr.shape) if axis is None else csr.shape[axis]


def sums(csr, axis, dtype=None):
    """Sums along an axis of entries that are cast to `dtype` first: by default of integers and bools in 64 bits, of float16 in
    float32."""
    dtype = accumulator_dtype(SUM, csr.data.dtype) if dtype is None else dtypes.check_dtype(dtype)
    total = sum_entries(cast_entries(csr, dtype), axis, accumulator_dtype(SUM, dtype))
    return total.astype(dtype, copy=False)


def choose_dtype_of_means(csr, dtype):
    """Return the dtype of a mean: the one asked for, if any."""
    return dtype_of_means(csr.data.dtype) if dtype is None else dtypes.check_dtype(dtype)


def means(csr, axis, dtype=None):
    """Means over stored and missing elements, of which there are some, from sums of entries cast to their dtype first."""
    count = count_elements(csr, axis)
    dtype = choose_dtype_of_means(csr, dtype)
    total = sum_entries(cast_entries(csr, dtype), axis, accumulator_dtype(SUM, dtype))
    if dtype.kind in "iu":  # as in NumPy, the sum has that dtype: -4 and 9 are 252 and 9 in eight bits, and their sum is 5
        total = total.astype(dtype, copy=False)
    return (total / count).astype(dtype, copy=False)


def entries_of_rows(csr):
    """Count the entries of every row; a `plan`."""
    return csr.indptr[1:] - csr.indptr[:-1]


def entries_of_columns(csr):
    """Count the entries of every column; a `plan`."""
    return _count_by_column(csr.indices, csr.shape[1])


def _count_by_column(indices, columns):
    xp = namespace_of(indices)
    return xp.bincount(indices, minlength=columns) if indices.size else xp.zeros(columns, np.intp)


def count_nonzeros(csr, axis):
    """Return how many elements are not zero, as the platform's integers; entries of one position are summed first.

    Cost: one pass over the data where all are nonzero: how many entries there are depends on the pattern alone, and is kept.
    """
    csr = without_duplicates(csr)
    if axis is None:
        return count_nonzero(csr.data)
    nonzero = csr.data != 0
    if to_host_scalar(nonzero.all()):
        return csr.plan(entries_of_rows if axis == 1 else entries_of_columns).astype(np.intp)
    if axis == 1:
        return combine(csr.with_data(nonzero), 1, SUM, np.dtype(np.int64)).astype(np.intp, copy=False)
    return _count_by_column(csr.indices[nonzero], csr.shape[1])
