"""Eigenvalues of symmetric matrices: SciPy's ARPACK on the cores, CuPy's Lanczos method on a GPU, with products of ours."""

from spark_csr.linalg.spectral import find_eigenvalues


def eigsh(
    A,
    k=6,
    M=None,
    sigma=None,
    which="LM",
    v0=None,
    ncv=None,
    maxiter=None,
    tol=0,
    return_eigenvectors=True,
    Minv=None,
    OPinv=None,
    mode="normal",
    rng=None,
    *,
    progress=None,
):
    """Return `k` eigenvalues and eigenvectors of a symmetric or Hermitian matrix, or of `A x = w M x`.

    Parameters
    ----------
    A : (n, n) sparse matrix, dense array or linear operator
        Ours, SciPy's or CuPy's; of a floating dtype.
    k : int
        How many; below n.
    M : (n, n) sparse matrix, dense array or linear operator, optional
        Symmetric and positive definite; with `sigma` semidefinite is enough. On the cores only, as everything down to `rng`
        but for `which`, `v0`, `ncv`, `maxiter`, `tol` and `return_eigenvectors`.
    sigma : float, optional
        Find the eigenvalues near this number: `A - sigma M` is factorised.
    which : {"LM", "SM", "LA", "SA", "BE"}
        The largest or smallest by absolute value or by value, or from both ends; with `sigma` of `1 / (w - sigma)`, so that
        "LM" is the nearest. The smallest are found fastest with `sigma=0`.
    v0 : (n,) array_like, optional
        Where to begin; default: chosen by `rng`.
    ncv, maxiter : int, optional
        How many vectors are kept, and the most iterations.
    tol : float
        The relative accuracy of the eigenvalues; 0: that of the dtype.
    return_eigenvectors : bool
        Whether to return the vectors too.
    Minv, OPinv : linear operator, optional
        Products with the inverse of `M`, and of `A - sigma M`; default: those of a factorisation.
    mode : {"normal", "buckling", "cayley"}
        Which transformation is used with `sigma`; see SciPy.
    rng : int or numpy.random.Generator, optional
        What chooses `v0`.
    progress : function, optional
        Called as `progress(products, None)` after every product with the matrix, or with `sigma` after every solution of a
        system, not of dense arrays. It costs nothing else: residuals are known at the end only.

    Returns
    -------
    w : (k,) array
        The eigenvalues.
    v : (n, k) array, if `return_eigenvectors`
        Column i belongs to `w[i]`.

    Raises
    ------
    ValueError
        If `v0` does not have n elements.
    TypeError
        If `k` is n or more for a sparse matrix.
    RuntimeError
        If `A - sigma M` is singular, or `M` without a `sigma`.
    scipy.sparse.linalg.ArpackNoConvergence
        If the iterations were not enough; it has those eigenvalues that were found.
    NotImplementedError
        On a GPU, for a parameter that `cupyx.scipy.sparse.linalg.eigsh` does not take.

    Notes
    -----
    *Cost*: a product for every step; with `sigma` one factorisation, and a solution for every step. A linear operator cannot be
    factorised: give `OPinv`, or SciPy solves every system by GMRES to the last bit, which may take minutes in place of a
    second. *Order*: same bits every run for a given `v0`. Source: Lehoucq, Sorensen & Yang, *ARPACK Users' Guide*, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.linalg import eigsh
    >>> w, v = eigsh(poisson((30, 30)), k=3, sigma=0, v0=np.ones(900))
    >>> w.round(4)
    array([0.0205, 0.0512, 0.0512])
    """
    settings = {"sigma": sigma, "which": which, "v0": v0, "ncv": ncv, "maxiter": maxiter, "tol": tol, "mode": mode, "rng": rng}
    settings |= {"Minv": Minv, "OPinv": OPinv, "return_eigenvectors": return_eigenvectors}
    return find_eigenvalues("eigsh", A, k, M, settings, True, progress)
