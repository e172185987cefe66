"""Columns of a matrix, chosen by an array of indices: in any order, as often as they are asked for.

Design: the indices are sorted, and a table over all columns says where each column's wishes begin among them, so that every
entry finds its new columns by itself and becomes as many as its column has wishes: none, one or more. Cost: a table as long as
the matrix is wide; where that is longer than all else the columns are first numbered anew, by a binary search for each entry.
"""

import numpy as np
from numba import njit

from spark_csr._array import INT32_MAX, as_operand, by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr.operations.record import Csr
from spark_csr.primitives._memory import room
from spark_csr.primitives.compact import compact
from spark_csr.primitives.offsets import trusted_offsets
from spark_csr.primitives.scan import exclusive_scan
from spark_csr.primitives.search import merge_path_tiles
from spark_csr.primitives.sort import argsort


def select_columns(csr, columns):
    """The columns that an int64 array of indices (all in range) chooses.

    *Cost*: a sort of the indices if they do not ascend, two reads of the entries, a write of the result; scratch of 12 bytes
    for each entry and 4 for each new one; three host reads, and those of a sort. *Order*: entries of a row in the order they
    are in, those of one entry in the order of the indices.
    """
    xp, width = namespace_of(columns), csr.shape[1]
    ascend = to_host_scalar((columns[1:] > columns[:-1]).all())
    order = xp.arange(columns.size, dtype=np.int32) if ascend else argsort(columns)
    wanted = columns if ascend else columns[order]
    if width > 8 * (csr.indices.size + wanted.size) + 1024:
        csr, wanted, width = _renumbered(csr, wanted), wanted.searchsorted(wanted), wanted.size
    table = xp.empty(width + 1, np.int64)
    backend_of(table).for_each(table.size, _first_wish, wanted, wanted.size, table)
    return _copies(csr, table, order)


@njit
def _first_wish(column, wanted, length, table):
    """How many of the sorted indices lie below a column (binary search)."""
    low, high = np.uint64(0), np.uint64(length)
    while low < high:
        middle = (low + high) >> np.uint64(1)
        if np.int64(wanted[middle]) < column:
            low = middle + np.uint64(1)
        else:
            high = middle
    table[column] = low


@njit
def _count_wishes(i, indices, table, counts):
    column = np.uint64(indices[i])
    counts[i] = table[column + np.uint64(1)] - table[column]


@njit
def _write_copy(i, entry, offsets, indices, data, table, order, out_indices, out_data):
    """The copy number `i - offsets[source]` of the entry `source`."""
    source = np.uint64(entry[i])
    rank = np.int64(i) - np.int64(offsets[source])
    out_indices[i] = order[np.uint64(np.int64(table[np.uint64(indices[source])]) + rank)]
    out_data[i] = data[source]


def _copies(csr, table, order):
    """Every entry as often as its column is asked for."""
    xp, backend = namespace_of(table), backend_of(table)
    counts = xp.empty(csr.indices.size, np.int32 if order.size <= INT32_MAX else np.int64)
    backend.for_each(counts.size, _count_wishes, csr.indices, table, counts)
    offsets = trusted_offsets(counts)
    total = to_host_scalar(offsets[counts.size])
    indices, data = (room(xp, total, t, f"{total} entries") for t in (index_dtype(order.size), csr.data.dtype))
    if total:
        entry = room(xp, total, index_dtype(counts.size), f"the sources of {total} entries")
        backend.segment_ids(merge_path_tiles(offsets, total), offsets, entry)
        moved = by_width(csr.data), table, order, indices, by_width(data)
        backend.for_each(total, _write_copy, entry, offsets, csr.indices, *moved)
    indptr = offsets[csr.indptr].astype(index_dtype(total), copy=False)
    return Csr(indptr, indices, data, (csr.shape[0], order.size))


def _renumbered(csr, wanted):
    """Entries of the columns asked for, each by the place of its column among them: no table as long as a matrix is wide."""
    if not wanted.size:
        return Csr(csr.indptr * 0, csr.indices[:0], csr.data[:0], (csr.shape[0], 0))
    at = wanted.searchsorted(csr.indices)
    flags = wanted[at.clip(max=wanted.size - 1)] == csr.indices
    return kept(Csr(csr.indptr, at, csr.data, (csr.shape[0], wanted.size)), flags)


def kept(csr, flags):
    """The entries whose flag is true."""
    before = exclusive_scan(flags)
    indices, data = compact(as_operand(csr.indices), flags), compact(csr.data, flags)
    xp = namespace_of(before)
    indptr = xp.append(before, indices.size)[csr.indptr].astype(index_dtype(indices.size))
    return Csr(indptr, indices, data, csr.shape)
