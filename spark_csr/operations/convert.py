"""Other forms of a matrix, to CSR and back."""

import numpy as np
from numba import njit

from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, same_device, to_host_scalar, unshared
from spark_csr.operations import check
from spark_csr.operations.canonical import (
    assembled,
    has_canonical_columns,
    has_sorted_columns,
    known,
    sum_duplicates,
)
from spark_csr.operations.record import Csr
from spark_csr.operations.spmv import computed_dtype
from spark_csr.primitives._memory import room
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.offsets import first_with_id, offsets_from_segment_ids
from spark_csr.primitives.sort import argsort, gather


def from_arrays(indptr, indices, data, shape):
    """A record of given arrays: checked, unsliced and uncopied where they have the right dtypes already.

    Index arrays that overlap the data are copied: the data may be written into.
    """
    check.pattern(indptr, indices, data, shape)
    stored = to_host_scalar(indptr[-1])
    xp = namespace_of(data)
    indices, data = (x if x.size == stored else x[:stored] for x in (indices, data))
    indptr, indices = check.as_index(indptr, stored), check.as_index(indices, shape[1])
    data = xp.ascontiguousarray(data, dtype=check.dtype_of(data))
    return Csr(unshared(indptr, data), unshared(indices, data), data, shape)


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
    csr = Csr(indptr, check.as_index(columns, dense.shape[1]), data, dense.shape)
    return known(csr, has_sorted_columns, has_canonical_columns)


KEY_BITS = 64
"""Bits of the widest key that row and column are packed into."""

GLANCE = 4096
"""Entries whose order is looked at before that of all."""


def from_coo(rows, columns, data, shape):
    """Entries in any order; those of the same place are summed in the order given.

    Pack (row, column) into one key of the bits in use, sort stably, flag where a key differs from the one before, segmented
    sum. Entries that come in order are not sorted.
    """
    return sum_duplicates(entries_by_place(rows, columns, data, shape), spend=True)


def entries_by_place(rows, columns, data, shape):
    """The same without sums: entries of one place stay apart, in the order given. Its arrays are new."""
    same_device(rows, columns, data)
    check.index_array("row", rows)
    check.index_array("col", columns)
    if data.ndim != 1:
        raise ValueError(f"data must be one-dimensional, got shape {data.shape}")
    if not rows.size == columns.size == data.size:
        raise ValueError(f"row, col and data must have equal length, got {rows.size}, {columns.size} and {data.size}")
    check.within("row", rows, shape[0])
    check.within("col", columns, shape[1])
    check.room_for(shape[0])
    dtype, xp = check.dtype_of(data), namespace_of(data)
    if not data.size:
        return empty(shape, dtype, xp)
    rows, columns = _of_one_width(rows, columns)
    data = xp.ascontiguousarray(data, dtype=dtype)
    return _by_place(rows, columns, data, shape)


def _of_one_width(rows, columns):
    """Both as unsigned integers of four or eight bytes; none is negative."""
    width = max(4, rows.dtype.itemsize, columns.dtype.itemsize)
    return (by_width(as_operand(x.astype(f"{x.dtype.kind}{width}", copy=False))) for x in (rows, columns))


def _by_place(rows, columns, data, shape):
    """A record of the entries by row and column, those of one place as they come; its arrays are new."""
    if _in_order(rows[:GLANCE], columns[:GLANCE]) and (data.size <= GLANCE or _in_order(rows, columns)):
        indices = columns.astype(index_dtype(shape[1]))
        return Csr.new(row_starts(rows, shape[0]), indices, data.copy(), shape)
    if sum(max(extent - 1, 0).bit_length() for extent in shape) <= KEY_BITS:
        return assembled(rows, columns, data, shape)
    by_column = argsort(columns)
    order = gather(by_column, argsort(gather(rows, by_column)))
    indices = gather(columns, order).astype(index_dtype(shape[1]))
    return Csr.new(row_starts(gather(rows, order), shape[0]), indices, gather(data, order), shape)


def _in_order(rows, columns):
    descends = namespace_of(rows).zeros(1, bool)
    for_each(rows.size, _note_descent, rows, columns, descends)
    return not to_host_scalar(descends[0])


@njit
def _note_descent(i, rows, columns, flag):
    """All that find one store the same value."""
    here = np.uint64(i)
    if here > np.uint64(0):
        before = here - np.uint64(1)
        if rows[here] < rows[before] or (rows[here] == rows[before] and columns[here] < columns[before]):
            flag[0] = True


def row_starts(rows, count):
    """The `indptr` of `count` rows, from the ascending row of every entry."""
    indptr = room(namespace_of(rows), count + 1, index_dtype(rows.size), f"offsets of {count} rows")
    for_each(count + 1, first_with_id, rows, rows.size, indptr)
    return indptr


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
