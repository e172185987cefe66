"""Eigenvalues by blocks of vectors: SciPy's `lobpcg` on the cores, CuPy's on a GPU, with products of ours."""

from spark_csr.linalg.operators import (
    as_array_on,
    as_matrix,
    as_operator,
    call_library,
    count_products,
    device_of_problem,
    function_of,
)


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
    X = as_array_on(X, device, "X")
    settings = {"B": as_operator(B, device), "M": as_operator(M, device), "Y": Y, "tol": tol, "maxiter": maxiter}
    settings |= {"largest": largest, "verbosityLevel": verbosityLevel, "restartControl": restartControl}
    settings |= {"retLambdaHistory": retLambdaHistory, "retResidualNormsHistory": retResidualNormsHistory}
    defaults = {"largest": True, "verbosityLevel": 0, "restartControl": 20}
    defaults |= {"retLambdaHistory": False, "retResidualNormsHistory": False}
    A = count_products(A, device, progress) if progress is not None else as_operator(A, device)
    return call_library(function_of(device, "lobpcg"), (A, X), settings, defaults)
