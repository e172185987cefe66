"""Eigenvalues and singular values: SciPy's solvers on the cores, CuPy's on a GPU, with products of ours."""

import numpy as np

from spark_csr.linalg.operators import as_matrix, as_operator, call, counted, device_of_problem, library, on_device
from spark_csr.methods.base import SparseArray


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
    """`k` eigenvalues and eigenvectors of a symmetric or Hermitian matrix.

    Parameters and results are those of `scipy.sparse.linalg.eigsh`, for every matrix of this package; on a GPU arrays are
    CuPy's, and what `cupyx.scipy.sparse.linalg.eigsh` does not take is a NotImplementedError. `progress(products, None)` is
    called after every product with the matrix, and costs nothing else: the residuals are known at the end only.

    Notes
    -----
    *Cost*: a product for every step; with `sigma` or `M` SciPy factorises a copy. *Order*: same bits every run for a given
    `v0`. Source: Lehoucq, Sorensen & Yang, *ARPACK Users' Guide*, 1998.
    """
    settings = {"sigma": sigma, "which": which, "v0": v0, "ncv": ncv, "maxiter": maxiter, "tol": tol, "mode": mode, "rng": rng}
    settings |= {"M": M, "Minv": Minv, "OPinv": OPinv, "return_eigenvectors": return_eigenvectors}
    factorised = sigma is not None or M is not None or mode != "normal"
    return _spectral("eigsh", A, k, settings, v0, factorised, progress)


def svds(
    A,
    k=6,
    ncv=None,
    tol=0,
    which="LM",
    v0=None,
    maxiter=None,
    return_singular_vectors=True,
    solver="arpack",
    rng=None,
    options=None,
    *,
    progress=None,
):
    """`k` singular values and vectors of a matrix.

    Parameters and results are those of `scipy.sparse.linalg.svds`, for every matrix of this package; on a GPU arrays are
    CuPy's, and what `cupyx.scipy.sparse.linalg.svds` does not take is a NotImplementedError. `progress` as in `eigsh`.
    """
    settings = {"ncv": ncv, "tol": tol, "which": which, "v0": v0, "maxiter": maxiter, "solver": solver, "rng": rng}
    settings |= {"options": options, "return_singular_vectors": return_singular_vectors}
    return _spectral("svds", A, k, settings, v0, False, progress)


DEFAULTS = {"which": "LM", "tol": 0, "mode": "normal", "solver": "arpack", "return_eigenvectors": True}
DEFAULTS |= {"return_singular_vectors": True}


def _spectral(name, A, k, settings, v0, factorised, progress):
    A = as_matrix(A)
    _check_spectral(name, A, k, v0)
    device = device_of_problem(A, v0)
    if device == "cpu" and factorised:
        A = A.to_scipy() if isinstance(A, SparseArray) else A
        settings = {key: x.to_scipy() if isinstance(x, SparseArray) else x for key, x in settings.items()}
    elif progress is not None:
        A = counted(A, device, progress)
    else:
        A = as_operator(A, device)
    return call(getattr(library(device), name), (A, k), settings, DEFAULTS)


def _check_spectral(name, A, k, v0):
    """ARPACK reads as many elements of `v0` as it needs, whether they are there or not."""
    n = min(A.shape)
    if v0 is not None and np.shape(v0) not in ((n,), (n, 1)):
        raise ValueError(f"v0 must have shape ({n},), got {np.shape(v0)}")
    if name == "eigsh" and isinstance(A, SparseArray) and k >= n:
        raise TypeError(f"k must be below the {n} rows of a sparse matrix, got {k}: use numpy.linalg.eigh(A.toarray())")


def lobpcg(
    A,
    X,
    B=None,
    M=None,
    Y=None,
    tol=None,
    maxiter=None,
    largest=True,
    verbosityLevel=0,
    retLambdaHistory=False,
    retResidualNormsHistory=False,
    restartControl=20,
    *,
    progress=None,
):
    """Some extreme eigenvalues and eigenvectors of a symmetric matrix, from a block of guesses `X` and a preconditioner `M`.

    Parameters and results are those of `scipy.sparse.linalg.lobpcg`, for every matrix of this package; `M` may be `jacobi(A)`.
    On a GPU arrays are CuPy's. `progress` as in `eigsh`; residual norms come with `retResidualNormsHistory`.

    Notes
    -----
    *Cost*: a product with a block for every step. Source: Knyazev, *Toward the Optimal Preconditioned Eigensolver*, 2001.
    """
    A = as_matrix(A)
    device = device_of_problem(A, X)
    X = on_device(X, device, "X")
    settings = {"B": as_operator(B, device), "M": as_operator(M, device), "Y": Y, "tol": tol, "maxiter": maxiter}
    settings |= {"largest": largest, "verbosityLevel": verbosityLevel, "restartControl": restartControl}
    settings |= {"retLambdaHistory": retLambdaHistory, "retResidualNormsHistory": retResidualNormsHistory}
    defaults = {"largest": True, "verbosityLevel": 0, "restartControl": 20}
    defaults |= {"retLambdaHistory": False, "retResidualNormsHistory": False}
    A = counted(A, device, progress) if progress is not None else as_operator(A, device)
    return call(library(device).lobpcg, (A, X), settings, defaults)
