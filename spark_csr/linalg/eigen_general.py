"""Eigenvalues of matrices that are not symmetric: SciPy's ARPACK, with products of ours. CuPy has no such solver."""

from spark_csr.linalg.spectral import find_eigenvalues


def eigs(
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
    OPpart=None,
    rng=None,
    *,
    progress=None,
):
    """Return `k` eigenvalues and eigenvectors of a square matrix, or of `A x = w M x`.

    Parameters
    ----------
    A : (n, n) sparse matrix, dense array or linear operator
        Ours or SciPy's, of a floating dtype.
    k : int
        How many; below n - 1.
    M : (n, n) sparse matrix, dense array or linear operator, optional
        Symmetric (Hermitian) and positive definite; with `sigma` semidefinite is enough.
    sigma : float or complex, optional
        Find the eigenvalues near this number: `A - sigma M` is factorised.
    which : {"LM", "SM", "LR", "SR", "LI", "SI"}
        The largest or smallest by absolute value, real part or imaginary part; with `sigma` of `1 / (w - sigma)`, so that "LM"
        is the nearest.
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
    OPpart : {"r", "i"}, optional
        With a complex `sigma` and a real matrix: go by the real or the imaginary part of the inverse.
    rng : int or numpy.random.Generator, optional
        What chooses `v0`.
    progress : function, optional
        As in `eigsh`.

    Returns
    -------
    w : (k,) array
        The eigenvalues, complex.
    v : (n, k) array, if `return_eigenvectors`
        Column i belongs to `w[i]`.

    Raises
    ------
    ValueError
        If `v0` does not have n elements.
    TypeError
        If `k` is n - 1 or more for a sparse matrix.
    RuntimeError
        If `A - sigma M` is singular, or `M` without a `sigma`.
    scipy.sparse.linalg.ArpackNoConvergence
        If the iterations were not enough; it has those eigenvalues that were found.
    NotImplementedError
        On a GPU.

    Notes
    -----
    *Cost* and *Order*: as `eigsh`. Source: Lehoucq, Sorensen & Yang, *ARPACK Users' Guide*, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import diags_array
    >>> from spark_csr.linalg import eigs
    >>> w, v = eigs(diags_array(np.arange(1.0, 21)), k=2, sigma=3.2, v0=np.ones(20))
    >>> np.sort(w.real).round(6)
    array([3., 4.])
    """
    settings = {"sigma": sigma, "which": which, "v0": v0, "ncv": ncv, "maxiter": maxiter, "tol": tol, "rng": rng}
    settings |= {"Minv": Minv, "OPinv": OPinv, "OPpart": OPpart, "return_eigenvectors": return_eigenvectors}
    return find_eigenvalues("eigs", A, k, M, settings, False, progress)
