"""Rows and columns of a matrix, chosen by slices and by arrays of indices.

Design: to choose rows is to choose ranges of entries, and where the columns of every row ascend, so is to choose a range of
columns: two searches in each row narrow its range. The ranges are then copied in one pass that shares out entries, not rows.
"""

import numpy as np
from numba import njit

from spark_csr._array import INT32_MAX, by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr.bisection import first_at_least
from spark_csr.operations import check
from spark_csr.operations.canonical import has_canonical_columns, has_sorted_columns
from spark_csr.operations.columns import select_columns
from spark_csr.operations.record import Csr
from spark_csr.primitives._memory import room
from spark_csr.primitives.counts import trusted_offsets
from spark_csr.primitives.search import merge_path_tiles

SHORT = 32
"""Entries of a row up to which they are counted, not searched: no branch then depends on them. Not tuned."""


def select(csr, rows, columns):
    """The rows and columns that two slices or int64 arrays of indices choose, in their order, as often as they do.

    *Cost*: reads the chosen rows, writes the result; for columns that are no slice of step 1, or of rows that are not sorted,
    also the number of new columns for each of their entries. Values are copied; of index arrays a slice of at least half is
    shared. Host reads: two for a slice of rows, else those of one scan, of a check, and of a sort of the columns.
    """
    if isinstance(columns, slice):
        columns = range(csr.shape[1])[columns]
        if len(columns) == csr.shape[1] and columns.step == 1:
            return _rows(csr, rows)
        if columns.step == 1 and columns and csr.plan(has_sorted_columns):
            return _block(csr, rows, columns)
        columns = namespace_of(csr.data).arange(columns.start, columns.stop, columns.step, dtype=np.int64)
    if not (isinstance(rows, slice) and rows == slice(None)):
        csr = _rows(csr, rows)
    return select_columns(csr, columns)


def _rows(csr, rows):
    """All entries of the chosen rows."""
    if isinstance(rows, slice):
        start, stop, step = rows.indices(csr.shape[0])
        if step == 1:
            return _adjacent_rows(csr, start, max(start, stop))
    return _inheriting(csr, _copied(csr, *_ranges(csr, rows), csr.shape[1]))


def _adjacent_rows(csr, start, stop):
    """Rows `start` to `stop`: slices of the arrays."""
    first, last = to_host_scalar(csr.indptr[start]), to_host_scalar(csr.indptr[stop])
    indptr = _part(csr.indptr, start, stop + 1) if not first else csr.indptr[start : stop + 1] - csr.indptr.dtype.type(first)
    indices, data = _part(csr.indices, first, last), csr.data[first:last].copy()
    return _inheriting(csr, Csr(check.as_index(indptr, last - first), indices, data, (stop - start, csr.shape[1])))


def _part(x, start, stop):
    """A view of an index array, which nobody writes into; of less than half a copy, not to keep the rest alive."""
    part = x[start:stop]
    return part if 2 * part.size >= x.size else part.copy()


def _inheriting(csr, chosen):
    """Rows that were sorted and without duplicates are so wherever they are put."""
    for plan in (has_canonical_columns, has_sorted_columns):
        if csr.plans.get(plan):
            chosen.plans[plan] = True
    return chosen


@njit
def _measure(i, rows, indptr, starts, counts):
    row = np.uint64(rows[i])
    starts[i] = indptr[row]
    counts[i] = np.int64(indptr[row + np.uint64(1)]) - np.int64(indptr[row])


def _ranges(csr, rows):
    """Where the entries of the chosen rows start, and how many they are."""
    if isinstance(rows, slice):
        starts = csr.indptr[:-1][rows].astype(np.int64)
        return starts, csr.indptr[1:][rows] - starts
    xp = namespace_of(rows)
    starts, counts = xp.empty(rows.size, np.int64), xp.empty(rows.size, np.int64)
    backend_of(rows).for_each(rows.size, _measure, rows, csr.indptr, starts, counts)
    return starts, counts


def _copied(csr, starts, counts, width):
    """The entries of ranges, range by range: a row each."""
    offsets = trusted_offsets(counts)
    total = to_host_scalar(offsets[counts.size])
    indices, data = (room(namespace_of(x), total, x.dtype, f"{total} entries") for x in (csr.indices, csr.data))
    if total:
        tiles, backend = merge_path_tiles(offsets, total), backend_of(offsets)
        for x, out in ((csr.indices, indices), (csr.data, data)):
            backend.gather_segments(tiles, by_width(x), starts, offsets, by_width(out))
    indptr = offsets if total > INT32_MAX else offsets.astype(np.int32)
    return Csr(indptr, indices, data, (starts.size, width))


@njit
def _narrow(i, indices, low, high, starts, counts):
    """Of a sorted range, given by start and length, what lies in columns `low` to `high`."""
    start, length = np.uint64(starts[i]), np.uint64(counts[i])
    below, within = np.uint64(0), np.uint64(0)
    if length <= np.uint64(SHORT):
        for k in range(length):
            column = np.int64(indices[start + k])
            below += np.uint64(column < low)
            within += np.uint64(column < high)
    else:
        below = first_at_least(indices, start, start + length, low) - start
        within = first_at_least(indices, start, start + length, high) - start
    starts[i] = start + below
    counts[i] = within - below


def _block(csr, rows, columns):
    """Chosen rows of sorted columns, between two columns."""
    starts, counts = _ranges(csr, rows)
    backend_of(counts).for_each(counts.size, _narrow, csr.indices, columns.start, columns.stop, starts, counts)
    chosen = _copied(csr, starts, counts, len(columns))
    if columns.start:
        chosen.indices -= chosen.indices.dtype.type(columns.start)
    chosen.indices = chosen.indices.astype(index_dtype(len(columns)), copy=False)
    return _inheriting(csr, chosen)
