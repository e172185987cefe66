"""Random values in plain patterns."""

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import dtypes
from spark_csr.gallery._parts import count_of, offsets_of, random_values


def uniform(rows, columns, per_row, seed=0, dtype=np.float64):
    """A random matrix with the same number of entries in every row, spread over all columns.

    Parameters
    ----------
    rows, columns : int
    per_row : int
        Entries of each row, at most `columns`.
    seed : int or numpy.random.Generator
    dtype : dtype
        Floating and complex values lie in [0, 1) (both parts), integers in 1..9.

    Returns
    -------
    (rows, columns) csr_array
        Columns ascend, no duplicates.

    Raises
    ------
    ValueError
        If a count is negative or `per_row` exceeds `columns`.

    Notes
    -----
    Draws from `columns - per_row + 1` positions are sorted, and the k-th moves k to the right: this is how multisets become
    sets, one to one, so no duplicate has to be drawn again. *Cost*: one random number and one sort of `per_row` per row.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.gallery import uniform
    >>> A = uniform(4, 100, 3)
    >>> np.diff(A.indptr)
    array([3, 3, 3, 3], dtype=int32)
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


def banded(rows, per_row, seed=0, dtype=np.float64):
    """A square matrix whose entries lie side by side around the diagonal.

    Parameters
    ----------
    rows : int
    per_row : int
        Width of the band: `(per_row - 1) // 2` entries left of the diagonal, `per_row // 2` right of it. Rows at the top and
        bottom have fewer.
    seed : int or numpy.random.Generator
    dtype : dtype
        Values as in `uniform`.

    Returns
    -------
    (rows, rows) csr_array
        Columns ascend, no duplicates.

    Raises
    ------
    ValueError
        If a count is negative.

    Notes
    -----
    *Cost*: a few passes over the columns.

    Examples
    --------
    >>> from spark_csr.gallery import banded
    >>> (banded(4, 3).toarray() != 0).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1],
           [0, 0, 1, 1]])
    """
    rows, per_row = count_of("rows", rows), count_of("per_row", per_row)
    dtype, rng = dtypes.check_dtype(dtype), np.random.default_rng(seed)
    row = np.arange(rows)
    starts = np.maximum(row - (per_row - 1) // 2, 0) if per_row else row
    stops = np.minimum(row + per_row // 2 + 1, rows) if per_row else row
    return _runs(starts, stops, rows, rng, dtype)


def one_dense_row(rows, columns, per_row=2, *, row=None, seed=0, dtype=np.float64):
    """One full row in an otherwise sparse matrix: the pattern that breaks "one thread per row".

    Parameters
    ----------
    rows, columns : int
    per_row : int
        Entries of every other row, at most `columns`: a run at a random position.
    row : int, optional
        Which row is full; default: the middle one.
    seed : int or numpy.random.Generator
    dtype : dtype
        Values as in `uniform`.

    Returns
    -------
    (rows, columns) csr_array
        Columns ascend, no duplicates.

    Raises
    ------
    ValueError
        If a count is negative, `per_row` exceeds `columns`, or `row` is not one of the rows.

    Notes
    -----
    *Cost*: a few passes over the columns. *Empty input*: without rows there is no full one.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.gallery import one_dense_row
    >>> np.diff(one_dense_row(5, 1000).indptr)
    array([   2,    2, 1000,    2,    2], dtype=int32)
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
    """Row i holds the columns `starts[i]` to `stops[i]`."""
    counts = stops - starts
    indptr = offsets_of(counts)
    nnz = int(indptr[-1])
    indices = np.repeat((starts - indptr[:-1]).astype(np.int64), counts)
    indices += np.arange(nnz)
    return csr_array((random_values(rng, nnz, dtype), indices, indptr), shape=(starts.size, columns))
