"""Other forms of a matrix, to CSR and back."""

import numpy as np

from spark_csr._array import (
    as_operand,
    by_width,
    contiguous,
    copy_if_shared,
    goes_to_gpu,
    index_dtype,
    namespace_of,
    one_thread_is_fast,
    same_device,
    to_host_list,
    to_host_scalar,
)
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._operations.form import check, dtypes
from spark_csr._operations.form.assemble import assemble
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._operations.form.facts import has_canonical_columns, has_sorted_columns, note_facts
from spark_csr._operations.form.keep import take_front
from spark_csr._operations.form.memory import SMALL, available_memory
from spark_csr._operations.form.record import Csr
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each, for_each_tile
from spark_csr.primitives.offsets import first_with_id, offsets_from_segment_ids
from spark_csr.primitives.sort import argsort, gather


def from_arrays(indptr, indices, data, shape=None):
    """Return a record of given arrays: checked, and neither sliced nor copied where they have the right dtypes already.

    Without `shape` it has as many columns as the largest index needs. Index arrays that overlap the data are copied, since the
    data may be written into. Columns that need int64 make the offsets int64 too, as in SciPy.
    """
    shape = check.pattern(indptr, indices, data, shape)
    stored = to_host_scalar(indptr[-1])
    indices, data = (x if x.size == stored else x[:stored] for x in (indices, data))
    indptr, indices = check.as_index(indptr, max(stored, shape[1])), check.as_index(indices, shape[1])
    data = contiguous(data, dtypes.dtype_of(data))
    return Csr(copy_if_shared(indptr, data), copy_if_shared(indices, data), data, shape)


def empty(shape, dtype, xp):
    """Return a record without entries."""
    check.row_count(shape[0])
    index = index_dtype(shape[1])
    return Csr(xp.zeros(shape[0] + 1, index), xp.empty(0, index), xp.empty(0, dtype), shape)


def from_dense(dense):
    """Return the record of the nonzeros of a two-dimensional array (NaN is one)."""
    dtypes.dtype_of(dense, "the dense matrix")
    if dense.ndim != 2:
        hint = ": use x[None, :] for a row" if dense.ndim == 1 else ""
        raise ValueError(f"csr_array needs a two-dimensional array, got shape {dense.shape}{hint}")
    rows, columns = (dense != 0).nonzero()
    data = dense[rows, columns].astype(dtypes.dtype_of(dense), copy=False)
    indptr = offsets_from_segment_ids(rows, dense.shape[0])
    csr = Csr(indptr, check.as_index(columns, dense.shape[1]), data, dense.shape)
    return note_facts(csr, has_sorted_columns, has_canonical_columns)


KEY_BITS = 64
"""Bits of the widest key that row and column are packed into."""

GLANCE = 4096
"""Entries whose order is looked at before that of all."""


def from_coo(rows, columns, data, shape=None):
    """Make a record of entries in any order; those of one position are summed in the order given.

    Without `shape` it is the least that holds all entries: then the indices are looked at once, as with it.
    Entries that come in order are not sorted. Of others the cores sort and sum those of each row, while these are in a cache. A
    GPU packs (row, column) into one key of the bits in use, sorts stably, flags where a key differs from the one before, and
    takes a segmented sum. The kernels are `assemble_summed` on the cores and `assemble` on a GPU.
    """
    shape, data = check_coordinates(rows, columns, data, shape)
    return from_checked_coo(rows, columns, data, shape)


def from_checked_coo(rows, columns, data, shape):
    """Do as `from_coo` for arrays that `check_coordinates` has checked."""
    _check_room(rows, shape)
    rows, columns = _to_one_width(rows, columns)
    data = as_operand(data)
    if not data.size:
        return empty(shape, data.dtype, namespace_of(data))
    sums = not goes_to_gpu(data) and _fits_a_key(shape)
    csr = None if sums and data.size <= GLANCE else copy_if_sorted(rows, columns, data, shape)
    if csr is None:
        csr = (_sum_while_sorting if sums else _sort)(rows, columns, data, shape)
    return sum_duplicates(csr, spend=True)


