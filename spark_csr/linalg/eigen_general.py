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
    """Return `k` eigenvalues and eigenvectors of a square matrix, or of `A x = w M x`.

    Parameters
    ----------
    A : (n, n) sparse matrix, dense array or linear operator
        A matrix of this package or SciPy. On the cores, `A` and `M` are converted to their common
        dtype if these differ, integers and bools to float64, and float16 to float32.
    k : int, default 6
        The number of eigenvalues; less than n - 1.
    M : (n, n) sparse matrix, dense array or linear operator, optional
        A symmetric (Hermitian) positive definite matrix; with `sigma` a semidefinite one is enough.
    sigma : float or complex, optional
        Find the eigenvalues near this number: `A - sigma M` is factorised.
    which : {"LM", "SM", "LR", "SR", "LI", "SI"}, default "LM"
        Which eigenvalues to find: the largest or smallest by absolute value, by real part, or by imaginary part. With `sigma`
        the order is that of `1 / (w - sigma)`, so "LM" finds the nearest.
    v0 : (n,) array_like, optional
        The vector to start from. Default: chosen by `rng`.
    ncv : int, optional
        The number of vectors that are kept. Default: chosen by SciPy.
    maxiter : int, optional
        The largest number of iterations. Default: chosen by SciPy.
    tol : float, default 0
        The relative accuracy of the eigenvalues; 0 is the precision of the dtype.
    return_eigenvectors : bool, default True
        Whether to return the eigenvectors too.
    Minv : linear operator, optional
        Products with the inverse of `M`. Default: solutions with a factorisation of `M`.
    OPinv : linear operator, optional
        Products with the inverse of `A - sigma M`. Default: solutions with a factorisation.
    OPpart : {"r", "i"}, optional
        The part of the inverse that is used with a complex `sigma` and a real matrix: the real or the imaginary one.
    rng : int or numpy.random.Generator, optional
        The source of random numbers for `v0`. Default: the same numbers in every call.
    progress : bool or function, optional
        True shows the products on stderr: a bar of tqdm if that is installed, else lines. A function is called as
        `progress(products, None)` after every product with the matrix; with `sigma` after every solution of a system, but not
        for dense arrays. `progress` causes no further products.

    Returns
    -------
    w : (k,) array
        The eigenvalues, complex.
    v : (n, k) array, if `return_eigenvectors`
        The eigenvectors: column i belongs to `w[i]`.

    Raises
    ------
    ValueError
        If `v0` does not have n elements.
    TypeError
        If `k` is n - 1 or more for a sparse matrix.
    RuntimeError
        If `A - sigma M` is singular; without `sigma`, if `M` is singular.
    scipy.sparse.linalg.ArpackNoConvergence
        If the iterations were not enough. The exception holds the eigenvalues that were found.
    NotImplementedError
        If the matrix is on a GPU.

    Notes
    -----
    The solver is SciPy's. Products with sparse matrices are those of this package; the factorisations for `sigma` and `M` are
    those of SciPy's SuperLU. *Cost*: one product for every step. With `sigma` one factorisation, and one solution for every
    step. A linear operator cannot be factorised: give `OPinv`, else SciPy solves every system by GMRES to full precision.
    *Order*: the same bits in every run. Source: Lehoucq, Sorensen & Yang, *ARPACK Users' Guide*, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import diags_array
    >>> from spark_csr.linalg import eigs
    >>> w, v = eigs(diags_array(np.arange(1.0, 21)), k=2, sigma=3.2, v0=np.ones(20))
    >>> np.sort(w.real).round(6)
    array([3., 4.])
    """
    settings: dict[str, Any] = {
        "sigma": sigma,
        "which": which,
        "v0": v0,
        "ncv": ncv,
        "maxiter": maxiter,
        "tol": tol,
        "rng": rng,
    }
    settings |= {"Minv": Minv, "OPinv": OPinv, "OPpart": OPpart, "return_eigenvectors": return_eigenvectors}
    return find_eigenvalues("eigs", A, k, M, settings, False, progress)
