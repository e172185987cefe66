"""Least squares: SciPy's solvers on the cores; of `lsqr` ours on a GPU, and where somebody asks how far it is."""

from spark_csr._array import namespace_for
from spark_csr._matrix.base import SparseArray
from spark_csr.linalg import bidiagonal
from spark_csr.linalg.operators import (
    as_array_on,
    as_matrix,
    as_operator,
    call_library,
    device_of_problem,
    function_of,
    library,
    solver_dtype,
)


def lsqr(
    A,
    b,
    damp=0.0,
    atol=1e-6,
    btol=1e-6,
    conlim=1e8,
    iter_lim=None,
    show=False,
    calc_var=False,
    x0=None,
    *,
    progress=None,
):
    """The least-squares solution of `A x = b`, or of the damped problem, for a matrix of any shape.

    Parameters and results are those of `scipy.sparse.linalg.lsqr`; `progress(iteration, residual_norm)` is called after every
    iteration and costs nothing. SciPy's on the cores; ours (see `bidiagonal`) on a GPU and where `progress` is given, with
    `show` for SciPy's alone.
    """
    A = as_matrix(A)
    device = device_of_problem(A, b, x0)
    b = as_array_on(b, device, "b")
    if device == "cpu" and progress is None:
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
    return bidiagonal.lsqr(lambda v: A @ v, adjoint, b, x, damp, *limits, iterations, calc_var, progress)


def lsmr(A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, maxiter=None, show=False, x0=None):
    """Return the least-squares solution of `A x = b`, or of the damped problem, with a gradient that shrinks at every step.

    Parameters
    ----------
    A : (m, n) sparse matrix, dense array or linear operator
        Ours, SciPy's or CuPy's.
    b : (m,) or (m, 1) array_like
        On the device of the matrix.
    damp : float
        Minimise `norm(b - A @ x)**2 + damp**2 * norm(x)**2`.
    atol, btol : float
        Relative errors of the matrix and of `b` that the solution may be as good as.
    conlim : float
        Stop when the estimate of the condition of the matrix exceeds this.
    maxiter : int, optional
        Default: the smaller of m and n.
    show : bool
        Whether to print what is done.
    x0 : (n,) array_like, optional
        Where to begin; default: 0.

    Returns
    -------
    x : (n,) array
        Where the matrix is.
    istop, itn : int
        Why it ended (1: solved, 2: least squares solved, 7: as many iterations were not enough; others as SciPy's), and after
        how many iterations.
    normr, normar, norma, conda, normx : float
        The norms of the residual, of the gradient and of the matrix, its condition, and the norm of the solution.

    Raises
    ------
    ValueError
        For shapes that do not fit.
    TypeError
        For mixed devices.

    Notes
    -----
    *Cost* of an iteration: a product with the matrix and one with its adjoint. SciPy's on the cores, CuPy's on a GPU.
    `lsqr` has `progress`. Source: Fong & Saunders, *LSMR: An iterative algorithm for sparse least-squares problems*, 2011.

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
    settings = {"damp": damp, "atol": atol, "btol": btol, "conlim": conlim, "maxiter": maxiter, "show": show, "x0": x0}
    arguments = as_operator(A, device), as_array_on(b, device, "b")
    return call_library(function_of(device, "lsmr"), arguments, settings, LSMR)


LSMR = {"damp": 0.0, "atol": 1e-6, "btol": 1e-6, "conlim": 1e8, "show": False}
