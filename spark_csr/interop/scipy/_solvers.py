"""`cg` and `gmres` of SciPy with its own CSR matrices: the same steps, with vectors changed in place, on all cores."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse.linalg
from scipy.sparse import csr_array, csr_matrix
from scipy.sparse.linalg._isolve.utils import make_system

from spark_csr.interop.scipy._products import as_operand, multiply_rows
from spark_csr.interop.scipy._switch import Unfit, replaces
from spark_csr.linalg import gradients, krylov
from spark_csr.linalg.blas import on_one_core


def _size(A=None, *_, **__):
    return A.data.size if type(A) in (csr_array, csr_matrix) else -1


@replaces("cg", _size, 2, scipy.sparse.linalg)
def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
) -> Any:
    """Solve a system of real numbers. What breaks down is solved by SciPy, from the beginning, so callbacks are left to it."""
    multiply, precondition, residual, x, tolerance = _prepare(A, b, x0, rtol, atol, M, callback)
    done, limit = 0, 10 * x.size if maxiter is None else maxiter

    def after(iteration, squares):
        nonlocal done
        done = iteration

    with on_one_core():
        x, info = gradients.cg(multiply, precondition, residual, x, np.empty_like(x), tolerance, limit, after)
    if info < 0:
        raise Unfit("the method broke down")
    return x, limit if done == limit else info  # SciPy does not look at the residual after the last iteration


@replaces("gmres", _size, 2, scipy.sparse.linalg)
def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    callback_type: str | None = None,
) -> Any:
    """Solve a system of many real numbers. SciPy's preconditioner is on the left, not on the right, and is left to SciPy."""
    multiply, precondition, residual, x, tolerance = _prepare(A, b, x0, rtol, atol, M, callback)
    if precondition is not None or callback_type is not None or not gradients.is_long(x):
        raise Unfit("a preconditioner or a type of callback is given, or there are few rows")
    cycles = 10 * x.size if maxiter is None else maxiter
    restart = min(20 if restart is None else restart, x.size)
    if min(cycles, restart) < 1:
        raise Unfit("there are no iterations")
    with on_one_core(), np.errstate(all="ignore"):
        start = np.zeros_like(x)
        moved, info = krylov.gmres(
            multiply, lambda v: v, residual, start, tolerance, restart, cycles, None, None, gradients.orthogonalise
        )
    if not np.isfinite(moved).all():
        raise Unfit("the method broke down")
    return x + moved, info


def _prepare(A, b, x0, rtol, atol, M, callback):
    """Return the product with the matrix and that with the preconditioner, or None; the residual, `x`, and the tolerance."""
    if callback is not None:
        raise Unfit("a callback is given")
    if not (isinstance(atol, (int, float)) and atol >= 0 and isinstance(rtol, (int, float))):
        raise Unfit("a tolerance is not a non-negative number")
    _, preconditioner, x, right, *_ = make_system(A, M, x0, b)
    if any(part.dtype != x.dtype for part in (A, right, preconditioner)) or x.dtype.char not in "fd" or right.ndim != 1:
        raise Unfit("the dtypes of a system of float32 or float64 differ")
    record, product = as_operand(A), np.empty_like(x)

    def multiply(p):
        multiply_rows(record, p, product)
        return product

    with on_one_core():
        size = float(np.linalg.norm(right))
    tolerance = max(atol, rtol * size)
    if not (tolerance and 0 < size < np.inf):
        raise Unfit("the tolerance or the right-hand side is 0, or not in range")
    return (
        multiply,
        None if M is None else preconditioner.matvec,
        right - multiply(x) if x.any() else right.copy(),
        x,
        tolerance,
    )
