"""Columns of a matrix, chosen by an array of indices: in any order, as often as they are asked for.

Design: the indices are sorted, and a table over all columns says where each column's wishes begin among them, so that every
entry finds its new columns by itself. Where no column is asked for twice the entries are kept or not, which is a compaction;
else each becomes as many as its column has wishes. Cost: a table as long as the matrix is wide, or a binary search for each
entry where that is longer than all else.
"""

import numpy as np
from numba import njit

from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr.operations.record import Csr
from spark_csr.primitives.compact import compact
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.offsets import offsets_from_segment_ids, scanned_counts
from spark_csr.primitives.scan import exclusive_scan
from spark_csr.primitives.search import segment_ids
from spark_csr.primitives.sort import argsort


def select_columns(csr, columns):
    """The columns that an int64 array of indices (all in range) chooses.

    *Cost*: a sort of the indices, a read of them and of all entries, a write of the result; host reads: two of checks, and
    those of the sort, of a compaction or of a scan. *Order*: entries of a row in the order they are in, those of one entry in the
    order of the indices.
    """
    order = argsort(columns)
    wanted = columns[order]
    if csr.shape[1] > 8 * (csr.indices.size + wanted.size) + 1024:
        csr, wanted = _renumbered(csr, wanted)
    table = offsets_from_segment_ids(wanted, csr.shape[1])
    once = not to_host_scalar((wanted[1:] == wanted[:-1]).any())
    return (_kept_columns if once else _repeated_columns)(csr, table, order)


def kept(csr, flags):
    """The entries whose flag is true."""
    before = exclusive_scan(flags)
    indices, data = compact(as_operand(csr.indices), flags), compact(csr.data, flags)
    xp = namespace_of(before)
    indptr = xp.append(before, indices.size)[csr.indptr].astype(index_dtype(indices.size))
    return Csr(indptr, indices, data, csr.shape)


@njit
def _is_wanted(i, indices, table, flags):
    column = np.uint64(indices[i])
    flags[i] = table[column + np.uint64(1)] != table[column]


@njit
def _rename(i, indices, table, order, out):
    out[i] = order[np.uint64(table[np.uint64(indices[i])])]


def _kept_columns(csr, table, order):
    """No column twice."""
    xp = namespace_of(csr.data)
    flags = xp.empty(csr.indices.size, np.bool_)
    for_each(flags.size, _is_wanted, as_operand(csr.indices), table, flags)
    chosen = kept(csr, flags)
    indices = xp.empty(chosen.indices.size, index_dtype(order.size))
    for_each(indices.size, _rename, chosen.indices, table, order, indices)
    return Csr(chosen.indptr, indices, chosen.data, (csr.shape[0], order.size))


@njit
def _count_wishes(i, indices, table, counts):
    column = np.uint64(indices[i])
    counts[i] = table[column + np.uint64(1)] - table[column]


@njit
def _write_copy(i, entry, offsets, indices, data, table, order, out_indices, out_data):
    """The copy number `i - offsets[source]` of the entry `source`."""
    source = np.uint64(entry[i])
    rank = np.uint64(i) - np.uint64(offsets[source])
    out_indices[i] = order[np.uint64(table[np.uint64(indices[source])]) + rank]
    out_data[i] = data[source]


def _repeated_columns(csr, table, order):
    """Some column more than once."""
    xp, source = namespace_of(csr.data), as_operand(csr.indices)
    counts = xp.empty(source.size, table.dtype)
    for_each(counts.size, _count_wishes, source, table, counts)
    offsets, total = scanned_counts(counts)
    indices, data = xp.empty(total, index_dtype(order.size)), xp.empty(total, csr.data.dtype)
    entry = segment_ids(offsets)
    values = by_width(as_operand(csr.data)), by_width(data)
    for_each(total, _write_copy, entry, offsets, source, values[0], table, order, indices, values[1])
    indptr = offsets[csr.indptr].astype(index_dtype(total), copy=False)
    return Csr(indptr, indices, data, (csr.shape[0], order.size))


def _renumbered(csr, wanted):
    """The same problem with as many columns as are asked for: no table as long as a matrix is wide."""
    if not wanted.size:
        return Csr(csr.indptr * 0, csr.indices[:0], csr.data[:0], (csr.shape[0], 0)), wanted
    at = wanted.searchsorted(csr.indices)
    flags = wanted[at.clip(max=wanted.size - 1)] == csr.indices
    return kept(Csr(csr.indptr, at, csr.data, (csr.shape[0], wanted.size)), flags), wanted.searchsorted(wanted)
