"""Least squares: SciPy's solvers on the cores; `lsqr` of this package on a GPU, and where `progress` is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr._array import namespace_for
from spark_csr._matrix.base import SparseArray
from spark_csr._progress import check_progress, watch
from spark_csr.linalg import bidiagonal
from spark_csr.linalg.operators import (
    as_array_on,
    as_matrix,
    call_library,
    device_of_problem,
    function_of,
    library,
    solver_dtype,
    watched_operator,
)

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike, OperatorLike, Progress


def lsqr(
    A: OperatorLike,
    b: ArrayLike,
    damp: float = 0.0,
    atol: float | None = 1e-6,
    btol: float | None = 1e-6,
    conlim: float = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: ArrayLike | None = None,
    *,
    progress: Progress = None,
) -> tuple[Array, int, int, float, float, float, float, float, float, Array]:
    """Return the least-squares solution of `A x = b`, or of the damped problem, for a matrix of any shape.

    Parameters
    ----------
    A : (m, n) sparse matrix, dense array or linear operator
        A matrix of this package, SciPy or CuPy.
    b : (m,) or (m, 1) array_like
        The right-hand side, on the device of the matrix.
    damp : float, default 0.0
        Minimise `norm(b - A @ x)**2 + damp**2 * norm(x - x0)**2`.
    atol : float, default 1e-6
        The relative error of the matrix that the solution may show: the iteration stops when `norm(r) <= atol * norm(A) *
        norm(x) + btol * norm(b)` for the residual `r`, or when `norm(A.T @ r) <= atol * norm(A) * norm(r)`.
    btol : float, default 1e-6
        The relative error of `b` that the solution may show; see `atol`.
    conlim : float, default 1e8
        Stop when the estimate of the condition number of the matrix exceeds this. 0: never.
    iter_lim : int, optional
        The largest number of iterations. Default: 2 n.
    show : bool, default False
        Whether to print what the solver does. SciPy's solver only: it is ignored with `progress` and on a GPU.
    calc_var : bool, default False
        Whether to estimate the diagonal of the inverse of `A.T @ A + damp**2 I`.
    x0 : (n,) array_like, optional
        The solution to start from. Default: 0.
    progress : bool or function, optional
        True shows the iterations and the residual norm on stderr: a bar of tqdm if that is installed, else lines. A function is
        called as `progress(iteration, residual_norm)` after every iteration. It costs nothing: the norm is known.

    Returns
    -------
    x : (n,) array
        The solution, on the device of the matrix.
    istop : int
        Why the iteration ended: 0: `x0` is the solution; 1: solved; 2: least squares solved; 3: `conlim` was exceeded; 4, 5, 6:
        as 1, 2 and 3, to machine precision; 7: the iterations were not enough.
    itn : int
        The number of iterations.
    r1norm : float
        The norm of the residual `r`.
    r2norm : float
        The square root of what is minimised; `r1norm` if `damp` is 0.
    anorm : float
        An estimate of the Frobenius norm of the matrix, to which the rows of `damp * I` are appended.
    acond : float
        An estimate of its condition number.
    arnorm : float
        The norm of the gradient, `norm(A.T @ r - damp**2 * (x - x0))`.
    xnorm : float
        The norm of the solution.
    var : (n,) array
        The diagonal that `calc_var` asks for, else 0.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    TypeError
        If the arrays are on different devices.

    Notes
    -----
    The solver is SciPy's on the cores, and one of this package on a GPU and if `progress` is given: CuPy's is a direct solver
    for square matrices. *Cost* of an iteration: one product with the matrix and one with its adjoint; three host reads on a
    GPU. Source: Paige & Saunders, *LSQR: An algorithm for sparse linear equations and sparse least squares*, 1982.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import lsqr
    >>> lsqr(csr_array([[1.0, 0], [1, 1], [0, 1]]), np.array([1.0, 3, 2]))[0].round(6)
    array([1., 2.])
    """
    A = as_matrix(A)
    device = device_of_problem(A, b, x0)
    b = as_array_on(b, device, "b")
    if device == "cpu" and not check_progress(progress):
        given = {"damp": damp, "atol": atol, "btol": btol, "conlim": conlim, "iter_lim": iter_lim}
        return library(device).lsqr(A, b, **given, show=show, calc_var=calc_var, x0=x0)
    if b.size != A.shape[0] or b.ndim > 2:
        raise ValueError(f"shapes of A {A.shape} and b {b.shape} are incompatible")
    dtype = solver_dtype(A, b)
    b, xp = b.astype(dtype).ravel(), namespace_for(device)
    x = xp.zeros(A.shape[1], dtype) if x0 is None else as_array_on(x0, device, "x0").astype(dtype).ravel()
    adjoint = A.rmatvec if isinstance(A, SparseArray) or hasattr(A, "rmatvec") else lambda y: A.conj().T @ y
    limits = 1e-6 if atol is None else atol, 1e-6 if btol is None else btol, conlim or 0.0
    iterations = 2 * A.shape[1] if iter_lim is None else iter_lim
    with watch(progress, "lsqr") as report:
        return bidiagonal.lsqr(lambda v: A @ v, adjoint, b, x, damp, *limits, iterations, calc_var, report)


def lsmr(
    A: OperatorLike,
    b: ArrayLike,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: int | None = None,
    show: bool = False,
    x0: ArrayLike | None = None,
    *,
    progress: Progress = None,
) -> tuple[Array, int, int, float, float, float, float, float]:
    """Return the least-squares solution of `A x = b`, or of the damped problem, by steps that decrease the gradient.

    Parameters
    ----------
    A : (m, n) sparse matrix, dense array or linear operator
        A matrix of this package, SciPy or CuPy.
    b : (m,) or (m, 1) array_like
        The right-hand side, on the device of the matrix.
    damp : float, default 0.0
        Minimise `norm(b - A @ x)**2 + damp**2 * norm(x)**2`.
    atol : float, default 1e-6
        The relative error of the matrix that the solution may show; see `lsqr`.
    btol : float, default 1e-6
        The relative error of `b` that the solution may show.
    conlim : float, default 1e8
        Stop when the estimate of the condition number of the matrix exceeds this.
    maxiter : int, optional
        The largest number of iterations. Default: the smaller of m and n.
    show : bool, default False
        Whether to print what the solver does.
    x0 : (n,) array_like, optional
        The solution to start from. Default: 0.
    progress : bool or function, optional
        True shows the products on stderr: a bar of tqdm if that is installed, else lines. A function is called as
        `progress(products, None)` after every product with the matrix or its adjoint.

    Returns
    -------
    x : (n,) array
        The solution, on the device of the matrix.
    istop : int
        Why the iteration ended: 1: solved; 2: least squares solved; 7: the iterations were not enough; others as in `lsqr`.
    itn : int
        The number of iterations.
    normr : float
        The norm of the residual.
    normar : float
        The norm of the gradient.
    norma : float
        An estimate of the norm of the matrix.
    conda : float
        An estimate of its condition number.
    normx : float
        The norm of the solution.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    TypeError
        If the arrays are on different devices.

    Notes
    -----
    The solver is SciPy's on the cores and CuPy's on a GPU; products with sparse matrices are those of this package. *Cost* of
    an iteration: one product with the matrix and one with its adjoint. Source: Fong &
    Saunders, *LSMR: An iterative algorithm for sparse least-squares problems*, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import lsmr
    >>> lsmr(csr_array([[1.0, 0], [1, 1], [0, 1]]), np.array([1.0, 3, 2]))[0].round(6)
    array([1., 2.])
    """
    A = as_matrix(A)
    device = device_of_problem(A, b, x0)
    settings: dict[str, Any] = {
        "damp": damp,
        "atol": atol,
        "btol": btol,
        "conlim": conlim,
        "maxiter": maxiter,
        "show": show,
        "x0": x0,
    }
    b = as_array_on(b, device, "b")
    with watch(progress, "lsmr", "products") as report:
        return call_library(function_of(device, "lsmr"), (watched_operator(A, device, report), b), settings, LSMR)


LSMR: dict[str, Any] = {"damp": 0.0, "atol": 1e-6, "btol": 1e-6, "conlim": 1e8, "show": False}
