"""Solvers of linear systems, with SciPy's signatures, for matrices on the cores and on a GPU.

Design: `callback` always gets the current solution, and `progress(iteration, residual_norm)` is derived from it: the residual
is computed anew from that solution. Cost of `progress`: one more product at each call, and a host read; nothing in `lsqr`,
which knows the norm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from spark_csr._foreign import warn_user
from spark_csr.linalg.systems import solve

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._matrix.types import OperatorLike
    from spark_csr._types import Array, ArrayLike, Progress


def cg(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: OperatorLike | None = None,
    callback: Callable[[Array], Any] | None = None,
    progress: Progress = None,
) -> tuple[Array, int]:
    """Solve `A x = b` by conjugate gradients, for a symmetric (Hermitian) and positive definite matrix.

    Parameters
    ----------
    A : (n, n) sparse matrix, dense array or linear operator
        A matrix of this package, SciPy or CuPy.
    b : (n,) or (n, 1) array_like
        The right-hand side, on the device of the matrix.
    x0 : (n,) array_like, optional
        The solution to start from. Default: 0.
    rtol : float, default 1e-5
        The relative tolerance: the solver stops when `norm(b - A @ x) <= max(rtol * norm(b), atol)`.
    atol : float, default 0.0
        The absolute tolerance; see `rtol`.
    maxiter : int, optional
        The largest number of iterations. Default: 10 n.
    M : (n, n) matrix or linear operator, optional
        A preconditioner that approximates the inverse of the matrix, such as `jacobi(A)`. Default: none.
    callback : function, optional
        Called as `callback(x)` with the current solution after every iteration.
    progress : bool or function, optional
        True shows the number of iterations and the residual norm on stderr, as a bar of tqdm if tqdm is installed, else as
        lines. A function is called as `progress(iteration, residual_norm)` after every iteration.

    Returns
    -------
    x : (n,) array
        The solution, on the device of the matrix.
    info : int
        0 if the solver reached the tolerance; a positive number if it did not reach it within `maxiter`. If the matrix is not
        positive definite, the method may break down: `info` is then -1 on the cores; on a GPU it is positive, and `x` is NaN.

    Raises
    ------
    ValueError
        If the shapes do not fit, or if `atol` is negative.

    Notes
    -----
    The solver is this package's on the cores and CuPy's on a GPU, with products of this package. *Cost* of an iteration: one
    product and a few passes over vectors; with `progress`, one more product. *Order*: on the cores, the same bits on every run.
    Source: Hestenes & Stiefel, *Methods of conjugate gradients for solving linear systems*, 1952.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array, linalg
    >>> A, b = csr_array([[4.0, 1], [1, 3]]), np.array([1.0, 2])
    >>> x, info = linalg.cg(A, b, rtol=1e-10)
    >>> x.round(6), info
    (array([0.090909, 0.636364]), 0)
    >>> others = linalg.bicg(A, b), linalg.bicgstab(A, b), linalg.cgs(A, b)
    >>> others += linalg.gmres(A, b), linalg.lgmres(A, b), linalg.minres(A, b)
    >>> [bool(np.allclose(other, x, atol=1e-4)) for other, _ in others]
    [True, True, True, True, True, True]
    """
    return solve("cg", A, b, x0, M, callback, progress, rtol=rtol, atol=atol, maxiter=maxiter)


def minres(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    shift: float = 0.0,
    maxiter: int | None = None,
    M: OperatorLike | None = None,
    callback: Callable[[Array], Any] | None = None,
    show: bool = False,
    check: bool = False,
    progress: Progress = None,
) -> tuple[Array, int]:
    """Solve `A x = b` or `(A - shift I) x = b` for a real symmetric matrix, which may be indefinite or singular.

    Parameters, result and exceptions that are not listed are those of `cg`. TypeError is raised if the system is complex and
    SciPy is older than version 1.18. See the example of `cg`.

    Parameters
    ----------
    rtol : float, default 1e-5
        The relative tolerance: the solver stops when its estimate of `norm(b - A @ x) / (norm(A) * norm(x))` is at most `rtol`.
    shift : float, default 0.0
        A number that is subtracted from the diagonal: the solver solves `(A - shift I) x = b`.
    maxiter : int, optional
        The largest number of iterations. Default: 5 n.
    show : bool, default False
        Whether to print what the solver does. On the cores only: on a GPU, NotImplementedError is raised.
    check : bool, default False
        Whether to raise ValueError if the matrix or `M` is not symmetric.

    Notes
    -----
    The solver is SciPy's on the cores and CuPy's on a GPU; its products with sparse matrices are this package's. *Cost* of
    an iteration: one product and a few passes over vectors; with `progress`, one more product. Source: Paige & Saunders,
    *Solution of sparse indefinite systems of linear equations*, 1975.
    """
    settings: dict[str, Any] = {"rtol": rtol, "shift": shift, "maxiter": maxiter, "show": show, "check": check}
    return solve("minres", A, b, x0, M, callback, progress, **settings)


def bicgstab(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: OperatorLike | None = None,
    callback: Callable[[Array], Any] | None = None,
    progress: Progress = None,
) -> tuple[Array, int]:
    """Solve `A x = b` for any square matrix by stabilised biconjugate gradients.

    Parameters, result and exceptions are those of `cg`; `info` is negative if the method broke down. On a GPU the solver is
    this package's, because CuPy has had none before version 14. *Cost* of an iteration: two products and a few passes over
    vectors; with `progress`, one more product; on a GPU, the host reads six numbers. Source: van der Vorst, *Bi-CGSTAB*, 1992.
    See the example of `cg`.
    """
    return solve("bicgstab", A, b, x0, M, callback, progress, rtol=rtol, atol=atol, maxiter=maxiter)


def gmres(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: OperatorLike | None = None,
    callback: Callable[[Any], Any] | None = None,
    callback_type: Literal["x", "pr_norm", "legacy"] | None = None,
    progress: Progress = None,
) -> tuple[Array, int]:
    """Solve `A x = b` for any square matrix by restarted minimal residuals.

    Parameters, result and exceptions that are not listed are those of `cg`. See the example of `cg`.

    Parameters
    ----------
    restart : int, optional
        The number of iterations of a cycle: after so many iterations the solver restarts. It keeps one vector for each of them.
        Default: 20, or n if that is less.
    maxiter : int, optional
        The largest number of cycles. Default: 10 n.
    callback : function, optional
        A function that is called with one argument; see `callback_type`.
    callback_type : {"x", "pr_norm", "legacy"}, optional
        What `callback` gets: with "x" the current solution, after every cycle; with "pr_norm" the relative (preconditioned)
        residual norm, after every iteration. "legacy" is "pr_norm", but on the cores `maxiter` counts iterations then, not
        cycles. As in SciPy, "legacy" is the default if there is a `callback`, with a DeprecationWarning.
    progress : bool or function, optional
        As for `cg`, by cycles. With a callback whose type is not "x", ValueError is raised.

    Notes
    -----
    On the cores, the solver is SciPy's; its products with sparse matrices are this package's, and `M` is applied from the left.
    On a GPU, and on the cores for real systems of at least 131,072 rows, the solver is this package's, and `M` is applied from
    the right. CuPy's solver is not used: with a preconditioner it does not begin at `x0`, and it divides by zero if a cycle
    finds the solution early. *Cost* of an iteration: one product, and two passes (on a GPU: four) over the vectors that are
    kept. With `progress`, one more product for each cycle. Source: Saad & Schultz, *GMRES:
    A generalized minimal residual algorithm for solving nonsymmetric linear systems*, 1986.
    """
    if callback_type not in ("x", "pr_norm", "legacy", None):
        raise ValueError(f"Unknown callback_type: {callback_type!r}, use 'x' or 'pr_norm'")
    if callback is None:
        callback_type = "x"
    elif callback_type is None:
        warn_user(
            "gmres was called with a callback, but without callback_type: give 'x', 'pr_norm', or 'legacy', which is the "
            "default until SciPy changes it",
            DeprecationWarning,
        )
        callback_type = "legacy"
    by_norm = callback_type != "x"
    if by_norm and progress:
        raise ValueError("progress needs the solution: give callback_type='x', or no callback")
    settings: dict[str, Any] = {"rtol": rtol, "atol": atol, "restart": restart, "maxiter": maxiter}
    return solve("gmres", A, b, x0, M, callback, progress, **settings, callback_type=callback_type)
