"""Random values in simple patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import dtypes
from spark_csr.gallery._parts import offsets_of, random_values
from spark_csr.primitives._check import count_of

if TYPE_CHECKING:
    from spark_csr._types import DTypeLike


def uniform(
    rows: int, columns: int, per_row: int, seed: int | np.random.Generator = 0, dtype: DTypeLike = np.float64
) -> csr_array:
    """Return a random matrix with the same number of entries in every row, spread over all columns.

    Parameters
    ----------
    rows : int
        The number of rows.
    columns : int
        The number of columns.
    per_row : int
        The number of entries of each row, at most `columns`.
    seed : int or numpy.random.Generator
        The seed or generator of random numbers. The default is 0.
    dtype : dtype
        The dtype of the values. Floating values lie in [0, 1), and so do both parts of complex values; integers lie in 1..9.
        The default is float64.

    Returns
    -------
    (rows, columns) csr_array
        The matrix. Columns ascend, and there are no duplicates.

    Raises
    ------
    ValueError
        If a count is negative, or `per_row` exceeds `columns`.
    TypeError
        If a count is not an integer, or the dtype is not supported.

    Notes
    -----
    Positions are drawn among `columns - per_row + 1` and sorted, and the k-th is moved k to the right. This maps multisets to
    sets one to one, so no duplicate has to be drawn again. *Cost*: The function draws one random number for each entry and
    sorts every row. *Empty input*: Without rows or entries the matrix has no entries.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.gallery import banded, one_dense_row, rmat, uniform
    >>> np.diff(uniform(4, 100, 3).indptr), np.diff(one_dense_row(3, 99).indptr)
    (array([3, 3, 3, 3], dtype=int32), array([ 2, 99,  2], dtype=int32))
    >>> rmat(6, 4).shape, rmat(6, 4).data.sum()
    ((64, 64), np.float64(256.0))
    >>> (banded(3, 3).toarray() != 0).astype(int)
    array([[1, 1, 0],
           [1, 1, 1],
           [0, 1, 1]])
    """
    rows, columns, per_row = count_of("rows", rows), count_of("columns", columns), count_of("per_row", per_row)
    if per_row > columns:
        raise ValueError(f"per_row must be at most columns = {columns}, got {per_row}")
    dtype, rng = dtypes.check_dtype(dtype), np.random.default_rng(seed)
    index = index_dtype(columns)
    drawn = rng.integers(0, columns - per_row + 1, (rows, per_row), index)
    drawn.sort(axis=1)
    drawn += np.arange(per_row, dtype=index)
    indptr = np.arange(rows + 1, dtype=index_dtype(rows * per_row)) * per_row
    return csr_array((random_values(rng, drawn.size, dtype), drawn.ravel(), indptr), shape=(rows, columns))


def banded(rows: int, per_row: int, seed: int | np.random.Generator = 0, dtype: DTypeLike = np.float64) -> csr_array:
    """Return a square random matrix whose entries lie side by side around the diagonal.

    Parameters, result and exceptions that are not listed are those of `uniform`; the matrix is square. See the example of
    `uniform`.

    Parameters
    ----------
    per_row : int
        The width of the band: `(per_row - 1) // 2` entries left of the diagonal and `per_row // 2` right of it. Rows at the top
        and at the bottom have fewer.
    """
    rows, per_row = count_of("rows", rows), count_of("per_row", per_row)
    dtype, rng = dtypes.check_dtype(dtype), np.random.default_rng(seed)
    row = np.arange(rows)
    starts = np.maximum(row - (per_row - 1) // 2, 0) if per_row else row
    stops = np.minimum(row + per_row // 2 + 1, rows) if per_row else row
    return _runs(starts, stops, rows, rng, dtype)


def one_dense_row(
    rows: int,
    columns: int,
    per_row: int = 2,
    *,
    row: int | None = None,
    seed: int | np.random.Generator = 0,
    dtype: DTypeLike = np.float64,
) -> csr_array:
    """Return a sparse matrix with one full row, a pattern that is slow where one thread handles each row.

    Parameters, result and exceptions that are not listed are those of `uniform`. ValueError is raised if `row` is not one of
    the rows. See the example of `uniform`.

    Parameters
    ----------
    per_row : int
        The number of entries of every other row, at most `columns`: adjacent ones from a random position on. The default is 2.
    row : int, optional
        The row that is full. The default is the middle row.
    """
    rows, columns, per_row = count_of("rows", rows), count_of("columns", columns), count_of("per_row", per_row)
    row = rows // 2 if row is None else count_of("row", row)
    if per_row > columns:
        raise ValueError(f"per_row must be at most columns = {columns}, got {per_row}")
    if rows and row >= rows:
        raise ValueError(f"row must be one of the {rows} rows, got {row}")
    dtype, rng = dtypes.check_dtype(dtype), np.random.default_rng(seed)
    starts = rng.integers(0, columns - per_row + 1, rows)
    stops = starts + per_row
    starts[row : row + 1], stops[row : row + 1] = 0, columns
    return _runs(starts, stops, columns, rng, dtype)


def _runs(starts, stops, columns, rng, dtype):
    """Return a matrix whose row i holds the columns from `starts[i]` up to `stops[i]`."""
    counts = stops - starts
    indptr = offsets_of(counts)
    nnz = int(indptr[-1])
    indices = np.repeat((starts - indptr[:-1]).astype(np.int64), counts)
    indices += np.arange(nnz)
    return csr_array((random_values(rng, nnz, dtype), indices, indptr), shape=(starts.size, columns))
