"""The same entries in another shape: folded, cut off, or along a diagonal."""

import numpy as np

from spark_csr._array import as_operand, index_dtype
from spark_csr._engine import njit
from spark_csr._operations.form import check, convert
from spark_csr._operations.form.canonical import sort_indices
from spark_csr._operations.form.record import Csr, rows_of_entries
from spark_csr._operations.select.index import select
from spark_csr._operations.select.points import diagonal_at
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.offsets import offsets_from_segment_ids


@njit
def _relocate(i, rows, columns, old_width, width, out_rows, out_columns):
    """Move entries from one shape to another through their position in the list of all elements, row by row."""
    place = np.uint64(rows[i]) * np.uint64(old_width) + np.uint64(columns[i])
    row = place // np.uint64(width)
    out_rows[i] = row
    out_columns[i] = place - row * np.uint64(width)


def reshape(csr, shape):
    """Return the same elements, row by row, in another shape of as many; `data` is shared where no sort is needed.

    *Cost*: one pass over the indices; first a sort of rows that are not sorted, but for a result of one row.
    """
    xp = csr.xp
    if not csr.indices.size:
        return convert.empty(shape, csr.data.dtype, xp)
    if csr.shape[0] * csr.shape[1] > check.INT64_MAX:
        raise ValueError(f"the {csr.shape[0] * csr.shape[1]} positions of shape {csr.shape} cannot be numbered in 64 bits")
    if shape[0] != 1:
        csr = sort_indices(csr)
    rows, indices = xp.empty(csr.indices.size, np.int64), xp.empty(csr.indices.size, index_dtype(shape[1]))
    columns = as_operand(csr.indices)
    for_each(rows.size, _relocate, csr.plan(rows_of_entries), columns, csr.shape[1], shape[1], rows, indices)
    return Csr(offsets_from_segment_ids(rows, shape[0]), indices, csr.data, shape)


def resize(csr, shape):
    """Return what lies within another shape; rows and columns beyond the old one are empty. `data` is shared where nothing is
    cut."""
    rows, columns = min(csr.shape[0], shape[0]), min(csr.shape[1], shape[1])
    if (rows, columns) != csr.shape:
        csr = select(csr, slice(0, rows), slice(0, columns))
    check.row_count(shape[0])
    xp = csr.xp
    indptr = csr.indptr
    if shape[0] > rows:
        indptr = xp.concatenate([indptr, xp.full(shape[0] - rows, csr.indices.size, indptr.dtype)])
    indptr = check.as_index(indptr, max(csr.indices.size, shape[1]))
    return Csr(indptr, check.as_index(csr.indices, shape[1]), csr.data, shape)


def diagonal_places(shape, k):
    """Return the rows and columns of the elements `(i, i + k)`, as ranges."""
    length = max(min(shape[0] + min(k, 0), shape[1] - max(k, 0)), 0)
    return range(max(-k, 0), max(-k, 0) + length), range(max(k, 0), max(k, 0) + length)


def diagonal(csr, k):
    """Return the values at `(i, i + k)`; entries of one position are summed. *Cost*: a binary search in each row."""
    rows, columns = diagonal_places(csr.shape, k)
    return diagonal_at(csr, rows.start, columns.start, len(rows))
