"""Other forms of a matrix, to CSR and back."""

import numpy as np
from numba import njit

from spark_csr._array import index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr.operations import check
from spark_csr.operations.record import Csr
from spark_csr.operations.spmv import computed_dtype
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.offsets import offsets_from_segment_ids
from spark_csr.primitives.search import segment_ids
from spark_csr.primitives.segmented import segmented_reduce
from spark_csr.primitives.segmented_sort import segmented_argsort
from spark_csr.primitives.sort import gather


def from_arrays(indptr, indices, data, shape):
    """A record of given arrays: checked, unsliced and uncopied where they have the right dtypes already."""
    check.pattern(indptr, indices, data, shape)
    stored = to_host_scalar(indptr[-1])
    xp = namespace_of(data)
    return Csr(
        check.as_index(indptr, stored),
        check.as_index(indices[:stored], shape[1]),
        xp.ascontiguousarray(data[:stored], dtype=check.dtype_of(data)),
        shape,
    )


def empty(shape, dtype, xp):
    """A matrix without entries."""
    check.room_for(shape[0])
    return Csr(xp.zeros(shape[0] + 1, np.int32), xp.empty(0, index_dtype(shape[1])), xp.empty(0, dtype), shape)


def from_dense(dense):
    """The nonzeros of a two-dimensional array, row by row (NaN is one)."""
    check.dtype_of(dense, "the dense matrix")
    if dense.ndim != 2:
        hint = ": use x[None, :] for a row" if dense.ndim == 1 else ""
        raise ValueError(f"csr_array needs a two-dimensional array, got shape {dense.shape}{hint}")
    rows, columns = (dense != 0).nonzero()
    data = dense[rows, columns].astype(check.dtype_of(dense), copy=False)
    indptr = offsets_from_segment_ids(rows, dense.shape[0])
    return Csr(indptr, check.as_index(columns, dense.shape[1]), data, dense.shape)


def from_coo(rows, columns, data, shape):
    """Entries in any order; those of the same place are summed in the order given.

    Pack (row, column) into one key, sort stably, flag where a key differs from the one before, segmented sum.
    """
    same_device(rows, columns, data)
    check.index_array("row", rows)
    check.index_array("col", columns)
    if not rows.size == columns.size == data.size:
        raise ValueError(f"row, col and data must have equal length, got {rows.size}, {columns.size} and {data.size}")
    check.within("row", rows, shape[0])
    check.within("col", columns, shape[1])
    check.room_for(shape[0])
    dtype, xp = check.dtype_of(data), namespace_of(data)
    if not data.size:
        return empty(shape, dtype, xp)
    order = _order_by_place(rows, columns, shape, xp)
    return _summed(rows[order], columns[order], data[order].astype(dtype, copy=False), shape)


def _summed(rows, columns, data, shape):
    """A record of entries in order by row, then column: those of one place are summed, first to last."""
    xp, dtype = namespace_of(data), data.dtype
    first = xp.ones(rows.size, bool)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    starts = first.nonzero()[0]
    if starts.size < rows.size:
        runs = xp.append(starts, rows.size)
        data = segmented_reduce(data, runs, "any" if dtype == bool else "sum").astype(dtype, copy=False)
        rows, columns = rows[starts], columns[starts]
    return Csr(offsets_from_segment_ids(rows, shape[0]), check.as_index(columns, shape[1]), data, shape)


def _order_by_place(rows, columns, shape, xp):
    """The stable order by row, then column: by one packed key where it fits 63 bits, else by two sorts."""
    if shape[0] * shape[1] <= 2**63 - 1:
        return xp.argsort(rows.astype(np.int64) * shape[1] + columns.astype(np.int64), kind="stable")
    by_column = xp.argsort(columns, kind="stable")
    return by_column[xp.argsort(rows[by_column], kind="stable")]


def sort_indices(csr):
    """The entries of every row by column, those of one place in the order they come in; `csr` itself if they are so already."""
    if csr.plan(has_sorted_columns):
        return csr
    order = segmented_argsort(csr.indices, csr.indptr)
    return Csr(csr.indptr, gather(csr.indices, order), gather(csr.data, order), csr.shape)


def sum_duplicates(csr):
    """The entries of every row by column, those of one place summed in the order they come in; `csr` itself if it is canonical."""
    if csr.plan(has_canonical_columns):
        return csr
    csr = sort_indices(csr)
    return _summed(segment_ids(csr.indptr), csr.indices, csr.data, csr.shape)


canonical = sum_duplicates


@njit
def _spread_row(row, indptr, indices, data, columns, dense):
    """One row adds its entries in order: duplicates meet nobody else's."""
    for p in range(indptr[row], indptr[row + 1]):
        dense[np.int64(row) * columns + np.int64(indices[p])] += data[p]


def to_dense(csr):
    """The matrix as a new array in C order; entries of one place are summed."""
    xp, dtype = namespace_of(csr.data), csr.data.dtype
    summed = computed_dtype(dtype)
    flat = xp.zeros(csr.shape[0] * csr.shape[1], summed)
    for_each(csr.shape[0], _spread_row, csr.indptr, csr.indices, csr.data.astype(summed, copy=False), csr.shape[1], flat)
    return flat.reshape(csr.shape).astype(dtype, copy=False)


def has_sorted_columns(csr):
    """Whether the columns of every row ascend."""
    return not _any_within_rows(csr, csr.indices[1:] < csr.indices[:-1])


def has_canonical_columns(csr):
    """Whether the columns of every row ascend and none appears twice."""
    return not _any_within_rows(csr, csr.indices[1:] <= csr.indices[:-1])


def _any_within_rows(csr, breaks):
    """Is there a true flag between two entries of one row?"""
    rows = segment_ids(csr.indptr)
    return bool(to_host_scalar((breaks & (rows[1:] == rows[:-1])).any()))
