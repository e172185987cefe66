"""Parts of a matrix: its triangles, its nonzeros."""

import math

from spark_csr._construct._operands import are_all_by_column, read_matrix, wrap
from spark_csr._matrix.base import rows_of
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.select.prune import eliminate_zeros
from spark_csr._operations.select.triangle import triangle


def tril(A, k=0, format=None):
    """The entries on a diagonal and below it.

    Parameters
    ----------
    A : sparse or dense matrix
    k : int
        Which diagonal: 0 the main one, above 0 above it, below 0 below.
    format : str, optional
        As `csr_array.asformat` takes it; default: "csc" for a matrix in that format, else "csr".

    Returns
    -------
    csr_array or csc_array
        Of the shape and dtype of `A`; all entries that it stores there, in their order.

    Raises
    ------
    ValueError
        If the matrix is a vector, or the format unknown.
    TypeError
        If `k` is no number.

    Notes
    -----
    *Cost*: a mask of one byte per entry, and the number of its row besides, which are dropped again; the entries are read once.
    *Empty input*: legal.

    Examples
    --------
    >>> from spark_csr import tril
    >>> tril([[1, 2, 3], [4, 5, 6]], k=1).toarray()
    array([[1, 2, 0],
           [4, 5, 6]])
    """
    return _triangle(A, k, format, upper=False)


def triu(A, k=0, format=None):
    """The entries on a diagonal and above it; otherwise as `tril`.

    Examples
    --------
    >>> from spark_csr import triu
    >>> triu([[1, 2, 3], [4, 5, 6]]).toarray()
    array([[1, 2, 3],
           [0, 5, 6]])
    """
    return _triangle(A, k, format, upper=True)


def _triangle(A, k, format, upper):
    if not hasattr(k, "__float__"):
        raise TypeError(f"k must be an integer, got {k!r}")
    flipped = are_all_by_column([A])
    csr, ndim = read_matrix(A, flipped)
    if ndim != 2:
        raise ValueError(f"a triangle needs two dimensions, got a vector of length {csr.shape[1]}")
    outermost = max(csr.shape)  # beyond, all diagonals are empty
    k = max(-outermost, min(math.ceil(k) if upper else math.floor(k), outermost))
    part = triangle(csr, -k, not upper) if flipped else triangle(csr, k, upper)
    return wrap(part, format, by_column=flipped)


def find(A):
    """The nonzeros, and where they are.

    Parameters
    ----------
    A : sparse or dense matrix

    Returns
    -------
    rows, columns : (k,) int32 arrays (int64 for shapes of 2**31 and more)
    values : (k,) array of the dtype of `A`
        Row by row, columns ascending; entries of one position are summed, and zeros left out after that.

    Notes
    -----
    *Cost*: a matrix that is not in canonical format is sorted; then one pass, and the rows are written out. *Empty input*: no
    nonzeros.

    Examples
    --------
    >>> from spark_csr import find
    >>> find([[0, 7], [8, 0]])
    (array([0, 1], dtype=int32), array([1, 0], dtype=int32), array([7, 8]))
    """
    csr = eliminate_zeros(sum_duplicates(rows_of(A)))
    return rows_of_entries(csr), csr.indices.copy(), csr.data.copy()
