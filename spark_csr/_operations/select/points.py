"""Single positions of a matrix, each found by a binary search in its row."""

import numpy as np

from spark_csr._array import as_operand, by_width, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._operations.form.canonical import canonical
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._operations.form.facts import has_canonical_columns, inherit_facts
from spark_csr._operations.form.keep import select_entries
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._shared.bisection import first_at_least


def value_at(csr, row, column):
    """Return the value at one position as a NumPy scalar (on a GPU, a 0-d array); duplicates are summed, a missing entry is 0.

    *Cost*: reads the row; of a matrix known to be canonical a binary search in it. Two host reads, or up to four.
    """
    start, stop = to_host_scalar(csr.indptr[row]), to_host_scalar(csr.indptr[row + 1])
    if csr.plans.get(has_canonical_columns):
        return _only_value(csr, start, stop, column)
    dtype, xp = csr.data.dtype, csr.xp
    values = xp.where(csr.indices[start:stop] == column, csr.data[start:stop], dtype.type(0))
    return values.sum(dtype=computed_dtype(dtype)).astype(dtype, copy=False)


def _only_value(csr, start, stop, column):
    """Return the value of a column among entries `start` to `stop`, whose columns ascend."""
    columns = csr.indices[start:stop]
    at = to_host_scalar(columns.searchsorted(namespace_of(columns).asarray(column, columns.dtype)))  # CuPy takes no scalar
    if at < stop - start and to_host_scalar(columns[at]) == column:
        return csr.data[start + at].copy()
    return csr.xp.zeros((), csr.data.dtype)[()]


@njit(forceinline=True)
def _sample_at(i, row, column, indptr, indices, data, out):
    """Copy the value at a position; leave the zero where there is no entry."""
    stop = np.uint64(indptr[row + 1])
    at = first_at_least(indices, indptr[row], stop, column)
    if at < stop and indices[at] == column:
        out[i] = data[at]


@njit(forceinline=True)
def _sample(i, rows, columns, indptr, indices, data, out):
    _sample_at(i, np.uint64(rows[i]), columns[i], indptr, indices, data, out)


@njit(forceinline=True)
def _sample_diagonal(i, row, column, indptr, indices, data, out):
    _sample_at(i, np.uint64(row + i), column + i, indptr, indices, data, out)


@njit(forceinline=True)
def _find(i, rows, columns, indptr, indices, places, found):
    row, column = rows[i], np.int64(columns[i])
    stop = np.uint64(indptr[row + 1])
    at = first_at_least(indices, indptr[row], stop, column)
    places[i] = at
    if at < stop:  # not `and`: there Numba counts references to every array at every position, ten times the work of the search
        found[i] = indices[at] == column
    else:
        found[i] = False


def values_at(csr, rows, columns):
    """Return the values at positions given by two int64 arrays of one length; duplicates are summed, a missing entry is 0.

    *Cost*: a binary search each, one launch, no host read; of entries that are unsorted or doubled first a sort of all.
    """
    return _read(csr, rows.size, _sample, rows, columns)


def diagonal_at(csr, row, column, length):
    """Return the values at `(row + i, column + i)`. *Cost*: as `values_at`."""
    return _read(csr, length, _sample_diagonal, row, column)


def _read(csr, size, sample, *where):
    csr = canonical(csr)
    out = csr.xp.zeros(size, csr.data.dtype)
    backend_of(out).for_each(size, sample, *where, csr.indptr, csr.indices, by_width(as_operand(csr.data)), by_width(out))
    return out


def find_positions(csr, rows, columns):
    """Return, for rows that are sorted, the first entry of every position (or the entry before which it belongs), and whether
    it is there."""
    xp = csr.xp
    places, found = xp.empty(rows.size, np.int64), xp.empty(rows.size, np.bool_)
    backend_of(places).for_each(rows.size, _find, rows, columns, csr.indptr, csr.indices, places, found)
    return places, found


def without_positions(csr, others):
    """Return the entries at positions where the record `others` has no entry. *Cost*: a binary search for each entry."""
    _, found = find_positions(canonical(others), csr.plan(rows_of_entries), csr.indices)
    return inherit_facts(csr, select_entries(csr, ~found))
