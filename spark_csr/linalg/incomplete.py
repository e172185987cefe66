"""Preconditioners of incomplete factors with the pattern of the matrix: ILU(0) and IC(0).

Both factors are kept by rows, so that a product is two substitutions, in parallel where the levels of the pattern are wide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import contiguous, overlaps
from spark_csr._matrix.base import keep_pattern, rows_of
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.select.triangle import triangle
from spark_csr._operations.triangular.factor import incomplete_cholesky, incomplete_lu
from spark_csr._operations.triangular.levels import find_sides
from spark_csr._operations.triangular.substitute import substitute
from spark_csr.linalg.operators import solver_dtype
from spark_csr.linalg.preconditioners import Preconditioner, square

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._operations.form.record import Csr
    from spark_csr._types import Array


class _Factors(Preconditioner):
    """Products with the inverse of two triangles."""

    def __init__(self, csr: Csr) -> None:
        super().__init__(csr.shape[0], csr.data.dtype, csr.data)
        self._csr, self._casts = csr, {}

    def _solve(self, name, x, *triangles):
        """Solve with triangles of the record of that name, one after the other; each is a pair of `upper` and `unit`."""
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[0]:
            raise ValueError(f"dimension mismatch: operator {self.shape}, operand {x.shape}")
        dtype = np.promote_types(self.dtype, x.dtype)
        key = name, dtype
        if key not in self._casts:
            csr = getattr(self, name)
            self._casts[key] = csr.as_dtype(dtype)
        solution = contiguous(x, dtype)
        solution = solution.copy() if overlaps(solution, x) else solution
        for upper, unit in triangles:
            substitute(self._casts[key], solution, upper, unit)
        return solution


class IncompleteLU(_Factors):
    """Products with the inverse of `L U`, both of which are kept in one record."""

    _transpose = None

    @property
    def _mirrored(self):
        if self._transpose is None:
            self._transpose = transpose(self._csr)
        return self._transpose

    def matvec(self, x: Array) -> Array:
        """Return the solution of `L U y = x`, for a vector or for each column of a matrix."""
        return self._solve("_csr", x, (False, True), (True, False))

    def rmatvec(self, x: Array) -> Array:
        """Return the solution of `(L U).conj().T y = x`, for a vector or for each column of a matrix."""
        return self._solve("_mirrored", x.conj(), (False, False), (True, True)).conj()


class IncompleteCholesky(_Factors):
    """Products with the inverse of `L L.conj().T`."""

    def __init__(self, csr: Csr) -> None:
        super().__init__(csr)
        mirrored = transpose(csr)
        self._mirrored = mirrored if csr.data.dtype.kind != "c" else mirrored.with_data(mirrored.data.conj())

    def matvec(self, x: Array) -> Array:
        """Return the solution of `L L.conj().T y = x`, for a vector or for each column of a matrix."""
        return self._solve("_mirrored", self._solve("_csr", x, (False, False)), (True, False))

    def rmatvec(self, x: Array) -> Array:
        """Return the same as `matvec`: the matrix is its own conjugate transpose."""
        return self.matvec(x)


def ilu0(A: MatrixLike) -> IncompleteLU:
    """Return the preconditioner ILU(0), for `M=` of a solver: LU factors with entries only where the matrix has entries.

    See the example of `jacobi`.

    Parameters
    ----------
    A : (n, n) sparse matrix
        A matrix of this package, of SciPy or of CuPy, with an entry at every position of the diagonal.

    Returns
    -------
    IncompleteLU
        The preconditioner, an operator with `shape`, `dtype`, `matvec`, `rmatvec`, `matmat`, `rmatmat` and `@`. A product with
        it solves a system with each of the two factors.

    Raises
    ------
    ValueError
        If the matrix is not square, or has no entry at a position of the diagonal. The message names the first such position.
    RuntimeError
        If a pivot is zero or not finite. The message names the first such row.

    Notes
    -----
    *Cost*: a copy of the values, of a matrix of SciPy also of the pattern, and a walk along two rows for every entry left of
    the diagonal. A product makes one pass over the factors. The notes of `spsolve_triangular` say which rows are computed in
    parallel, and what is kept with the matrix. Rows are not exchanged. (`spilu` exchanges rows, and drops entries by size
    instead of by position.) *Order*: the same bits for every number of threads.
    Source: Saad, *Iterative Methods for Sparse Linear Systems*, 2003, section 10.3.
    """
    factors, at = incomplete_lu(keep_pattern(_read(rows_of(square(A))), A))
    if at is not None:
        raise RuntimeError(
            f"the pivot of row {at} is zero or not finite: exchange rows, or add a small multiple of the identity to A"
        )
    return IncompleteLU(factors)


def ic0(A: MatrixLike) -> IncompleteCholesky:
    """Return the preconditioner IC(0), for `M=` of a solver: a Cholesky factor with entries only where the matrix has entries.

    Parameters, result and exceptions that are not listed are those of `ilu0`. The result is symmetric and positive definite, as
    `cg` and `minres` require. RuntimeError is raised if a pivot is not greater than zero, which can happen even if the matrix
    is positive definite. See the example of `jacobi`.

    Parameters
    ----------
    A : (n, n) sparse matrix
        A matrix of this package, of SciPy or of CuPy, symmetric (Hermitian) and positive definite. Only the entries on the
        diagonal and below it are read.

    Notes
    -----
    *Cost*: two copies of the lower triangle, by rows and by columns, and a walk along two rows for every entry below the
    diagonal. A product makes one pass over each copy. The notes of `spsolve_triangular` say which rows are computed in
    parallel. *Order*: the same bits for every number of threads. Source: Meijerink & van der Vorst, *An iterative
    solution method for linear systems of which the coefficient matrix is a symmetric M-matrix*, 1977.
    """
    csr = triangle(_read(rows_of(square(A))), 0, False)
    factor, at = incomplete_cholesky(csr)
    if at is not None:
        raise RuntimeError(
            f"the pivot of row {at} is not above zero, or not finite: A is not positive definite, or needs a larger diagonal, "
            "as A + 0.01 * D has for the diagonal D of A"
        )
    return IncompleteCholesky(factor)


def _read(csr):
    """Return a canonical record in the dtype of solvers; raise ValueError if an entry of the diagonal is missing."""
    csr = sum_duplicates(csr)
    at = csr.plan(find_sides).missing
    if at is not None:
        raise ValueError(f"the factors need entries on all of the diagonal, but A[{at}, {at}] is not stored")
    dtype = solver_dtype(csr.data)
    return csr.as_dtype(dtype)
