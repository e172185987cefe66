"""A matrix of its diagonals."""

import numpy as np
from numba import njit

from spark_csr._array import by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr.operations import check
from spark_csr.operations.prune import eliminate_zeros
from spark_csr.operations.record import Csr
from spark_csr.primitives._memory import room
from spark_csr.primitives.foreach import for_each


@njit
def _write_row(row, diagonals, layout, values, indptr, indices, data):
    """Write a row and where it begins: all that the diagonals hold above it is known from where they begin and end.

    `layout` says five things of every diagonal: its first row, its length, its offset, its first value, the step to the next.
    """
    entry = np.int64(0)
    for d in range(diagonals):
        entry += min(max(np.int64(row) - layout[d], np.int64(0)), layout[diagonals + d])
    indptr[row] = entry
    for d in range(diagonals):
        rank = np.int64(row) - layout[d]
        if 0 <= rank < layout[diagonals + d]:
            indices[np.uint64(entry)] = np.int64(row) + layout[2 * diagonals + d]
            data[np.uint64(entry)] = values[np.uint64(layout[3 * diagonals + d] + layout[4 * diagonals + d] * rank)]
            entry += 1


def from_diagonals(values, offsets, shape):
    """The record with `values[d]` on diagonal `offsets[d]`, offsets ascending: copies of one value, else one value a place.
    Zeros are left out.

    *Cost*: one read of the values, one write of the entries; zeros are looked for, and dropped if there are any. One host read.
    """
    xp = namespace_of(*values)
    rows, columns = shape
    check.room_for(rows)
    lengths = [max(0, min(rows + offset, columns - offset, rows, columns)) for offset in offsets]
    firsts = np.cumsum([0] + [x.size for x in values[:-1]])
    steps = [int(x.size > 1) for x in values]
    layout = np.array([[max(0, -offset) for offset in offsets], lengths, offsets, firsts, steps], np.int64)
    values = values[0] if len(values) == 1 else xp.concatenate(values)
    stored = sum(lengths)
    what = f"{rows} rows with {stored} entries on diagonals"
    indptr, indices = room(xp, rows + 1, index_dtype(stored), what), room(xp, stored, index_dtype(columns), what)
    data = room(xp, stored, values.dtype, what)
    arrays = xp.asarray(layout.reshape(-1)), by_width(values), indptr, indices, by_width(data)
    for_each(rows + 1, _write_row, len(offsets), *arrays)
    csr = Csr(indptr, indices, data, shape)
    return eliminate_zeros(csr) if to_host_scalar((values == 0).any()) else csr


def one_diagonal(k, shape, dtype, xp):
    """The record of ones on diagonal `k`. *Cost*: written once, nothing read."""
    rows, columns = shape
    check.room_for(rows)
    above, stored = max(0, -k), max(0, min(rows + k, columns - k, rows, columns))
    what = f"{rows} rows with {stored} entries on a diagonal"
    indptr = room(xp, rows + 1, index_dtype(stored), what)
    indptr[:above] = 0
    indptr[above : above + stored] = xp.arange(stored, dtype=indptr.dtype)
    indptr[above + stored :] = stored
    first = max(0, k)
    return Csr(indptr, xp.arange(first, first + stored, dtype=index_dtype(columns)), xp.ones(stored, dtype), shape)
