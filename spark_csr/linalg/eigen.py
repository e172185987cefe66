"""Eigenvalues of symmetric matrices, with products of this package: SciPy's ARPACK on the cores, CuPy's Lanczos method on a
GPU.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from spark_csr.linalg.spectral import find_eigenvalues

if TYPE_CHECKING:
    import numpy as np

    from spark_csr._matrix.types import OperatorLike
    from spark_csr._types import Array, ArrayLike, Progress


def eigsh(
    A: OperatorLike,
    k: int = 6,
    M: OperatorLike | None = None,
    sigma: float | None = None,
    which: Literal["LM", "SM", "LA", "SA", "BE"] = "LM",
    v0: ArrayLike | None = None,
    ncv: int | None = None,
    maxiter: int | None = None,
    tol: float = 0,
    return_eigenvectors: bool = True,
    Minv: OperatorLike | None = None,
    OPinv: OperatorLike | None = None,
    mode: Literal["normal", "buckling", "cayley"] = "normal",
    rng: int | np.random.Generator | None = None,
    *,
    progress: Progress = None,
) -> tuple[Array, Array] | Any:
    """Return `k` eigenvalues and eigenvectors of a symmetric or Hermitian matrix, or of `A x = w M x`.

    Parameters
    ----------
    A : (n, n) sparse matrix, dense array or linear operator
        A matrix of this package, SciPy or CuPy. On the cores, `A` and `M` are converted to their common
        dtype if these differ, integers and bools to float64, and float16 to float32.
    k : int, default 6
        The number of eigenvalues; less than n.
    M : (n, n) sparse matrix, dense array or linear operator, optional
        A symmetric positive definite matrix; with `sigma` a semidefinite one is enough. On the cores only.
    sigma : float, optional
        Find the eigenvalues near this number: `A - sigma M` is factorised. On the cores only.
    which : {"LM", "SM", "LA", "SA", "BE"}, default "LM"
        Which eigenvalues to find: the largest or smallest by absolute value, the largest or smallest by value, or half of them
        from each end. With `sigma` the order is that of `1 / (w - sigma)`, so "LM" finds the nearest. `sigma=0` is the fastest
        way to the smallest.
    v0 : (n,) array_like, optional
        The vector to start from. Default: chosen by `rng`.
    ncv : int, optional
        The number of vectors that are kept. Default: chosen by the library.
    maxiter : int, optional
        The largest number of iterations. Default: chosen by the library.
    tol : float, default 0
        The relative accuracy of the eigenvalues; 0 is the precision of the dtype.
    return_eigenvectors : bool, default True
        Whether to return the eigenvectors too.
    Minv : linear operator, optional
        Products with the inverse of `M`. Default: solutions with a factorisation of `M`. On the cores only.
    OPinv : linear operator, optional
        Products with the inverse of `A - sigma M`. Default: solutions with a factorisation. On the cores only.
    mode : {"normal", "buckling", "cayley"}, default "normal"
        The transformation that is used with `sigma`; see `scipy.sparse.linalg.eigsh`. On the cores only.
    rng : int or numpy.random.Generator, optional
        The source of random numbers for `v0`. Default: the same numbers in every call. On the cores only.
    progress : bool or function, optional
        True shows the products on stderr: a bar of tqdm if that is installed, else lines. A function is called as
        `progress(products, None)` after every product with the matrix; with `sigma` after every solution of a system, but not
        for dense arrays. `progress` causes no further products. Residuals are not known before the end.

    Returns
    -------
    w : (k,) array
        The eigenvalues.
    v : (n, k) array, if `return_eigenvectors`
        The eigenvectors: column i belongs to `w[i]`.

    Raises
    ------
    ValueError
        If `v0` does not have n elements.
    TypeError
        If `k` is n or more for a sparse matrix.
    RuntimeError
        If `A - sigma M` is singular; without `sigma`, if `M` is singular.
    scipy.sparse.linalg.ArpackNoConvergence
        If the iterations were not enough. The exception holds the eigenvalues that were found.

    Notes
    -----
    The solver is SciPy's on the cores and CuPy's on a GPU. Products with sparse matrices are those of this package. The
    factorisations for `sigma` and `M` are those of SciPy's SuperLU. *Cost*: one product for every step. With `sigma` one
    factorisation, and one solution for every step. A linear operator cannot be factorised: give `OPinv`, else SciPy solves
    every system by GMRES to full precision, which may take minutes instead of a second. *Order*: the same bits in every run; on
    a GPU only for a given `v0`. Source: Lehoucq, Sorensen & Yang, *ARPACK Users' Guide*, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import diags_array, linalg
    >>> A, start = diags_array(np.arange(1.0, 21)), np.ones(20)
    >>> w, v = linalg.eigsh(A, k=2, sigma=0, v0=start)
    >>> np.sort(w).round(6)
    array([1., 2.])
    >>> np.sort(linalg.eigs(A, k=2, sigma=3.2, v0=start)[0].real).round(6)
    array([3., 4.])
    >>> s = linalg.svds(A, k=2, v0=start, return_singular_vectors=False)
    >>> np.sort(s).round(6)
    array([19., 20.])
    >>> X = np.eye(20)[:, -2:] + 0.01
    >>> linalg.lobpcg(A, X, tol=1e-8, maxiter=100)[0].round(6)
    array([20., 19.])
    """
    settings: dict[str, Any] = {"sigma": sigma, "which": which, "v0": v0, "ncv": ncv, "maxiter": maxiter, "tol": tol}
    settings |= {"mode": mode, "rng": rng, "Minv": Minv, "OPinv": OPinv, "return_eigenvectors": return_eigenvectors}
    return find_eigenvalues("eigsh", A, k, M, settings, True, progress)
