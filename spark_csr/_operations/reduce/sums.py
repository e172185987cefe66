"""Sums and counts of all entries, of every row, or of every column.

Design: rows are segments, so they are reduced as segments. Columns go through the engine of `A.T @ x` (the kernels
`spmv_transposed`, on the cores `windows` for one vector), over a semiring whose `multiply` ignores `x`: nothing is
multiplied, so a NaN in one position cannot spoil another, and the same bits come out every run. Cost: of columns, the plan of
the transposed product. Everywhere `axis` means that of the record: None for all entries, 1 for every row, 0 for every column.
"""

import math

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._operations.form import dtypes
from spark_csr._operations.form.canonical import sum_before_cast, sum_duplicates
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._operations.form.record import tiles
from spark_csr._operations.product.spmv_transposed import multiply_transposed
from spark_csr.primitives.scan import accumulator_dtype
from spark_csr.primitives.search import merge_path_tiles

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


def combine(csr, axis, monoid, dtype):
    """Combine the entries of every row (`axis` 1) or of all (None) in `dtype`; a row without entries gives the identity.

    Cost: one pass over the data, and a copy of it first where `dtype` is not its own. Same bits every run.
    """
    offsets, cuts = csr.plan(_as_one_segment) if axis is None else (csr.indptr, csr.plan(tiles))
    x = as_operand(csr.data.astype(dtype, copy=False))
    out = namespace_of(x).empty(offsets.size - 1, dtype)
    if out.size:
        backend_of(x).segmented_reduce(cuts, monoid, offsets, x, out)
    return out if axis == 1 else out[0]


def sum_entries(csr, axis, dtype):
    """Sum entries in a wider dtype. Those of one position are summed in their own dtype first: two True of one position are one
    True."""
    csr = sum_before_cast(csr, dtype)
    if axis == 0:
        ignored = csr.xp.empty(csr.shape[0], dtype)
        return multiply_transposed(csr, ignored, SUM_OF_FIRST)
    return combine(csr, axis, SUM, dtype)


def count_elements(csr, axis):
    """Return how many elements, stored or not, are combined into one."""
    return math.prod(csr.shape) if axis is None else csr.shape[axis]


def sums(csr, axis, dtype=None):
    """Sums as SciPy's: of integers and bools in 64 bits, of float16 in float32; given a dtype, in that or a wider one.

    Of all entries SciPy casts first and then sums, of rows and columns it sums first and then casts; so does this.
    """
    natural = accumulator_dtype(SUM, csr.data.dtype)
    dtype = natural if dtype is None else dtypes.check_dtype(dtype)
    wider = natural if dtype.kind in "biu" else np.promote_types(natural, dtype)
    total = sum_entries(csr, axis, computed_dtype(dtype if axis is None else wider))
    return total if total.dtype == dtype else total.astype(dtype)


def means(csr, axis, dtype=None):
    """Means over stored and missing elements: of integers and bools in float64, else in the dtype of the matrix.

    Raises ZeroDivisionError where there are no elements, as SciPy.
    """
    count = count_elements(csr, axis)
    if not count:
        raise ZeroDivisionError(f"the mean of no elements: the matrix has shape {csr.shape}")
    natural = np.dtype(np.float64) if csr.data.dtype.kind in "biu" else csr.data.dtype
    total = sum_entries(csr, axis, computed_dtype(natural))
    return (total / count).astype(natural if dtype is None else dtypes.check_dtype(dtype), copy=False)


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
    csr = sum_duplicates(csr)
    xp = csr.xp
    if axis is None:
        return xp.count_nonzero(csr.data)
    nonzero = csr.data != 0
    if to_host_scalar(nonzero.all()):
        return csr.plan(entries_of_rows if axis == 1 else entries_of_columns).astype(np.intp)
    if axis == 1:
        return combine(csr.with_data(nonzero), 1, SUM, np.dtype(np.int64)).astype(np.intp, copy=False)
    return _count_by_column(csr.indices[nonzero], csr.shape[1])
