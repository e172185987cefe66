"""`bicgstab` and `gmres` on arrays of any device, for a GPU; `gmres` on the cores too, for long vectors.

Both take functions for the products, and arrays of one dtype, and return `(x, info)`. `info` is 0 if the residual norm is at
most `tolerance`, else the number of iterations done, or negative if the method broke down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import namespace_of, to_device, to_host_scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array


def length(x: Array) -> float:
    """Return the Euclidean norm, on the host."""
    return to_host_scalar(namespace_of(x).linalg.norm(x))


def is_solved(size: float, tolerance: float) -> bool:
    """Return whether a residual of this norm is small enough: one that is not finite never is, also if the tolerance is not."""
    return size <= tolerance and size < np.inf


def inner(x: Array, y: Array) -> Any:
    """Return `x.conj() @ y`, on the host."""
    return to_host_scalar(namespace_of(x).vdot(x, y))


def bicgstab(
    multiply: Callable[[Array], Array],
    precondition: Callable[[Array], Array],
    b: Array,
    x: Array,
    tolerance: float,
    maxiter: int,
    callback: Callable[[Array], Any] | None,
) -> tuple[Array, int]:
    """Solve a system by stabilised biconjugate gradients. *Cost* of an iteration: two products, six host reads.

    Source: van der Vorst, *Bi-CGSTAB*, SIAM J. Sci. Stat. Comput. 13, 1992. Breakdowns are numbered as in SciPy: -10 if the
    residual has become orthogonal to the first one, -11 if a step has no length.
    """
    smallest = np.finfo(x.dtype).eps ** 2
    residual = b - multiply(x)
    shadow, search, moved = residual.copy(), residual, None
    rho = alpha = omega = 1
    for iteration in range(maxiter):
        if is_solved(length(residual), tolerance):
            return x, 0
        rho, before = inner(shadow, residual), rho
        if abs(rho) < smallest:
            return x, -10
        if iteration:
            search = residual + (rho / before) * (alpha / omega) * (search - omega * moved)
        direction = precondition(search)
        moved = multiply(direction)
        along = inner(shadow, moved)
        if along == 0:
            return x, -11
        alpha = rho / along
        half = residual - alpha * moved
        if is_solved(length(half), tolerance):
            return x + alpha * direction, 0
        correction = precondition(half)
        stabilised = multiply(correction)
        square = inner(stabilised, stabilised).real
        omega = inner(stabilised, half) / square if square else 0
        x = x + alpha * direction + omega * correction
        residual = half - omega * stabilised
        if callback is not None:
            callback(x)
        if abs(omega) < smallest:
            return x, 0 if is_solved(length(residual), tolerance) else -11
    return x, 0 if is_solved(length(residual), tolerance) else maxiter


def orthogonalise_twice(basis: Array, vector: Array) -> tuple[Array, Any, float]:
    """Take away the shares in four passes over the basis; twice is enough.

    *Cost*: two host reads. Source: Giraud, Langou & Rozloznik, *The loss of orthogonality in the Gram-Schmidt orthogonalization
    process*, 2005.
    """
    found = 0
    for _ in range(2):
        shares = basis.conj() @ vector
        vector, found = vector - shares @ basis, found + shares
    return vector, to_device(found, "cpu"), length(vector)


def gmres(
    multiply: Callable[[Array], Array],
    precondition: Callable[[Array], Array],
    b: Array,
    x: Array,
    tolerance: float,
    restart: int,
    cycles: int,
    at_cycle: Callable[[Array], Any] | None,
    at_step: Callable[[float], Any] | None,
    orthogonalise: Callable[[Array, Array], tuple[Array, Any, float]],
) -> tuple[Array, int]:
    """Solve a system by restarted minimal residuals, preconditioned from the right.

    `orthogonalise(basis, vector)` returns the vector without its shares of the rows of `basis`, the shares, and what length is
    left.

    With a preconditioner on the right, `x0` is the initial solution itself and the residual is the true one. *Cost* of a step:
    one product, and what it takes to orthogonalise a vector. Memory: `restart + 1` vectors. Source: Saad & Schultz, SIAM J.
    Sci. Stat. Comput. 7, 1986.
    """
    for _ in range(cycles):
        residual = b - multiply(x)
        size = length(residual)
        if is_solved(size, tolerance):
            return x, 0
        if not np.isfinite(size):
            return x * np.nan, cycles
        x = x + _cycle(multiply, precondition, residual, size, tolerance, restart, at_step, orthogonalise)
        if at_cycle is not None:
            at_cycle(x)
    return x, 0 if is_solved(length(b - multiply(x)), tolerance) else cycles


def _cycle(multiply, precondition, residual, size, tolerance, restart, at_step, orthogonalise):
    """Return the correction in the space that up to `restart` products span; fewer where these already solve the system.

    It is NaN if a product is not finite.
    """
    xp, dtype = namespace_of(residual), residual.dtype
    basis = xp.empty((restart + 1, residual.size), dtype)
    basis[0] = residual / size
    hessenberg, wanted = np.zeros((restart + 1, restart), dtype), np.zeros(restart + 1, dtype)
    wanted[0] = size
    for j in range(restart):
        vector, found, rest = orthogonalise(basis[: j + 1], multiply(precondition(basis[j])))
        hessenberg[: j + 1, j], hessenberg[j + 1, j] = found, rest
        step = hessenberg[: j + 2, : j + 1]
        if not np.isfinite(step).all():
            return residual * np.nan
        weights = np.linalg.lstsq(step, wanted[: j + 2])[0]
        left = float(np.linalg.norm(step @ weights - wanted[: j + 2]))
        if at_step is not None:
            at_step(left)
        if left <= tolerance or rest <= np.finfo(dtype).eps * np.linalg.norm(step[:, j]):
            break
        xp.divide(vector, rest, out=basis[j + 1])
    return precondition(xp.asarray(weights) @ basis[: j + 1])
