"""The QR factor of a matrix, `A[:, perm] = Q R`, and what is done with it.

Design: see `_cpu/fronts.py` and `_cpu/multifrontal.py`. Vectors keep the numbers of the rows of A while Q is applied, and are
sorted afterwards. Solutions are not refined: those of QR are as exact as the condition of the matrix allows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import complex_of
from spark_csr._dispatch import backend_of
from spark_csr._matrix.coo import coo_array
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import memory
from spark_csr.linalg.blas import addresses_of, on_one_core
from spark_csr.linalg.norms import norm
from spark_csr.linalg.operators import read_right_sides
from spark_csr.linalg.orderings import pattern_of

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


def least_tolerance(shape: tuple[int, int], dtype: Any) -> float:
    """Return the share of the largest norm of a column that a column must add to those before to count for the rank."""
    return 20 * sum(shape) * float(np.finfo(dtype).eps)


class QRFactor:
    """A QR factor of a matrix, as `qr` returns it: ``A[:, perm] = Q[:, :k] @ R`` with ``k = min(m, n)``.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns of the matrix.
    dtype : numpy.dtype
        The dtype of the factor, in which systems are solved.
    perm : (n,) int32 array
        The columns in the order of elimination; the last `n - rank` of them depend on those before, within the tolerance.
    rank : int
        How many columns do not depend on those before; `R` has so many rows that are not empty.
    nnz : int
        Entries of `R`, with zeros that are stored.
    """

    def __init__(self, csr: Any, fronts: Any, tolerance: float = 0.0) -> None:
        """`tolerance`: a share of the largest norm of a column, where it is above that of `least_tolerance`."""
        self.shape, self.dtype = csr.shape, csr.data.dtype
        self._fronts, symbolic = fronts, fronts.symbolic
        numbers, free = int(fronts.places[-1] + fronts.block_places[-1]), memory.available_memory(csr.indptr)
        size = numbers * self.dtype.itemsize
        if size > memory.SMALL and size > free:
            raise MemoryError(f"the factor has {numbers:,} numbers, which need {size:,} bytes; {free:,} are available")
        matrix = csr_array((csr.data, csr.indices, csr.indptr), shape=self.shape)
        largest, limits = float(norm(matrix, axis=0).max(initial=0)), np.finfo(self.dtype)
        if not largest * sum(self.shape) <= limits.max:
            raise ValueError(f"a column of A has the norm {largest:.1e}, which {self.dtype} cannot compute with: scale A")
        offsets, panels = symbolic.offsets, np.zeros((4, int(fronts.panel_offsets[-1])), np.int64)
        values, blocks = (np.empty(places[-1], self.dtype) for places in (fronts.places, fronts.block_places))
        columns, slots = symbolic.rows.copy(), np.empty(fronts.slot_places[-1], np.int64)
        self._numbers = values, blocks, columns, slots, np.zeros((3, symbolic.starts.size - 1), np.int64), panels
        tolerance = max(tolerance, least_tolerance(self.shape, self.dtype)) * largest
        given = *pattern_of(csr), np.ascontiguousarray(csr.data), tolerance
        with on_one_core():
            backend_of(csr.data).factorise_fronts(fronts, *given, self._lapack, self._numbers)
        front = np.repeat(np.arange(symbolic.starts.size - 1), np.diff(symbolic.starts))
        within = np.arange(self.shape[1]) - symbolic.starts[front]
        panel = fronts.panel_offsets[front] + within // fronts.panel
        kept, own = within - panels[1, panel] < panels[2, panel], columns[offsets[front] + within]
        self._front, self._within, self._panel = front[kept], within[kept], panel[kept]
        self._row = panels[0, self._panel] + self._within - panels[1, self._panel]
        self._order = np.concatenate([own[kept], own[~kept]])
        self.perm, self.rank = symbolic.perm[self._order], self._row.size
        self._lengths = np.diff(offsets)[self._front] - self._within
        self.nnz = int(self._lengths.sum())
        first, others = slots[fronts.slot_places[self._front] + self._row], np.ones(self.shape[0], bool)
        others[first] = False
        self._rows = np.concatenate([first, np.flatnonzero(others)])

    @property
    def _lapack(self):
        return addresses_of(self.dtype, ("gemm", "trsm", "geqrt", "gemqrt"))

    def _call(self, function, b, rows):
        """Return `function` of a right side as a new matrix, of real and imaginary part on their own where Q is real."""
        right = read_right_sides(b, rows)
        if right.dtype.kind == "c" and self.dtype.kind != "c":
            return complex_of(self._call(function, right.real, rows), self._call(function, right.imag, rows))
        columns = right.shape[1] if right.ndim == 2 else 1
        with on_one_core():
            found = function(np.array(right.reshape(rows, columns), self.dtype, order="C"))
        return found.reshape(found.shape[0], *right.shape[1:])

    def _reflect(self, y, adjoint):
        backend_of(y).apply_reflectors(self._fronts, self._numbers, y, adjoint, self._lapack)
        return y

    def _solve(self, y):
        x = np.zeros((self.shape[1], y.shape[1]), self.dtype)
        backend_of(y).substitute_fronts(self._fronts, self._numbers, x, self._reflect(y, True), False, self._lapack)
        out = np.empty_like(x)
        out[self._fronts.symbolic.perm] = x
        return out

    def _solve_adjoint(self, b):
        y = np.zeros((self.shape[0], b.shape[1]), self.dtype)
        x = b[self._fronts.symbolic.perm]
        backend_of(y).substitute_fronts(self._fronts, self._numbers, x, y, True, self._lapack)
        return self._reflect(y, False)

    def _multiply_adjoint(self, x):
        return self._reflect(x, True)[self._rows]

    def _multiply(self, x):
        y = np.empty_like(x)
        y[self._rows] = x
        return self._reflect(y, False)

    def solve(self, b: ArrayLike, trans: str = "N") -> Array:
        """Return the least squares solution of `A x = b`, or the shortest solution of `A.conj().T x = b`.

        Parameters
        ----------
        b : (m,) or (m, k) array_like
            The right sides; with `trans` "H" they have n rows.
        trans : {"N", "H"}, default "N"
            "N" solves with the matrix, "H" with its conjugate transpose.

        Returns
        -------
        (n,) or (n, k) array
            The solution, of the dtype of the factor; complex if `b` is. With "N" it is a basic one: zero for the last
            `n - rank` columns of `perm`. With "H" it has m rows.

        Raises
        ------
        ValueError
            If `b` has another number of rows, or more than two dimensions, or `trans` is another one.
        numpy.linalg.LinAlgError
            With "H", if the rank is less than n.

        Notes
        -----
        *Cost*: a pass over the factor, on one core, for all right sides together.
        """
        if trans not in ("N", "H"):
            raise ValueError(f"trans must be 'N' or 'H', got {trans!r}")
        if trans == "N":
            return self._call(self._solve, b, self.shape[0])
        read_right_sides(b, self.shape[1])
        if self.rank < self.shape[1]:
            raise np.linalg.LinAlgError(
                f"A has {self.shape[1]} columns, but its rank is {self.rank}: use qr(A.conj().T).solve(b)"
            )
        return self._call(self._solve_adjoint, b, self.shape[1])

    def apply_q(self, x: ArrayLike) -> Array:
        """Return `Q @ x` for an array of shape (m,) or (m, k)."""
        return self._call(self._multiply, x, self.shape[0])

    def apply_qh(self, x: ArrayLike) -> Array:
        """Return `Q.conj().T @ x` for an array of shape (m,) or (m, k)."""
        return self._call(self._multiply_adjoint, x, self.shape[0])

    @property
    def R(self) -> Any:
        """The upper triangle, a `csr_array` of min(m, n) rows, of which those behind the rank are empty.

        It is made at every access, which takes some times the memory of the factor.
        """
        (values, _, columns, _, counts, _), fronts = self._numbers, self._fronts
        number = np.empty(self.shape[1], np.int64)
        number[self._order] = np.arange(self.shape[1])
        lengths, place = self._lengths, np.cumsum(self._lengths) - self._lengths
        row = np.repeat(np.arange(self.rank), lengths)
        front = self._front[row]
        column = np.arange(row.size) - place[row] + self._within[row]
        data = values[fronts.places[front] + column * counts[0, front] + self._row[row]]
        at = number[columns[fronts.symbolic.offsets[front] + column]]
        return coo_array((data, (row, at)), shape=(min(self.shape), self.shape[1])).tocsr()

    def __repr__(self) -> str:
        m, n = self.shape
        return f"<{m}x{n} factor of qr with rank {self.rank}, {self.nnz} entries and dtype={self.dtype}>"
