"""Where the greatest and least elements are: the first of equals, missing entries counted as the zeros they are.

Design: what decides between a stored entry and the first missing one is found in arrays, so the one kernel that is compiled
for it knows no dtype of values. NaN is both the greatest and the least, as in NumPy (SciPy lets a missing zero win over it).
"""

import numpy as np

from spark_csr._array import to_host_scalar
from spark_csr._engine import njit
from spark_csr._operations.form.canonical import canonical
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.reduce.extremes import meaning_of
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.segmented import reduce_with_positions


def _beats_zero(values, op):
    """Return whether a stored extreme wins against a missing zero."""
    return ((values > 0) if op == "max" else (values < 0)) | (values != values)


@njit
def _find_column(row, indptr, indices, at, wins, ties, columns, out):
    """Find the first missing column by bisection: columns ascend without duplicates; there column and rank part."""
    start, stop = np.int64(indptr[row]), np.int64(indptr[row + 1])
    if start == stop:
        out[row] = 0
    elif wins[row] or stop - start == columns:
        out[row] = indices[at[row]]
    else:
        low, high = start, stop
        while low < high:
            middle = (low + high) >> 1
            if indices[middle] == middle - start:
                low = middle + 1
            else:
                high = middle
        missing = low - start
        out[row] = min(missing, np.int64(indices[at[row]])) if ties[row] else missing


def find_extreme_positions(csr, axis, op, explicit):
    """Return the column of the extreme in every row (`axis` 1), or its row in every column (0), as the platform's integers.

    `op` is "max" or "min". ValueError where rows or columns have no elements. With `explicit` among stored entries only; 0
    where there are none. Cost: one pass over the entries, on a GPU three; for columns, a transposition first.
    """
    if not csr.shape[axis]:
        raise ValueError(f"Cannot apply arg{op} along a zero-sized dimension: the matrix has shape {csr.shape}")
    csr = canonical(csr if axis == 1 else transpose(csr))
    xp, (rows, columns) = csr.xp, csr.shape
    if not csr.data.size:
        return xp.zeros(rows, np.intp)
    monoid, dtype, _ = meaning_of(op, csr.data.dtype)
    found, at = reduce_with_positions(csr.data.astype(dtype, copy=False), csr.indptr, monoid)
    out = xp.empty(rows, np.intp)
    wins = xp.ones(rows, bool) if explicit else _beats_zero(found, op)
    for_each(rows, _find_column, csr.indptr, csr.indices, at, wins, found == 0, columns, out)
    return out


def find_extreme_position(csr, op, explicit):
    """Return the position of the extreme in the matrix read row by row, as a Python int.

    ValueError for a matrix without elements, and for one without entries if `explicit`: then the position is that among the
    stored entries in canonical order, as SciPy's. Cost: one pass over the data; one host read if `explicit`, else up to ten:
    half of them look for the first missing zero.
    """
    rows, columns = csr.shape
    if not rows * columns:
        raise ValueError(f"Cannot apply arg{op} to an empty matrix: its shape is {csr.shape}")
    csr = canonical(csr)
    xp, data = csr.xp, csr.data
    if not data.size:
        if explicit:
            raise ValueError(f"Cannot apply arg{op} to zero matrix when explicit=True: there are no stored entries")
        return 0
    at = to_host_scalar(getattr(data, f"arg{op}")())
    if explicit:
        return at
    value = data[at]
    row = to_host_scalar(xp.searchsorted(csr.indptr, xp.asarray(at, csr.indptr.dtype), side="right")) - 1
    position = row * columns + to_host_scalar(csr.indices[at])
    if data.size == rows * columns or to_host_scalar(_beats_zero(value, op)):
        return position
    missing = _find_first_missing(csr, xp)
    return min(position, missing) if to_host_scalar(value == 0) else missing


def _find_first_missing(csr, xp):
    """Return the first position without an entry: in the first row that has fewer entries than columns."""
    columns = csr.shape[1]
    row = to_host_scalar((csr.indptr[1:] - csr.indptr[:-1] < columns).argmax())
    here = csr.indices[to_host_scalar(csr.indptr[row]) : to_host_scalar(csr.indptr[row + 1])]
    moved = here != xp.arange(here.size, dtype=here.dtype)
    gap = to_host_scalar(moved.argmax()) if here.size else 0
    return row * columns + (gap if here.size and to_host_scalar(moved[gap]) else here.size)
