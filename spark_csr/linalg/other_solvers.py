"""Further iterative solvers for systems with any square matrix, with products of this package.

The most used ones, such as `bicgstab` and `gmres`, are in `solvers`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr.linalg.systems import solve

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._matrix.types import OperatorLike
    from spark_csr._types import Array, ArrayLike, Progress


def cgs(
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
    """Solve `A x = b` for any square matrix by squared conjugate gradients.

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
        0 if the solver reached the tolerance; a positive number if it did not reach it within `maxiter`; a negative number if
        the method broke down.

    Raises
    ------
    ValueError
        If the shapes do not fit, or if `atol` is negative.
    TypeError
        If the arrays are on different devices.

    Notes
    -----
    The solver is SciPy's on the cores and CuPy's on a GPU; its products with sparse matrices are this package's. *Cost* of
    an iteration: two products with the matrix, none with its transpose; with `progress`, one more product. Source: Sonneveld,
    *CGS, a fast Lanczos-type solver for nonsymmetric linear systems*, 1989.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import cgs
    >>> x, info = cgs(csr_array([[4.0, 1], [0, 2]]), np.array([6.0, 4]))
    >>> x.round(4), info
    (array([1., 2.]), 0)
    """
    return solve("cgs", A, b, x0, M, callback, progress, rtol=rtol, atol=atol, maxiter=maxiter)


def bicg(
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
    """Solve `A x = b` for any square matrix by biconjugate gradients.

    Parameters, result and exceptions are those of `cgs`. A matrix on a GPU raises NotImplementedError, and a linear operator
    needs `rmatvec`. The solver is SciPy's. *Cost* of an iteration: one product with the matrix and one with its adjoint; with
    `progress`, one more with the matrix. Source: Fletcher, *Conjugate gradient methods for indefinite systems*, 1976.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import bicg
    >>> x, info = bicg(csr_array([[4.0, 1], [0, 2]]), np.array([6.0, 4]))
    >>> x.round(4), info
    (array([1., 2.]), 0)
    """
    return solve("bicg", A, b, x0, M, callback, progress, rtol=rtol, atol=atol, maxiter=maxiter)


def lgmres(
    A: OperatorLike,
    b: ArrayLike,
    x0: ArrayLike | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int = 1000,
    M: OperatorLike | None = None,
    callback: Callable[[Array], Any] | None = None,
    inner_m: int = 30,
    outer_k: int = 3,
    outer_v: list[tuple[Array, Array | None]] | None = None,
    store_outer_Av: bool = True,
    prepend_outer_v: bool = False,
    progress: Progress = None,
) -> tuple[Array, int]:
    """Solve `A x = b` for any square matrix by restarted minimal residuals that keep corrections of earlier cycles.

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
    maxiter : int, default 1000
        The largest number of cycles. A cycle is all iterations between two restarts.
    M : (n, n) matrix or linear operator, optional
        A preconditioner that approximates the inverse of the matrix, such as `jacobi(A)`. Default: none.
    callback : function, optional
        Called as `callback(x)` with the current solution after every cycle.
    inner_m : int, default 30
        The number of iterations of a cycle.
    outer_k : int, default 3
        The number of corrections of earlier cycles that the solver keeps.
    outer_v : list of tuples, optional
        Pairs `(v, A @ v)` of a vector and its product (or None in place of the product). The solver uses these pairs and
        appends to the list: pass the same list for a sequence of similar systems.
    store_outer_Av : bool, default True
        Whether to store the products in `outer_v` too.
    prepend_outer_v : bool, default False
        Whether to use the vectors of `outer_v` before those of the cycle, not after them.
    progress : bool or function, optional
        True shows the number of cycles and the residual norm on stderr, as a bar of tqdm if tqdm is installed, else as lines. A
        function is called as `progress(cycle, residual_norm)` after every cycle.

    Returns
    -------
    x : (n,) array
        The solution, on the device of the matrix.
    info : int
        0 if the solver reached the tolerance; a positive number if it did not reach it within `maxiter`.

    Raises
    ------
    ValueError
        If the shapes do not fit, or if `atol` is negative.
    TypeError
        If the arrays are on different devices.
    NotImplementedError
        If the matrix is on a GPU.

    Notes
    -----
    The solver is SciPy's; its products with sparse matrices are this package's. *Cost* of a cycle: `inner_m` products; with
    `progress`, one more. Source: Baker, Jessup & Manteuffel, *A technique for accelerating the convergence of restarted GMRES*,
    2005.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import lgmres
    >>> x, info = lgmres(csr_array([[4.0, 1], [0, 2]]), np.array([6.0, 4]))
    >>> x.round(4), info
    (array([1., 2.]), 0)
    """
    settings: dict[str, Any] = {
        "rtol": rtol,
        "atol": atol,
        "maxiter": maxiter,
        "inner_m": inner_m,
        "outer_k": outer_k,
        "outer_v": outer_v,
    }
    settings |= {"store_outer_Av": store_outer_Av, "prepend_outer_v": prepend_outer_v}
    return solve("lgmres", A, b, x0, M, callback, progress, **settings)
