"""Substitution: systems whose matrix is a triangle of a record, for one right side or several.

An element of the solution is its right side minus the products of its row, subtracted one by one in the order of the columns,
then divided by the diagonal: the same bits whichever rows are solved at the same time.
"""

import numpy as np

from spark_csr._array import one_thread_is_fast
from spark_csr._engine import njit
from spark_csr._operations.triangular.levels import dependencies, find_diagonal, run_by_levels
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives.foreach import for_each


@njit(forceinline=True, error_model="numpy")
def _solve_row(row, indptr, indices, data, diagonal, upper, unit, columns, x):
    """Solve for all right sides of a row; `x` holds them before, and the solution afterwards."""
    start, stop = dependencies(row, indptr, indices, diagonal, upper)
    here = np.uint64(row)
    if columns == 1:
        total = x[here]
        for p in range(start, stop):
            total -= data[p] * x[indices[p]]
        x[here] = total if unit else total / data[diagonal[here]]
        return
    width, first = np.uint64(columns), here * np.uint64(columns)
    for p in range(start, stop):
        factor, source = data[p], np.uint64(indices[p]) * width
        for c in range(width):
            x[first + c] -= factor * x[source + c]
    if not unit:
        pivot = data[diagonal[here]]
        for c in range(width):
            x[first + c] /= pivot


@njit(error_model="numpy")
def _solve_listed(k, first, order, indptr, indices, data, diagonal, upper, unit, columns, x):
    """Solve one row of a level."""
    _solve_row(order[first + k], indptr, indices, data, diagonal, upper, unit, columns, x)


@njit(error_model="numpy")
def _solve_in_sequence(i, first, last, order, listed, indptr, indices, data, diagonal, upper, unit, columns, x):
    """Solve rows one after the other."""
    for k in range(first, last):
        row = np.int64(order[k]) if listed else last - 1 - k if upper else k
        _solve_row(row, indptr, indices, data, diagonal, upper, unit, columns, x)


@njit(error_model="numpy")
def _solve_element(k, first, order, indptr, indices, data, diagonal, upper, unit, columns, x):
    """Solve one row of a level for one right side."""
    width = np.uint64(columns)
    row, c = np.uint64(order[first + np.int64(np.uint64(k) // width)]), np.uint64(k) % width
    start, stop = dependencies(row, indptr, indices, diagonal, upper)
    total = x[row * width + c]
    for p in range(start, stop):
        total -= data[p] * x[np.uint64(indices[p]) * width + c]
    x[row * width + c] = total if unit else total / data[diagonal[row]]


def substitute(csr, x, upper, unit):
    """Solve with the triangle left of the diagonal, or with `upper` right of it, and with the diagonal, in place of `x`.

    `csr` is canonical; what lies on the other side of the diagonal is not looked at, nor with `unit` the diagonal, which else
    has entries in all rows. `x` is contiguous, of one or two axes, and of the dtype of the record.

    *Cost*: one pass over the entries for every right side, and the first time the schedule. No host read but for that.
    """
    rows = csr.shape[0]
    if not x.size:
        return x
    columns = x.size // rows
    operands = csr.indptr, csr.indices, csr.data, csr.plan(find_diagonal), int(upper), int(unit), columns, x.reshape(-1)
    run_by_levels(csr, upper, columns if not one_thread_is_fast(x) else 1, *_bodies(x), *operands)
    return x


def _bodies(x):
    return (_solve_listed if one_thread_is_fast(x) else _solve_element), _solve_in_sequence


@njit
def _note_zero(row, data, diagonal, flags):
    flags[row] = data[diagonal[row]] == 0


def find_zero_pivot(csr, rows):
    """Return the first of `rows` rows whose element on the diagonal is zero, or None; all of these have an entry there.

    *Cost*: one host read.
    """
    flags = csr.xp.empty(rows, bool)
    for_each(rows, _note_zero, csr.data, csr.plan(find_diagonal), flags)
    return find_first_true(flags)
