"""Systems with matrices on a GPU by NVIDIA's cuDSS, if nvmath-python is installed.

Design: cuDSS orders, analyses and factorises with the GPU; CuPy's `splu` factorises on one core of the host, and its `spsolve`
is a QR of cuSOLVER, with more fill. But cuDSS exchanges rows only within blocks, and replaces a pivot that is too small. So a
factorisation with such a pivot is not used: CuPy computes then, which also says what is singular. A matrix is given as
symmetric only if it is so exactly, and never as definite, which the entries do not show. Cost of that: an LDL where a Cholesky
would do, and a transpose. Calls that return before the GPU has finished run on CuPy's current stream.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import logging
import weakref
from typing import TYPE_CHECKING, Any

from spark_csr._array import complex_of, contiguous, namespace_for, to_host_scalar
from spark_csr._matrix.base import as_ours, issparse
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.canonical import canonical
from spark_csr._operations.form.transpose import transpose
from spark_csr.linalg.operators import as_array_on, solver_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array

LOG = logging.getLogger("spark_csr.cudss")
LOG.setLevel(logging.ERROR)  # nvmath warns at every call that no library of threads was named


@functools.cache
def library() -> Any:
    """Return `nvmath.sparse.advanced`, or None if nvmath-python or cuDSS cannot be loaded."""
    try:
        importlib.import_module("nvmath.bindings.cudss").get_property(0)
        return importlib.import_module("nvmath.sparse.advanced")
    except (ImportError, RuntimeError):
        return None


def factor_and_solve(A: Any, b: Array) -> Array | None:
    """Return the solution of `A x = b` for an array of one or two dimensions, or None where CuPy must do."""
    if not _takes(A) or not b.size:
        return None
    dtype = solver_dtype(A, b)
    right = contiguous(b.ravel() if b.shape[1:] == (1,) else b.T, dtype).T
    solver = _factor(A, right, dtype)
    if solver is None:
        return None
    with solver:
        return solver.solve()


def factor(A: Any) -> Callable[[Array], Array] | None:
    """Return a function that solves `A x = b`, or None where CuPy must do."""
    matrix: Any = as_ours(A) if issparse(A) else None
    if not _takes(matrix):
        return None
    n, dtype, device = matrix.shape[0], solver_dtype(matrix), matrix.device
    xp = namespace_for(device)
    solver = _factor(matrix, xp.zeros(n, dtype), dtype)
    if solver is None:
        return None

    def solve(b: Array) -> Array:
        right = as_array_on(b, device, "b")
        if right.ndim not in (1, 2) or right.shape[0] != n:
            raise ValueError(f"b must have shape ({n},) or ({n}, k), got {right.shape}")
        if right.dtype.kind == "c" and dtype.kind != "c":
            return complex_of(solve(right.real), solve(right.imag))
        if right.ndim == 2:
            return xp.stack([solve(column) for column in right.T], axis=1) if right.size else xp.empty(right.shape, dtype)
        solver.reset_operands(b=contiguous(right, dtype))
        return solver.solve()

    weakref.finalize(solve, solver.free)
    return solve


def _takes(matrix):
    """Return whether a matrix is square, on a GPU, and cuDSS is here; of one row, nvmath takes strides for those of C order."""
    if matrix is None or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] < 2:
        return False
    return matrix.device != "cpu" and library() is not None


def _factor(matrix, right, dtype):
    """Return a solver that has factorised a matrix, or None if a pivot was too small in every form."""
    csr = canonical(matrix.tocsr()._csr).as_dtype(dtype)
    for kind in _kinds(csr):
        options = {"sparse_system_type": kind, "logger": LOG}
        with contextlib.ExitStack() as stack:
            solver = stack.enter_context(library().DirectSolver(csr_array._of(csr).to_cupy(), right, options=options))
            solver.plan()
            found = solver.factorize()
            if found.info == 0 and found.npivots == 0:
                stack.pop_all()
                return solver
    return None


def _kinds(csr):
    """Return the types of system that a matrix can be solved as, symmetric ones first: they take half the arithmetic."""
    of, other = library().DirectSolverMatrixType, transpose(csr)
    kinds = [of.GENERAL]
    if to_host_scalar((other.indptr == csr.indptr).all() & (other.indices == csr.indices).all()):
        if to_host_scalar((other.data == csr.data).all()):
            kinds.insert(0, of.SYMMETRIC)
        elif to_host_scalar((other.data.conj() == csr.data).all()):
            kinds.insert(0, of.HERMITIAN)
    return kinds
