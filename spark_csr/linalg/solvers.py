"""Solvers of linear systems: one signature, SciPy's, for matrices on the cores and on a GPU.

Design: `callback` always gets the current solution. `progress(iteration, residual_norm)` is made of it: the residual is
computed anew from that solution. Cost of `progress`: one product more at each call, and a host read; nothing in `lsqr`, which
knows the norm.
"""

import itertools

import numpy as np

from spark_csr._array import namespace_for, namespace_of, to_host_scalar
from spark_csr._base import SparseArray
from spark_csr.linalg import krylov, least_squares
from spark_csr.linalg.operators import as_matrix, as_operator, call, device_of_problem, library, on_device


def cg(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, progress=None):
    """Solve `A x = b` by conjugate gradients; the matrix is symmetric (Hermitian) and positive definite.

    Parameters
    ----------
    A : (n, n) sparse matrix, dense array or linear operator
        Ours, SciPy's or CuPy's.
    b : (n,) or (n, 1) array_like
        On the device of the matrix.
    x0 : (n,) array_like, optional
        Where to begin; default: 0.
    rtol, atol : float
        Done when `norm(b - A @ x) <= max(rtol * norm(b), atol)`.
    maxiter : int, optional
        Default: 10 n.
    M : matrix, operator or `jacobi(A)`, optional
        The preconditioner: something like the inverse of the matrix.
    callback : function, optional
        Called as `callback(x)` with the current solution after every iteration.
    progress : function, optional
        Called as `progress(iteration, residual_norm)` after every iteration.

    Returns
    -------
    x : (n,) array
        Where the matrix is.
    info : int
        0: done; above 0: as many iterations were not enough; below 0: it broke down.

    Raises
    ------
    ValueError
        For shapes that do not fit, or an `atol` below zero.
    TypeError
        For mixed devices.

    Notes
    -----
    *Cost* of an iteration: a product and a few passes over vectors; of `progress` a product more. *Order*: same bits every run
    on the cores. SciPy's on the cores, CuPy's on a GPU. Source: Hestenes & Stiefel, 1952.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import cg
    >>> x, info = cg(csr_array([[4.0, 1], [1, 3]]), np.array([1.0, 2]), rtol=1e-10)
    >>> x.round(6), info
    (array([0.090909, 0.636364]), 0)
    """
    return _solve("cg", A, b, x0, M, callback, progress, rtol=rtol, atol=atol, maxiter=maxiter)


def minres(A, b, x0=None, *, rtol=1e-5, shift=0.0, maxiter=None, M=None, callback=None, show=False, check=False, progress=None):
    """Solve `A x = b` (or `(A - shift I) x = b`) for a real symmetric matrix, which may be indefinite or singular.

    Parameters and results as in `cg` and `scipy.sparse.linalg.minres`. Source: Paige & Saunders, 1975.
    """
    settings = {"rtol": rtol, "shift": shift, "maxiter": maxiter, "show": show, "check": check}
    return _solve("minres", A, b, x0, M, callback, progress, **settings)


def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, progress=None):
    """Solve `A x = b` for any square matrix by stabilised biconjugate gradients.

    Parameters and results as in `cg`. On a GPU the solver is ours (see `krylov`), since CuPy has one since version 14 only.
    Source: van der Vorst, 1992.
    """
    return _solve("bicgstab", A, b, x0, M, callback, progress, rtol=rtol, atol=atol, maxiter=maxiter)


def gmres(
    A,
    b,
    x0=None,
    *,
    rtol=1e-5,
    atol=0.0,
    restart=None,
    maxiter=None,
    M=None,
    callback=None,
    callback_type="x",
    progress=None,
):
    """Solve `A x = b` for any square matrix by restarted minimal residuals.

    Parameters and results as in `cg`, but for these; `maxiter` counts cycles, and `callback` and `progress` are called after
    each cycle. On a GPU the solver is ours (see `krylov`). Source: Saad & Schultz, 1986.

    Parameters
    ----------
    restart : int, optional
        Steps of a cycle, and vectors that are kept; default: 20, or n.
    callback_type : {"x", "pr_norm", "legacy"}
        With "pr_norm" `callback` gets the relative (preconditioned) residual norm instead, after every step. SciPy's default
        is that, with a warning that it will change.
    """
    if callback_type not in ("x", "pr_norm", "legacy", None):
        raise ValueError(f"Unknown callback_type: {callback_type!r}, use 'x' or 'pr_norm'")
    by_norm = callback is not None and callback_type != "x"
    if by_norm and progress is not None:
        raise ValueError("progress needs the solution: give callback_type='x', or no callback")
    settings = {"rtol": rtol, "atol": atol, "restart": restart, "maxiter": maxiter}
    settings["callback_type"] = "pr_norm" if by_norm else "x"
    return _solve("gmres", A, b, x0, M, callback, progress, **settings)


DEFAULTS = {"shift": 0.0, "show": False, "check": False, "callback_type": None, "atol": None}


