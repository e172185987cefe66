"""Values set in a matrix: those that have an entry are overwritten, for the others entries are put in between, by one merge.

Design: each position is looked up in its row; where all have an entry and one thread writes, that is all. Else the positions
are sorted and made unique, so that no two threads write to one entry. The new ones come with the entry they stand before, and
an old entry moves up by as many as stand before it.
"""

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, is_writing_in_order, namespace_of, to_host_scalar
from spark_csr._engine import njit
from spark_csr._operations.form import check
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.form.record import Csr
from spark_csr._operations.select.clear import drop_flagged, flag_entries_at
from spark_csr._operations.select.points import find_positions
from spark_csr.primitives.compact import compact
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.offsets import offsets_from_segment_ids
from spark_csr.primitives.search import segment_ids
from spark_csr.primitives.sort import argsort


def assign(csr, rows, columns, values):
    """Return the matrix with `values` at the positions of two int64 arrays; the last value of a repeated position stays.

    If all positions have an entry, the values are written into `csr.data` itself where the matrix is canonical, so the other
    arrays must not share its memory; a matrix that is not becomes a canonical one first. Zeros are stored. Returns the record,
    and whether positions without an entry got one.

    *Cost*: a binary search for each position; a sort of the positions, but not with NumPy where all have an entry; where one
    has none yet, one more read and write of the matrix. Host reads: up to three of checks, and for new entries those of a
    compaction and of `segment_ids`.
    """
    csr = sum_duplicates(csr)
    if not rows.size:
        return csr, False
    _refuse_read_only(csr)
    places, found = find_positions(csr, rows, columns)
    all_found = to_host_scalar(found.all())
    last = None if all_found and is_writing_in_order(csr.data) else _find_last(rows, columns, csr.shape)
    if last is not None:
        rows, columns, values, places, found = (x[last] for x in (rows, columns, values, places, found))
    if all_found:
        csr.data[places] = values
        return csr, False
    return _merge(csr, rows, columns, as_operand(values), places, found), True


def assign_cleared(csr, flags, rows, columns, values):
    """Do the same in a canonical matrix whose flagged entries are set to zero before. An exception leaves it as it was.

    *Cost*: that of `assign`, and two copies of the values.
    """
    _refuse_read_only(csr)
    cleared = csr.with_data(csr.data.copy())
    cleared.data[flags] = 0
    found, changed = assign(cleared, rows, columns, values)
    if not changed:
        csr.data[...] = cleared.data
    return (found if changed else csr), changed


def _refuse_read_only(csr):
    if not getattr(csr.data.flags, "writeable", True):
        raise ValueError("the data of this matrix is read-only: set values in A.copy()")


def replace(csr, rows, columns, values, keep_zeros=False):
    """Do the same in new arrays: drop the entries at the positions and insert the values that are not zero, or all of them."""
    csr = sum_duplicates(csr)
    last = _find_last(rows, columns, csr.shape)
    if last is not None:
        rows, columns, values = rows[last], columns[last], values[last]
    chosen = slice(None) if keep_zeros else (values != 0).nonzero()[0]
    emptied = drop_flagged(csr, flag_entries_at(csr, rows, columns))
    emptied = emptied.with_data(emptied.data.copy()) if emptied.data is csr.data else emptied
    return assign(emptied, rows[chosen], columns[chosen], values[chosen])[0]


def _find_last(rows, columns, shape):
    """Return the last index of every position, in ascending order of positions; None if all are in that order already."""
    if shape[0] * shape[1] > check.INT64_MAX:
        order = argsort(columns)
        order = order[argsort(rows[order])]
    else:
        key = rows * shape[1] + columns
        if to_host_scalar((key[1:] > key[:-1]).all()):
            return None
        order = argsort(key)
    rows, columns = rows[order], columns[order]
    same = (rows[1:] == rows[:-1]) & (columns[1:] == columns[:-1])
    if not to_host_scalar(same.any()):
        return order
    _, last = compact(same, ~same, return_index=True)
    return order[namespace_of(rows).append(last, rows.size - 1)]


@njit
def _move_up(i, shift, indices, data, out_indices, out_data):
    """Old entries make room for the new ones before them."""
    at = np.uint64(i) + np.uint64(shift[i])
    out_indices[at] = indices[i]
    out_data[at] = data[i]


@njit
def _overwrite(i, places, found, shift, values, data):
    """Write a value over an entry that was moved up. No two positions are equal."""
    if found[i]:
        at = np.uint64(places[i])
        data[at + np.uint64(shift[at])] = values[i]


def _merge(csr, rows, columns, values, places, found):
    """Return the matrix, in new arrays, with values at sorted positions: over the entries that are found, as new entries before
    those at the other places.

    An exception, such as Ctrl-C, leaves the matrix as it was.
    """
    xp, nnz = csr.xp, csr.indices.size
    _, fresh = compact(found, ~found, return_index=True)
    before, ends = places[fresh], xp.asarray([0, nnz], dtype=np.int64)
    shift = segment_ids(xp.concatenate([ends[:1], before, ends[1:]]))
    total = nnz + fresh.size
    indices, data = xp.empty(total, csr.indices.dtype), xp.empty(total, csr.data.dtype)
    old = as_operand(csr.indices), by_width(as_operand(csr.data))
    for_each(nnz, _move_up, shift, *old, indices, by_width(data))
    for_each(rows.size, _overwrite, places, found, shift, by_width(values), by_width(data))
    here = before + xp.arange(fresh.size)
    indices[here], data[here] = columns[fresh], values[fresh]
    indptr = csr.indptr + offsets_from_segment_ids(rows[fresh], csr.shape[0]).astype(index_dtype(total))
    merged = Csr(check.as_index(indptr, total), indices, data, csr.shape)
    merged.plans[has_canonical_columns] = True
    return merged
