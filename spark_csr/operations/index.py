"""Rows and columns of a matrix, chosen by slices and by arrays of indices.

Design: to choose rows is to choose ranges of entries, and where the columns of every row ascend, so is to choose a range of
columns: two searches in each row narrow its range. The ranges are then copied in one pass that shares out entries, not rows.
"""

import numpy as np
from numba import njit

from spark_csr._array import as_operand, by_width, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr.operations import check, convert
from spark_csr.operations.columns import select_columns
from spark_csr.operations.record import Csr
from spark_csr.primitives._memory import room
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.offsets import scanned_counts
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
        if columns.step == 1 and columns and csr.plan(convert.has_sorted_columns):
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
    starts, ends = _ranges(csr, rows)
    offsets, total = scanned_counts(ends - starts)
    tiles = merge_path_tiles(offsets, total)
    indices, data = (_gathered(tiles, x, starts, offsets, total) for x in (csr.indices, csr.data))
    return _inheriting(csr, Csr(check.as_index(offsets, total), indices, data, (starts.size, csr.shape[1])))


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
    for plan in (convert.has_canonical_columns, convert.has_sorted_columns):
        if csr.plans.get(plan):
            chosen.plans[plan] = True
    return chosen


def _ranges(csr, rows):
    """Where the entries of the chosen rows start and end."""
    return csr.indptr[:-1][rows].astype(np.int64), csr.indptr[1:][rows].astype(np.int64)


def _gathered(tiles, x, starts, offsets, total):
    out = room(namespace_of(x), total, x.dtype, f"{total} chosen entries")
    if total:
        backend_of(x).gather_segments(tiles, by_width(as_operand(x)), starts, offsets, by_width(out))
    return out


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
        below = _below(indices, start, length, low)
        within = _below(indices, start, length, high)
    starts[i] = start + below
    counts[i] = within - below


@njit(forceinline=True)
def _below(indices, start, length, bound):
    """How many of a sorted range lie below `bound` (binary search)."""
    low, high = np.uint64(0), length
    while low < high:
        middle = (low + high) >> np.uint64(1)
        if np.int64(indices[start + middle]) < bound:
            low = middle + np.uint64(1)
        else:
            high = middle
    return low


def _block(csr, rows, columns):
    """Chosen rows of sorted columns, between two columns."""
    starts, ends = _ranges(csr, rows)
    counts = ends - starts
    for_each(starts.size, _narrow, as_operand(csr.indices), columns.start, columns.stop, starts, counts)
    offsets, total = scanned_counts(counts)
    tiles = merge_path_tiles(offsets, total)
    indices, data = (_gathered(tiles, x, starts, offsets, total) for x in (csr.indices, csr.data))
    if columns.start:
        indices -= indices.dtype.type(columns.start)
    shape = starts.size, len(columns)
    return _inheriting(csr, Csr(check.as_index(offsets, total), check.as_index(indices, shape[1]), data, shape))
