"""Two matrices of SciPy entry by entry, and rows of one."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.merge import elementwise
from spark_csr._operations.select.ranges import copy_ranges
from spark_csr.interop.scipy._arrays import as_record, check_indices, check_plain, check_range, write_back
from spark_csr.interop.scipy._switch import Unfit, replaces

DTYPES = frozenset("fdDlq")
"""Dtypes for which there are kernels that combine entries while they are merged."""

FUNCTIONS = {
    "plus": operator.add,
    "minus": operator.sub,
    "elmul": operator.mul,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "ne": operator.ne,
    "lt": operator.lt,
    "gt": operator.gt,
}


def _replace(name, function):
    ordered = name in ("maximum", "minimum", "lt", "gt")

    @replaces(f"csr_{name}_csr", lambda M, N, Ap, Aj, Ax, Bp, Bj, *_: Aj.size + Bj.size, 3)
    def combine(M: int, N: int, Ap: Any, Aj: Any, Ax: Any, Bp: Any, Bj: Any, Bx: Any, Cp: Any, Cj: Any, Cx: Any) -> None:
        a, b = as_record(M, N, Ap, Aj, Ax), as_record(M, N, Bp, Bj, Bx)
        check_indices(Ap, Bp, Cp, Cj)
        check_plain(Cx)
        if Ax.dtype != Bx.dtype or Ax.dtype.char not in DTYPES or (ordered and Ax.dtype.kind == "c"):
            raise Unfit(f"dtypes {Ax.dtype} and {Bx.dtype}")
        if not (a.indices.size and b.indices.size and a.plan(has_canonical_columns) and b.plan(has_canonical_columns)):
            raise Unfit("a matrix is empty or not in canonical format")
        if name in ("maximum", "minimum") and not (elementwise.all_finite(a.data) and elementwise.all_finite(b.data)):
            raise Unfit("NaN or infinity: SciPy's maximum and minimum treat NaN otherwise")
        found = elementwise.multiply(a, b) if function is operator.mul else elementwise.union(function, a, b)
        if found.data.dtype.kind != Cx.dtype.kind:
            raise Unfit(f"the result has dtype {Cx.dtype}")
        write_back(found, Cp, Cj, Cx)


for _name, _function in FUNCTIONS.items():
    _replace(_name, _function)


@replaces("csr_row_index", lambda n, rows, Ap, Aj, Ax, Bj, Bx: Bj.size, 4)
def take_rows(n: int, rows: Any, Ap: Any, Aj: Any, Ax: Any, Bj: Any, Bx: Any) -> None:
    a = as_record(Ap.size - 1, 1, Ap, Aj, Ax, movable=True)
    check_indices(Ap, rows, Bj)
    check_plain(Bx)
    rows = rows[:n]
    check_range(rows, a.shape[0])
    starts, offsets = a.indptr[rows], np.zeros(rows.size + 1, np.int64)
    np.cumsum(a.indptr[1:][rows] - starts, out=offsets[1:])
    total = int(offsets[-1])
    if min(Bj.size, Bx.size) < total or Bx.dtype != a.data.dtype:
        raise Unfit("there is no room for the result")
    Bj[:total], Bx[:total] = copy_ranges(starts, offsets, total, 0, a.indices, a.data)


@replaces("get_csr_submatrix", lambda M, N, Ap, Aj, Ax, ir0, ir1, ic0, ic1: Aj.size * (ir1 - ir0) // max(M, 1), 4)
def slice_rows(M: int, N: int, Ap: Any, Aj: Any, Ax: Any, ir0: int, ir1: int, ic0: int, ic1: int) -> tuple[Any, Any, Any]:
    if ic0 != 0 or ic1 != N:
        raise Unfit("columns are sliced too")
    a = as_record(M, N, Ap, Aj, Ax, movable=True)
    first, last = int(a.indptr[ir0]), int(a.indptr[ir1])
    return a.indptr[ir0 : ir1 + 1] - a.indptr[ir0], a.indices[first:last].copy(), a.data[first:last].copy()
