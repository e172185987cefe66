"""What stands in for the inverse of a matrix inside a solver: the objects, and division by the diagonal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import namespace_of, refuse_masked, to_host_scalar
from spark_csr.linalg.operators import as_matrix, refuse_others
from spark_csr.primitives._check import find_first_true

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, ArrayLike, DTypeLike


class Preconditioner:
    """A linear operator that approximates the inverse of a matrix, for `M=` of the solvers of this package and of SciPy.

    It is made for a number of rows, the dtype of products with real vectors, and an array on the device of the matrix; none for
    the cores.
    """

    ndim: int = 2
    shape: tuple[int, int]
    dtype: np.dtype

    def __init__(self, size: int, dtype: DTypeLike, holder: Array | None = None) -> None:
        self.shape, self.dtype, self._holder = (size, size), np.dtype(dtype), holder

    def matvec(self, x: Array) -> Array:
        """Return the product with a vector, or with a matrix column by column, on its device."""
        raise NotImplementedError

    def rmatvec(self, x: Array) -> Array:
        """Return the product of the conjugate transpose with a vector, or with a matrix column by column."""
        raise NotImplementedError

    def matmat(self, x: Array) -> Array:
        """Return the product with a matrix: `matvec`."""
        return self.matvec(x)

    def rmatmat(self, x: Array) -> Array:
        """Return the product of the conjugate transpose with a matrix: `rmatvec`."""
        return self.rmatvec(x)

    def __matmul__(self, x: ArrayLike) -> Array:
        xp = np if self._holder is None else namespace_of(self._holder)
        refuse_masked("the operand of @", x)
        vectors = xp.asarray(x)
        refuse_others("the operand of @", vectors)
        if vectors.ndim not in (1, 2) or vectors.shape[0] != self.shape[1]:
            raise ValueError(f"dimension mismatch in @: operator {self.shape}, operand {vectors.shape}")
        return self.matvec(vectors)

    def __repr__(self) -> str:
        return f"<{self.shape[0]}x{self.shape[1]} {type(self).__name__} with dtype={self.dtype}>"


class Diagonal(Preconditioner):
    """Multiplication with a diagonal matrix."""

    def __init__(self, values: Array) -> None:
        super().__init__(values.size, values.dtype, values)
        self.values = values

    def matvec(self, x: Array) -> Array:
        """Return the product with a vector, or with a matrix column by column."""
        return self.values * x if x.ndim == 1 else self.values[:, None] * x

    def rmatvec(self, x: Array) -> Array:
        """Return the product of the conjugate with a vector, or with a matrix column by column."""
        return Diagonal(self.values.conj()).matvec(x)


def square(A: MatrixLike) -> Any:
    """Return a sparse matrix as ours; raise ValueError if it is not square."""
    matrix = as_matrix(A)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={matrix.shape}")
    return matrix


def inv_diagonal(A: MatrixLike) -> Array:
    """Return the reciprocals of the elements of the diagonal.

    See the example of `jacobi`.

    Parameters
    ----------
    A : (n, n) sparse matrix
        A matrix of this package, of SciPy or of CuPy.

    Returns
    -------
    (n,) array
        The reciprocals, of a floating dtype, on the device of the matrix.

    Raises
    ------
    ValueError
        If the matrix is not square, or an element of its diagonal is zero. The message names the first one.

    Notes
    -----
    *Cost*: that of `A.diagonal()`; on a GPU, the host reads one number. *Empty input*: an empty array.
    """
    diagonal = square(A).diagonal()
    at = find_first_true(diagonal == 0)
    if at is not None:
        raise ValueError(f"the diagonal has no inverse: A[{at}, {at}] = {to_host_scalar(diagonal[at])}")
    return 1 / diagonal


def jacobi(A: MatrixLike) -> Diagonal:
    """Return the preconditioner of Jacobi, for `M=` of a solver: it divides by the diagonal of the matrix.

    Parameters, result and exceptions are those of `inv_diagonal`, but the result is an operator with `shape`, `dtype`,
    `matvec`, `rmatvec`, `matmat`, `rmatmat` and `@`. A product takes one pass over a vector.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import gallery, linalg
    >>> A, b = gallery.poisson((30, 30)), np.ones(900)
    >>> made = linalg.jacobi(A), linalg.ic0(A), linalg.ilu0(A), linalg.chebyshev(A)
    >>> [linalg.cg(A, b, M=M)[1] for M in made], linalg.inv_diagonal(A)[:2]
    ([0, 0, 0, 0], array([0.25, 0.25]))
    """
    return Diagonal(inv_diagonal(A))
