"""Further iterative solvers for systems with any square matrix, with products of this package."""

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

    Parameters, result and exceptions are those of `linalg.cg`; `info` is negative if the method broke down. The solver is
    SciPy's on the cores and CuPy's on a GPU; its products with sparse matrices are this package's. *Cost* of an iteration: two
    products with the matrix, none with its transpose; with `progress`, one more product. Source: Sonneveld, *CGS, a fast
    Lanczos-type solver for nonsymmetric linear systems*, 1989. See the example of `cg`.
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

    Parameters, result and exceptions are those of `linalg.cg`; `info` is negative if the method broke down. A matrix on a GPU
    raises NotImplementedError, and a linear operator needs `rmatvec`. The solver is SciPy's. *Cost* of an iteration: one
    product with the matrix and one with its adjoint; with `progress`, one more with the matrix. Source: Fletcher, *Conjugate
    gradient methods for indefinite systems*, 1976. See the example of `cg`.
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

    Parameters, result and exceptions that are not listed are those of `linalg.cg`; callbacks are called after every cycle. A
    matrix on a GPU raises NotImplementedError. See the example of `cg`.

    Parameters
    ----------
    maxiter : int, default 1000
        The largest number of cycles. A cycle is all iterations between two restarts.
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

    Notes
    -----
    The solver is SciPy's; its products with sparse matrices are this package's. *Cost* of a cycle: `inner_m` products; with
    `progress`, one more. Source: Baker, Jessup & Manteuffel, *A technique for accelerating the convergence of restarted GMRES*,
    2005.
    """
    settings: dict[str, Any] = {"rtol": rtol, "atol": atol, "maxiter": maxiter, "inner_m": inner_m, "outer_k": outer_k}
    settings |= {"outer_v": outer_v, "store_outer_Av": store_outer_Av, "prepend_outer_v": prepend_outer_v}
    return solve("lgmres", A, b, x0, M, callback, progress, **settings)
