"""Variances of all elements, of every row, or of every column: means first, then sums of squared distances from them.

Design: both are computed in 64 bits, whatever the dtype, so that no mean is rounded before it is subtracted. Cost: a copy of
the entries of a narrower dtype.
"""

import numpy as np

from spark_csr._array import contiguous
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.reduce.sums import (
    cast_entries,
    choose_dtype_of_means,
    count_elements,
    entries_of_columns,
    entries_of_rows,
    means,
    sum_entries,
)
from spark_csr.primitives.segmented import check_dtype_of_variances
from spark_csr.primitives.sort import gather


def variances(csr, axis, dtype=None, ddof=0, root=False):
    """Return the variances of a record along its axis, or their square roots, of entries that are cast to `dtype` first.

    An element that is not stored is as far from the mean as 0 is. Of no more elements than `ddof` the variance is NaN or
    infinite, as in NumPy.
    """
    natural = check_dtype_of_variances(choose_dtype_of_means(csr, dtype))
    csr = cast_entries(csr, natural)
    csr = sum_duplicates(csr.with_data(csr.data.astype(np.result_type(natural, np.float64), copy=False)))
    mean = means(csr, axis)
    squares = contiguous(_square(csr.data - _at_entries(csr, axis, mean)))
    total = sum_entries(csr.with_data(squares), axis, squares.dtype) + _squares_of_missing(csr, axis, mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = total / np.float64(max(count_elements(csr, axis) - ddof, 0))
    found = found**0.5 if root else found
    return found.astype(natural.type(0).real.dtype if dtype is None else natural, copy=False)


def _square(x):
    """Return the squares of absolute values."""
    return (x * x.conj()).real


def _at_entries(csr, axis, mean):
    """Return the mean that belongs to each entry."""
    if axis is None:
        return mean
    return gather(mean, csr.plan(rows_of_entries) if axis == 1 else csr.indices)


def _squares_of_missing(csr, axis, mean):
    """Return the sum of the squares of missing elements; 0 where none is missing, also if the square is infinite."""
    count = count_elements(csr, axis)
    if axis is None:
        missing = count - csr.indices.size
        return missing * _square(mean) if missing else 0
    missing = count - csr.plan(entries_of_rows if axis == 1 else entries_of_columns)
    return missing * _square(csr.xp.where(missing > 0, mean, 0))
