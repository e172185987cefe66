"""Conversions between SciPy's formats, order within rows, duplicates, and zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._dispatch import backend_of
from spark_csr._operations.form.canonical import sort_indices, sum_duplicates
from spark_csr._operations.form.facts import has_canonical_columns, has_sorted_columns
from spark_csr._operations.select.prune import eliminate_zeros
from spark_csr.interop.scipy._arrays import (
    MOVABLE,
    as_record,
    check_dtypes,
    check_indices,
    check_plain,
    check_range,
    check_writable,
    write_back,
)
from spark_csr.interop.scipy._switch import Unfit, replaces


def _check_key(rows, columns):
    """Raise `Unfit` for a shape whose positions have no key of 64 bits."""
    if max(rows - 1, 0).bit_length() + max(columns - 1, 0).bit_length() > 64:
        raise Unfit("rows and columns do not fit into one key of 64 bits")


@replaces("csr_tocsc", lambda M, N, Ap, Aj, *_: Aj.size, 8)
def transpose(M: int, N: int, Ap: Any, Aj: Any, Ax: Any, Bp: Any, Bi: Any, Bx: Any) -> None:
    a, entries = as_record(M, N, Ap, Aj, Ax, movable=True), 0
    entries = a.indices.size
    _check_result(a.data, Bp, Bi, Bx, entries, N + 1)
    if Bp.dtype != Ap.dtype:
        raise Unfit("index arrays of other or of several dtypes")
    _check_key(M, N)
    check_range(a.indices, N)
    if not (entries and N):
        raise Unfit("the matrix is empty")
    indptr, indices, backend = Bp[: N + 1], Bi[:entries], backend_of(a.indices)
    if a.data.itemsize in (4, 8):
        backend.transpose(a.indptr, a.indices, a.data, indptr, indices, Bx[:entries])
    else:
        places = np.empty(entries, index_dtype(entries))
        backend.transpose(a.indptr, a.indices, None, indptr, indices, places)
        np.take(a.data, places, out=Bx[:entries])


def _check_result(data, Bp, Bj, Bx, entries, offsets):
    """Raise `Unfit` unless these arrays take a result with as many entries and offsets."""
    check_indices(Bp, Bj)
    check_plain(Bx)
    if Bx.dtype != data.dtype:
        raise Unfit("the result has another dtype than the values")
    if Bp.size < offsets or min(Bj.size, Bx.size) < entries:
        raise Unfit("there is no room for the result")


@replaces("coo_tocsr", lambda M, N, nnz, *_: nnz, 8)
def assemble(M: int, N: int, nnz: int, Ai: Any, Aj: Any, Ax: Any, Bp: Any, Bj: Any, Bx: Any) -> None:
    check_indices(Ai, Aj, Bp, Bj)
    check_plain(Ax)
    check_dtypes(MOVABLE, Ax)
    _check_result(Ax, Bp, Bj, Bx, nnz, M + 1)
    _check_key(M, N)
    if Ax.itemsize not in (4, 8) or not (nnz and M and N):
        raise Unfit(f"elements of {Ax.itemsize} bytes, or an empty matrix")
    if min(Ai.size, Aj.size, Ax.size) < nnz:
        raise Unfit("there are fewer coordinates than entries")
    rows, columns = Ai[:nnz], Aj[:nnz]
    check_range(rows, M)
    check_range(columns, N)
    backend_of(Ax).assemble(rows, columns, Ax[:nnz], N, False, Bp[: M + 1], Bj[:nnz], Bx[:nnz])


@replaces("csr_has_sorted_indices", lambda M, Ap, Aj: Aj.size, 2)
def has_sorted_indices(M: int, Ap: Any, Aj: Any) -> bool:
    return bool(has_sorted_columns(as_record(M, 1, Ap, Aj)))


@replaces("csr_has_canonical_format", lambda M, Ap, Aj: Aj.size, 2)
def has_canonical_format(M: int, Ap: Any, Aj: Any) -> bool:
    return bool(has_canonical_columns(as_record(M, 1, Ap, Aj)))


@replaces("csr_sort_indices", lambda M, Ap, Aj, Ax: Aj.size, 2)
def sort_rows(M: int, Ap: Any, Aj: Any, Ax: Any) -> None:
    a = as_record(M, 1, Ap, Aj, Ax, movable=True)
    check_writable(Aj, Ax)
    if not a.indices.size or int(a.indices.min()) < 0:
        raise Unfit("the matrix is empty, or has negative columns")
    a.shape = (M, int(a.indices.max()) + 1)
    found = sort_indices(a)
    if found is not a:
        write_back(found, Ap, Aj, Ax)


@replaces("csr_sum_duplicates", lambda M, N, Ap, Aj, Ax: Aj.size, 2)
def sum_equal_neighbours(M: int, N: int, Ap: Any, Aj: Any, Ax: Any) -> None:
    a = as_record(M, N, Ap, Aj, Ax)
    check_writable(Ap, Aj, Ax)
    check_range(a.indices, N)
    if not a.plan(has_sorted_columns):
        raise Unfit("rows are not sorted: SciPy sums equal neighbours only")
    found = sum_duplicates(a)
    if found is not a:
        write_back(found, Ap, Aj, Ax)


@replaces("csr_eliminate_zeros", lambda M, N, Ap, Aj, Ax: Aj.size, 4)
def drop_zeros(M: int, N: int, Ap: Any, Aj: Any, Ax: Any) -> None:
    a = as_record(M, N, Ap, Aj, Ax)
    check_writable(Ap, Aj, Ax)
    found = eliminate_zeros(a)
    if found is not a:
        write_back(found, Ap, Aj, Ax)
