"""Variances of all elements, of every row, or of every column: means first, then sums of squared distances from them.

Design: both are computed in 64 bits, whatever the dtype, so that no mean is rounded before it is subtracted. Cost: a pass over
the entries for each; for columns also an array of the squares.
"""

import numpy as np

from spark_csr._array import by_width
from spark_csr._engine import njit
from spark_csr._operations.form.canonical import sum_duplicates_wide
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.reduce.powers import as_readable, sum_items
from spark_csr._operations.reduce.sums import (
    cast_entries,
    choose_dtype_of_means,
    count_elements,
    entries_of_columns,
    entries_of_rows,
    means,
    sum_entries,
)
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.segmented import check_dtype_of_variances


def variances(csr, axis, dtype=None, ddof=0, root=False):
    """Return the variances of a record along its axis, or their square roots: the second result of `means_and_variances`."""
    return means_and_variances(csr, axis, dtype, ddof, root)[1]


def means_and_variances(csr, axis, dtype=None, ddof=0, root=False):
    """Return the means of a record along its axis, and the variances or their square roots, of entries that are cast to `dtype`
    first.

    An element that is not stored is as far from the mean as 0 is. Of no more elements than `ddof` the variance is NaN or
    infinite, as in NumPy.
    """
    natural = check_dtype_of_variances(choose_dtype_of_means(csr, dtype))
    wide = np.result_type(natural, np.float64)
    csr = sum_duplicates_wide(cast_entries(csr, natural), wide)
    mean = means(csr, axis, wide)
    total = _squares_of_entries(csr, axis, mean) + _squares_of_missing(csr, axis, mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = total / np.float64(max(count_elements(csr, axis) - ddof, 0))
    found = found**0.5 if root else found
    found = found.astype(natural.type(0).real.dtype if dtype is None else natural, copy=False)
    return mean.astype(natural, copy=False), found


@njit(forceinline=True)
def _square(x):
    """Return the square of an absolute value."""
    return x.real * x.real + x.imag * x.imag


@njit(forceinline=True)
def _read_square(operands, position):
    """Return the square of the distance of an entry from the mean of all."""
    data, mean = operands
    return _square(data[position] - mean[0])


@njit(forceinline=True)
def _read_square_in_row(operands, position):
    """Return the square of the distance of an entry from the mean of its row."""
    data, mean, rows = operands
    return _square(data[position] - mean[rows[position]])


@njit
def _store_square(i, data, mean, columns, squares):
    """Store the square of the distance of an entry from the mean of its column."""
    squares[i] = _square(data[i] - mean[columns[i]])


def _squares_of_entries(csr, axis, mean):
    """Return the sum of the squares of the entries' distances from the mean."""
    data = as_readable(csr.data)
    if axis is None:
        return sum_items(csr, axis, _read_square, data, csr.xp.asarray(mean).reshape(1))
    if axis == 1:
        return sum_items(csr, axis, _read_square_in_row, data, mean, csr.plan(rows_of_entries))
    squares = csr.xp.empty(data.size)
    for_each(data.size, _store_square, data, mean, by_width(csr.indices), squares)
    return sum_entries(csr.with_data(squares), axis, squares.dtype)


def _squares_of_missing(csr, axis, mean):
    """Return the sum of the squares of missing elements; 0 where none is missing, also if the square is infinite."""
    count = count_elements(csr, axis)
    if axis is None:
        missing = count - csr.indices.size
        return missing * abs(mean) ** 2 if missing else 0
    missing = count - csr.plan(entries_of_rows if axis == 1 else entries_of_columns)
    return missing * abs(csr.xp.where(missing > 0, mean, 0)) ** 2
