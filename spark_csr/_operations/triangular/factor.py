"""Incomplete factors with the pattern of the matrix: LU and Cholesky, row by row, in the order of the levels.

A row is eliminated with the rows that it has entries for, in the order of its columns, so that the factors are the same bits
whichever rows are eliminated at the same time.
"""

import math

import numpy as np

from spark_csr._array import namespace_of
from spark_csr._engine import njit
from spark_csr._operations.triangular.levels import find_diagonal, run_by_levels
from spark_csr.primitives._check import find_first_true


@njit(forceinline=True, error_model="numpy")
def _eliminate(row, indptr, indices, diagonal, data):
    """Subtract from a row its multiples of the rows above, at the positions where it has entries."""
    stop = np.uint64(indptr[row + 1])
    for p in range(np.uint64(indptr[row]), np.uint64(diagonal[row])):
        above = indices[p]
        pivot = np.uint64(diagonal[above])
        divisor = data[pivot]
        # Numba raises where a complex number is divided by zero, whatever error_model says.
        factor = data[p] / divisor if divisor != 0 else data.dtype.type(np.nan)
        data[p] = factor
        q = p + 1
        for s in range(pivot + 1, np.uint64(indptr[above + 1])):
            column = indices[s]
            while q < stop and indices[q] < column:
                q += 1
            if q == stop:
                break
            if indices[q] == column:
                data[q] -= factor * data[s]


@njit(forceinline=True, error_model="numpy")
def _take_root(row, indptr, indices, diagonal, data):
    """Make of a row of the lower triangle its row of the Cholesky factor."""
    start, end = np.uint64(indptr[row]), np.uint64(diagonal[row])
    pivot = data[end].real
    for p in range(start, end):
        above = indices[p]
        total, q = data[p], start
        for s in range(np.uint64(indptr[above]), np.uint64(diagonal[above])):
            column = indices[s]
            while q < p and indices[q] < column:
                q += 1
            if q == p:
                break
            if indices[q] == column:
                total -= data[q] * data[s].conjugate()
        total /= data[diagonal[above]]
        data[p] = total
        pivot -= total.real * total.real + total.imag * total.imag
    data[end] = math.sqrt(pivot) if pivot > 0 else np.nan


@njit(error_model="numpy")
def _eliminate_listed(k, first, order, indptr, indices, diagonal, data):
    _eliminate(order[first + k], indptr, indices, diagonal, data)


@njit(error_model="numpy")
def _eliminate_in_sequence(i, first, last, order, listed, indptr, indices, diagonal, data):
    for k in range(first, last):
        _eliminate(np.int64(order[k]) if listed else k, indptr, indices, diagonal, data)


@njit(error_model="numpy")
def _root_listed(k, first, order, indptr, indices, diagonal, data):
    _take_root(order[first + k], indptr, indices, diagonal, data)


@njit(error_model="numpy")
def _root_in_sequence(i, first, last, order, listed, indptr, indices, diagonal, data):
    for k in range(first, last):
        _take_root(np.int64(order[k]) if listed else k, indptr, indices, diagonal, data)


def factor(csr, each, in_sequence):
    """Return a record of the same pattern, canonical and with entries on all of the diagonal, whose values are the factors."""
    out = csr.with_data(csr.data.copy())
    diagonal = csr.plan(find_diagonal)
    if csr.shape[0]:
        run_by_levels(csr, False, 1, each, in_sequence, csr.indptr, csr.indices, diagonal, out.data)
    return out


def incomplete_lu(csr):
    """Return the factors in one record, and the first row whose pivot is zero or no number, or None.

    Left of the diagonal is L, whose diagonal of ones is not stored; the rest is U. *Cost*: for every entry left of the diagonal
    a walk along two rows; one host read.
    """
    out = factor(csr, _eliminate_listed, _eliminate_in_sequence)
    pivots = out.data[csr.plan(find_diagonal)]
    return out, find_first_true((pivots == 0) | ~namespace_of(pivots).isfinite(pivots))


def incomplete_cholesky(csr):
    """Return L of a lower triangle, and the first row whose pivot is not above zero or not finite, or None.

    *Cost*: as `incomplete_lu`.
    """
    out = factor(csr, _root_listed, _root_in_sequence)
    pivots = out.data[csr.plan(find_diagonal)].real
    return out, find_first_true(~((pivots > 0) & namespace_of(pivots).isfinite(pivots)))
