"""`cg` of SciPy with its own CSR matrices: the same steps, with vectors that are changed in place, on all cores."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse.linalg
from scipy.sparse import csr_array, csr_matrix
from scipy.sparse.linalg._isolve.utils import make_system

from spark_csr.interop.scipy._products import as_operand, multiply_rows
from spark_csr.interop.scipy._switch import Unfit, replaces
from spark_csr.linalg import gradients
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
    if callback is not None:
        raise Unfit("a callback is given")
    if not (isinstance(atol, (int, float)) and atol >= 0 and isinstance(rtol, (int, float))):
        raise Unfit("a tolerance is not a non-negative number")
    _, preconditioner, x, right, *_ = make_system(A, M, x0, b)
    if any(part.dtype != x.dtype for part in (A, right, preconditioner)) or x.dtype.char not in "fd" or right.ndim != 1:
        raise Unfit("the dtypes of a system of float32 or float64 differ")
    record, product, done = as_operand(A), np.empty_like(x), 0

    def multiply(p):
        multiply_rows(record, p, product)
        return product

    def after(iteration, squares):
        nonlocal done
        done = iteration

    with on_one_core():
        size = float(np.linalg.norm(right))
        tolerance = max(atol, rtol * size)
        if not (tolerance and 0 < size < np.inf):
            raise Unfit("the tolerance or the right-hand side is 0, or not in range")
        residual = right - multiply(x) if x.any() else right.copy()
        limit = 10 * x.size if maxiter is None else maxiter
        precondition = None if M is None else preconditioner.matvec
        x, info = gradients.cg(multiply, precondition, residual, x, np.empty_like(x), tolerance, limit, after)
    if info < 0:
        raise Unfit("the method broke down")
    return x, limit if done == limit else info  # SciPy does not look at the residual after the last iteration
