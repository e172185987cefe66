"""The Kronecker product: every entry of A times every entry of B.

Source: the row-wise cartesian product. Row `i * m + k` of the product, where B has `m` rows, is row `i` of A times row `k` of
B, and `j * n + l`, where B has `n` columns, ascends as the pairs of `j` and `l` do: sorted rows give sorted rows, and nothing
is sorted. Where rows begin is known without a scan; equal tiles of the result are written at once, each from its first row on.
"""

import numpy as np

from spark_csr._array import as_operand, index_dtype, same_device
from spark_csr._engine import njit
from spark_csr._operations.form import check, convert
from spark_csr._operations.form.canonical import sum_before_cast
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._operations.form.record import Csr
from spark_csr._shared.bisection import segment_of
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each

TILE = 4096
"""Entries of the result that a core writes at a time; not tuned."""

TILE_OF_THREAD = 8
"""The same of a thread on a GPU; not tuned."""


@njit
def _write_tile(
    t, tile, total, rows, offsets, a_indptr, a_indices, a_data, b_rows, b_columns, b_indptr, b_indices, b_data, indices, data
):
    """Write `tile` entries of the product, row by row; in a row, for each entry of A the row of B."""
    k = np.uint64(t) * np.uint64(tile)
    stop = min(k + np.uint64(tile), np.uint64(total))
    row = np.uint64(segment_of(offsets, rows, np.int64(k)))
    while k < stop:
        end = min(np.uint64(offsets[row + 1]), stop)
        if k < end:
            i, j = row // np.uint64(b_rows), row % np.uint64(b_rows)
            first, last = np.uint64(b_indptr[j]), np.uint64(b_indptr[j + 1])
            rank, width = k - np.uint64(offsets[row]), last - first
            p, q = np.uint64(a_indptr[i]) + rank // width, first + rank % width
            while k < end:
                column, value = np.int64(a_indices[p]) * b_columns, a_data[p]
                piece = min(last - q, end - k)
                for s in range(piece):
                    indices[k + s] = column + b_indices[q + s]
                    data[k + s] = value * b_data[q + s]
                k += piece
                p += 1
                q = first
        row += 1


def kron(a, b):
    """Return the record of the Kronecker product of two records.

    *Cost*: the result, written once; its row starts in int64 besides. MemoryError with the sizes, before anything of that size
    is allocated. *Order*: in each row by the entries of A, then of B.
    """
    same_device(a.data, b.data)
    xp = a.xp
    shape = a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]
    if max(shape) > check.INT64_MAX:
        raise ValueError(f"the Kronecker product of {a.shape} and {b.shape} has shape {shape}: it must be below 2**63")
    check.row_count(shape[0])
    dtype = np.result_type(a.data.dtype, b.data.dtype)
    computed, a, b = computed_dtype(dtype), sum_before_cast(a, dtype), sum_before_cast(b, dtype)
    total = a.indices.size * b.indices.size
    if not total:
        return convert.empty(shape, dtype, xp)
    what = f"the {a.indices.size} x {b.indices.size} entries and {shape[0]} rows of a Kronecker product"
    indices, data = allocate_array(xp, total, index_dtype(shape[1]), what), allocate_array(xp, total, computed, what)
    indptr = allocate_array(xp, shape[0] + 1, np.dtype(np.int64), what)
    _write_offsets(a, b, indptr)
    indptr = indptr.astype(index_dtype(total), copy=False)
    tile = TILE if xp is np else TILE_OF_THREAD
    left, right = ((*map(as_operand, (x.indptr, x.indices)), as_operand(x.data.astype(computed, copy=False))) for x in (a, b))
    sizes = tile, total, shape[0]
    for_each(-(-total // tile), _write_tile, *sizes, indptr, *left, *b.shape, *right, indices, data)
    return Csr(indptr, indices, data.astype(dtype, copy=False), shape)


def _write_offsets(a, b, indptr):
    """Write where row `(i, k)` begins: after rows of A before `i` times B, and row `i` times rows of B before `k`."""
    before = a.indptr[:-1].astype(np.int64) * b.indices.size
    length = (a.indptr[1:] - a.indptr[:-1]).astype(np.int64)
    starts = indptr[:-1].reshape(a.shape[0], b.shape[0])
    np.multiply(length[:, None], b.indptr[None, :-1], out=starts)
    starts += before[:, None]
    indptr[-1] = a.indices.size * b.indices.size
