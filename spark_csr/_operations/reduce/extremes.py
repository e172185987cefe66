"""Greatest and least elements, of all, of every row, or of every column; missing entries count as the zeros they are.

Design: columns are reduced as the rows of the transpose, so that no dtype needs kernels of its own for them. Cost: transposing.
"""

import functools
from typing import NamedTuple

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import index_dtype, namespace_of, to_host_scalar
from spark_csr._engine import njit
from spark_csr._operations.form import check
from spark_csr._operations.form.canonical import without_duplicates
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._operations.form.record import Csr
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.reduce.sums import combine, count_elements, entries_of_rows
from spark_csr.primitives.compact import compact

WITH_ZERO = {"max": "maximum", "min": "minimum", "nanmax": "fmax", "nanmin": "fmin"}
"""What NumPy calls the operator of two arrays."""


@ops.operator_for("biuf")
def greater_number(a, b):
    """NaN loses, as in `numpy.fmax`."""
    return a if a >= b or b != b else b


@ops.operator_for("biuf")
def lesser_number(a, b):
    """NaN loses, as in `numpy.fmin`."""
    return a if a <= b or b != b else b


@njit(forceinline=True)
def _reaches(a, b):
    """Return whether `a` is at least `b`, by real part and then by imaginary part, as NumPy orders them."""
    return (a.real > b.real and a.imag == a.imag and b.imag == b.imag) or (a.real == b.real and a.imag >= b.imag)


@ops.operator_for("c")
def complex_maximum(a, b):
    """NaN wins."""
    return a if a != a or _reaches(a, b) else b


@ops.operator_for("c")
def complex_minimum(a, b):
    """NaN wins."""
    return a if a != a or _reaches(b, a) else b


@ops.operator_for("c")
def complex_greater_number(a, b):
    """NaN loses."""
    return a if b != b or _reaches(a, b) else b


@ops.operator_for("c")
def complex_lesser_number(a, b):
    """NaN loses."""
    return a if b != b or _reaches(b, a) else b


_NAN, _INF = float("nan"), float("inf")
OF_FLOATS = {"nanmax": ops.Monoid(greater_number, _NAN).freeze(), "nanmin": ops.Monoid(lesser_number, _NAN).freeze()}
OF_COMPLEX = {
    "max": ops.Monoid(complex_maximum, complex(-_INF, -_INF)).freeze(),
    "min": ops.Monoid(complex_minimum, complex(_INF, _INF)).freeze(),
    "nanmax": ops.Monoid(complex_greater_number, complex(_NAN, _NAN)).freeze(),
    "nanmin": ops.Monoid(complex_lesser_number, complex(_NAN, _NAN)).freeze(),
}


FEW = 1 << 20
"""Entries up to which NumPy alone is sooner done than two cores (EPYC, 2026-11); not tuned for more."""


class Meaning(NamedTuple):
    """What an operator means for a stored dtype: how entries are combined, in which dtype, and its zero."""

    monoid: ops.Monoid
    dtype: np.dtype
    zero: object


@functools.cache
def meaning_of(op, stored):
    """Return the `Meaning` of "max", "min", "nanmax" or "nanmin" for a stored dtype."""
    dtype = computed_dtype(stored)
    special = {"c": OF_COMPLEX, "f": OF_FLOATS}.get(dtype.kind, {})
    return Meaning(special.get(op) or ops.MONOIDS[op[-3:]], dtype, dtype.type(0))


def stored_extremes(csr, axis, op):
    """Return the extremes of stored entries in the dtype they are computed in; the operator's identity where there are none."""
    monoid, dtype, _ = meaning_of(op, csr.data.dtype)
    return combine(csr, axis, monoid, dtype)


def rows_with_gaps(csr):
    """Return for every row whether an entry is missing in it, and whether one is missing in every row. A `plan`."""
    lacks = csr.plan(entries_of_rows) < csr.shape[1]
    return lacks, to_host_scalar(lacks.all())


def extreme(csr, op, explicit):
    """Return the one extreme of the matrix, a scalar where NumPy gives one.

    ValueError for a matrix without elements. With `explicit` stored entries only; 0 where there are none.
    """
    if not count_elements(csr, None):
        raise ValueError(f"zero-size array to reduction operation: the matrix has shape {csr.shape}")
    csr = without_duplicates(csr)
    xp, dtype = csr.xp, csr.data.dtype
    if not csr.data.size:
        return xp.zeros((), dtype)[()]
    alone = xp is np and csr.data.size <= FEW
    found = getattr(np, WITH_ZERO[op]).reduce(csr.data) if alone else stored_extremes(csr, None, op)
    if not explicit and csr.data.size < count_elements(csr, None):
        found = getattr(xp, WITH_ZERO[op])(found, meaning_of(op, dtype).zero)
    return found if found.dtype == dtype else found.astype(dtype)


def extremes(csr, axis, op, explicit):
    """Return the extremes of every row (`axis` 1) or column (0) as a record of one row, without entries where they are zero.

    ValueError where rows or columns have no elements. With `explicit` of stored entries only, and no entry where there are
    none. Cost: one pass over the data, for columns a transposition, and a few passes over the results. Same bits every run.
    """
    if not csr.shape[axis]:
        raise ValueError(f"zero-size array to reduction operation: the matrix has shape {csr.shape}")
    csr = without_duplicates(csr if axis == 1 else transpose(csr))
    xp, zero = csr.xp, meaning_of(op, csr.data.dtype).zero
    found = stored_extremes(csr, 1, op)
    if explicit:
        found = xp.where(csr.plan(entries_of_rows) > 0, found, zero)
    else:
        lacks, all_lack = csr.plan(rows_with_gaps)
        with_zero = getattr(xp, WITH_ZERO[op])(found, zero)
        found = with_zero if all_lack else xp.where(lacks, with_zero, found)
    return as_row_record(found.astype(csr.data.dtype, copy=False))


def as_row_record(dense):
    """Return a record of one row with the elements of a vector that are not zero (NaN is not zero)."""
    xp = namespace_of(dense)
    data, columns = compact(dense, dense != 0, return_index=True)
    indptr = xp.asarray([0, data.size], dtype=index_dtype(data.size))
    return Csr(indptr, check.as_index(columns, dense.size), data, (1, dense.size))
