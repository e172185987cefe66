"""Solvers for matrices in blocks of rows on Dask."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np

from spark_csr.interop.dask.checkpoints import read_checkpoint, saver
from spark_csr.interop.dask.iterate import (
    Step,
    check_square,
    check_vector,
    dot,
    find_largest,
    iterate,
    norm,
    scale,
    start,
    vector_of,
)
from spark_csr.linalg import near_one
from spark_csr.linalg.operators import check_limits, check_tolerances

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from spark_csr.interop.dask.blocks import csr_blocks

__all__ = ["cg", "power_iteration", "read_checkpoint"]


class _Gradients(Step):
    """Conjugate gradients with one sum for each iteration; vectors are x, r, u = M r, p, s = A p, and M.

    The system of `r`, `u`, `p` and `s`, and of the tolerance, is that of `b` multiplied by a power of two, `factor`.
    """

    def __init__(self, tolerance, factor):
        self.tolerance, self.factor = tolerance, factor

    def operand(self, vectors):
        return vectors[2]

    def measure(self, vectors, product):
        r, u = vectors[1:3]
        return np.array([dot(r, r).real, dot(r, u).real, dot(u, product).real])

    def decide(self, before, sums):
        length, gamma, delta = float(np.sqrt(sums[0])), sums[1], sums[2]
        value = length / self.factor
        if length <= self.tolerance and np.isfinite(length):
            return {"done": True, "value": value, "broken": False}
        beta = gamma / before["gamma"] if before["iteration"] else 0.0
        curvature = delta - beta * gamma / before["step"] if before["iteration"] else delta
        broken = not (np.isfinite(length) and curvature > 0)
        step = 0.0 if broken else gamma / curvature
        return {"done": broken, "broken": broken, "value": value, "gamma": gamma, "beta": beta, "step": step}

    def advance(self, vectors, product, decision):
        x, r, u, p, s, m = vectors
        p, s = _add_multiple(u, decision["beta"], p), _add_multiple(product, decision["beta"], s)
        x, r = _add_multiple(x, decision["step"] / self.factor, p), _add_multiple(r, -decision["step"], s)
        return x, r, r if m is None else m * r, p, s, m


def _add_multiple(x, factor, y):
    """Return `x + factor * y`; only one new array is made, and arrays of these sizes take longer to get than to add."""
    total = factor * y
    total += x
    return total


def _start_gradients(r, *others, has_x):
    x = others[0] if has_x else np.zeros_like(r)
    m = others[-1] if len(others) > has_x else None
    return x, r, r if m is None else m * r, np.zeros_like(r), np.zeros_like(r), m


def cg(
    A: csr_blocks,
    b: Any,
    x0: Any = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    progress: Callable[[int, float], Any] | None = None,
    check_every: int = 20,
    checkpoint: str | os.PathLike[str] | None = None,
) -> tuple[da.Array, int]:
    """Solve `A x = b` by conjugate gradients; the matrix is symmetric (Hermitian) and positive definite.

    Parameters, result and exceptions that are not listed are those of `spark_csr.linalg.cg`, for a matrix of shape (n, n) in
    blocks, whose method `persist` should be called first unless it does not fit the memory of the workers, and vectors that are
    arrays of Dask or array_like; the solution is in the memory of the workers.

    Parameters
    ----------
    M : (n,) dask.array.Array or array_like, optional
        The diagonal of a preconditioner that approximates the inverse of the matrix, such as ``1 / A.diagonal()``; TypeError is
        raised if it is complex, and `A` and `b` are real. Default: none.
    progress : function, optional
        Called as `progress(iteration, residual_norm)` for every iteration, once the task graph of the iteration is computed.
        There is no call for iteration `maxiter`, since the residual is computed in the next iteration.
    check_every : int, default 20
        The number of iterations in one task graph of Dask, at least 1. The result does not depend on it.
    checkpoint : path, optional
        A folder, which all workers can write to, for the solution after every task graph. `read_checkpoint` reads it. If it
        holds a file `checkpoint.json` that is none of this package, or is damaged, FileExistsError is raised.

    Notes
    -----
    Each iteration computes one sum over all blocks. The residual whose norm is compared with the tolerance is updated in every
    iteration, and not computed as `b - A @ x`. *Cost* of an iteration: three tasks for each block, at most one for each
    message, and one more if there are more than eight blocks. Dask needs some milliseconds from one task to the next. So use
    this function if one machine cannot hold the matrix; `spark_csr.interop.mpi.cg` is faster. *Order*: the same bits for the
    same blocks. Source: Chronopoulos & Gear, *s-step iterative methods for symmetric linear systems*, 1989.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.interop.dask import from_csr
    >>> from spark_csr.interop.dask.linalg import cg
    >>> A = from_csr(poisson((20, 20)), blocks=2).persist()
    >>> x, info = cg(A, np.ones(400), rtol=1e-8)
    >>> info, bool(abs(A @ x - 1).max() < 1e-6)
    (0, True)
    """
    check_square(A)
    check_limits(maxiter=maxiter)
    check_tolerances(rtol, atol)
    b = check_vector("b", b, A)
    dtype = np.result_type(A.dtype, b.dtype, np.float32 if A.dtype.itemsize <= 4 and A.dtype.kind in "fc" else np.float64)
    b = b.astype(dtype)
    x: tuple[Any, ...] = () if x0 is None else (check_vector("x0", x0, A).astype(dtype),)
    factor = near_one.of_largest(find_largest(b))
    r = scale(b if x0 is None else b - A @ x[0], factor)
    others = () if M is None else (_check_diagonal(M, A, dtype),)
    tolerance = max(rtol * norm(scale(b, factor)), atol * factor)
    states = start(A, partial(_start_gradients, has_x=len(x)), r, *x, *others)
    save = saver(checkpoint, A, position=0)
    count = 10 * A.shape[0] if maxiter is None else maxiter
    states, last = iterate(A, states, _Gradients(tolerance, factor), count, check_every, progress, save)
    solution = vector_of(A, states, 0, dtype)
    if last["done"]:
        return solution, -1 if last["broken"] else 0
    return solution, count


def _check_diagonal(M, A, dtype):
    """Return the diagonal of a preconditioner in the dtype of the other vectors."""
    M = check_vector("M", M, A)
    if M.dtype.kind == "c" != dtype.kind:
        raise TypeError(f"M must be real for a real system, got {M.dtype}: use M.real")
    return M.astype(dtype)


class _Power(Step):
    """Power iteration; there is the vector, of length 1, and what the residual of the vector before adds to a sum.

    The matrix is multiplied by a power of two, `factor`, and so are eigenvalues and residuals within an iteration.
    """

    def __init__(self, tolerance, factor):
        self.tolerance, self.factor = tolerance, factor

    def operand(self, vectors):
        return vectors[0]

    def measure(self, vectors, product):
        product = near_one.scale(product, self.factor)
        return np.array([dot(vectors[0], product), dot(product, product), vectors[1]])

    def decide(self, before, sums):
        value = sums[0] if np.iscomplexobj(sums) else float(sums[0])
        residual = float(np.sqrt(sums[2].real)) if before["iteration"] else np.inf
        length = float(np.sqrt(sums[1].real))
        done = length == 0 or (before["iteration"] > 0 and residual <= self.tolerance * abs(before["scaled"]))
        told = {"value": residual / self.factor, "eigenvalue": value / self.factor}
        return {"done": done, "scaled": value, "length": length} | told

    def advance(self, vectors, product, decision):
        product = near_one.scale(product, self.factor)
        rest = product - decision["scaled"] * vectors[0]
        return product / decision["length"], dot(rest, rest).real


def _start_power(v, length):
    return v / length, 0.0


def power_iteration(
    A: csr_blocks,
    v0: Any = None,
    *,
    tol: float = 1e-6,
    maxiter: int = 1000,
    progress: Callable[[int, float], Any] | None = None,
    check_every: int = 20,
    checkpoint: str | os.PathLike[str] | None = None,
) -> tuple[Any, da.Array]:
    """Compute the eigenvalue of largest magnitude, and an eigenvector, by power iteration.

    Parameters
    ----------
    A : as for `cg`
        The matrix.
    v0 : (n,) dask.array.Array or array_like, optional
        The vector to start from. Default: random numbers, the same every time.
    tol : float, default 1e-6
        The iteration ends when the residual, `norm(A @ v - w * v)`, is at most `tol * abs(w)`.
    maxiter : int, default 1000
        The largest number of iterations.
    progress, check_every, checkpoint : as for `cg`
        How to report and to save. Give what `read_checkpoint` reads as `v0` to continue.

    Returns
    -------
    w : float or complex
        The eigenvalue.
    v : (n,) dask.array.Array
        The eigenvector, of length 1, in the memory of the workers.

    Raises
    ------
    RuntimeError
        If the iteration has not converged after `maxiter` iterations.
    ValueError
        If `v0` is 0 or not finite; else as for `cg`.

    Notes
    -----
    The method converges if one eigenvalue is larger in magnitude than all others. If the next one is nearly as large, it needs
    many iterations. *Cost* of an iteration: that of `cg`.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import diags_array
    >>> from spark_csr.interop.dask import from_csr
    >>> from spark_csr.interop.dask.linalg import power_iteration
    >>> w, v = power_iteration(from_csr(diags_array(np.array([1.0, 2, 5, 3])), blocks=2))
    >>> round(w, 6), v.compute().round(3)
    (5.0, array([0., 0., 1., 0.]))
    """
    check_square(A)
    check_limits(maxiter=maxiter)
    if v0 is None:
        v0 = da.random.default_rng(0).uniform(0.5, 1.5, A.shape[0], chunks=(A.chunks[0],))
    v = check_vector("v0", v0, A)
    v = v.astype(np.result_type(A.dtype, v.dtype, np.float32 if A.dtype == np.float32 else np.float64))
    largest = find_largest(v)
    if not 0 < largest < np.inf:
        raise ValueError(f"v0 must be finite and not 0, got a vector whose largest element is {largest}")
    v = scale(v, near_one.of_largest(largest))
    factor = near_one.of_largest(find_largest(A @ v))
    states = start(A, partial(_start_power, length=norm(v)), v)
    states, last = iterate(A, states, _Power(tol, factor), maxiter, check_every, progress, saver(checkpoint, A, position=0))
    if not last["done"]:
        raise RuntimeError(f"power iteration has not converged after {maxiter} iterations: the residual is {last['value']:.3g}")
    return last["eigenvalue"], vector_of(A, states, 0, v.dtype)


def __dir__() -> list[str]:
    return __all__
