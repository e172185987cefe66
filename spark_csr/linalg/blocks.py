"""Eigenvalues by blocks of vectors: SciPy's `lobpcg` on the cores and CuPy's on a GPU, with products of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr._matrix.base import SparseArray
from spark_csr._progress import watch
from spark_csr.linalg import near_one
from spark_csr.linalg.operators import (
    as_array_on,
    as_matrix,
    as_operator,
    aslinearoperator,
    call_library,
    cast_operand,
    device_of_problem,
    function_of,
    solver_dtype,
    watched_operator,
)

if TYPE_CHECKING:
    from spark_csr._matrix.types import OperatorLike
    from spark_csr._types import ArrayLike, Progress


def lobpcg(
    A: OperatorLike,
    X: ArrayLike,
    B: OperatorLike | None = None,
    M: OperatorLike | None = None,
    Y: ArrayLike | None = None,
    tol: float | None = None,
    maxiter: int | None = None,
    largest: bool = True,
    verbosityLevel: int = 0,
    retLambdaHistory: bool = False,
    retResidualNormsHistory: bool = False,
    restartControl: int = 20,
    *,
    progress: Progress = None,
) -> Any:
    """Find the largest or smallest eigenvalues of a symmetric matrix from a block of approximate eigenvectors.

    Parameters, result and exceptions that are not listed are those of `eigsh`. See the example of `eigsh`.

    Parameters
    ----------
    X : (n, k) array_like
        Approximations of the eigenvectors, on the device of the matrix. `k` is the number of eigenvalues to find.
    B : (n, n) sparse matrix, dense array or linear operator, optional
        A symmetric positive definite matrix: find the eigenvalues of `A x = w B x`. Default: the identity.
    M : (n, n) sparse matrix, dense array or linear operator, optional
        A preconditioner that approximates the inverse of `A`, such as `jacobi(A)`. Default: the identity.
    Y : (n, m) array_like, optional
        Constraints: linearly independent columns `y`. Every eigenvector `v` that is returned satisfies
        `y.conj() @ (B @ v) == 0`.
    tol : float, optional
        The tolerance of the residual norms. Default: about `n * sqrt(eps)` of the norm of the matrix, where `eps` is the
        precision of the dtype.
    maxiter : int, optional
        The largest number of iterations. Default: 20.
    largest : bool, default True
        True to find the largest eigenvalues, False to find the smallest.
    verbosityLevel : int, default 0
        How much the solver prints: 0 for nothing, more for larger numbers.
    retLambdaHistory : bool, default False
        Whether to also return the eigenvalues of every iteration.
    retResidualNormsHistory : bool, default False
        Whether to also return the residual norms of every iteration.
    restartControl : int, default 20
        The solver restarts if the residual norms grow to `2**restartControl` times the smallest so far. On the cores only.

    Returns
    -------
    w : (k,) array
        The eigenvalues.
    v : (n, k) array
        The eigenvectors: column i belongs to `w[i]`.
    lambda_history : array or list, if `retLambdaHistory`
        The eigenvalues of every iteration.
    residual_norms_history : array or list, if `retResidualNormsHistory`
        The residual norms of every iteration.

    Notes
    -----
    The solver is SciPy's on the cores and CuPy's on a GPU; its products with sparse matrices are this package's. *Cost*: for
    every iteration, one product of the matrix with `k` vectors at once, and a dense eigenproblem of size `3 k`. A matrix with
    fewer than `5 k` rows is converted to a dense one. Source: Knyazev, *Toward the Optimal Preconditioned Eigensolver*, 2001.
    """
    A, B, M = as_matrix(A), as_matrix(B), as_matrix(M)
    device = device_of_problem(A, X)
    X = as_array_on(X, device, "X")
    Y = Y if Y is None else as_array_on(Y, device, "Y")
    dtype = solver_dtype(A, X, B, M, Y)
    X = X.astype(dtype, copy=False)
    if device == "cpu":
        A, B = (aslinearoperator(cast_operand(x, dtype)) if isinstance(x, SparseArray) else x for x in (A, B))
    of_matrix = near_one.of_operator(A, X[:, :1]) if X.ndim == 2 and X.size else 1.0
    A = near_one.scale(A, of_matrix)
    settings: dict[str, Any] = {"B": as_operator(B, device), "M": as_operator(M, device)}
    settings |= {"Y": Y if Y is None else Y.astype(dtype, copy=False), "tol": near_one.scale(tol, of_matrix)}
    settings |= {"maxiter": maxiter, "largest": largest, "verbosityLevel": verbosityLevel, "restartControl": restartControl}
    settings |= {"retLambdaHistory": retLambdaHistory, "retResidualNormsHistory": retResidualNormsHistory}
    defaults = {"largest": True, "verbosityLevel": 0, "restartControl": 20}
    defaults |= {"retLambdaHistory": False, "retResidualNormsHistory": False}
    with watch(progress, "lobpcg", "products") as report:
        operands = watched_operator(A, device, report), X
        values, vectors, *histories = call_library(function_of(device, "lobpcg"), operands, settings, defaults)
    return (near_one.scale(values, 1 / of_matrix), vectors, *(near_one.scale(history, 1 / of_matrix) for history in histories))
