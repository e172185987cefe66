"""Singular values: SciPy's solvers on the cores and CuPy's on a GPU, with products of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from spark_csr.linalg.spectral import find_singular_values

if TYPE_CHECKING:
    import numpy as np

    from spark_csr._matrix.types import OperatorLike
    from spark_csr._types import Array, ArrayLike, Progress


def svds(
    A: OperatorLike,
    k: int = 6,
    ncv: int | None = None,
    tol: float = 0,
    which: Literal["LM", "SM"] = "LM",
    v0: ArrayLike | None = None,
    maxiter: int | None = None,
    return_singular_vectors: bool | Literal["u", "vh"] = True,
    solver: Literal["arpack", "propack", "lobpcg"] = "arpack",
    rng: int | np.random.Generator | None = None,
    options: dict[str, Any] | None = None,
    *,
    progress: Progress = None,
) -> tuple[Array, Array, Array] | Any:
    """Return `k` singular values and singular vectors of a matrix.

    Parameters, result and exceptions that are not listed are those of `eigsh`. See the example of `eigsh`.

    Parameters
    ----------
    A : (m, n) sparse matrix, dense array or linear operator
        A matrix of this package, SciPy or CuPy. Integers and bools are converted to float64, float16 to float32.
    k : int, default 6
        The number of singular values: less than m and n, or with "propack" at most the smaller of them.
    which : {"LM", "SM"}, default "LM"
        Whether to find the largest or the smallest singular values. "SM" on the cores only.
    v0 : (min(m, n),) array_like, optional
        The vector to start from, for "propack" of m elements. Default: chosen by `rng`. On the cores only.
    return_singular_vectors : {True, False, "u", "vh"}, default True
        Whether to return the singular vectors. "u" and "vh" compute the left or the right ones only, where that takes less
        work, and return None for the others.
    solver : {"arpack", "propack", "lobpcg"}, default "arpack"
        The solver of SciPy to use. On the cores only.
    options : dict, optional
        Reserved by SciPy for options of a solver. On the cores only.

    Returns
    -------
    u : (m, k) array, if `return_singular_vectors`
        The left singular vectors, as columns.
    s : (k,) array
        The singular values.
    vh : (k, n) array, if `return_singular_vectors`
        The right singular vectors, as rows.

    Raises
    ------
    numpy.linalg.LinAlgError
        If "propack" does not find the singular values.
    ValueError
        If `k` is too large.

    Notes
    -----
    The solver is SciPy's on the cores and CuPy's on a GPU; products with sparse matrices are those of this package. *Cost*: one
    product with the matrix and one with its adjoint for every step. The order of the singular values is that of the library.
    With "propack", the values are computed again from the right singular vectors, by one product more, since PROPACK invents
    values if `k` is above the rank of the matrix. On the cores the bits are the same in every run.
    """
    settings: dict[str, Any] = {"ncv": ncv, "tol": tol, "which": which, "v0": v0, "maxiter": maxiter, "solver": solver}
    settings |= {"rng": rng, "options": options, "return_singular_vectors": return_singular_vectors}
    return find_singular_values(A, k, settings, progress)
