"""The preconditioner of Chebyshev: a polynomial of the matrix, so that products with the matrix are all it takes."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import to_host_scalar
from spark_csr.linalg.operators import solver_dtype
from spark_csr.linalg.preconditioners import Preconditioner, inv_diagonal, square

if TYPE_CHECKING:
    from spark_csr._matrix.base import SparseArray
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array


class Chebyshev(Preconditioner):
    """Products with a polynomial of a matrix that is near its inverse."""

    degree: int
    bounds: tuple[float, float]

    def __init__(self, A: SparseArray, inverse: Array, degree: int, bounds: tuple[float, float]) -> None:
        super().__init__(A.shape[0], A.dtype, A.data)
        self._A, self._inverse, self.degree, self.bounds = A, inverse, degree, bounds

    def matvec(self, x: Array) -> Array:
        """Return the solution after `degree` steps of the Chebyshev iteration from 0, for a vector or for each column."""
        least, greatest = self.bounds
        middle, radius = (greatest + least) / 2, (greatest - least) / 2
        inverse = self._inverse if x.ndim == 1 else self._inverse[:, None]
        x = x.astype(np.promote_types(self.dtype, x.dtype), copy=False)
        step = (1 / middle) * (inverse * x)
        solution, residual, rho = step.copy(), x, radius / middle
        for _ in range(self.degree - 1):
            residual = residual - self._A @ step
            before, rho = rho, 1 / (2 * middle / radius - rho)
            step = (rho * before) * step + (2 * rho / radius) * (inverse * residual)
            solution += step
        return solution

    def rmatvec(self, x: Array) -> Array:
        """Return the same as `matvec`: the matrix is its own conjugate transpose."""
        return self.matvec(x)


def chebyshev(A: MatrixLike, degree: int = 4, bounds: tuple[float, float] | None = None) -> Chebyshev:
    """Return a preconditioner for `M=` of a solver: a Chebyshev polynomial of the matrix that approximates its inverse.

    Parameters, result and exceptions that are not listed are those of `inv_diagonal`. ValueError is raised also if `degree` is
    below 1, or if not `0 < bounds[0] < bounds[1]`. See the example of `jacobi`.

    Parameters
    ----------
    A : (n, n) sparse matrix
        A matrix of this package, of SciPy or of CuPy, symmetric (Hermitian) and positive definite.
    degree : int
        The number of terms of the polynomial. A product with the preconditioner takes `degree - 1` products with the matrix.
        Default: 4.
    bounds : (float, float), optional
        The interval of eigenvalues of `D**-1 A` for which the polynomial is made, where `D` is the diagonal of `A`. No
        eigenvalue must be above the upper bound. Errors that belong to eigenvalues below the lower bound are reduced less.
        Default upper bound: the largest sum of absolute values in a row of `D**-1 A`, which no eigenvalue exceeds. Default
        lower bound: 1/30 of the upper bound.

    Returns
    -------
    Chebyshev
        The preconditioner, an operator with `shape`, `dtype`, `bounds`, `degree`, `matvec`, `rmatvec`, `matmat`, `rmatmat` and
        `@`. It is symmetric and positive definite, as `cg` and `minres` require.

    Notes
    -----
    *Cost*: a copy of the matrix, and a few passes over it. A product takes `degree - 1` products with the matrix and as many
    passes over vectors. A product needs no scalar products of vectors, and the host reads no numbers, which suits GPUs.
    *Order*: the same bits on every run.
    Source: Saad, *Iterative Methods for Sparse Linear Systems*, 2003, section 12.3; Adams et al., *Parallel multigrid
    smoothing: polynomial versus Gauss-Seidel*, 2003.
    """
    matrix = square(A)
    degree = operator.index(degree)
    if degree < 1:
        raise ValueError(f"degree must be at least 1, got {degree}")
    dtype = solver_dtype(matrix)
    matrix = matrix.astype(dtype, copy=True)  # later changes of A do not change the preconditioner
    inverse = inv_diagonal(matrix)
    if bounds is None:
        sums = abs(matrix).sum(axis=1) * abs(inverse)
        greatest = float(to_host_scalar(sums.max())) if sums.size else 1.0
        if not np.isfinite(greatest):
            raise ValueError(f"the matrix must be finite, but a row of D**-1 A has the sum {greatest}: see numpy.isnan(A)")
        bounds = greatest / 30, greatest
    try:
        least, greatest = map(float, bounds)
    except (TypeError, ValueError):
        raise ValueError(f"bounds must be two numbers, got {bounds!r}") from None
    if not 0 < least < greatest:
        raise ValueError(f"bounds must ascend from above zero, got ({least}, {greatest})")
    return Chebyshev(matrix, inverse, degree, (least, greatest))
