"""A matrix with a dense array, or with a row or a column of another matrix, entry by entry."""

import itertools
import operator

import numpy as np

from spark_csr._array import by_width, contiguous, same_device
from spark_csr._engine import njit
from spark_csr._operations.form import check, convert
from spark_csr._operations.form.canonical import sum_before_cast, sum_duplicates, without_duplicates
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._operations.form.record import Csr, rows_of_entries
from spark_csr._operations.merge import elementwise
from spark_csr.primitives.counts import counts_from_offsets, offsets_from_counts
from spark_csr.primitives.foreach import for_each


def broadcast_shapes(shape, other):
    """Return the shape that two shapes are broadcast to; raise ValueError if they do not fit. NumPy's own function refuses more
    than 2**63 elements."""
    pairs = list(itertools.zip_longest(reversed(shape), reversed(other), fillvalue=1))
    if not all(m == n or 1 in (m, n) for m, n in pairs):
        raise ValueError(f"inconsistent shapes {shape} and {other}")
    return tuple(n if m == 1 else m for m, n in reversed(pairs))


@njit
def _gather(p, rows, columns, dense, row_stride, column_stride, out):
    at = np.uint64(rows[p]) * np.uint64(row_stride) + np.uint64(columns[p]) * np.uint64(column_stride)
    out[p] = dense[at]


def gather_dense(csr, dense):
    """Return the elements of a dense (m, n) array at the positions of a matrix's entries; m or n may be 1, which is broadcast.

    *Cost*: one element for each entry; a `dense` that is contiguous in neither order is copied first.
    """
    xp, (rows, columns) = csr.xp, dense.shape
    if dense.flags.f_contiguous and not dense.flags.c_contiguous:
        flat, strides = dense.T.reshape(-1), (1, rows)
    else:
        flat, strides = contiguous(dense).reshape(-1), (columns, 1)
    row_stride, column_stride = (stride if n > 1 else 0 for stride, n in zip(strides, dense.shape, strict=True))
    out = xp.empty(csr.indices.size, dense.dtype)
    of_rows = csr.plan(rows_of_entries) if row_stride else csr.indices
    for_each(out.size, _gather, of_rows, csr.indices, by_width(flat), row_stride, column_stride, by_width(out))
    return out


def combine_dense(function, csr, dense):
    """Return `function(entries, elements)`, a product or a quotient, for the elements of a dense array at the positions of the
    entries; both are broadcast to one shape.

    A result of the pattern of the matrix, repeated where the array has more rows or columns.
    """
    same_device(csr.data, dense)
    if csr.data.dtype.kind not in "fc":
        csr = sum_before_cast(csr, function(csr.data[:0], dense.reshape(-1)[:0]).dtype)
    csr = broadcast_to(csr, broadcast_shapes(csr.shape, dense.shape))
    values = gather_dense(csr, dense)
    return elementwise.map_values(lambda data: function(data, values), csr)


def broadcast_to(csr, shape):
    """Return a row, a column or a single element repeated to `shape`; other matrices as they are."""
    xp, (rows, columns) = csr.xp, csr.shape
    if columns != shape[1]:
        counts = counts_from_offsets(csr.indptr) * shape[1]
        indices = xp.tile(xp.arange(shape[1]), csr.indices.size)
        data = xp.repeat(csr.data, shape[1])
        csr = Csr(offsets_from_counts(counts), check.as_index(indices, shape[1]), data, (rows, shape[1]))
    if rows != shape[0]:
        indptr = check.as_index(xp.arange(shape[0] + 1) * csr.indices.size, shape[0] * csr.indices.size)
        csr = Csr(indptr, xp.tile(csr.indices, shape[0]), xp.tile(csr.data, shape[0]), shape)
    return csr


def multiply(a, b):
    """Return the elementwise product of two matrices, one of which may be a row or a column that is broadcast; zeros are
    dropped.

    ValueError where shapes do not fit. *Cost*: of a row or a column, one element of it for each entry of the other.
    """
    if a.shape == b.shape:
        return elementwise.multiply(a, b)
    shape = broadcast_shapes(a.shape, b.shape)
    same_device(a.data, b.data)
    if (a.shape[0] == 1 and b.shape[1] == 1) or (a.shape[1] == 1 and b.shape[0] == 1):
        return _multiply_outer(*((a, b) if a.shape[1] == 1 else (b, a)))
    broad, narrow = (a, b) if a.shape == shape else (b, a)
    broad = without_duplicates(broad)
    values = gather_dense(broad, convert.to_dense(narrow))
    with np.errstate(all="ignore"):
        return elementwise.map_nonzeros(lambda data: data * values, broad)


def _multiply_outer(column, row):
    """Return a column times a row: every entry of one with every entry of the other."""
    column, row = sum_duplicates(column), sum_duplicates(row)
    xp, each = row.xp, row.indices.size
    indptr = check.as_index(column.indptr.astype(np.int64) * each, column.indices.size * each)
    data = (column.data[:, None] * row.data[None]).ravel()
    pattern = indptr, xp.tile(row.indices, column.indices.size)
    return elementwise.map_nonzeros(lambda values: values, Csr(*pattern, data, (column.shape[0], row.shape[1])))


@njit
def _add_row(row, indptr, indices, data, columns, dense):
    """Add the entries of one row in order: duplicates belong to one row."""
    for p in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
        dense[np.uint64(row) * np.uint64(columns) + np.uint64(indices[p])] += data[p]


def add_dense(csr, dense):
    """Return a new dense array in C order: `dense`, of the shape of the matrix, with its entries added. One pass over
    either."""
    same_device(csr.data, dense)
    dtype = np.result_type(csr.data.dtype, dense.dtype)
    computed, csr = computed_dtype(dtype), sum_before_cast(csr, dtype)
    out = csr.xp.array(dense, computed, order="C")
    data = csr.data.astype(computed, copy=False)
    for_each(csr.shape[0], _add_row, csr.indptr, csr.indices, data, csr.shape[1], out.reshape(-1))
    return out.astype(dtype, copy=False)


def divide(a, b):
    """Return the quotient of two matrices of one shape as a dense array in C order; NaN where neither has an entry, as in
    SciPy.

    *Cost*: the union of the patterns, and one write of M*N elements.
    """
    found = elementwise.union(operator.truediv, a, b)
    out = found.xp.full(a.shape[0] * a.shape[1], np.nan, found.data.dtype)
    out[_flat_positions(elementwise.map_nonzeros(lambda data: data, b))] = 0
    out[_flat_positions(found)] = found.data
    return out.reshape(a.shape)


def _flat_positions(csr):
    """Return the positions of the entries in a dense array in C order."""
    return csr.plan(rows_of_entries).astype(np.int64) * csr.shape[1] + csr.indices
