"""Rows and columns of a matrix, chosen by slices and by arrays of indices.

Design: to choose rows is to choose ranges of entries, and where the columns of every row ascend, so is to choose a range of
columns: two searches in each row narrow its range. The ranges are then copied in one pass that shares out entries, not rows
(`ranges`, by the kernel `gather_segments`). Of a small matrix one pass of one core looks at every entry.
"""

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, one_thread_is_fast, to_host_scalar, trim
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._operations.form import check
from spark_csr._operations.form.facts import has_sorted_columns, inherit_facts
from spark_csr._operations.form.record import Csr
from spark_csr._operations.select.columns import select_columns, select_every
from spark_csr._operations.select.ranges import Ranges, bound_of, copy_ranges, expand_ranges
from spark_csr._shared.bisection import first_at_least

SHORT = 32
"""Entries of a row up to which they are counted, not searched: no branch then depends on them. Not tuned."""

SMALL = 8192
"""Entries of a matrix up to which one core looks at all entries of the chosen rows. A block of 10 entries took 9.7 us so and
16.7 us with ranges, one of 10,000 entries 22 and 28 us (two cores of an EPYC, family 25 model 17, 2026-11)."""


def select(csr, rows, columns):
    """Return the rows and columns that two slices or int64 arrays of indices choose, in their order and with repeats.

    *Cost*: reads the chosen rows, writes the result; for a slice of columns with a step, or of rows that are not sorted, also a
    number for each of their entries; for an array of columns the new columns of each. Values are copied; of index arrays a
    slice of at least half is shared. Host reads: two for a slice of rows, else those of one scan, of a check, and of a sort of
    the columns.
    """
    if isinstance(columns, slice):
        columns = range(csr.shape[1])[columns]
        if len(columns) == csr.shape[1] and columns.step == 1:
            return _select_rows(csr, rows)
        if columns.step == 1 and columns:
            if isinstance(rows, slice) and csr.indices.size <= SMALL and one_thread_is_fast(csr.indices):
                return _select_small_block(csr, range(csr.shape[0])[rows], columns)
            if csr.plan(has_sorted_columns):
                return _select_block(csr, rows, columns)
    if not (isinstance(rows, slice) and rows == slice(None)):
        csr = _select_rows(csr, rows)
    if not isinstance(columns, range):
        return select_columns(csr, columns)
    chosen = select_every(csr, columns)
    return inherit_facts(csr, chosen) if columns.step > 0 else chosen


def _select_rows(csr, rows):
    """Return all entries of the chosen rows."""
    if isinstance(rows, slice):
        start, stop, step = rows.indices(csr.shape[0])
        if step == 1:
            return _slice_rows(csr, start, max(start, stop))
    return inherit_facts(csr, _copy_ranges(csr, _row_ranges(csr, rows), 0, csr.shape[1]))


def _slice_rows(csr, start, stop):
    """Return rows `start` to `stop`: slices of the arrays."""
    first, last = to_host_scalar(csr.indptr[start]), to_host_scalar(csr.indptr[stop])
    indptr = (
        _slice_index_array(csr.indptr, start, stop + 1)
        if not first
        else csr.indptr[start : stop + 1] - csr.indptr.dtype.type(first)
    )
    indices, data = _slice_index_array(csr.indices, first, last), csr.data[first:last].copy()
    return inherit_facts(csr, Csr(check.as_index(indptr, last - first), indices, data, (stop - start, csr.shape[1])))


def _slice_index_array(x, start, stop):
    """Return a view of an index array, which nobody writes into; a copy of less than half, so as not to keep the rest alive."""
    part = x[start:stop]
    return part if 2 * part.size >= x.size else part.copy()


def _row_ranges(csr, rows):
    """Return the chosen rows as `Ranges` of the matrix's entries."""
    if isinstance(rows, slice):
        chosen = range(csr.shape[0])[rows]
        return Ranges.by_step(chosen.start, chosen.step, len(chosen), csr.indptr)
    return Ranges.of_rows(rows, csr.indptr)


def _copy_ranges(csr, ranges, low, width):
    """Return a record with a row for each range of entries; column `low` becomes the first column."""
    starts, offsets, total = expand_ranges(ranges)
    return Csr(offsets, *copy_ranges(starts, offsets, total, low, csr.indices, csr.data), (ranges.count, width))


@njit(forceinline=True)
def _narrow(i, rows, first, step, indptr, indices, low, high, bounds):
    """Write the bounds of the entries in columns `low` to `high` of a row whose columns ascend."""
    row = bound_of(rows, first, step, i)
    start, stop = np.uint64(indptr[row]), np.uint64(indptr[row + 1])
    below, within = start, start
    if stop - start <= SHORT:
        for k in range(start, stop):
            column = np.int64(indices[k])
            below += np.uint64(column < low)
            within += np.uint64(column < high)
    else:
        below = first_at_least(indices, start, stop, low)
        within = first_at_least(indices, below, stop, high)
    here = 2 * np.uint64(i)
    bounds[here] = below
    bounds[here + 1] = within


@njit
def _copy_block(index, first, step, indptr, indices, data, low, high, out_indptr, out_indices, out_data):
    """Copy what every `step`-th row from `first` on has in columns `low` to `high`, without a branch on what that is."""
    row, place = first, np.uint64(0)
    out_indptr[0] = 0
    for i in range(np.uint64(1), np.uint64(out_indptr.size)):
        for k in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
            column = np.int64(indices[k])
            out_indices[place] = column - low
            out_data[place] = data[k]
            place += np.uint64((low <= column) & (column < high))
        out_indptr[i] = place
        row += step


def _select_small_block(csr, rows, columns):
    """Return a block of a small matrix, whose rows need not be sorted."""
    xp, most = csr.xp, csr.indices.size
    indptr, indices = xp.empty(len(rows) + 1, np.int32), xp.empty(most, index_dtype(len(columns)))
    data = xp.empty(most, csr.data.dtype)
    sources = rows.start, rows.step, csr.indptr, csr.indices, by_width(as_operand(csr.data)), columns.start, columns.stop
    backend_of(data).for_each(1, _copy_block, *sources, indptr, indices, by_width(data))
    total = to_host_scalar(indptr[-1])
    return inherit_facts(csr, Csr(indptr, trim(indices, total), trim(data, total), (len(rows), len(columns))))


def _select_block(csr, rows, columns):
    """Return what some rows, whose columns ascend, have between two columns."""
    ranges = _row_ranges(csr, rows)
    bounds = csr.xp.empty(2 * ranges.count, csr.indptr.dtype)
    backend_of(bounds).for_each(ranges.count, _narrow, *ranges.operands, csr.indices, columns.start, columns.stop, bounds)
    chosen = _copy_ranges(csr, Ranges.by_step(0, 2, ranges.count, bounds), columns.start, len(columns))
    chosen.indices = chosen.indices.astype(index_dtype(len(columns)), copy=False)
    return inherit_facts(csr, chosen)
