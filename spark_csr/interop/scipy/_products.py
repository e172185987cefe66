"""Products of SciPy's CSR matrices with vectors and with several vectors, of CSC matrices with many vectors, and of sparse
matrices with each other; sums of rows.

Design: SciPy's `csr_matvec` adds to an array of zeros. The methods that call it are replaced instead, since writing and reading
these zeros would cost a sixth of a product. Whoever holds a matrix of SciPy may write into its arrays, so nothing is kept of a
product, but for CSC matrices and many vectors: by rows these products are several times as fast, so it pays to compare the
arrays with their fingerprints before a copy by rows is used. For a single vector it does not: with a copy, `A.T @ x` took half
to twice the time of SciPy's (EPYC 25/1, 2026-11).
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np
from scipy.sparse._compressed import _cs_matrix

from spark_csr import _ops as ops
from spark_csr._array import index_dtype
from spark_csr._dispatch import backend_of
from spark_csr._operations.form import memory
from spark_csr._operations.form.record import Csr, tiles
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.product.spgemm import Product
from spark_csr._operations.product.spgemm_size import count_products
from spark_csr._operations.reduce.sums import combine
from spark_csr._operations.select.prune import eliminate_zeros
from spark_csr.interop.scipy._arrays import (
    NUMBERS,
    as_record,
    check_dtypes,
    check_indices,
    check_plain,
    check_range,
    write_back,
)
from spark_csr.interop.scipy._switch import Unfit, replaces

WIDE = 8
"""Columns of B for each of its entries from which on a product is SciPy's: rows of sums would be far apart."""


MANY = 8
"""Columns of a dense matrix from which on a CSC matrix is multiplied here: 0.9 to 7 times as fast as SciPy's for 100,000 to
1,000,000 entries and 8 to 50 columns (EPYC 25/1, 2026-11)."""

MATRICES = 4
"""The number of CSC matrices that are kept by rows at the same time."""


# A product with a vector is taken from four times the size on from which it gains alone: between two products solvers call
# BLAS, whose threads wait busily on the other cores. With the patch `cg` on a grid of 100,000 entries took 1.3 times as long
# (EPYC, family 25 model 17, two virtual cores, 2026-11).


def _size_of_product_with_x(matrix, other):
    """Return how many entries are multiplied; none of a CSC matrix, which without a copy by rows takes longer here."""
    return matrix.data.size * (other.shape[-1] if other.ndim > 1 else 1) if matrix.format == "csr" else -1


@replaces("_matmul_vector", _size_of_product_with_x, 4, _cs_matrix)
def multiply_vector(matrix: Any, other: Any) -> Any:
    result = _result_dtype(matrix.data, other)
    y = np.empty(matrix._shape_as_2d[0], result)
    multiply_rows(as_operand(matrix), np.ascontiguousarray(other, dtype=result), y)
    return y[0] if matrix.ndim == 1 else y


def multiply_rows(record, x, y):
    """Write `A @ x` of a record by rows."""
    if not backend_of(y).multiply_unplanned(*record.arrays, x, y):
        raise Unfit("indptr does not ascend from 0 to the number of entries")


def as_operand(matrix):
    """Return the record of a CSR matrix; unless there is slack behind the entries, only the kernel checks its offsets."""
    indptr, indices, data = matrix.indptr, matrix.indices, matrix.data
    rows, columns = matrix._shape_as_2d
    if indices.size == data.size and indptr.size == rows + 1:
        check_indices(indptr, indices)
        check_plain(data)
        return Csr(indptr, indices, data, (rows, columns))
    return as_record(rows, columns, indptr, indices, data)


def _result_dtype(data, x):
    """Return the dtype of a product, as SciPy's."""
    check_dtypes(NUMBERS, data, x)
    result = np.result_type(data.dtype, x.dtype)
    if not (x.dtype.isnative and type(x) is np.ndarray):
        raise Unfit("an array is of a subclass, or not in native byte order")
    return result


def _size_of_product_with_vectors(matrix, other):
    """Return how many products there are; of a CSC matrix, whose copy is compared, fewer, and none with few vectors."""
    columns = other.shape[-1] if other.ndim > 1 else 1
    if matrix.format != "csr":
        columns = MANY if columns >= MANY else 0
    return matrix.data.size * columns or -1


@replaces("_matmul_multivector", _size_of_product_with_vectors, 6, _cs_matrix)
def multiply_vectors(matrix: Any, other: Any) -> Any:
    result, columns = _result_dtype(matrix.data, other), other.shape[-1]
    if columns == 1:
        y = multiply_vector(matrix, other.reshape(-1))
        return y.reshape(1) if matrix.ndim == 1 else y.reshape(-1, 1)
    if not columns:
        raise Unfit("there are no columns")
    rows, inner = matrix._shape_as_2d
    is_csr = matrix.format == "csr"
    record = as_record(rows, inner, matrix.indptr, matrix.indices, matrix.data) if is_csr else _by_rows(matrix, columns)
    x, y = np.asarray(other, dtype=result), np.empty((rows, columns), result)
    x = x if x.flags.c_contiguous or x.flags.f_contiguous else np.ascontiguousarray(x)
    prepared = record.plan(tiles), ops.PLUS_TIMES, record.indptr, record.indices, record.data.dtype, result, columns
    backend_of(y).prepare_spmm(*prepared)(record.data, x, y)
    return y.reshape(columns) if matrix.ndim == 1 else y


class _Kept:
    """A CSC matrix by rows, behind the fingerprints of the arrays that it was made of, in `turned`; or None so far.

    `owner` is the array whose memory the indices are: SciPy makes new views of it for every `A.T`. `seen` counts the columns of
    what the matrix was multiplied with before.
    """

    def __init__(self, owner: weakref.ref[Any]) -> None:
        self.owner, self.seen = owner, 0
        self.turned: Any = None


