"""Matrices above and beside each other, written into one.

Design: a band is what stands side by side. Of a band with one matrix all entries stay in order, so its arrays are copied as
they are. Elsewhere every row of the result takes a piece of each matrix in turn: how far the entries of a row move is written
out once per entry (`repeat`), so that long rows are shared out like short ones. Cost: that number, kept for one matrix a time.
"""

import numpy as np
from numba import njit

from spark_csr._array import as_operand, by_width, index_dtype
from spark_csr.operations import check
from spark_csr.operations.record import Csr
from spark_csr.primitives._memory import room
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.repeat import repeat

FEW = 65536
"""Up to here one core copies faster than two are called; not tuned."""


@njit
def _shift(i, x, by, out):
    here = np.uint64(i)
    out[here] = np.int64(x[here]) + by


@njit
def _take(i, x, out):
    here = np.uint64(i)
    out[here] = x[here]


@njit
def _move(i, shifts, first_column, indices, data, out_indices, out_data):
    """Entry `i` goes as far as its row's entries go, its column as far as its matrix."""
    here = np.uint64(i)
    there = np.uint64(np.int64(i) + np.int64(shifts[here]))
    out_indices[there] = np.int64(indices[here]) + first_column
    out_data[there] = data[here]


def stacked(bands, columns, dtype, xp):
    """The matrix of bands from top to bottom, each `(height, [(first column, record), ...])` with its records from left to
    right; places that no record covers are empty.

    *Cost*: one read of the entries and one write; beside each other one number per entry more, written and read. *Order*: in
    each row as in the records.
    """
    rows = sum(height for height, _ in bands)
    stored = sum(csr.indices.size for _, blocks in bands for _, csr in blocks)
    check.room_for(rows)
    if columns > check.INT64_MAX:
        raise ValueError(f"the shape must stay below 2**63, got {(rows, columns)}")
    what = f"the {stored} entries of {rows} rows"
    out = Csr(
        room(xp, rows + 1, index_dtype(stored), what),
        room(xp, stored, index_dtype(columns), what),
        room(xp, stored, np.dtype(dtype), what),
        (rows, columns),
    )
    out.indptr[0] = 0
    row = at = 0
    for height, blocks in bands:
        size = sum(csr.indices.size for _, csr in blocks)
        entries = slice(at, at + size)
        arrays = out.indptr[row + 1 : row + height + 1], out.indices[entries], out.data[entries]
        if len(blocks) == 1:
            _copy(*blocks[0], at, *arrays)
        else:
            _interleave(blocks, at, *arrays)
        row, at = row + height, at + size
    return out


def _shifted(x, by, out):
    """`out = x + by` in the dtype of `out`, which holds it."""
    if out.size <= FEW:
        np.add(x, by, out=out, dtype=out.dtype, casting="same_kind")
    else:
        for_each(out.size, _shift, as_operand(x), by, out)


def _copy(first_column, csr, at, ends, indices, data):
    """A band of one matrix."""
    _shifted(csr.indptr[1:], at, ends)
    _shifted(csr.indices, first_column, indices)
    if data.size <= FEW or data.dtype != csr.data.dtype:
        data[...] = csr.data
    else:
        for_each(data.size, _take, by_width(as_operand(csr.data)), by_width(data))


def _interleave(blocks, at, ends, indices, data):
    """A band of several: `free` is where the next piece of each row goes."""
    ends[...] = at
    for _, csr in blocks:
        np.add(ends, csr.indptr[1:], out=ends, casting="same_kind")
    free = ends - ends.dtype.type(at)
    counts = [csr.indptr[1:] - csr.indptr[:-1] for _, csr in blocks]
    for count in counts:
        free -= count.astype(free.dtype, copy=False)
    for (first_column, csr), count in zip(blocks, counts, strict=True):
        shifts = repeat(free - csr.indptr[:-1].astype(free.dtype, copy=False), count, total=csr.indices.size)
        values = as_operand(csr.data.astype(data.dtype, copy=False))
        arrays = as_operand(csr.indices), by_width(values), indices, by_width(data)
        for_each(csr.indices.size, _move, shifts, first_column, *arrays)
        free += count.astype(free.dtype, copy=False)
