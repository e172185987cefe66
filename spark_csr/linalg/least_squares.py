"""Least squares: SciPy's solvers on the cores; `lsqr` of this package on a GPU, and where `progress` is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr._array import namespace_for
from spark_csr._matrix.base import SparseArray
from spark_csr._progress import check_progress, watch
from spark_csr.linalg import bidiagonal, near_one
from spark_csr.linalg.operators import (
    as_array_on,
    as_matrix,
    call_library,
    check_limits,
    device_of_problem,
    function_of,
    library,
    solver_dtype,
    watched_operator,
)

if TYPE_CHECKING:
    from spark_csr._matrix.types import OperatorLike
    from spark_csr._types import Array, ArrayLike, Progress


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
        The factor `damp` in what is minimised: `norm(b - A @ x)**2 + damp**2 * norm(x - x0)**2`.
    atol : float, default 1e-6
        An estimate of the relative error of the elements of the matrix. The solver stops when
        `norm(r) <= atol * norm(A) * norm(x) + btol * norm(b)` for the residual `r = b - A @ x`, or when
        `norm(A.T @ r) <= atol * norm(A) * norm(r)`.
    btol : float, default 1e-6
        An estimate of the relative error of the elements of `b`; see `atol`.
    conlim : float, default 1e8
        The solver stops when its estimate of the condition number of the matrix exceeds `conlim`. 0: never.
    iter_lim : int, optional
        The largest number of iterations. Default: 2 n.
    show : bool, default False
        Whether to print what the solver does. SciPy's solver only: it is ignored with `progress` and on a GPU.
    calc_var : bool, default False
        Whether to estimate the diagonal of the inverse of `A.T @ A + damp**2 I`.
    x0 : (n,) array_like, optional
        The solution to start from. Default: 0.
    progress : bool or function, optional
        True shows the number of iterations and the residual norm on stderr, as a bar of tqdm if tqdm is installed, else as
        lines. A function is called as `progress(iteration, residual_norm)` after every iteration. There is no extra product:
        the solver knows the norm.

    Returns
    -------
    x : (n,) array
        The solution, on the device of the matrix.
    istop : int
        Why the solver stopped. 0: `x0` is the solution. 1: `A x = b` is solved. 2: the least-squares problem is solved. 3: the
        condition number exceeds `conlim`. 4, 5, 6: the same as 1, 2 and 3, with machine precision in place of `atol`, `btol`
        and `1 / conlim`. 7: `iter_lim` was reached.
    itn : int
        The number of iterations.
    r1norm : float
        The norm of the residual `r`.
    r2norm : float
        The square root of what is minimised; the same as `r1norm` if `damp` is 0.
    anorm : float
        An estimate of the Frobenius norm of the matrix, to which the rows of `damp * I` are appended.
    acond : float
        An estimate of its condition number.
    arnorm : float
        The norm of the gradient, `norm(A.T @ r - damp**2 * (x - x0))`.
    xnorm : float
        The norm of the solution.
    var : (n,) array
        With `calc_var`, the estimate of the diagonal; otherwise zeros.

    Notes
    -----
    On the cores without `progress`, the solver is SciPy's. With `progress` or on a GPU, it is this package's: SciPy's does not
    report its progress, and CuPy's is a direct solver for square matrices. *Cost* of an iteration: one product with the matrix
    and one with its adjoint; on a GPU, the host reads three numbers. Source: Paige & Saunders, *LSQR: An algorithm for sparse
    linear equations and sparse least squares*, 1982.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array, linalg
    >>> A, b = csr_array([[1.0, 0], [1, 1], [0, 1]]), np.array([1.0, 3, 2])
    >>> linalg.lsqr(A, b)[0].round(6), linalg.lsmr(A, b)[0].round(6)
    (array([1., 2.]), array([1., 2.]))
    """
    check_limits(iter_lim=iter_lim)
    A = as_matrix(A)
    device = device_of_problem(A, b, x0)
    A, b, x0, damp, scales = _scale_problem(A, b, x0, damp, device)
    if device == "cpu" and not check_progress(progress):
        given = {"damp": damp, "atol": atol, "btol": btol, "conlim": conlim, "iter_lim": iter_lim}
        found = library(device).lsqr(A, b, **given, show=show, calc_var=calc_var, x0=x0)
    else:
        if b.size != A.shape[0] or b.ndim > 2:
            raise ValueError(f"shapes of A {A.shape} and b {b.shape} are incompatible")
        b, xp = b.ravel(), namespace_for(device)
        x = xp.zeros(A.shape[1], b.dtype) if x0 is None else x0.ravel()
        adjoint = A.rmatvec if isinstance(A, SparseArray) or hasattr(A, "rmatvec") else lambda y: A.conj().T @ y
        limits = 1e-6 if atol is None else atol, 1e-6 if btol is None else btol, conlim or 0.0
        iterations = 2 * A.shape[1] if iter_lim is None else iter_lim
        with watch(progress, "lsqr") as told:
            report = told and (lambda iteration, norm: told(iteration, norm / scales[1]))
            found = bidiagonal.lsqr(lambda v: A @ v, adjoint, b, x, damp, *limits, iterations, calc_var, report)
    x, istop, itn, *sizes, var = found
    return (*_scale_back(x, istop, itn, sizes, ("b", "b", "A", "", "Ab", "x"), scales), var * scales[0] * scales[0])


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
    """Return the least-squares solution of `A x = b`, or of the damped problem; the norm of the gradient never grows.

    Parameters, result and exceptions that are not listed are those of `lsqr`. The result is `x, istop, itn, normr, normar,
    norma, conda, normx`: the solution; why the solver stopped, where 7 says that `maxiter` was reached; the number of
    iterations; and the norms of the residual and of the gradient, estimates of the norm and of the condition number of the
    matrix, and the norm of the solution. See the example of `lsqr`.

    Parameters
    ----------
    maxiter : int, optional
        The largest number of iterations. Default: the smaller of m and n.
    progress : bool or function, optional
        As for `lsqr`, called as `progress(products, None)` after every product with the matrix or its adjoint.

    Notes
    -----
    The solver is SciPy's on the cores and CuPy's on a GPU; its products with sparse matrices are this package's. *Cost* of an
    iteration: one product with the matrix and one with its adjoint. Source: Fong & Saunders, *LSMR: An iterative algorithm for
    sparse least-squares problems*, 2011.
    """
    A = as_matrix(A)
    device = device_of_problem(A, b, x0)
    A, b, x0, damp, scales = _scale_problem(A, b, x0, damp, device)
    settings: dict[str, Any] = {"damp": damp, "atol": atol, "btol": btol, "conlim": conlim, "maxiter": maxiter, "show": show}
    settings |= {"x0": x0}
    with watch(progress, "lsmr", "products") as report:
        operands = watched_operator(A, device, report), b.copy()  # SciPy's writes into a right-hand side that has a NaN
        found = call_library(function_of(device, "lsmr"), operands, settings, LSMR)
    x, istop, itn, *sizes = found
    return _scale_back(x, istop, itn, sizes, ("b", "Ab", "A", "", "x"), scales)


