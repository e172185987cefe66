"""Preparation of a linear system for a solver: SciPy's on the cores; on a GPU CuPy's or one of this package."""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import goes_to_gpu, namespace_of, to_host_scalar
from spark_csr._matrix.base import SparseArray
from spark_csr._progress import watch
from spark_csr.linalg import gradients, krylov, near_one
from spark_csr.linalg.blas import on_one_core
from spark_csr.linalg.operators import (
    as_array_on,
    as_matrix,
    as_operator,
    aslinearoperator,
    call_library,
    cast_operand,
    check_limits,
    check_tolerances,
    device_of_problem,
    function_of,
    solver_dtype,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array, Progress

BY_CYCLE = "gmres", "lgmres"
"""Solvers that call their callback once for several products."""

DEFAULTS: dict[str, Any] = {"shift": 0.0, "show": False, "callback_type": None, "atol": None}


def solve(
    name: str, A: Any, b: Any, x0: Any, M: Any, callback: Callable[[Any], Any] | None, progress: Progress, **settings: Any
) -> tuple[Array, int]:
    """Return the result of the solver `name` with the given settings; see `solvers.cg`.

    The right-hand side is scaled near 1: its squares are then in range, and SciPy takes no small number for a breakdown. For
    `minres` it is scaled far below the matrix: SciPy's adds its norm to the estimate of the norm of the matrix, and stops too
    early if it is large.
    """
    check_limits(**{limit: settings[limit] for limit in ("maxiter", "restart") if limit in settings})
    check_tolerances(settings.get("rtol"), settings.get("atol"))
    A, M = as_matrix(A), as_matrix(M)
    device = device_of_problem(A, b, x0)
    b = as_array_on(b, device, "b")
    if isinstance(x0, str) and x0 != "Mb":
        raise ValueError(f"x0 must be an array, or 'Mb' for the preconditioned right-hand side, got {x0!r}")
    x0 = x0 if x0 is None or isinstance(x0, str) else as_array_on(x0, device, "x0")
    dtype = solver_dtype(A, b, M, x0)
    b, x0 = b.astype(dtype, copy=False), x0.astype(dtype, copy=False) if hasattr(x0, "dtype") else x0
    of_matrix = near_one.of_operator(A, b) if name == "minres" else near_one.of_entries(A) if M is None else 1.0
    of_right = near_one.of_vector(b) if name != "minres" else near_one.far_below(near_one.of_vector(b), dtype)
    settings["atol"] = near_one.scale(settings.get("atol"), of_right)
    if settings.get("shift"):
        settings["shift"] = near_one.scale(settings["shift"], of_matrix)

    if name == "minres":
        near_b = near_one.scale(b, near_one.of_vector(b))
        if settings.pop("check"):
            _check_symmetry(A, M, near_b.ravel())
        if M is not None and M.shape[-1:] == b.shape[:1]:
            # SciPy's compares a residual in the norm of M with the length of the solution
            M = near_one.scale(aslinearoperator(M), near_one.of_vector(M @ near_b))

    def scaled_back(x):
        return near_one.scale_solution(x, of_matrix, of_right)

    with watch(progress, name, "cycles" if name in BY_CYCLE else "iterations") as report:
        callback, by_solution = _make_callback(A, b, callback, report), settings.get("callback_type", "x") == "x"
        rescaled = (lambda x: callback(scaled_back(x))) if callback is not None and by_solution else callback
        x0 = near_one.scale_solution(x0, of_right, of_matrix) if hasattr(x0, "dtype") else x0
        A, b = near_one.scale(A, of_matrix), near_one.scale(b, of_right)
        if x0 is not None and settings.get("shift"):
            start = (b if M is None else M @ b) if isinstance(x0, str) else x0
            b, x0 = _shift_right_side(b, start, settings["shift"])
        x, info = _solve(name, A, b, x0, M, rescaled, device, settings)
        return scaled_back(x), info


def _check_symmetry(A, M, b):
    """Raise ValueError if a matrix or its preconditioner is not Hermitian, as products with `b` tell."""
    for name, operator in (("preconditioner", M), ("matrix", A)):
        if operator is None:
            continue
        once = operator @ b
        size, other = krylov.inner(once, once), krylov.inner(b, operator @ once)
        if abs(size - other) > abs(size) * float(np.finfo(b.dtype).eps) ** (1 / 3):
            raise ValueError(f"non-symmetric {name}")


def _shift_right_side(b, x0, shift):
    """Return `b` and `x0` such that `b - A @ x0`, with which SciPy and CuPy begin, is the residual of the shifted system.

    If `b` becomes zero, they would return zeros: then return the old `b`, and no `x0`.
    """
    moved = b + shift * x0.reshape(b.shape)
    return (moved, x0) if to_host_scalar(moved.any()) else (b, None)


def _solve(name, A, b, x0, M, callback, device, settings):
    """Return the result of the solver for operands whose squares are in range."""
    own = (ON_CORES if device == "cpu" else ON_GPU).get(name)
    if own is own_gmres and device == "cpu" and (settings["callback_type"] == "legacy" or not _is_long_on_cores(b)):
        own = None  # SciPy's
    if own is None:
        dtype = solver_dtype(A, b, M, x0)
        if device == "cpu" and name == "minres" and dtype.kind == "c":
            A = _prepare_complex_minres(dtype, A, b, M, x0)
        settings |= {"M": as_operator(M, device), "callback": callback}
        operands = as_operator(A, device), b, x0
        return call_library(function_of(device, name), operands, settings, DEFAULTS)
    with on_one_core() if device == "cpu" else contextlib.nullcontext():
        return own(*prepare_system(A, b, x0, M, reuse=name == "cg"), callback, **settings)


def _prepare_complex_minres(dtype, A, *others):
    """Return an operator of a complex dtype: SciPy conjugates only if the matrix is complex, and before version 1.18 never."""
    if np.lib.NumpyVersion(importlib.import_module("scipy").__version__) < "1.18.0":
        dtypes = ", ".join(str(x.dtype) for x in (A, *others) if hasattr(x, "dtype"))
        raise TypeError(f"minres of SciPy before version 1.18 solves real systems only, got operands of {dtypes}: use gmres")
    return cast_operand(aslinearoperator(A), dtype)


def _make_callback(A, b, callback, report):
    """Return a callback that also reports the residual norm of the solution."""
    if report is None:
        return callback
    iteration = itertools.count(1)

    def call(x):
        if callback is not None:
            callback(x)
        report(next(iteration), krylov.length(b.ravel() - A @ x))

    return call


def prepare_system(
    A: Any, b: Array, x0: Any, M: Any, reuse: bool = False
) -> tuple[Callable[[Array], Array], Callable[[Array], Array], Array, Array]:
    """Return functions for both products, and both vectors in the dtype that is computed in.

    With `reuse`, a product with a matrix of this package may be written over the one before: new memory for each of a million
    elements takes as long as all other work of an iteration. Raise ValueError if the shapes do not fit.
    """
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix, but got shape={A.shape}")
    n = A.shape[0]
    if M is not None and M.shape != A.shape:
        raise ValueError(f"matrix and preconditioner have different shapes: {A.shape} and {M.shape}")
    for name, vector in (("b", b), ("x0", x0)):
        if vector is not None and not isinstance(vector, str) and vector.shape not in ((n,), (n, 1)):
            raise ValueError(f"shapes of A {A.shape} and {name} {vector.shape} are incompatible")
    dtype = solver_dtype(A, b, M, x0)
    b = b.astype(dtype).ravel()
    precondition = (lambda x: x) if M is None else (lambda x: (M @ x).astype(dtype, copy=False))
    if isinstance(x0, str):
        x0 = precondition(b)
    x = namespace_of(b).zeros_like(b) if x0 is None else x0.astype(dtype).ravel()
    if reuse and isinstance(A, SparseArray) and A.dtype == dtype:
        return functools.partial(A.matmul, out=namespace_of(b).empty_like(b)), precondition, b, x
    return (lambda x: (A @ x).astype(dtype, copy=False)), precondition, b, x


def find_tolerance(size: float, rtol: Any, atol: Any) -> float:
    """Return the norm of a residual that is small enough, for a right-hand side of norm `size`."""
    check_tolerances(rtol, atol)
    return max(0.0 if atol is None else float(atol), float(rtol) * size)


def _with_defaults(solver: Callable[..., tuple[Array, int]]) -> Callable[..., tuple[Array, int]]:
    """Return a solver that is given SciPy's settings; the solution is 0 if the right-hand side is 0."""

    def solve_or_zero(multiply, precondition, b, x, callback, *, rtol, atol, maxiter):
        tolerance = find_tolerance(krylov.length(b), rtol, atol)
        if not to_host_scalar(b.any()):
            return b, 0
        return solver(multiply, precondition, b, x, tolerance, maxiter or 10 * b.size, callback)

    return solve_or_zero


def _conjugate_gradients(multiply, precondition, b, x, tolerance, maxiter, callback):
    after = (lambda iteration, squares: None) if callback is None else (lambda iteration, squares: callback(x))
    residual = b - multiply(x) if x.any() else b
    return gradients.cg(multiply, precondition, residual, x, np.empty_like(x), tolerance, maxiter, after)


def _is_long_on_cores(b):
    return gradients.is_long(b) and not goes_to_gpu(b)


def own_gmres(
    multiply: Callable[[Array], Array],
    precondition: Callable[[Array], Array],
    b: Array,
    x: Array,
    callback: Any,
    *,
    rtol: float,
    atol: float,
    restart: int | None,
    maxiter: int | None,
    callback_type: str,
) -> tuple[Array, int]:
    """Solve by `krylov.gmres` with SciPy's defaults; the solution is 0 if the right-hand side is 0."""
    tolerance = find_tolerance(krylov.length(b), rtol, atol)
    if not to_host_scalar(b.any()):
        return b, 0
    restart, cycles = min(restart or 20, b.size), maxiter or 10 * b.size
    if callback_type == "x":
        at_cycle, at_step = callback, None
    else:
        size = krylov.length(b)
        at_cycle, at_step = None, lambda residual: callback(residual / size)
    orthogonalise = gradients.orthogonalise if _is_long_on_cores(b) else krylov.orthogonalise_twice
    return krylov.gmres(multiply, precondition, b, x, tolerance, restart, cycles, at_cycle, at_step, orthogonalise)


ON_CORES = {"cg": _with_defaults(_conjugate_gradients), "gmres": own_gmres}
"""The solvers of this package that replace those of SciPy on the cores: `gmres` for long vectors of real numbers."""

ON_GPU: dict[str, Callable[..., tuple[Array, int]]] = {
    "bicgstab": _with_defaults(lambda *args: krylov.bicgstab(*args)),
    "gmres": own_gmres,
}
"""The solvers of this package that replace those of CuPy on a GPU."""
