"""Variances of all elements, of every row, or of every column: means first, then sums of squared distances from them."""

import numpy as np

from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.dtypes import check_dtype, computed_dtype
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.reduce.sums import count_elements, entries_of_columns, entries_of_rows, means, sum_entries
from spark_csr.primitives.sort import gather


def variances(csr, axis, dtype=None, ddof=0):
    """Return the variances of a record along its axis, as `means`: computed in `dtype`, by default that of the means.

    An element that is not stored is as far from the mean as 0 is. Of no more elements than `ddof` the variance is NaN or
    infinite, as in NumPy.
    """
    csr = sum_duplicates(csr)
    natural = np.dtype(np.float64) if csr.data.dtype.kind in "biu" else csr.data.dtype
    natural = natural if dtype is None else check_dtype(dtype)
    computed = computed_dtype(natural)
    mean = means(csr, axis, computed)
    distances = csr.data.astype(computed, copy=False) - _at_entries(csr, axis, mean)
    squares = (distances * distances.conj()).real
    missing = count_elements(csr, axis) - _count_entries(csr, axis)
    total = sum_entries(csr.with_data(squares), axis, squares.dtype) + missing * (mean * mean.conj()).real
    with np.errstate(divide="ignore", invalid="ignore"):
        found = total / squares.dtype.type(max(count_elements(csr, axis) - ddof, 0))
    return found.astype(np.dtype(natural.type(0).real.dtype), copy=False)


def _at_entries(csr, axis, mean):
    """Return the mean that belongs to each entry."""
    if axis is None:
        return mean
    return gather(mean, csr.plan(rows_of_entries) if axis == 1 else csr.indices)


def _count_entries(csr, axis):
    if axis is None:
        return csr.indices.size
    return csr.plan(entries_of_rows if axis == 1 else entries_of_columns)