def _scale_problem(A, b, x0, damp, device):
    """Return the problem with matrix and right-hand side near 1, in the dtype in which solvers compute, and both factors.

    SciPy's `lsqr` adds an epsilon to norms, and its `lsmr` takes 1 for a singular value.
    """
    b, x0 = as_array_on(b, device, "b"), None if x0 is None else as_array_on(x0, device, "x0")
    dtype = solver_dtype(A, b, x0)
    b = b.astype(dtype, copy=False)
    of_matrix, of_right = near_one.of_operator(A, b.ravel(), adjoint=True), near_one.of_vector(b)
    x0 = None if x0 is None else near_one.scale_solution(x0.astype(dtype, copy=False), of_right, of_matrix)
    return near_one.scale(A, of_matrix), near_one.scale(b, of_right), x0, near_one.scale(damp, of_matrix), (of_matrix, of_right)


def _scale_back(x, istop, itn, sizes, scaled_by, scales):
    """Return what a solver found for the problem as it was given; `scaled_by` says with what each size grows."""
    of_matrix, of_right = scales
    factors = {"b": (1, of_right), "A": (1, of_matrix), "Ab": (1 / of_right, of_matrix), "x": scales, "": (1, 1)}
    sizes = [near_one.scale_solution(float(size), *factors[name]) for size, name in zip(sizes, scaled_by, strict=True)]
    return (near_one.scale_solution(x, of_matrix, of_right), istop, itn, *sizes)


LSMR: dict[str, Any] = {"damp": 0.0, "atol": 1e-6, "btol": 1e-6, "conlim": 1e8, "show": False}
