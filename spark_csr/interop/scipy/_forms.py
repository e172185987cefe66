"""Conversions of SciPy's matrices, facts about their patterns, and slices of rows.

SciPy converts coordinates to rows, sorts each row and sums its duplicates, in three passes. The methods that do so are
replaced, since one kernel does all of it. Left out is what takes longer here than in SciPy on some matrix of each size: sums
and comparisons of two matrices, products of a transposed matrix with few vectors, rows in any order, and what sorts or drops
entries in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import _sparsetools
from scipy.sparse._coo import _coo_base

from spark_csr._array import index_dtype
from spark_csr._dispatch import backend_of
from spark_csr._operations.form.convert import GLANCE, copy_if_sorted, from_checked_coo
from spark_csr._operations.form.facts import has_canonical_columns, has_sorted_columns
from spark_csr.interop.scipy._arrays import (
    MOVABLE,
    NUMBERS,
    as_record,
    check_dtypes,
    check_indices,
    check_plain,
    check_range,
)
from spark_csr.interop.scipy._switch import Unfit, replaces

_are_sorted, _are_canonical = _sparsetools.csr_has_sorted_indices, _sparsetools.csr_has_canonical_format

NEAR = 1 << 16
"""Within how many rows of the result neighbouring entries go where SciPy writes each at once, since they are in the cache."""

SAMPLES, LOOKED = 16, 2048


def _check_far(places):
    """Raise `Unfit` if neighbouring entries go to neighbouring rows of the result. Some runs of entries are looked at."""
    step = places.size // SAMPLES
    looked = places[: step * SAMPLES].reshape(SAMPLES, step)[:, :LOOKED] if step else places[None]
    if looked.size and np.sort(looked.max(axis=1) - looked.min(axis=1))[looked.shape[0] // 2] <= NEAR:
        raise Unfit("neighbouring entries stay near each other: SciPy writes them at once")


def _check_result(data, Bp, Bj, Bx, entries, offsets, shape):
    """Raise `Unfit` unless these arrays take a result with as many entries and offsets, whose positions fit a key."""
    check_indices(Bp, Bj)
    check_plain(Bx)
    if Bx.dtype != data.dtype:
        raise Unfit("the result has another dtype than the values")
    if Bp.size < offsets or min(Bj.size, Bx.size) < entries:
        raise Unfit("there is no room for the result")
    if sum(max(extent - 1, 0).bit_length() for extent in shape) > 64:
        raise Unfit("rows and columns do not fit into one key of 64 bits")
    if not (entries and all(shape)):
        raise Unfit("the matrix is empty")


@replaces("csr_tocsc", lambda M, N, Ap, Aj, *_: Aj.size, 14)
def transpose(M: int, N: int, Ap: Any, Aj: Any, Ax: Any, Bp: Any, Bi: Any, Bx: Any) -> None:
    check_indices(Ap, Aj)
    _check_far(Aj)
    a = as_record(M, N, Ap, Aj, Ax, movable=True)
    entries = a.indices.size
    _check_result(a.data, Bp, Bi, Bx, entries, N + 1, (M, N))
    if Bp.dtype != Ap.dtype:
        raise Unfit("index arrays of other or of several dtypes")
    check_range(a.indices, N)
    indptr, indices, backend = Bp[: N + 1], Bi[:entries], backend_of(a.indices)
    if a.data.itemsize in (4, 8):
        backend.transpose(a.indptr, a.indices, a.data, indptr, indices, Bx[:entries])
    else:
        places = np.empty(entries, index_dtype(entries))
        backend.transpose(a.indptr, a.indices, None, indptr, indices, places)
        np.take(a.data, places, out=Bx[:entries])


@replaces("coo_tocsr", lambda M, N, nnz, *_: nnz, 14)
def assemble(M: int, N: int, nnz: int, Ai: Any, Aj: Any, Ax: Any, Bp: Any, Bj: Any, Bx: Any) -> None:
    check_indices(Ai, Aj, Bp, Bj)
    _check_far(Ai[:nnz])
    check_plain(Ax)
    check_dtypes(MOVABLE, Ax)
    _check_result(Ax, Bp, Bj, Bx, nnz, M + 1, (M, N))
    if Ax.itemsize not in (4, 8):
        raise Unfit(f"elements of {Ax.itemsize} bytes")
    if min(Ai.size, Aj.size, Ax.size) < nnz:
        raise Unfit("there are fewer coordinates than entries")
    rows, columns = Ai[:nnz], Aj[:nnz]
    check_range(rows, M)
    check_range(columns, N)
    backend_of(Ax).assemble(rows, columns, Ax[:nnz], N, False, Bp[: M + 1], Bj[:nnz], Bx[:nnz])


FEW = 8
"""Entries of a row up to which SciPy sorts rows as fast, unless they come in order or lie far apart: five in a row, of a grid,
took 1.07 times as long here, and sixteen, of elements with four corners, 0.63 times (EPYC 25/1, 2026-11)."""


def _size_to_sum(matrix, *_, **__):
    return matrix.coords[0].size if matrix.ndim == 2 else -1


@replaces("tocsr", _size_to_sum, 1.5, _coo_base)
def sum_by_rows(matrix: Any, copy: bool = False) -> Any:
    return _sum_duplicates(matrix, matrix._csr_container, *matrix.coords, *matrix.shape)


@replaces("tocsc", _size_to_sum, 1.5, _coo_base)
def sum_by_columns(matrix: Any, copy: bool = False) -> Any:
    return _sum_duplicates(matrix, matrix._csc_container, *matrix.coords[::-1], *matrix.shape[::-1])


def _sum_duplicates(matrix, container, major, minor, majors, minors):
    first = major[:GLANCE]
    if major.size < FEW * majors and (first[1:] < first[:-1]).any():
        _check_far(major)
    data, major, minor = map(np.ascontiguousarray, (matrix.data, major, minor))
    check_indices(major, minor)
    check_plain(data)
    check_dtypes(NUMBERS, data)
    if not major.size == minor.size == data.size:
        raise Unfit("there are more values than coordinates, or fewer")
    check_range(major, majors)
    check_range(minor, minors)
    index = matrix._get_index_dtype(matrix.coords, maxval=max(data.size, minors))
    major, minor = (x.astype(index, copy=False) for x in (major, minor))
    if matrix.has_canonical_format:  # which SciPy believes, so duplicates would stay
        record = copy_if_sorted(major, minor, data, (majors, minors))
        if record is None or not record.plan(has_canonical_columns):
            raise Unfit("the matrix is not in the canonical format that it has by its own account")
    else:
        record = from_checked_coo(major, minor, data, (majors, minors))
    pattern = (x.astype(index, copy=False) for x in (record.indices, record.indptr))
    result = container((record.data, *pattern), shape=matrix.shape)
    result.has_canonical_format = True
    return result


FIRST = 64
"""Rows that are asked first whether they are sorted: of a matrix that is not, SciPy reads no more."""


@replaces("csr_has_sorted_indices", lambda M, Ap, Aj: Aj.size, 6)
def has_sorted_indices(M: int, Ap: Any, Aj: Any) -> bool:
    record = as_record(M, 1, Ap, Aj)
    return _are_sorted(min(M, FIRST), Ap, Aj) and bool(has_sorted_columns(record))


@replaces("csr_has_canonical_format", lambda M, Ap, Aj: Aj.size, 6)
def has_canonical_format(M: int, Ap: Any, Aj: Any) -> bool:
    record = as_record(M, 1, Ap, Aj)
    return _are_canonical(min(M, FIRST), Ap, Aj) and bool(has_canonical_columns(record))


@replaces("get_csr_submatrix", lambda M, N, Ap, Aj, Ax, ir0, ir1, ic0, ic1: Aj.size * (ir1 - ir0) // max(M, 1), 0.5)
def slice_rows(M: int, N: int, Ap: Any, Aj: Any, Ax: Any, ir0: int, ir1: int, ic0: int, ic1: int) -> tuple[Any, Any, Any]:
    if ic0 != 0 or ic1 != N:
        raise Unfit("columns are sliced too")
    a = as_record(M, N, Ap, Aj, Ax, movable=True)
    first, last = int(a.indptr[ir0]), int(a.indptr[ir1])
    return a.indptr[ir0 : ir1 + 1] - a.indptr[ir0], a.indices[first:last].copy(), a.data[first:last].copy()
