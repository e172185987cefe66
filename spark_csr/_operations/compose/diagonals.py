"""A matrix of its diagonals."""

import numpy as np

from spark_csr._array import by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._engine import njit
from spark_csr._operations.form import check
from spark_csr._operations.form.record import Csr
from spark_csr._operations.select.prune import eliminate_zeros
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each

TILE = 128
"""Rows that a core writes at a time, so that it counts references to arrays once for all; 1024 is slower (EPYC, 2026-11)."""

LARGE = 1 << 20
"""Rows from which several cores write a diagonal of one value: what takes time is that they touch new memory. Below it is not
worth a kernel. 5 million rows: 6 ms, by NumPy 10 ms (two cores of an EPYC, family 25 model 17, 2026-11)."""

LINE = 512
"""Rows of such a diagonal that a core writes at a time: 128 and 1024 took up to a tenth longer (the same processor)."""


@njit
def _write_rows(t, tile, rows, diagonals, layout, values, indptr, indices, data):
    """Write `tile` rows and where they begin: all that the diagonals hold above is known from where they begin and end.

    `layout` says five things of every diagonal: its first row, its length, its offset, its first value, the step to the next.
    """
    start = t * tile
    entry = np.int64(0)
    for d in range(diagonals):
        entry += min(max(start - layout[5 * d], np.int64(0)), layout[5 * d + 1])
    for row in range(start, min(start + tile, rows)):
        indptr[row] = entry
        for d in range(diagonals):
            rank = row - layout[5 * d]
            if 0 <= rank < layout[5 * d + 1]:
                indices[entry] = row + layout[5 * d + 2]
                data[entry] = values[layout[5 * d + 3] + layout[5 * d + 4] * rank]
                entry += 1


def from_diagonals(values, offsets, shape):
    """Return the record with `values[d]` on diagonal `offsets[d]`, which ascend: one value for all positions, or one for each.
    Zeros are left out.

    *Cost*: one read of the values, one write of the entries; zeros are looked for, and dropped if there are any. One host read,
    two where there are.
    """
    xp = namespace_of(*values)
    rows, columns = shape
    check.row_count(rows)
    if len(values) == 1:
        csr = one_diagonal(offsets[0], shape, values[0].dtype, xp, values[0])
        return eliminate_zeros(csr, spend=True) if to_host_scalar((values[0] == 0).any()) else csr
    lengths = [max(0, min(rows + offset, columns - offset, rows, columns)) for offset in offsets]
    firsts = np.cumsum([0] + [x.size for x in values[:-1]])
    steps = [int(x.size > 1) for x in values]
    layout = np.array([[max(0, -offset) for offset in offsets], lengths, offsets, firsts, steps], np.int64)
    layout = xp.asarray(layout.T.reshape(-1))
    values = xp.concatenate(values)
    stored = sum(lengths)
    what = f"{rows} rows with {stored} entries on diagonals"
    indptr, indices = (
        allocate_array(xp, rows + 1, index_dtype(stored), what),
        allocate_array(xp, stored, index_dtype(columns), what),
    )
    data = allocate_array(xp, stored, values.dtype, what)
    arrays = by_width(values), indptr, indices, by_width(data)
    tile = TILE if xp is np else 1
    for_each(-(-rows // tile), _write_rows, tile, rows, len(offsets), layout, *arrays)
    indptr[rows:] = stored
    csr = Csr.new(indptr, indices, data, shape)
    return eliminate_zeros(csr, spend=True) if to_host_scalar((values == 0).any()) else csr


@njit
def _write_line(t, tile, rows, above, stored, first, value, indptr, indices, data):
    """Write `tile` rows of a diagonal that begins in row `above` and column `first`, and where they begin."""
    start, zero = t * tile, np.int64(0)
    stop = min(start + tile, rows)
    for row in range(np.uint64(start), np.uint64(stop)):
        indptr[row] = min(max(np.int64(row) - above, zero), stored)
    low = np.uint64(min(max(start - above, zero), stored))
    high = np.uint64(min(max(stop - above, zero), stored))
    number = value[0]
    for rank in range(low, high):
        indices[rank] = np.int64(rank) + first
        data[rank] = number


def one_diagonal(k, shape, dtype, xp, values=1):
    """Return the record with a number, or the elements of an array, on diagonal `k`. *Cost*: one write."""
    rows, columns = shape
    check.row_count(rows)
    above, first, stored = max(0, -k), max(0, k), max(0, min(rows + k, columns - k, rows, columns))
    what = f"{rows} rows with {stored} entries on a diagonal"
    data = allocate_array(xp, stored, dtype, what)
    if xp is np and rows >= LARGE and np.size(values) == 1:
        indptr, indices = (
            allocate_array(xp, rows + 1, index_dtype(stored), what),
            allocate_array(xp, stored, index_dtype(columns), what),
        )
        value = by_width(np.full(1, values, dtype))
        for_each(-(-rows // LINE), _write_line, LINE, rows, above, stored, first, value, indptr, indices, by_width(data))
        indptr[rows] = stored
        return Csr.new(indptr, indices, data, shape)
    data[...] = values
    if stored == rows:
        indptr = xp.arange(rows + 1, dtype=index_dtype(stored))
    else:
        indptr = allocate_array(xp, rows + 1, index_dtype(stored), what)
        indptr[:above] = 0
        indptr[above : above + stored] = xp.arange(stored, dtype=indptr.dtype)
        indptr[above + stored :] = stored
    return Csr.new(indptr, xp.arange(first, first + stored, dtype=index_dtype(columns)), data, shape)