_kept: dict[int, _Kept] = {}
"""By the address of the indices."""


def _mark(record):
    return record.shape, record.data.dtype, *map(backend_of(record.indices).fingerprint, record.arrays)


def _by_rows(matrix, columns):
    """Return the record of a CSC matrix by rows, kept for as long as its indices live; the oldest of several is dropped.

    Raise `Unfit` for the first products with few vectors: for these, SciPy's take less time than a copy.
    """
    rows, inner = matrix._shape_as_2d
    owner, key = matrix.indices, matrix.indices.ctypes.data
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    kept = _kept.get(key)
    if kept is None or kept.owner() is not owner:
        kept = _kept[key] = _Kept(weakref.ref(owner, lambda _: _kept.pop(key, None)))
        for oldest in list(_kept)[:-MATRICES]:
            _kept.pop(oldest, None)
    kept.seen += columns
    if kept.seen < 2 * MANY:
        raise Unfit("the first products of a CSC matrix with few vectors")
    arrays = matrix.indptr, matrix.indices, matrix.data
    record = as_record(inner, rows, *arrays)
    mark = _mark(record)
    if (known := kept.turned) is None or known[0] != mark:
        kept.turned = None
        if not memory.has_room(record.data, 2 * record.data.nbytes + 3 * record.indices.nbytes):
            raise Unfit("memory is too short to keep a CSC matrix by rows")
        if known is not None and columns < 2 * MANY:
            kept.seen = 0
            raise Unfit("a CSC matrix has changed")
        record = as_record(inner, rows, *(x.copy() for x in arrays))  # of which no other thread can change anything meanwhile
        check_range(record.indices, record.shape[1])
        known = kept.turned = _mark(record), transpose(record).share()
    return known[1]


@replaces("_minor_reduce", lambda matrix, ufunc, data=None: matrix.data.size, 1, _cs_matrix)
def sum_rows(matrix: Any, ufunc: Any, data: Any = None) -> tuple[Any, Any]:
    """Return which rows have entries, and their sums."""
    values = matrix.data if data is None else data
    if ufunc is not np.add:
        raise Unfit("rows are not summed")
    check_dtypes(frozenset("fdFDlq"), values)
    record = as_record(matrix.indptr.size - 1, matrix._swap(matrix._shape_as_2d)[1], matrix.indptr, matrix.indices, values)
    if values.size != record.indices.size:
        raise Unfit("there are values behind the last entry")
    full = np.flatnonzero(np.diff(record.indptr))
    return full, combine(record, 1, ops.MONOIDS["sum"], values.dtype)[full]


_counted = threading.local()
"""What `csr_matmat_maxnnz` of this thread has found for `csr_matmat`, which SciPy calls next with the same arrays."""


def _size_of_product(rows, columns, a_indptr, a_indices, b_indptr, b_indices, *_):
    return a_indices.size + b_indices.size


@replaces("csr_matmat_maxnnz", _size_of_product, 10)
def count_entries_of_product(M: int, N: int, Ap: Any, Aj: Any, Bp: Any, Bj: Any) -> int:
    _counted.found = None
    inner = Bp.size - 1
    a, b = as_record(M, inner, Ap, Aj), as_record(inner, N, Bp, Bj)
    if not (a.indices.size and b.indices.size) or WIDE * (b.indices.size + 1024) < N:
        raise Unfit("a matrix is empty, or B is far wider than it has entries")
    check_range(a.indices, inner)
    check_range(b.indices, N)
    stand_in = np.empty(0)
    a, b = a.with_data(stand_in), b.with_data(stand_in)
    products, counted = count_products(a, b)
    if not counted.total:
        return 0
    product, counts = Product(a, b, ops.PLUS_TIMES, None, products, counted), np.zeros(M, np.int64)
    product.count(counts)
    _counted.found = (Ap, Aj, Bp, Bj), product, counts
    return int(counts.sum())


def _size_if_counted(M, N, Ap, Aj, Ax, Bp, Bj, *_):
    """Return an endless size where the entries were counted here: then the values are computed here, too."""
    found = getattr(_counted, "found", None)
    if found is not None and all(x is y for x, y in zip(found[0], (Ap, Aj, Bp, Bj), strict=True)):
        return np.inf
    _counted.found = None
    return -1


@replaces("csr_matmat", _size_if_counted, 1)
def multiply_matrices(M: int, N: int, Ap: Any, Aj: Any, Ax: Any, Bp: Any, Bj: Any, Bx: Any, Cp: Any, Cj: Any, Cx: Any) -> None:
    (_, product, counts), _counted.found = _counted.found, None
    check_plain(Ax, Bx, Cp, Cj, Cx)
    check_dtypes(NUMBERS, Ax, Bx, Cx)
    entries = int(counts.sum())
    if Cj.size < entries or Cx.size < entries:
        raise Unfit("there is no room for the result")
    product.a, product.b = (m.with_data(x[: m.indices.size].astype(Cx.dtype)) for m, x in ((product.a, Ax), (product.b, Bx)))
    indptr = np.zeros(M + 1, index_dtype(entries))
    np.cumsum(counts, out=indptr[1:])
    columns = Cj if Cj.dtype == index_dtype(N) else np.empty(entries, index_dtype(N))
    if product.fill(indptr, columns, Cx):
        record = eliminate_zeros(Csr(indptr, columns[:entries], Cx[:entries], (M, N)))
        write_back(record, Cp, Cj, Cx)
    else:
        Cp[: M + 1] = indptr
        if columns is not Cj:
            Cj[:entries] = columns
