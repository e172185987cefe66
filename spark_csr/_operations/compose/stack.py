"""Matrices above and beside each other, written into one.

Design: a band is what stands side by side. Of a band with one matrix all entries stay in order, so its arrays are copied as
they are. Elsewhere every row of the result takes a piece of each matrix in turn. On a GPU, and where a row is long, how far the
entries of a row move is written out once per entry (`repeat`), so that long rows are shared out like short ones. Cost: that
number, kept for one matrix a time. Many small matrices are laid one behind the other first, and then treated all at once.
"""

import itertools

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, one_thread_is_fast, same_device
from spark_csr._engine import njit
from spark_csr._operations.form import check
from spark_csr._operations.form.record import Csr
from spark_csr._operations.select.prune import eliminate_zeros
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.counts import scan_trusted_counts
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.repeat import repeat

FEW = 65536
"""Up to here one core copies faster than two are called; not tuned."""

CORES = 16
"""A row with more than such a part of all entries is shared out among the cores. Not tuned."""

MANY = 16
"""From here on small matrices are treated all at once; not tuned."""

SMALL = 256
"""Entries and rows of a small matrix, on the average; not tuned."""


@njit
def _shift(i, x, by, out):
    out[i] = x[i] + by


@njit
def _take(i, x, out):
    out[i] = x[i]


@njit
def _move(i, shifts, first_column, indices, data, out_indices, out_data):
    """Entry `i` goes as far as its row's entries go, its column as far as its matrix."""
    there = i + shifts[i]
    out_indices[there] = indices[i] + first_column
    out_data[there] = data[i]


@njit
def _move_row(i, starts, indptr, first_column, indices, data, out_indices, out_data):
    start = np.uint64(indptr[i])
    by = np.uint64(starts[i]) - start
    for k in range(start, np.uint64(indptr[i + 1])):
        out_indices[k + by] = indices[k] + first_column
        out_data[k + by] = data[k]


def stack(bands, columns, dtype, xp):
    """Return the matrix of bands from top to bottom, each `(height, [(first column, record), ...])` with its records from left
    to right; positions that no record covers are empty.

    *Cost*: one read of the entries and one write; beside each other one number per entry more, written and read. *Order*: in
    each row as in the records.
    """
    rows = sum(height for height, _ in bands)
    stored = sum(csr.indices.size for _, blocks in bands for _, csr in blocks)
    check.row_count(rows)
    if columns > check.INT64_MAX:
        raise ValueError(f"the shape must stay below 2**63, got {(rows, columns)}")
    what = f"the {stored} entries of {rows} rows"
    out = Csr(
        allocate_array(xp, rows + 1, index_dtype(stored), what),
        allocate_array(xp, stored, index_dtype(columns), what),
        allocate_array(xp, stored, np.dtype(dtype), what),
        (rows, columns),
    )
    out.indptr[0] = 0
    if all(len(blocks) == 1 for _, blocks in bands) and _are_small(len(bands), stored + rows):
        _copy_all([blocks[0] for _, blocks in bands], out.indptr[1:], out.indices, out.data)
        return out
    row = at = 0
    for height, blocks in bands:
        size = sum(csr.indices.size for _, csr in blocks)
        entries = slice(at, at + size)
        arrays = out.indptr[row + 1 : row + height + 1], out.indices[entries], out.data[entries]
        if len(blocks) == 1:
            _copy(*blocks[0], at, *arrays)
        elif _are_small(len(blocks), size + height * len(blocks)):
            _interleave_all(blocks, at, *arrays)
        else:
            _interleave(blocks, at, *arrays)
        row, at = row + height, at + size
    return out


def _shift_all(x, by, out):
    """Compute `out = x + by` in the dtype of `out`, which holds it."""
    if out.size <= FEW:
        np.add(x, by, out=out, dtype=out.dtype, casting="same_kind")
    else:
        for_each(out.size, _shift, as_operand(x), by, out)


def _copy(first_column, csr, at, ends, indices, data):
    """Copy the rows of a band that holds one matrix."""
    _shift_all(csr.indptr[1:], at, ends)
    _shift_all(csr.indices, first_column, indices)
    if data.size <= FEW or data.dtype != csr.data.dtype:
        data[...] = csr.data
    else:
        for_each(data.size, _take, by_width(as_operand(csr.data)), by_width(data))


