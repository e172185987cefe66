"""Estimates of a norm from products alone: SciPy's, with products of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr.linalg.operators import as_matrix, as_operator, call_library, device_of_problem, function_of

if TYPE_CHECKING:
    from spark_csr._matrix.types import OperatorLike


def onenormest(A: OperatorLike, t: int = 2, itmax: int = 5, compute_v: bool = False, compute_w: bool = False) -> float | Any:
    """Estimate the 1-norm of a matrix from below by products with it and with its transpose.

    Parameters
    ----------
    A : (n, n) sparse matrix, dense array or linear operator
        A matrix of this package or SciPy.
    t : int, default 2
        The number of vectors that are multiplied at once. A larger number gives a more accurate estimate.
    itmax : int, default 5
        The largest number of iterations.
    compute_v : bool, default False
        Whether to return the vector `v`.
    compute_w : bool, default False
        Whether to return the vector `w`.

    Returns
    -------
    est : float
        The estimate: at most the norm, and in most cases equal to it.
    v : (n,) array, if `compute_v`
        A vector with `norm(A @ v, 1) == est * norm(v, 1)`.
    w : (n,) array, if `compute_w`
        The product `A @ v`.

    Notes
    -----
    The function is SciPy's; its products with sparse matrices are this package's. *Cost*: about four products with `t` vectors
    each. For a sparse matrix use `norm(A, 1)`, which is exact and takes one pass. Use `onenormest` for operators, such as a
    product or a power of matrices that is not computed. NumPy's global random state chooses the first vectors: call
    `numpy.random.seed` first for the same result on every run. Source: Higham & Tisseur, *A block algorithm for matrix 1-norm
    estimation*, 2000.

    Examples
    --------
    >>> from spark_csr import csr_array, linalg
    >>> float(linalg.onenormest(csr_array([[1.0, 0, 0], [5, 8, 2], [0, -1, 0]])))
    9.0
    """
    A = as_matrix(A)
    device = device_of_problem(A)
    settings: dict[str, Any] = {"t": t, "itmax": itmax, "compute_v": compute_v, "compute_w": compute_w}
    return call_library(function_of(device, "onenormest"), (as_operator(A, device),), settings, {"t": 2, "itmax": 5})
