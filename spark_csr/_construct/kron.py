"""Compute the Kronecker product of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from spark_csr._construct._operands import read_matrix, wrap
from spark_csr._operations.compose.kron import kron as kron_of_records

if TYPE_CHECKING:
    from spark_csr._matrix.coo import coo_array
    from spark_csr._matrix.csc import csc_array
    from spark_csr._matrix.csr import csr_array
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import ArrayLike


@overload
def kron(A: MatrixLike | ArrayLike, B: MatrixLike | ArrayLike, format: Literal["csr"] | None = ...) -> csr_array: ...
@overload
def kron(A: MatrixLike | ArrayLike, B: MatrixLike | ArrayLike, format: Literal["csc"]) -> csc_array: ...
@overload
def kron(A: MatrixLike | ArrayLike, B: MatrixLike | ArrayLike, format: Literal["coo"]) -> coo_array: ...
@overload
def kron(A: MatrixLike | ArrayLike, B: MatrixLike | ArrayLike, format: str | None) -> Any: ...
def kron(A: MatrixLike | ArrayLike, B: MatrixLike | ArrayLike, format: str | None = None) -> Any:
    """Return the Kronecker product of two matrices.

    It has a copy of `B` in place of every entry of `A`, multiplied by that entry. Parameters, result and exceptions that are
    not listed are those of `hstack`; ValueError is raised also if the shape reaches 2**63.

    Parameters
    ----------
    A : sparse or dense matrix, shape (m, n)
        The matrix whose entries are replaced. A vector counts as one row.
    B : sparse or dense matrix, shape (p, q)
        The matrix that replaces them, on the same device. A vector counts as one row.

    Returns
    -------
    (m*p, n*q) csr_array
        The product, of dtype `numpy.result_type(A, B)`, or a matrix of another `format`; the product of two vectors is a
        vector. Entry `(i*p + k, j*q + l)` is `A[i, j] * B[k, l]`. Only products of stored entries are stored. Rows are sorted
        if those of `A` and `B` are. Of `csr_matrix` and other old classes of SciPy only, the result is of such a class too.

    Notes
    -----
    *Cost*: The function writes the result once, and reads `A` and `B` as often as they leave the caches. It does not sort.
    *Order*: The result has the same bits in every run. *Empty input*: Matrices without rows, columns or entries are allowed.

    Examples
    --------
    >>> from spark_csr import kron
    >>> kron([[1, 0], [0, 10]], [[1, 2], [3, 4]]).toarray()
    array([[ 1,  2,  0,  0],
           [ 3,  4,  0,  0],
           [ 0,  0, 10, 20],
           [ 0,  0, 30, 40]])
    """
    (left, left_ndim), (right, right_ndim) = read_matrix(A), read_matrix(B)
    return wrap(kron_of_records(left, right), format, max(left_ndim, right_ndim), like=(A, B))