def _interleave(blocks, at, ends, indices, data):
    """Copy the matrices of a band; `free` says where the part of each in a row goes. The cores copy row by row."""
    ends[...] = at
    for _, csr in blocks:
        np.add(ends, csr.indptr[1:], out=ends, casting="same_kind")
    free = ends - ends.dtype.type(at)
    counts = [csr.indptr[1:] - csr.indptr[:-1] for _, csr in blocks]
    for count in counts:
        free -= count.astype(free.dtype, copy=False)
    by_rows = one_thread_is_fast(data) and all(int(count.max(initial=0)) * CORES <= data.size + FEW for count in counts)
    for (first_column, csr), count in zip(blocks, counts, strict=True):
        values = as_operand(csr.data.astype(data.dtype, copy=False))
        arrays = first_column, as_operand(csr.indices), by_width(values), indices, by_width(data)
        if by_rows:
            for_each(count.size, _move_row, free, csr.indptr, *arrays)
        else:
            shifts = repeat(free - csr.indptr[:-1].astype(free.dtype, copy=False), count, total=csr.indices.size)
            for_each(csr.indices.size, _move, shifts, *arrays)
        free += count.astype(free.dtype, copy=False)


def _are_small(matrices, work):
    return matrices >= MANY and work <= SMALL * matrices


def _lay_out(blocks, indices, data):
    """Write columns and values, one matrix behind the other."""
    xp, records = namespace_of(data), [csr for _, csr in blocks]
    xp.concatenate([csr.data for csr in records], out=data, casting="unsafe")
    xp.concatenate([csr.indices for csr in records], out=indices, casting="same_kind")
    if any(first for first, _ in blocks):
        firsts, sizes = xp.asarray([(first, csr.indices.size) for first, csr in blocks], np.int64).T
        np.add(indices, repeat(firsts, as_operand(sizes), total=indices.size), out=indices, casting="same_kind")


def _copy_all(blocks, ends, indices, data):
    """Bands of one small matrix each."""
    _lay_out(blocks, indices, data)
    xp, records = namespace_of(data), [csr for _, csr in blocks]
    xp.concatenate([csr.indptr[1:] for csr in records], out=ends, casting="same_kind")
    starts = xp.asarray([0, *itertools.accumulate(csr.indices.size for csr in records[:-1])], np.int64)
    heights = xp.asarray([csr.shape[0] for csr in records], np.int64)
    np.add(ends, repeat(starts, heights, total=ends.size), out=ends, casting="same_kind")


def _interleave_all(blocks, at, ends, indices, data):
    """Write a band of small matrices: a part of a row goes behind the parts of the matrices before it."""
    xp, many = namespace_of(data), len(blocks)
    columns, values = xp.empty_like(indices), xp.empty_like(data)
    _lay_out(blocks, columns, values)
    bounds = xp.concatenate([csr.indptr for _, csr in blocks]).reshape(many, -1)
    counts = bounds[:, 1:] - bounds[:, :-1]
    there = scan_trusted_counts(counts.T.reshape(-1))[:-1].reshape(-1, many).T.reshape(-1)
    counts = counts.reshape(-1)
    shifts = repeat(there - scan_trusted_counts(counts)[:-1], counts, total=data.size)
    for_each(data.size, _move, shifts, 0, columns, by_width(values), indices, by_width(data))
    ends[...] = at + counts.reshape(many, -1).sum(axis=0).cumsum()


def dense_diagonal(arrays):
    """Return the record of two-dimensional arrays along the diagonal, without zeros. *Cost*: a fixed number of calls."""
    same_device(*arrays)
    xp, total = namespace_of(arrays[0]), sum(x.size for x in arrays)
    heights, widths = xp.asarray([x.shape for x in arrays], np.int64).T
    rows, columns = (sum(x.shape[axis] for x in arrays) for axis in (0, 1))
    lengths, firsts = (repeat(as_operand(x), as_operand(heights), total=rows) for x in (widths, widths.cumsum() - widths))
    indptr = scan_trusted_counts(lengths)
    indices = repeat(firsts - indptr[:-1], lengths, total=total) + xp.arange(total)
    data = xp.concatenate([x.reshape(-1) for x in arrays])
    csr = Csr.new(check.as_index(indptr, total), check.as_index(indices, columns), data, (rows, columns))
    return eliminate_zeros(csr, spend=True)
