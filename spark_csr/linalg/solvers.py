"""Solvers of linear systems: one signature, SciPy's, for matrices on the cores and on a GPU.

Design: `callback` always gets the current solution. `progress(iteration, residual_norm)` is made of it: the residual is
computed anew from that solution. Cost of `progress`: one product more at each call, and a host read; nothing in `lsqr`, which
knows the norm.
"""

from spark_csr.linalg.systems import solve


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
    return solve("cg", A, b, x0, M, callback, progress, rtol=rtol, atol=atol, maxiter=maxiter)


def minres(A, b, x0=None, *, rtol=1e-5, shift=0.0, maxiter=None, M=None, callback=None, show=False, check=False, progress=None):
    """Solve `A x = b` (or `(A - shift I) x = b`) for a real symmetric matrix, which may be indefinite or singular.

    Parameters and results as in `cg` and `scipy.sparse.linalg.minres`. Source: Paige & Saunders, 1975.
    """
    settings = {"rtol": rtol, "shift": shift, "maxiter": maxiter, "show": show, "check": check}
    return solve("minres", A, b, x0, M, callback, progress, **settings)


def bicgstab(A, b, x0=None, *, rtol=1e-5, atol=0.0, maxiter=None, M=None, callback=None, progress=None):
    """Solve `A x = b` for any square matrix by stabilised biconjugate gradients.

    Parameters and results as in `cg`. On a GPU the solver is ours (see `krylov`), since CuPy has one since version 14 only.
    Source: van der Vorst, 1992.
    """
    return solve("bicgstab", A, b, x0, M, callback, progress, rtol=rtol, atol=atol, maxiter=maxiter)


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
    return solve("gmres", A, b, x0, M, callback, progress, **settings)