def from_coo_unsummed(rows, columns, data, shape):
    """Do as `from_coo`, but without sums: entries of one position stay apart, in the order given. The arrays are new."""
    shape, data = check_coordinates(rows, columns, data, shape)
    return _sort_by_position(*_to_one_width(rows, columns), as_operand(data), shape)


def arrange(rows, columns, shape):
    """Return the pattern of checked entries by row and column, equal positions in their order, as a record.

    Its data is the entry that each one comes from, or None if the entries come in that order.
    """
    if not rows.size:
        return empty(shape, index_dtype(0), namespace_of(rows)).with_data(None)
    rows, columns = _to_one_width(rows, columns)
    facts = _find_order(rows, columns)
    if facts:
        csr = Csr(row_starts(rows, shape[0]), columns.astype(index_dtype(shape[1])), None, shape)
        return note_facts(csr, *facts)
    return _sort_by_position(rows, columns, namespace_of(rows).arange(rows.size, dtype=index_dtype(rows.size)), shape)


def check_coordinates(rows, columns, data, shape):
    """Return the shape, and the data in a supported dtype; raise ValueError or TypeError for what does not fit."""
    same_device(rows, columns, data)
    check.index_array("row", rows)
    check.index_array("col", columns)
    if data.ndim != 1:
        raise ValueError(f"data must be one-dimensional, got shape {data.shape}")
    if not rows.size == columns.size == data.size:
        raise ValueError(f"row, col and data must have equal length, got {rows.size}, {columns.size} and {data.size}")
    if shape is None:
        shape = check.infer_extent("row", rows), check.infer_extent("col", columns)
    else:
        check.within("row", rows, shape[0])
        check.within("col", columns, shape[1])
    check.row_count(shape[0])
    return shape, contiguous(data, dtypes.dtype_of(data))


def _check_room(like, shape):
    """Raise MemoryError if the offsets of so many rows do not fit into the memory that is available where `like` is."""
    size = (shape[0] + 1) * index_dtype(max(shape[1], like.size)).itemsize
    if size > SMALL and size > (free := available_memory(like)):
        raise MemoryError(
            f"the offsets of {shape[0]:,} rows need {size / 2**30:,.1f} GiB, and {free / 2**30:,.1f} GiB are available: use "
            f"coo_array, which has none, or number the rows that have entries"
        )


def _to_one_width(rows, columns):
    """Return both as unsigned integers of four or eight bytes; none is negative."""
    width = max(4, rows.dtype.itemsize, columns.dtype.itemsize)
    return (
        by_width(as_operand(x.astype(f"{'u' if x.dtype.kind == 'u' else 'i'}{width}", copy=False))) for x in (rows, columns)
    )


def _sort_by_position(rows, columns, data, shape):
    """Return a record of the entries by row and column, equal positions in their order; its arrays are new."""
    if not data.size:
        return empty(shape, data.dtype, namespace_of(data))
    _check_room(rows, shape)
    return copy_if_sorted(rows, columns, data, shape) or _sort(rows, columns, data, shape)


def _sort(rows, columns, data, shape):
    """Do as `_sort_by_position` for one entry or more that do not come in order."""
    if _fits_a_key(shape):
        return assemble(rows, columns, data, shape)
    by_column = argsort(columns)
    order = gather(by_column, argsort(gather(rows, by_column)))
    indices = gather(columns, order).astype(index_dtype(shape[1]))
    return Csr.new(row_starts(gather(rows, order), shape[0]), indices, gather(data, order), shape)


def _fits_a_key(shape):
    return sum(max(extent - 1, 0).bit_length() for extent in shape) <= KEY_BITS


def _sum_while_sorting(rows, columns, data, shape):
    """Return the record in canonical format. Only the cores sum while they sort, so they alone have this kernel."""
    xp, n, dtype = namespace_of(data), data.size, data.dtype
    data = data.astype(computed_dtype(dtype), copy=False)
    indptr, indices, out = xp.empty(shape[0] + 1, index_dtype(n)), xp.empty(n, index_dtype(shape[1])), xp.empty_like(data)
    backend_of(data).assemble_summed(rows, columns, data, shape[1], indptr, indices, out)
    csr = take_front(Csr.new(indptr, indices, out.astype(dtype, copy=False), shape), indptr)
    return note_facts(csr, has_sorted_columns, has_canonical_columns)


