"""Columns of a matrix, chosen by an array of indices: in any order, as often as they are asked for.

Design: if no column is chosen twice, a table over all columns has the place of each, by which entries are renumbered and then
compacted. Else the indices are sorted, and a table says where each column begins among them. So every entry finds its new
columns by itself, and is copied once for each of them: never, once or more often. If few columns are chosen, other entries are
left out first. Cost: a table as long as the matrix is wide; where that is longer than all else, columns are first numbered
anew, by a binary search for each entry. Entries are shared out in tiles. Their copies are counted first and then written, so
neither long rows nor columns chosen often need extra memory.
"""

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, one_thread_is_fast, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._operations.form.facts import inherit_facts
from spark_csr._operations.form.keep import select_entries
from spark_csr._operations.form.record import Csr
from spark_csr._shared.bisection import first_at_least
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.compact import compact
from spark_csr.primitives.counts import scan_trusted_counts
from spark_csr.primitives.offsets import first_with_id
from spark_csr.primitives.scan import exclusive_scan
from spark_csr.primitives.sort import argsort

TILE = 128
"""Entries that one index of a loop takes. Not tuned."""

FEW = 1 << 16
"""Columns and indices up to which one core sorts the indices by counting, and entries up to which none are left out before they
are counted. Not tuned."""


def select_columns(csr, columns):
    """Return the columns that an int64 array of indices (all in range) chooses.

    *Cost*: a read of the indices and `select_entries`, with scratch of 4 bytes for each column and 5 for each entry; of columns
    chosen twice also a sort of `columns`, two reads of the entries, a write of the result; two to four host reads, and those
    of a sort. *Order*: entries of a row in the order they are in, those of one entry in the order of the indices.
    """
    xp, width = namespace_of(columns), csr.shape[1]
    is_wide = width > 8 * (csr.indices.size + columns.size) + 1024
    if not is_wide:
        places, lookup = xp.arange(columns.size, dtype=np.int32), xp.full(width, -1, np.int32)
        lookup[columns] = places
        if to_host_scalar((lookup[columns] == places).all()):
            return _select_once(csr, lookup, columns)
        if columns.size < width // 2 and csr.indices.size > FEW:
            csr = select_entries(csr, _look_up_all(csr, lookup)[1])
    if columns.size + width <= FEW and one_thread_is_fast(columns):
        table, order = xp.empty(width + 1, np.int32), xp.empty(columns.size, np.int32)
        backend_of(table).for_each(1, _count_columns, columns, table, order)
        return _copy_columns(csr, table, order)
    order = argsort(columns)
    wanted = columns[order]
    if is_wide:
        csr, wanted, width = _renumber_columns(csr, wanted), wanted.searchsorted(wanted), wanted.size
    table = xp.empty(width + 1, index_dtype(wanted.size))
    backend_of(table).for_each(table.size, first_with_id, wanted, wanted.size, table)
    return _copy_columns(csr, table, order)


def _select_once(csr, lookup, columns):
    """Return columns of which none is chosen twice; `lookup` has the place of each, or -1."""
    numbers, flags = _look_up_all(csr, lookup)
    chosen = select_entries(Csr(csr.indptr, numbers, csr.data, (csr.shape[0], columns.size)), flags)
    ascend = to_host_scalar((columns[1:] > columns[:-1]).all())
    return inherit_facts(csr, chosen) if ascend else chosen


def _look_up_all(csr, lookup):
    """Return the place of the column of every entry, and whether it has one."""
    numbers, flags = csr.xp.empty(csr.indices.size, np.int32), csr.xp.empty(csr.indices.size, bool)
    csr.backend.for_each(flags.size, _look_up, csr.indices, lookup, numbers, flags)
    return numbers, flags


@njit
def _look_up(k, indices, lookup, numbers, flags):
    """Note the place of the column of an entry, and flag whether it has one."""
    place = lookup[indices[k]]
    flags[k] = place >= 0
    numbers[k] = place


def select_every(csr, columns):
    """Return the columns of a range, whose step may be negative.

    *Cost*: a read of the indices, and `select_entries`; nothing is as long as the matrix is wide. *Order*: that of the entries.
    """
    xp, step = csr.xp, columns.step if len(columns) > 1 else 1
    numbers = xp.empty(csr.indices.size, index_dtype(len(columns)))
    flags = xp.empty(csr.indices.size, bool)
    csr.backend.for_each(flags.size, _number, csr.indices, columns.start, step, len(columns), numbers, flags)
    return select_entries(Csr(csr.indptr, numbers, csr.data, (csr.shape[0], len(columns))), flags)


