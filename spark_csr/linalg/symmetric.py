"""Factorisations of symmetric matrices, and the factors: `A = L L.conj().T` and `A = L D L.conj().T`.

Design: both are kept as panels `L` with `A = L S L.conj().T`, see `_cpu/supernodal.py`; S are signs, and none for Cholesky. A
factor and what is known of the pattern never change, so a factor of other values is a new object that shares the latter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import complex_of, read_only
from spark_csr._dispatch import backend_of
from spark_csr._matrix.base import as_ours, issparse
from spark_csr._matrix.coo import coo_array
from spark_csr._operations.form import memory
from spark_csr._operations.form.canonical import canonical
from spark_csr._operations.product.spmv import spmv
from spark_csr.linalg.blas import addresses_of, on_one_core
from spark_csr.linalg.operators import read_right_sides, solver_dtype
from spark_csr.linalg.orderings import order_symmetric, pattern_of, read_permutation, refuse_gpu
from spark_csr.linalg.preconditioners import square

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, ArrayLike


LARGE = 2000
"""Rows from which on `spsolve` and `factorized` try Cholesky: LU takes as long for grids of about 700 points in space, and of
about 5000 in the plane (EPYC, 2026-11)."""

DISSECTED_FROM = 500_000
"""Multiplications for each row from which on nested dissection is tried: it takes about as long (EPYC, 2026-11)."""


class CholeskyFactor:
    """A factor of a symmetric or Hermitian matrix, as `cholesky` and `ldl` return it.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns of the matrix.
    dtype : numpy.dtype
        The dtype of the factor, in which systems are solved.
    perm : (n,) int32 array
        The order of elimination: ``A[perm][:, perm]`` is the product of the factors.
    nnz : int
        Entries of `L`, with zeros that are stored.
    """

    def __init__(self, csr: Any, symbolic: Any, signed: bool) -> None:
        self.shape, self.dtype = csr.shape, csr.data.dtype
        self._pattern, self._symbolic = pattern_of(csr), symbolic
        widths = np.diff(symbolic.starts)
        self.nnz = int(symbolic.places[-1] - (widths * (widths - 1) // 2).sum())
        size, free = int(symbolic.places[-1]) * self.dtype.itemsize, memory.available_memory(csr.indptr)
        if size > memory.SMALL and size > free:
            raise MemoryError(f"the factor has {self.nnz:,} entries, which need {size:,} bytes; {free:,} are available")
        self._values = np.empty(symbolic.places[-1], self.dtype)
        self._signs = np.ones(csr.shape[0] if signed else 0, self._values.real.dtype)
        arrays = *self._pattern, np.ascontiguousarray(csr.data), self._values, self._signs
        with on_one_core():
            failed = backend_of(csr.data).factorise(symbolic, *arrays, addresses_of(self.dtype))
        bad = np.flatnonzero(~np.isfinite(self._roots()[:failed]))
        failed = bad[0] if bad.size else failed
        if failed < self.shape[0]:
            at = self.perm[failed]
            fault, others = ("zero", "splu") if signed else ("not above zero", "ldl or splu")
            name = "singular, or needs other pivots" if signed else "not positive definite"
            raise np.linalg.LinAlgError(f"A is {name}: the pivot of A[{at}, {at}] is {fault} or not finite. Use {others}")
        if signed:
            self._check_residual(csr)

    @property
    def perm(self) -> Array:
        """The order of elimination, as a read-only array."""
        return read_only(self._symbolic.perm)

    def _check_residual(self, csr):
        """Raise LinAlgError if small pivots have made the factor wrong: solve a system and look at its residual."""
        b = np.cos(np.arange(self.shape[0])).astype(self.dtype)
        x = self.solve(b)
        size = abs(csr.data).max(initial=0) * abs(x).max(initial=0) + 1
        residual = abs(spmv(csr, x) - b).max(initial=0) / size
        if not residual <= np.sqrt(np.finfo(self.dtype).eps):
            raise np.linalg.LinAlgError(f"A needs other pivots: these are so small that a residual is {residual:.1e}. Use splu")

    def _roots(self):
        """Return the diagonal of the panels, whose squares are the absolute values of the pivots."""
        starts, places = self._symbolic.starts, self._symbolic.places
        widths = np.diff(starts)
        within = np.arange(self.shape[0]) - np.repeat(starts[:-1], widths)
        return self._values[np.repeat(places[:-1], widths) + within * (np.repeat(widths, widths) + 1)].real

    def solve(self, b: ArrayLike) -> Array:
        """Return the solution of `A x = b`.

        Parameters
        ----------
        b : (n,) or (n, k) array_like
            The right sides.

        Returns
        -------
        (n,) or (n, k) array
            The solution, of the dtype of the factor; complex if `b` is.

        Raises
        ------
        ValueError
            If `b` has another number of rows, or more than two dimensions.

        Notes
        -----
        *Cost*: two passes over the factor, on one core, for all right sides together.
        """
        right = read_right_sides(b, self.shape[0])
        if right.dtype.kind == "c" and self.dtype.kind != "c":
            return complex_of(self.solve(np.real(right)), self.solve(np.imag(right)))
        x = right.reshape(self.shape[0], -1 if right.size else right[:1].size).astype(self.dtype)[self.perm]
        if x.size:
            with on_one_core():
                given = self._symbolic, self._values, self._signs, x, addresses_of(self.dtype)
                backend_of(x).substitute_supernodes(*given)
        out = np.empty_like(x)
        out[self.perm] = x
        return out.reshape(right.shape)

    def refactor(self, A: MatrixLike) -> CholeskyFactor:
        """Return the factor of another matrix with the same pattern, without ordering and analysing it again.

        Parameters
        ----------
        A : (n, n) sparse matrix
            A symmetric or Hermitian matrix, with entries at the positions of the first one.

        Returns
        -------
        CholeskyFactor
            The factor of `A`, of the same kind and order; this one stays as it is.

        Raises
        ------
        ValueError
            If the pattern is another one, or `A` is not symmetric.
        numpy.linalg.LinAlgError, MemoryError
            As `cholesky` and `ldl` raise them.
        """
        csr = read_symmetric(A)
        if csr.shape != self.shape or not all(map(np.array_equal, pattern_of(csr), self._pattern)):
            raise ValueError("A has entries at other positions than the matrix that was analysed: call cholesky(A) or ldl(A)")
        return type(self)(csr, self._symbolic, self._signs.size > 0)

    def logdet(self) -> float:
        """Return the logarithm of the absolute value of the determinant of the matrix."""
        return float(2 * np.log(self._roots()).sum(dtype=np.float64))

    @property
    def L(self) -> Any:
        """The lower triangle, a `csc_array`, of ones on the diagonal if the factor is that of `ldl`.

        It is made at every access, which takes some times the memory of the factor.
        """
        starts, offsets, rows = self._symbolic.starts, self._symbolic.offsets, self._symbolic.rows
        widths, heights = np.diff(starts), np.diff(offsets)
        columns_of_rows = np.repeat(widths, heights)
        row = np.repeat(rows, columns_of_rows)
        column = np.arange(row.size) - np.repeat(np.cumsum(columns_of_rows) - columns_of_rows, columns_of_rows)
        column += np.repeat(np.repeat(starts[:-1], heights), columns_of_rows)
        lower = np.flatnonzero(column <= row)
        row, column, values = row[lower], column[lower], self._values[lower]
        values = values / self._roots()[column] if self._signs.size else values
        return coo_array((values, (row, column)), shape=self.shape).tocsc()

    @property
    def D(self) -> Array:
        """The diagonal of `D` as an array of shape (n,): ones unless the factor is that of `ldl`."""
        return self._signs * self._roots() ** 2 if self._signs.size else np.ones_like(self._roots())

    def __repr__(self) -> str:
        name = "ldl" if self._signs.size else "cholesky"
        return f"<{self.shape[0]}x{self.shape[1]} factor of {name} with {self.nnz} entries and dtype={self.dtype}>"


def read_symmetric(A: MatrixLike) -> Any:
    """Return the canonical record of a symmetric or Hermitian matrix; raise ValueError if it is none."""
    matrix = square(A)
    csr = canonical(matrix._csr)
    refuse_gpu(csr)
    dtype = solver_dtype(csr.data)
    if dtype.char not in "fdFD":
        raise TypeError(f"A has dtype {csr.data.dtype}: use float32, float64, complex64 or complex128")
    csr = csr.as_dtype(dtype)
    row, position = backend_of(csr.data).find_asymmetry(csr.indptr, csr.indices, csr.data)
    if row >= 0:
        column = int(csr.indices[position])
        row, column = (column, row) if matrix._transposed else (row, column)
        raise ValueError(
            f"A is not symmetric (Hermitian): A[{row}, {column}] = {csr.data[position]}, and A[{column}, {row}] is another "
            "number or not stored. Use splu, or (A + A.conj().T) / 2"
        )
    return csr.with_data(csr.data.conj()) if matrix._transposed and dtype.kind == "c" else csr


def _analyse(csr, method):
    return backend_of(csr.data).analyse(*pattern_of(csr), order_symmetric(csr, method))


def _work(symbolic):
    """Return about how many multiplications a factor takes."""
    return float(np.diff(symbolic.starts) @ np.diff(symbolic.offsets).astype(np.float64) ** 2)


def _analyse_dissected(csr):
    return _analyse(csr, "nd")


def _analyse_best(csr):
    by_degree = _analyse(csr, "amd")
    return min(by_degree, csr.plan(_analyse_dissected), key=_work) if is_long(by_degree) else by_degree


def is_long(symbolic: Any) -> bool:
    """Return whether a factor takes so much arithmetic that an order by nested dissection should be tried."""
    return _work(symbolic) > DISSECTED_FROM * symbolic.perm.size


PLANS = {"auto": _analyse_best, "nd": _analyse_dissected}


def factor(csr: Any, order: Any, signed: bool) -> CholeskyFactor:
    """Return the factor of the record of a symmetric matrix, in an order that is a name or a permutation."""
    if isinstance(order, str):
        return CholeskyFactor(csr, csr.plan(PLANS[order]) if order in PLANS else _analyse(csr, order), signed)
    perm = read_permutation(order, csr.shape[0])
    return CholeskyFactor(csr, backend_of(csr.data).analyse(*pattern_of(csr), perm), signed)


def factor_if_definite(A: Any, dtype: Any = None) -> CholeskyFactor | None:
    """Return the Cholesky factor of a large symmetric matrix on the cores, or None where LU must do: if a pivot is not above
    zero, or so small that it may be one of a singular matrix.
    """
    if not issparse(A) or A.ndim != 2 or A.shape[0] != A.shape[1] or A.shape[0] < LARGE:
        return None
    matrix: Any = as_ours(A)
    if matrix.device != "cpu" or not matrix.diagonal().real.min() > 0:
        return None
    try:
        csr = read_symmetric(matrix)
        found = factor(csr if dtype is None else csr.as_dtype(np.promote_types(csr.data.dtype, dtype)), "auto", False)
    except (ValueError, TypeError, NotImplementedError, np.linalg.LinAlgError):
        return None
    roots = found._roots()
    return found if (roots.min() / roots.max()) ** 2 > np.finfo(found.dtype).eps * roots.size else None


def cholesky(A: MatrixLike, ordering: str | ArrayLike = "auto") -> CholeskyFactor:
    """Factorise a symmetric positive definite matrix: ``A[perm][:, perm] = L @ L.conj().T`` with a lower triangle `L`.

    Parameters
    ----------
    A : (n, n) sparse matrix
        A symmetric or Hermitian positive definite matrix of this package or of SciPy, on the cores, with both triangles stored.
    ordering : {"auto", "nd", "amd", "rcm", "natural"} or (n,) array_like
        The order of elimination, as a permutation or the name of a method of `ordering`. "auto" is "amd", or "nd" where the
        arithmetic is so long that finding this order pays, and where it saves some.

    Returns
    -------
    CholeskyFactor
        The factor, with `solve`, `refactor`, `logdet`, `L`, `perm`, `nnz`, `shape` and `dtype`. Its dtype is that of `A`, or
        float64 for integers.

    Raises
    ------
    ValueError
        If the matrix is not square or not symmetric, which is tested exactly, or `ordering` is no permutation.
    numpy.linalg.LinAlgError
        If the matrix is not positive definite. The message names the row of the first pivot that is not above zero.
    MemoryError
        If the factor does not fit into memory. It is raised before anything is computed.
    NotImplementedError
        If the matrix is on a GPU.

    Notes
    -----
    *Cost*: the arithmetic of the factor, by BLAS on all cores, and memory for it; before that an order and an analysis, which
    are kept with the matrix for "auto" and "nd". *Order*: the same bits for every number of threads. *Empty input*:
    an empty factor. Source: Ng & Peyton, *Block sparse Cholesky algorithms on advanced uniprocessor computers*, 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import cholesky
    >>> factor = cholesky(csr_array([[4.0, 2], [2, 5]]), "natural")
    >>> factor.L.toarray()
    array([[2., 0.],
           [1., 2.]])
    >>> factor.solve(np.array([8.0, 8]))
    array([1.5, 1. ])
    >>> factor.refactor(csr_array([[1.0, 2], [2, 5]])).solve(np.array([0.0, 1]))
    array([-2.,  1.])
    """
    return factor(read_symmetric(A), ordering, False)


def ldl(A: MatrixLike, ordering: str | ArrayLike = "auto") -> CholeskyFactor:
    """Factorise a symmetric matrix: ``A[perm][:, perm] = L @ diag(D) @ L.conj().T``, with ones on the diagonal of `L`.

    Parameters
    ----------
    A : (n, n) sparse matrix
        A symmetric or Hermitian matrix, as for `cholesky`, which need not be positive definite.
    ordering : {"auto", "nd", "amd", "rcm", "natural"} or (n,) array_like
        As for `cholesky`.

    Returns
    -------
    CholeskyFactor
        The factor, which also has the diagonal `D`, of real numbers.

    Raises
    ------
    numpy.linalg.LinAlgError
        If a pivot is zero or not finite; the message names its row. Or if pivots are so small that the residual of a system
        that is solved as a test is above the root of the precision of the dtype, relative to matrix and solution.
    ValueError, MemoryError, NotImplementedError
        As `cholesky` raises them.

    Notes
    -----
    Rows are not exchanged, so small pivots make `L` large and solutions less exact. Matrices with a
    positive and a negative definite block, ``[[H, B.T], [B, -C]]``, have good pivots in every order. *Cost*, *Order*: as
    `cholesky`. Source: Vanderbei, *Symmetric quasidefinite matrices*, SIAM J. Optim. 5, 1995.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import ldl
    >>> factor = ldl(csr_array([[4.0, 2], [2, -3]]), "natural")
    >>> factor.L.toarray(), factor.D
    (array([[1. , 0. ],
           [0.5, 1. ]]), array([ 4., -4.]))
    """
    return factor(read_symmetric(A), ordering, True)