def copy_if_sorted(rows, columns, data, shape):
    """Return a record of copies of the entries if they come sorted by row and column; else None."""
    facts = _find_order(rows[:GLANCE], columns[:GLANCE])
    if facts and data.size > GLANCE:
        facts = _find_order(rows, columns)
    if not facts:
        return None
    indices = columns.astype(index_dtype(shape[1]))
    return note_facts(Csr.new(row_starts(rows, shape[0]), indices, data.copy(), shape), *facts)


def _find_order(rows, columns):
    """Return what a record of the entries as they come may note as known of its pattern: nothing where they are not sorted."""
    found = namespace_of(rows).zeros(2, bool)
    for_each_tile(rows.size, _note_order, rows, columns, found)
    descends, repeats = to_host_list(found)
    if descends:
        return ()
    return (has_sorted_columns,) if repeats else (has_sorted_columns, has_canonical_columns)


@njit
def _note_order(start, stop, rows, columns, found):
    """Note in `found` whether an entry belongs before its predecessor, and whether both have the same row and column."""
    descends, repeats = False, False
    for i in range(max(start, np.uint64(1)), stop):
        row, column = rows[i], columns[i]
        row_before, column_before = rows[i - 1], columns[i - 1]
        descends |= (row < row_before) | ((row == row_before) & (column < column_before))
        repeats |= (row == row_before) & (column == column_before)
    if descends:
        found[0] = True
    if repeats:
        found[1] = True


SPARSE = 8
"""Rows for every entry from which on the start of each row is searched for, and not written by its first entry. Not tuned."""


def row_starts(rows, count):
    """Return the `indptr` of `count` rows, from the ascending row of every entry."""
    indptr = allocate_array(namespace_of(rows), count + 1, index_dtype(rows.size), f"offsets of {count} rows")
    if one_thread_is_fast(rows) and count < SPARSE * rows.size:
        for_each_tile(rows.size, _write_starts, rows, indptr)
    else:
        for_each(count + 1, first_with_id, rows, rows.size, indptr)
    return indptr


@njit
def _write_starts(start, stop, rows, indptr):
    """Write where a row begins, and the empty rows before it, at its first entry; the last entry closes the rows behind it."""
    last = np.uint64(rows.size) - 1
    following = np.uint64(rows[start - 1]) + 1 if start > 0 else np.uint64(0)
    for i in range(start, stop):
        row = np.uint64(rows[i])
        while following <= row:
            indptr[following] = i
            following += 1
    if stop > last:
        for row in range(following, np.uint64(indptr.size)):
            indptr[row] = rows.size


@njit
def _spread_rows(tile, rows, count, indptr, indices, data, columns, dense):
    """Add the entries of a tile of `rows` rows in order: duplicates belong to one tile.

    Where no entry can have been before nothing is read: memory that is new is given twice if it is read first.
    """
    first, absent = np.uint64(tile) * np.uint64(rows), data.dtype.type(0)
    for row in range(first, min(first + np.uint64(rows), np.uint64(count))):
        start, following = row * np.uint64(columns), np.uint64(0)
        for p in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
            column = np.uint64(indices[p])
            if column >= following:
                dense[start + column] = absent + data[p]
                following = column + 1
            else:
                dense[start + column] += data[p]


def to_dense(csr):
    """Return the matrix as a new array in C order; entries of one position are summed.

    On the cores one of them does it all: most of the time goes into asking the system for the pages of the result, and two
    cores that ask together take longer than one (11.3 ms instead of 9.3 for 80 MB and a million entries; EPYC, family 25 model
    17, 2026-11).
    """
    xp, dtype, (rows, columns) = csr.xp, csr.data.dtype, csr.shape
    dense = xp.zeros(csr.shape, computed_dtype(dtype))
    tile = max(rows, 1) if one_thread_is_fast(dense) else 1
    spread = csr.indptr, csr.indices, as_operand(csr.data.astype(dense.dtype, copy=False)), columns, dense.reshape(-1)
    backend_of(dense).for_each(-(-rows // tile), _spread_rows, tile, rows, *spread)
    return dense if dense.dtype == dtype else dense.astype(dtype)
