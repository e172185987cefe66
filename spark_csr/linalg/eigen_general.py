"""Eigenvalues of matrices that are not symmetric: SciPy's ARPACK, with products of this package. CuPy has no such solver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from spark_csr.linalg.spectral import find_eigenvalues

if TYPE_CHECKING:
    import numpy as np

    from spark_csr._matrix.types import OperatorLike
    from spark_csr._types import Array, ArrayLike, Progress


def eigs(
    A: OperatorLike,
    k: int = 6,
    M: OperatorLike | None = None,
    sigma: complex | None = None,
    which: Literal["LM", "SM", "LR", "SR", "LI", "SI"] = "LM",
    v0: ArrayLike | None = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: OperatorLike | None = None,
    OPinv: OperatorLike | None = None,
    OPpart: Literal["r", "i"] | None = None,
    rng: int | np.random.Generator | None = None,
    *,
    progress: Progress = None,
) -> tuple[Array, Array] | Any:
    """Return `k` eigenvalues and eigenvectors of a square matrix, or of `A x = w M x`; the eigenvalues are complex.

    Parameters, result and exceptions that are not listed are those of `linalg.eigsh`, but all is on the cores only: CuPy has no
    such solver, so that a matrix on a GPU raises NotImplementedError. `k` is less than n - 1. See the example of `eigsh`.

    Parameters
    ----------
    which : {"LM", "SM", "LR", "SR", "LI", "SI"}, default "LM"
        Which eigenvalues to find: the largest or smallest by absolute value, by real part, or by imaginary part. With `sigma`,
        which
        may be complex, the order is that of `1 / (w - sigma)`, so "LM" finds the nearest.
    OPpart : {"r", "i"}, optional
        The part of the inverse that is used with a complex `sigma` and a real matrix: the real or the imaginary one.
    """
    settings: dict[str, Any] = {"sigma": sigma, "which": which, "v0": v0, "ncv": ncv, "maxiter": maxiter, "tol": tol}
    settings |= {"rng": rng, "Minv": Minv, "OPinv": OPinv, "OPpart": OPpart, "return_eigenvectors": return_eigenvectors}
    return find_eigenvalues("eigs", A, k, M, settings, False, progress)
