"""QR factorisation and least squares: `A[:, perm] = Q R` with an orthogonal Q, see `qr_factor`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._dispatch import backend_of
from spark_csr._matrix.base import as_ours
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.canonical import canonical
from spark_csr.linalg import near_one
from spark_csr.linalg.norms import norm
from spark_csr.linalg.operators import read_right_sides, solver_dtype
from spark_csr.linalg.orderings import order_symmetric, pattern_of, read_permutation, refuse_gpu
from spark_csr.linalg.qr_factor import QRFactor, least_tolerance
from spark_csr.linalg.symmetric import is_long

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, ArrayLike


TOLERANCES = 2 / 3, 1 / 2, 2 / 5, 1 / 3
"""Powers of `eps` that `lstsq` tries as tolerances where that of `qr` is too small."""


def _analyse(csr, order):
    """Return the fronts for a permutation, or for the name of an order of the pattern of `A.conj().T @ A`."""
    pattern = csr_array((np.ones(csr.indices.size, np.float32), csr.indices, csr.indptr), shape=csr.shape)
    if isinstance(order, str):
        some = pattern[np.flatnonzero(np.diff(csr.indptr) <= max(16, 10 * csr.shape[1] ** 0.5))]
        order = order_symmetric(canonical((some.T @ some)._csr), order)
    return backend_of(csr.data).analyse_fronts(*pattern_of(csr), *pattern_of(pattern.T.tocsr()._csr), order)


def _analyse_best(csr):
    by_degree = _analyse(csr, "amd")
    if not is_long(by_degree.symbolic):
        return by_degree
    return min(by_degree, _analyse(csr, "nd"), key=lambda fronts: fronts.places[-1])


def _as_matrix(A):
    matrix = as_ours(A)
    if matrix.ndim != 2:
        raise ValueError(f"expected a matrix, but got shape={matrix.shape}")
    return matrix


def _read(A):
    csr = canonical(_as_matrix(A).tocsr()._csr)
    refuse_gpu(csr)
    dtype = solver_dtype(csr.data)
    if dtype.char not in "fdFD":
        raise TypeError(f"A has dtype {csr.data.dtype}: use float32, float64, complex64 or complex128")
    bad = np.flatnonzero(~np.isfinite(csr.data))
    if bad.size:
        row = np.searchsorted(csr.indptr, bad[0], side="right") - 1
        raise ValueError(f"A must be finite, but A[{row}, {csr.indices[bad[0]]}] = {csr.data[bad[0]]}")
    return csr.as_dtype(dtype)


def qr(A: MatrixLike, ordering: str | ArrayLike = "auto") -> QRFactor:
    """Factorise a matrix of any shape: ``A[:, perm] = Q @ R`` with an orthogonal (unitary) `Q` and an upper triangle `R`.

    Parameters
    ----------
    A : (m, n) sparse matrix
        A matrix of this package or of SciPy, on the cores.
    ordering : {"auto", "nd", "amd", "rcm", "natural"} or (n,) array_like
        The order in which columns are eliminated, up to one with the same factor: a permutation, or the name of a method of
        `ordering` for the pattern of ``A.conj().T @ A`` without rows of more than ``10 * sqrt(n)`` entries. "auto" is "amd", or
        the better one of "amd" and "nd" where the arithmetic is long.

    Returns
    -------
    QRFactor
        The factor, with `solve`, `apply_q`, `apply_qh`, `R`, `perm`, `rank`, `nnz`, `shape` and `dtype`. Its dtype is that of
        `A`, or float64 for integers.

    Raises
    ------
    ValueError
        If `A` has an entry that is not finite, or columns whose norm is near the largest number of the dtype, or `ordering` is
        no permutation.
    MemoryError
        If the factor does not fit into memory. It is raised before anything is computed.
    NotImplementedError
        If the matrix is on a GPU.

    Notes
    -----
    A column is left out of the rank if what it adds to those before has a norm of at most ``20 * (m + n) * eps`` times the
    largest norm of a column. This finds the rank of most matrices, but not of all: it is not that of singular values. A dense
    row makes all of `R` dense. *Cost*: the arithmetic of the factor, by LAPACK on all cores, which is some times that of
    `cholesky` for ``A.conj().T @ A``, and memory for `R` and the Householder vectors; before that an order and an analysis,
    which are kept with the matrix for "auto". *Order*: the same bits for every number of threads. *Empty input*: rank 0.
    Source: Davis, *Algorithm 915, SuiteSparseQR: Multifrontal multithreaded rank-revealing sparse QR factorization*, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import qr
    >>> A = csr_array([[3.0, 0], [4, 5], [0, 12]])
    >>> factor = qr(A, "natural")
    >>> abs(factor.R).toarray().round(6)
    array([[ 5.      ,  4.      ],
           [ 0.      , 12.369317]])
    >>> bool(np.allclose(factor.solve(A @ [1, 2]), [1, 2])), factor.rank
    (True, 2)
    """
    csr = _read(A)
    if isinstance(ordering, str):
        return QRFactor(csr, csr.plan(_analyse_best) if ordering == "auto" else _analyse(csr, ordering))
    return QRFactor(csr, _analyse(csr, read_permutation(ordering, csr.shape[1])))


def _factors(matrix):
    """Yield factors that may solve a least squares problem, with the parameter `trans` of their `solve`: for the shortest
    solution of a wide one, then others, each with a larger tolerance."""
    rows, columns = matrix.shape
    if rows < columns:
        factor = qr(matrix.conj().T)
        if factor.rank == rows:
            yield factor, "H"
    csr = _read(matrix)
    least, eps = least_tolerance(csr.shape, csr.data.dtype), float(np.finfo(csr.data.dtype).eps)
    for tolerance in (least, *(eps**power for power in TOLERANCES if eps**power > least)):
        yield QRFactor(csr, csr.plan(_analyse_best), tolerance), "N"


def _is_least(matrix, x, residual, right):
    """Return whether residuals are orthogonal to the columns of a matrix, as far as rounding lets those of large solutions be.

    A rank that is too large makes a solution so large that rounding spoils all of its residual.
    """
    eps, size = np.finfo(x.dtype).eps, float(norm(matrix, axis=0).max(initial=0))
    slope = matrix.conj().T @ residual
    solution, left, given, slope = (np.linalg.norm(np.atleast_2d(v.T), axis=1) for v in (x, residual, right, slope))
    noise = eps * size * solution
    least = (left <= 1.01 * given) & (slope <= size * (eps**0.5 * given + 100 * noise)) & (10 * noise <= given)
    return bool((least | ~np.isfinite(given)).all())


def _exponents_of(right):
    """Return the power of two that each right side is near; 0 for one that is zero or not finite."""
    size = np.maximum(abs(right.real), abs(right.imag)).max(axis=0, initial=0)
    return np.where(np.isfinite(size), np.frexp(size)[1], 0)


def _shift(x, exponents):
    """Return `x * 2.0**exponents`, in which no step on the way leaves the range of the dtype."""
    if x.dtype.kind != "c":
        return np.ldexp(x, exponents)
    shifted = np.empty_like(x)
    shifted.real, shifted.imag = np.ldexp(x.real, exponents), np.ldexp(x.imag, exponents)
    return shifted


def lstsq(A: MatrixLike, b: ArrayLike) -> tuple[Array, Array, int]:
    """Return the least squares solution of `A x = b` by QR, the squared norms of the residuals, and the rank.

    Parameters
    ----------
    A : (m, n) sparse matrix
        A matrix of this package or of SciPy, on the cores.
    b : (m,) or (m, k) array_like
        The right sides.

    Returns
    -------
    x : (n,) or (n, k) array
        The solution, in the precision of the more exact operand. If ``rank < min(m, n)`` it is a basic one, which is zero for
        ``n - rank`` columns; otherwise it is the shortest one.
    residuals : (1,) or (k,) array
        The squared norms of the columns of ``b - A @ x``, also where `numpy.linalg.lstsq` returns none.
    rank : int
        The rank of `A`, within the tolerance of `qr`.

    Raises
    ------
    ValueError
        If shapes do not fit; otherwise as `qr` raises it.
    numpy.linalg.LinAlgError
        If `A` is so near to a matrix of less rank that no solution is found whose residual is the least.
    MemoryError, NotImplementedError
        As `qr` raises them.

    Notes
    -----
    The first three results of `numpy.linalg.lstsq`; there are no singular values. A wide matrix is factorised through its
    conjugate transpose. A residual that is not orthogonal to the columns of `A` shows a rank that is too large: it is tried
    again with larger tolerances, up to ``cbrt(eps)`` times the largest norm of a column. The matrix, and each right side, is
    scaled near 1 by a power of two first. The error grows with the condition of `A`, not with its square as that of the normal
    equations ``A.conj().T @ A @ x = A.conj().T @ b`` does. *Cost*: that of `qr`; keep a factor to solve again. For matrices
    that are well-conditioned or too large use `lsmr`.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import lstsq
    >>> x, residuals, rank = lstsq(csr_array([[1.0, 0], [1, 1], [1, 2]]), [1, 3, 2])
    >>> x.round(6), residuals.round(6), rank
    (array([1.5, 0.5]), array([1.5]), 2)
    """
    matrix = _as_matrix(A)
    right = read_right_sides(b, matrix.shape[0])
    dtype = np.result_type(solver_dtype(matrix), solver_dtype(right.real))
    matrix = matrix.astype(dtype, copy=False)
    of_matrix = near_one.of_vector(matrix.data)
    matrix = near_one.scale(matrix, of_matrix)
    right = right.astype(np.result_type(dtype, right), copy=False)
    far = _exponents_of(right)
    right = _shift(right, -far)
    for factor, trans in _factors(matrix):
        x = factor.solve(right, trans)
        residual = matrix @ x - right
        if _is_least(matrix, x, residual, right):
            squares = np.atleast_2d((residual.real**2 + residual.imag**2).T).sum(axis=1)
            return _shift(x, far + round(math.log2(of_matrix))), _shift(squares, 2 * far), factor.rank
    raise np.linalg.LinAlgError(f"the rank of A is not clear, about {factor.rank}: use lsmr")
