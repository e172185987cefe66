"""`cg`: conjugate gradients for a matrix that is spread over ranks.

Design: SciPy's iteration, whose two sums over all ranks are one message each. The iterations that need only one lose digits,
and the second sum costs some microseconds. Vectors are changed in place; the search vector lives in the buffer of a halo, so a
product copies none of it. That halo belongs to one call: preconditioners and callbacks may multiply too.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._config import config
from spark_csr.interop.mpi.by_mpi import inner
from spark_csr.interop.mpi.rows import csr_rows
from spark_csr.interop.mpi.transposed import check_part
from spark_csr.linalg.blas import on_one_core
from spark_csr.linalg.gradients import Vectors, add_in_place
from spark_csr.linalg.gradients import cg as iterate

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

    Parameters
    ----------
    A : csr_rows
        A square matrix.
    b : (m,) array
        This rank's part of the right-hand side.
    x0 : (m,) array, optional
        This rank's part of the solution to start from. Default: 0.
    rtol : float, default 1e-5
        The relative tolerance: the solver stops when `norm(b - A @ x) <= max(rtol * norm(b), atol)`.
    atol : float, default 0.0
        The absolute tolerance; see `rtol`.
    maxiter : int, optional
        The largest number of iterations. Default: 10 n.
    M : function, optional
        A preconditioner that approximates the inverse of the matrix: it takes this rank's part of a vector and returns this
        rank's part of a new one. Default: none.
    callback : function, optional
        Called on every rank as `callback(x)` after every iteration, with this rank's part of the solution. The next iteration
        changes `x`, so copy what you keep.
    progress : function, optional
        Called on every rank as `progress(iteration, residual_norm)` after every iteration.

    Returns
    -------
    x : (m,) array
        This rank's part of the solution.
    info : int
        0 if the solver reached the tolerance, the number of iterations if `maxiter` iterations were not enough, -1 if the
        method broke down. Every rank returns the same number.

    Raises
    ------
    ValueError
        If the matrix is not square, if its `column_offsets` are not its `offsets`, if a vector has the wrong length, or if
        `atol` is negative.
    TypeError
        If `A` is not a `csr_rows`.

    Notes
    -----
    All ranks must call this function, with the same settings. *Cost* of an iteration: one product, two sums over all ranks, and
    seven passes over vectors. *Order*: the result has the same bits on every run if every rank has the same rows.
    Source: Hestenes & Stiefel, *Methods of conjugate gradients for solving linear systems*, 1952.

    Examples
    --------
    >>> from spark_csr.gallery import poisson
    >>> from spark_csr.interop import mpi
    >>> A = mpi.csr_rows(poisson((3,)))
    >>> x, info = mpi.cg(A, A.ones())
    >>> x.round(6), info
    (array([1.5, 2. , 1.5]), 0)
    """
    _check_system(A, b, x0, atol)
    dtype = np.result_type(A.dtype, b.dtype, np.float32)
    halo, products = A._new_halo(dtype), functools.partial(inner, A.comm)
    r = b.astype(dtype)
    with on_one_core(), config(threads=A.threads):
        size = float(np.sqrt(products((r, r))[0].real))
        if size == 0:
            return r, 0
        tolerance = max(float(atol), float(rtol) * size)
        x = r * 0 if x0 is None else x0.astype(dtype)
        if x0 is not None:
            r -= A @ x
        q = r.copy()

        def multiply(p):
            A.block.matrix.matmul(halo.fetch(p), out=q)
            return q

        def after(iteration, squares):
            if callback is not None:
                callback(x)
            if progress is not None:
                progress(iteration, float(np.sqrt(squares)))

        vectors = Vectors(products, add_in_place(dtype) if isinstance(b, np.ndarray) else _add)
        limit = 10 * A.shape[0] if maxiter is None else maxiter
        return iterate(multiply, M, r, x, halo.chunk, tolerance, limit, after, vectors)


def _add(x, y, a):
    y += a * x


def _check_system(A, b, x0, atol):
    if not isinstance(A, csr_rows):
        raise TypeError(f"A must be a csr_rows, got {type(A).__name__}: use csr_rows(A), or spark_csr.linalg.cg on one process")
    if A.shape[0] != A.shape[1] or not np.array_equal(A.offsets, A.column_offsets):
        raise ValueError(f"A must be square, and its columns be spread as its rows are; its shape is {A.shape}")
    check_part("b", b, A.offsets, A)
    if b.ndim != 1:
        raise ValueError(f"b must have one axis, got shape {b.shape}: solve for one column after the other")
    check_part("x0", x0, A.offsets, A, optional=True)
    if atol < 0:
        raise ValueError(f"atol must be a real, non-negative number, got {atol!r}")
