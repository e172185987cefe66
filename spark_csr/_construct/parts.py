"""Take parts of a matrix: its triangles and its nonzeros."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, overload

from spark_csr._construct._operands import are_all_by_column, read_matrix, wrap
from spark_csr._matrix.base import rows_of
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.select.prune import eliminate_zeros
from spark_csr._operations.select.triangle import triangle

if TYPE_CHECKING:
    from spark_csr._matrix.coo import coo_array
    from spark_csr._matrix.csc import csc_array
    from spark_csr._matrix.csr import csr_array
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, ArrayLike


@overload
def tril(A: MatrixLike | ArrayLike, k: float = ..., format: Literal["coo"] | None = ...) -> coo_array: ...
@overload
def tril(A: MatrixLike | ArrayLike, k: float = ..., *, format: Literal["csr"]) -> csr_array: ...
@overload
def tril(A: MatrixLike | ArrayLike, k: float = ..., *, format: Literal["csc"]) -> csc_array: ...
@overload
def tril(A: MatrixLike | ArrayLike, k: float = ..., format: str | None = ...) -> Any: ...
def tril(A: MatrixLike | ArrayLike, k: float = 0, format: str | None = None) -> Any:
    """Return the entries of a matrix on a diagonal and below it.

    Parameters
    ----------
    A : sparse or dense matrix
        The matrix.
    k : int
        The diagonal: 0 is the main diagonal, positive numbers are above it and negative numbers below it.
    format : str, optional
        A format as `csr_array.asformat` takes it. The default is "coo", as in SciPy.

    Returns
    -------
    coo_array
        A matrix of the shape and dtype of `A`, with all entries that `A` stores there, in their order, or one of another
        `format`. Of a `csr_matrix` or a matrix of another old class of SciPy, the result is of such a class too.

    Raises
    ------
    ValueError
        If the matrix is a vector, or the format is unknown.
    TypeError
        If `k` is not a number.

    See Also
    --------
    triu : Return the entries on a diagonal and above it.

    Notes
    -----
    *Cost*: The function reads the entries once. Scratch memory is one byte and the number of the row for each entry. *Order*:
    The order is kept. *Empty input*: Matrices without rows, columns or entries are allowed.

    Examples
    --------
    >>> from spark_csr import tril, triu
    >>> tril([[1, 2, 3], [4, 5, 6]], k=1).toarray()
    array([[1, 2, 0],
           [4, 5, 6]])
    >>> triu([[1, 2, 3], [4, 5, 6]]).toarray()
    array([[1, 2, 3],
           [0, 5, 6]])
    """
    return _triangle(A, k, format, upper=False)


@overload
def triu(A: MatrixLike | ArrayLike, k: float = ..., format: Literal["coo"] | None = ...) -> coo_array: ...
@overload
def triu(A: MatrixLike | ArrayLike, k: float = ..., *, format: Literal["csr"]) -> csr_array: ...
@overload
def triu(A: MatrixLike | ArrayLike, k: float = ..., *, format: Literal["csc"]) -> csc_array: ...
@overload
def triu(A: MatrixLike | ArrayLike, k: float = ..., format: str | None = ...) -> Any: ...
def triu(A: MatrixLike | ArrayLike, k: float = 0, format: str | None = None) -> Any:
    """Return the entries of a matrix on a diagonal and above it.

    Parameters, result and exceptions are those of `tril`. See the example of `tril`.
    """
    return _triangle(A, k, format, upper=True)


def _triangle(A, k, format, upper):
    if not hasattr(k, "__float__"):
        raise TypeError(f"k must be an integer, got {k!r}")
    flipped = are_all_by_column([A])
    csr, ndim = read_matrix(A, flipped)
    if ndim != 2:
        raise ValueError(f"A must have two dimensions, got a vector of length {csr.shape[1]}: use A.reshape((1, -1))")
    outermost = max(csr.shape)  # beyond, all diagonals are empty
    k = max(-outermost, min(math.ceil(k) if upper else math.floor(k), outermost))
    part = triangle(csr, -k, not upper) if flipped else triangle(csr, k, upper)
    return wrap(part, format or "coo", by_column=flipped, like=(A,))


def find(A: MatrixLike | ArrayLike) -> tuple[Array, Array, Array]:
    """Return the nonzeros of a matrix and their positions.

    Parameters
    ----------
    A : sparse or dense matrix
        The matrix.

    Returns
    -------
    rows : (k,) int32 array (int64 for shapes of 2**31 and more)
        The row of every nonzero, ascending.
    columns : (k,) int32 array (int64 for shapes of 2**31 and more)
        The column of every nonzero, ascending in each row.
    values : (k,) array of the dtype of `A`
        The nonzeros. Duplicates are summed first, and zeros are dropped after that.

    Notes
    -----
    *Cost*: A matrix that is not in canonical format is sorted. Then there is one pass, and the rows are written out. *Empty
    input*: The result is empty.

    Examples
    --------
    >>> from spark_csr import find
    >>> find([[0, 7], [8, 0]])
    (array([0, 1], dtype=int32), array([1, 0], dtype=int32), array([7, 8]))
    """
    csr = eliminate_zeros(sum_duplicates(rows_of(A)))
    return rows_of_entries(csr), csr.indices.copy(), csr.data.copy()
