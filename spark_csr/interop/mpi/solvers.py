"""`cg`: conjugate gradients for a matrix that is spread over ranks.

Design: SciPy's iteration, whose two sums over all ranks are one message each. The iterations that need only one lose digits,
and the second sum costs some microseconds. Vectors are changed in place; the search vector lives in the buffer of a halo, so a
product copies none of it. That halo belongs to one call: preconditioners and callbacks may multiply too.
"""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import namespace_of
from spark_csr._config import config
from spark_csr.interop.mpi.agreement import agree, tell_function, tell_part
from spark_csr.interop.mpi.by_mpi import inner
from spark_csr.interop.mpi.rows import csr_rows
from spark_csr.linalg import near_one
from spark_csr.linalg.blas import on_one_core
from spark_csr.linalg.gradients import Vectors, add_in_place
from spark_csr.linalg.gradients import cg as iterate
from spark_csr.linalg.operators import check_limits, solver_dtype
from spark_csr.linalg.systems import find_tolerance

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array


def cg(
    A: csr_rows,
    b: Array,
    x0: Array | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Callable[[Array], Array] | None = None,
    callback: Callable[[Array], Any] | None = None,
    progress: Callable[[int, float], Any] | None = None,
) -> tuple[Array, int]:
    """Solve `A x = b` by conjugate gradients; the matrix is symmetric (Hermitian) and positive definite.

    Parameters, result and exceptions that are not listed are those of `spark_csr.linalg.cg`, for a matrix and vectors of which
    each rank has a part. An exception is raised on all ranks, also if they were given different settings, dtypes, or vectors on
    some of them only.

    Parameters
    ----------
    A : csr_rows
        A square matrix, whose `column_offsets` are its `offsets`.
    M : function, optional
        A preconditioner that approximates the inverse of the matrix: it takes this rank's part of a vector and returns this
        rank's part of a new one. Default: none.
    callback : function, optional
        Called on every rank as `callback(x)` after every iteration, with this rank's part of the solution. The next iteration
        changes `x`, so copy what you keep.
    progress : function, optional
        Called on every rank as `progress(iteration, residual_norm)` after every iteration.

    Notes
    -----
    All ranks must call this function, with the same settings; `callback` and `progress` can be given on some of them only.
    *Cost* of an iteration: one product, two sums over all ranks, and seven passes over vectors. Before the first one, the ranks
    compare what they were given, and the right-hand side is multiplied by a power of two that brings it near 1, so that no
    square is out of range; `M` is given residuals that are multiplied by it. *Order*: the result has the same bits on every run
    if every rank has the same rows. Source: Hestenes & Stiefel, *Methods of conjugate gradients for solving linear systems*,
    1952.

    Examples
    --------
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.interop import mpi
    >>> A = mpi.csr_rows(poisson((3,)))
    >>> x, info = mpi.cg(A, A.ones())
    >>> x.round(6), info
    (array([1.5, 2. , 1.5]), 0)
    """
    dtype = _read_system(A, b, x0, rtol, atol, maxiter, {"M": M}, {"callback": callback, "progress": progress})
    halo, products = A._new_halo(dtype), functools.partial(inner, A.comm)
    r = b.astype(dtype)
    of_matrix, of_right = _find_scales(A, r, M)
    matrix, r = near_one.scale(A.block.matrix, of_matrix), near_one.scale(r, of_right)
    with on_one_core(), config(threads=A.threads):
        size = float(np.sqrt(products((r, r))[0].real))
        if size == 0:
            return r, 0
        tolerance = find_tolerance(size, rtol, near_one.scale(atol, of_right))
        x = namespace_of(r).zeros_like(r) if x0 is None else near_one.scale_solution(x0.astype(dtype), of_right, of_matrix)
        if x0 is not None:
            r -= matrix.matmul(halo.fetch(x))
        q = r.copy()

        def multiply(p):
            matrix.matmul(halo.fetch(p), out=q)
            return q

        def after(iteration, squares):
            if callback is not None:
                callback(near_one.scale_solution(x, of_matrix, of_right))
            if progress is not None:
                progress(iteration, near_one.scale_solution(float(np.sqrt(squares)), 1.0, of_right))

        vectors = Vectors(products, add_in_place(dtype) if isinstance(b, np.ndarray) else _add)
        precondition = None if M is None else _Preconditioner(M, dtype, A)
        limit = 10 * A.shape[0] if maxiter is None else int(maxiter)
        x, info = iterate(multiply, precondition, r, x, halo.chunk, tolerance, limit, after, vectors)
        return near_one.scale_solution(x, of_matrix, of_right), info


def _add(x, y, a):
    y += a * x


class _Preconditioner:
    """A user's function, whose first result is looked at on all ranks: sums take no parts of several dtypes."""

    def __init__(self, function, dtype, A):
        self.function, self.dtype, self.A, self.is_known = function, dtype, A, False

    def __call__(self, r):
        z = self.function(r)
        if not self.is_known:
            agree(self.A.comm, lambda: ({"M(r)": self._tell(z)}, None))
            self.is_known = True
        return z.astype(self.dtype, copy=False)

    def _tell(self, z):
        told = tell_part("M(r)", z, self.A.offsets, self.A, axes=1)
        if z.dtype.kind == "c" != self.dtype.kind:
            raise TypeError(f"M(r) must be real for a real system, got {z.dtype}")
        return told


def _find_scales(A, b, M):
    """Return the powers of two that the matrix and the right-hand side are multiplied by, which are the same on all ranks."""
    mine = near_one.find_largest_entry(A.block.matrix._csr.data) if M is None else 0.0, near_one.find_largest(b)
    entry, element = np.max(A.comm.gather(mine), axis=0).tolist()
    return near_one.of_largest_entry(entry), near_one.of_largest(element)


def _read_system(A, b, x0, rtol, atol, maxiter, preconditioner, observers):
    """Return the dtype to compute in; raise an exception on all ranks if what was given does not fit, or differs."""
    if not isinstance(A, csr_rows):
        raise TypeError(f"A must be a csr_rows, got {type(A).__name__}: use csr_rows(A), or spark_csr.linalg.cg on one process")
    if A.shape[0] != A.shape[1] or not np.array_equal(A.offsets, A.column_offsets):
        raise ValueError(f"A must be square, and its columns be spread as its rows are; its shape is {A.shape}")

    def read():
        vectors = {
            "b": tell_part("b", b, A.offsets, A, axes=1),
            "x0": tell_part("x0", x0, A.offsets, A, axes=1, optional=True),
        }
        check_limits(maxiter=maxiter)
        tolerances = find_tolerance(1.0, rtol, 0.0), find_tolerance(0.0, 0.0, atol)
        numbers = {
            "rtol": str(tolerances[0]),
            "atol": str(tolerances[1]),
            "maxiter": str(maxiter if maxiter is None else operator.index(maxiter)),
        }
        for name, function in observers.items():
            tell_function(name, function)
        functions = {name: tell_function(name, function) for name, function in preconditioner.items()}
        return vectors | numbers | functions, solver_dtype(A, b, x0)

    return agree(A.comm, read)
