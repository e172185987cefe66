"""The transpose of a matrix, by rows."""

from spark_csr._array import index_dtype
from spark_csr._dispatch import backend_of
from spark_csr._operations.form import check
from spark_csr._operations.form.convert import KEY_BITS, SPARSE, empty, row_starts
from spark_csr._operations.form.record import Csr
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.search import segment_ids
from spark_csr.primitives.sort import argsort, gather

MANY = 1 << 24
"""Columns from which on few entries are sorted: Ctrl-C would wait while one core counts them. Not tuned."""


def transpose(csr):
    """Return the record of the transpose: the entries of every column in the order of their rows; those of one position stay
    apart.

    By definition: the row of every entry (`segment_ids`, a right flood), a stable sort by column, a gather of both rows and
    values, and offsets of the sorted columns. Canonical in, canonical out. Kernels do it in two moves.
    """
    (rows, columns), n, xp = csr.shape, csr.indices.size, csr.xp
    check.row_count(columns)
    if not n:
        return empty((columns, rows), csr.data.dtype, xp)
    long_keys = max(rows - 1, 0).bit_length() + max(columns - 1, 0).bit_length() > KEY_BITS
    if long_keys or columns > max(MANY, SPARSE * n):
        return _transpose_by_sorting(csr)
    indptr = allocate_array(xp, columns + 1, index_dtype(n), f"offsets of {columns} rows")
    indices = xp.empty(n, index_dtype(rows))
    carried = csr.data.itemsize in (4, 8)
    out = xp.empty(n, csr.data.dtype if carried else index_dtype(n))
    backend_of(out).transpose(csr.indptr, csr.indices, csr.data if carried else None, indptr, indices, out)
    return Csr.new(indptr, indices, out if carried else gather(csr.data, out), (columns, rows))


def _transpose_by_sorting(csr):
    """Do as `transpose` by a stable sort of the columns: for keys that do not fit 64 bits, and for many columns."""
    order = argsort(csr.indices)
    rows = check.as_index(gather(segment_ids(csr.indptr), order), csr.shape[0])
    indptr = row_starts(gather(csr.indices, order), csr.shape[1])
    return Csr(indptr, rows, gather(csr.data, order), csr.shape[::-1])
