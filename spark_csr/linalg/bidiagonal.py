"""`lsqr` on arrays of any device: CuPy's is a direct solver for square matrices, and SciPy's does not report its progress.

Source: Paige & Saunders, *LSQR: An Algorithm for Sparse Linear Equations and Sparse Least Squares*, ACM TOMS 8, 1982.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import namespace_of
from spark_csr.linalg.krylov import length

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array


class Estimates:
    """Norms and the condition number as estimated so far; `stop` is the reason to stop, numbered as in SciPy."""

    stop: int
    iterations: int
    r1: float
    r2: float
    of_matrix: float
    condition: float
    of_x: float
    gradient: float

    def __init__(self, residual: float, gradient: float) -> None:
        self.stop = self.iterations = 0
        self.r1 = self.r2 = residual
        self.of_matrix = self.condition = self.of_x = 0.0
        self.gradient = gradient


def lsqr(
    multiply: Callable[[Array], Array],
    multiply_adjoint: Callable[[Array], Array],
    b: Array,
    x: Array,
    damp: float,
    atol: float,
    btol: float,
    conlim: float,
    iter_lim: int,
    calc_var: bool,
    report: Callable[[int, float], Any] | None,
) -> tuple[Array, int, int, float, float, float, float, float, float, Array]:
    """Return `(x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var)`, as SciPy's `lsqr` does.

    *Cost* of an iteration: one product with the matrix, one with its adjoint, and three host reads. `report(itn, r2norm)`
    costs nothing more, because the norm is known.
    """
    xp = namespace_of(b)
    variance = xp.zeros(x.size, x.dtype)
    u, beta = _normalize(b - multiply(x))
    v, alpha = _normalize(multiply_adjoint(u)) if beta else (xp.zeros_like(x), 0.0)
    state, size = Estimates(beta, alpha * beta), length(b)
    step, rho_bar, phi_bar = v.copy(), alpha, beta
    squares, cosine, sine, z, of_steps, of_damping = 0.0, -1.0, 0.0, 0.0, 0.0, 0.0
    while state.gradient and state.iterations < iter_lim and not state.stop:
        state.iterations += 1
        # The next pair of the bidiagonalisation.
        u, beta = _normalize(multiply(v) - alpha * u)
        if beta:
            state.of_matrix = math.sqrt(state.of_matrix**2 + alpha**2 + beta**2 + damp**2)
            v, alpha = _normalize(multiply_adjoint(u) - beta * v)
        # Rotate the damping away, then the subdiagonal.
        damped = math.hypot(rho_bar, damp)
        psi, phi_bar = phi_bar * damp / damped, phi_bar * rho_bar / damped
        rho = math.copysign(math.hypot(damped, beta), damped)
        c, s = damped / rho, beta / rho
        theta, rho_bar = s * alpha, -c * alpha
        phi, phi_bar = c * phi_bar, s * phi_bar
        x, direction, step = x + (phi / rho) * step, step / rho, v - (theta / rho) * step
        of_steps += length(direction) ** 2
        if calc_var:
            variance = variance + direction**2
        # The norm of x, by a rotation from the right.
        delta, gamma_bar = sine * rho, -cosine * rho
        right = phi - delta * z
        state.of_x = math.sqrt(squares + (right / gamma_bar) ** 2)
        gamma = math.hypot(gamma_bar, theta)
        cosine, sine, z = gamma_bar / gamma, theta / gamma, right / gamma
        squares += z * z
        # The norms that tell how far the iteration is.
        state.condition = state.of_matrix * math.sqrt(of_steps)
        of_damping += psi * psi
        state.r2 = math.sqrt(phi_bar**2 + of_damping)
        state.gradient = alpha * abs(s * phi)
        without = state.r2**2 - damp**2 * squares
        state.r1 = math.copysign(math.sqrt(abs(without)), without)
        state.stop = _find_reason(state, size, atol, btol, conlim, iter_lim)
        if report is not None:
            report(state.iterations, state.r2)
    norms = state.r1, state.r2, state.of_matrix, state.condition, state.gradient, state.of_x
    return x, state.stop, state.iterations, *norms, variance


def _normalize(x):
    """Return `x` scaled to length one, and its length."""
    size = length(x)
    return (x / size if size else x), size


def _find_reason(state, size, atol, btol, conlim, iter_lim):
    """Return why to stop: 1 solved, 2 least squares solved, 3 condition, 4 to 6 the same to machine precision, 7 the limit; 0
    if not.
    """
    eps = np.finfo(np.float64).eps
    grown = state.of_matrix * state.of_x / size
    residual = state.r2 / size
    gradient = state.gradient / (state.of_matrix * state.r2 + eps)
    condition = 1 / (state.condition + eps)
    tests = (
        (1, residual <= btol + atol * grown),
        (2, gradient <= atol),
        (3, condition <= (1 / conlim if conlim > 0 else 0)),
        (4, 1 + residual / (1 + grown) <= 1),
        (5, 1 + gradient <= 1),
        (6, 1 + condition <= 1),
        (7, state.iterations >= iter_lim),
    )
    return next((number for number, holds in tests if holds), 0)