def _solve(name, A, b, x0, M, callback, progress, **settings):
    A, M = as_matrix(A), as_matrix(M)
    device = device_of_problem(A, b, x0)
    b = on_device(b, device, "b")
    x0 = x0 if x0 is None or isinstance(x0, str) else on_device(x0, device, "x0")
    callback = _reporting(A, b, callback, progress)
    if device == "cpu" or name not in OWN:
        settings |= {"M": as_operator(M, device), "callback": callback}
        return call(getattr(library(device), name), (as_operator(A, device), b, x0), settings, DEFAULTS)
    return OWN[name](*system(A, b, x0, M), callback, **settings)


def _reporting(A, b, callback, progress):
    """The callback that also tells `progress` how far the solution is."""
    if progress is None:
        return callback
    iteration = itertools.count(1)

    def report(x):
        if callback is not None:
            callback(x)
        progress(next(iteration), krylov.length(b.ravel() - A @ x))

    return report


def system(A, b, x0, M):
    """Functions for both products, and both vectors in the dtype that is computed in; ValueError where shapes do not fit."""
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={A.shape}")
    n = A.shape[0]
    if M is not None and M.shape != A.shape:
        raise ValueError(f"matrix and preconditioner have different shapes: {A.shape} and {M.shape}")
    for name, vector in (("b", b), ("x0", x0)):
        if vector is not None and not isinstance(vector, str) and vector.shape not in ((n,), (n, 1)):
            raise ValueError(f"shapes of A {A.shape} and {name} {vector.shape} are incompatible")
    dtype = np.result_type(*(np.float64 if x.dtype.kind in "biu" else x.dtype for x in (A, b)), np.float32)
    b = b.astype(dtype).ravel()
    precondition = (lambda x: x) if M is None else (lambda x: (M @ x).astype(dtype, copy=False))
    if isinstance(x0, str):
        x0 = precondition(b) if x0 == "Mb" else None
    x = namespace_of(b).zeros_like(b) if x0 is None else x0.astype(dtype).ravel()
    return (lambda x: (A @ x).astype(dtype, copy=False)), precondition, b, x


def _tolerance(b, rtol, atol):
    if atol is None or isinstance(atol, str) or atol < 0:
        raise ValueError(f"atol must be a real, non-negative number, got {atol!r}")
    return max(float(atol), float(rtol) * krylov.length(b))


def own_bicgstab(multiply, precondition, b, x, callback, *, rtol, atol, maxiter):
    """With SciPy's defaults; 0 solves a system whose right side is 0."""
    tolerance = _tolerance(b, rtol, atol)
    if not to_host_scalar(b.any()):
        return b, 0
    return krylov.bicgstab(multiply, precondition, b, x, tolerance, maxiter or 10 * b.size, callback)


def own_gmres(multiply, precondition, b, x, callback, *, rtol, atol, restart, maxiter, callback_type):
    """With SciPy's defaults; 0 solves a system whose right side is 0."""
    tolerance = _tolerance(b, rtol, atol)
    if not to_host_scalar(b.any()):
        return b, 0
    restart, cycles = min(restart or 20, b.size), maxiter or 10 * b.size
    if callback_type == "x":
        at_cycle, at_step = callback, None
    else:
        size = krylov.length(b)
        at_cycle, at_step = None, lambda residual: callback(residual / size)
    return krylov.gmres(multiply, precondition, b, x, tolerance, restart, cycles, at_cycle, at_step)


OWN = {"bicgstab": own_bicgstab, "gmres": own_gmres}
"""What replaces CuPy's on a GPU."""


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
    iteration and costs nothing. SciPy's on the cores; ours (see `least_squares`) on a GPU and where `progress` is given, with
    `show` for SciPy's alone.
    """
    A = as_matrix(A)
    device = device_of_problem(A, b, x0)
    b = on_device(b, device, "b")
    if device == "cpu" and progress is None:
        given = {"damp": damp, "atol": atol, "btol": btol, "conlim": conlim, "iter_lim": iter_lim}
        return library(device).lsqr(A, b, **given, show=show, calc_var=calc_var, x0=x0)
    if b.size != A.shape[0] or b.ndim > 2:
        raise ValueError(f"shapes of A {A.shape} and b {b.shape} are incompatible")
    dtype = np.result_type(*(np.float64 if x.dtype.kind in "biu" else x.dtype for x in (A, b)), np.float32)
    b, xp = b.astype(dtype).ravel(), namespace_for(device)
    x = xp.zeros(A.shape[1], dtype) if x0 is None else on_device(x0, device, "x0").astype(dtype).ravel()
    adjoint = A.rmatvec if isinstance(A, SparseArray) or hasattr(A, "rmatvec") else lambda y: A.conj().T @ y
    limits = 1e-6 if atol is None else atol, 1e-6 if btol is None else btol, conlim or 0.0
    iterations = 2 * A.shape[1] if iter_lim is None else iter_lim
    return least_squares.lsqr(lambda v: A @ v, adjoint, b, x, damp, *limits, iterations, calc_var, progress)