@njit
def _number(k, indices, start, step, count, numbers, flags):
    """Number the column of an entry by its place in a range, and flag whether it is there."""
    away = indices[k] - start
    number = away // step
    found = (number * step == away) & (number >= 0) & (number < count)
    flags[k] = found
    numbers[k] = number * found


@njit
def _count_columns(index, columns, table, order):
    """Write `table`, where each column begins among the sorted indices, and `order`, which sorts them, by counting."""
    table[:] = 0
    for k in range(np.uint64(columns.size)):
        table[columns[k]] += 1
    stop = np.int64(0)
    for c in range(np.uint64(table.size)):
        stop += table[c]
        table[c] = stop
    for k in range(np.uint64(columns.size), np.uint64(0), -1):
        c = np.uint64(columns[k - 1])
        table[c] -= 1
        order[table[c]] = k - 1


@njit
def _count_copies(tile, indices, table, entries, counts):
    """Count the copies of the entries of one tile."""
    start = np.uint64(tile) * TILE
    copies = np.int64(0)
    for k in range(start, min(start + TILE, np.uint64(entries))):
        column = indices[k]
        copies += table[column + 1] - table[column]
    counts[tile] = copies


@njit
def _write_copies(tile, indptr, rows, indices, data, table, order, before, out_indptr, out_indices, out_data):
    """Write the copies of the entries of one tile, and where the rows begin that begin in it."""
    start, entries = np.uint64(tile) * TILE, np.uint64(indptr[rows])
    stop = min(start + TILE, entries)
    row = first_at_least(indptr, 0, rows, np.int64(start))
    row_start = np.uint64(indptr[row])
    place = np.uint64(before[tile])
    for k in range(start, stop):
        while row_start == k:
            out_indptr[row] = place
            row += 1
            row_start = np.uint64(indptr[row])
        column = indices[k]
        for index in range(np.uint64(table[column]), np.uint64(table[column + 1])):
            out_indices[place] = order[index]
            out_data[place] = data[k]
            place += 1
    if stop == entries:  # the last tile: rows without entries behind it, and the end
        while row <= np.uint64(rows):
            out_indptr[row] = place
            row += 1


def _copy_columns(csr, table, order):
    """Return the matrix of all copies."""
    xp, backend, entries = namespace_of(table), backend_of(table), csr.indices.size
    counts = xp.empty(-(-entries // TILE), np.int64)
    backend.for_each(counts.size, _count_copies, csr.indices, table, entries, counts)
    before = scan_trusted_counts(counts)
    total = to_host_scalar(before[counts.size])
    indices, data = (allocate_array(xp, total, t, f"{total} entries") for t in (index_dtype(order.size), csr.data.dtype))
    indptr = xp.zeros(csr.indptr.size, index_dtype(total))
    sources = csr.indptr, csr.shape[0], csr.indices, by_width(as_operand(csr.data)), table, order, before
    backend.for_each(counts.size, _write_copies, *sources, indptr, indices, by_width(data))
    return Csr(indptr, indices, data, (csr.shape[0], order.size))


def _renumber_columns(csr, wanted):
    """Return the entries of the columns asked for, each with the index of its column among these: no table as long as a matrix
    is wide."""
    if not wanted.size:
        return Csr(csr.indptr * 0, csr.indices[:0], csr.data[:0], (csr.shape[0], 0))
    at = wanted.searchsorted(csr.indices)
    flags = wanted[at.clip(max=wanted.size - 1)] == csr.indices
    return select_flagged(Csr(csr.indptr, at, csr.data, (csr.shape[0], wanted.size)), flags)


def select_flagged(csr, flags):
    """Return the entries whose flag is true."""
    before = exclusive_scan(flags)
    indices, data = compact(as_operand(csr.indices), flags), compact(csr.data, flags)
    xp = namespace_of(before)
    indptr = xp.append(before, indices.size)[csr.indptr].astype(index_dtype(indices.size))
    return Csr(indptr, indices, data, csr.shape)
