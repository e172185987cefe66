"""Matrix products: of a sparse matrix with dense vectors and matrices, and with sparse ones."""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import same_device
from spark_csr._current_device import on_current_device, on_their_device
from spark_csr._matrix.base import FORMATS, SparseArray, as_ours, issparse, rows_of
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.merge.operands import is_scalar
from spark_csr._operations.product.matmul import as_operand, is_operand, matmul
from spark_csr._operations.product.spgemm import spgemm


class Products(SparseArray):
    """`@`, `dot`, `matmul`, and what `scipy.sparse.linalg.aslinearoperator` asks for."""

    def matmul(self, other, *, semiring="plus_times", out=None, mask=None):
        """The product with a vector or matrix, dense or sparse, over any semiring.

        Parameters
        ----------
        other : (n,) or (n, k) array_like or sparse matrix
            On the device of the matrix. A dense one in C order is read without a copy.
        semiring : str or Semiring
            `plus_times`, `min_plus`, `max_plus`, `max_times`, `any_pair`, `or_and`, or a `Semiring`. Missing entries take no
            part; a row without entries gives the identity of `add`, or no entry where the result is sparse.
        out : (m,) or (m, k) array, optional
            For a dense `other`: where the result goes; in C order and of its dtype, sharing no memory with the operands.
        mask : sparse matrix of shape (m, k), optional
            For a sparse `other`: only the positions where the mask stores an entry, whatever its value, are computed.

        Returns
        -------
        (m,) or (m, k) array or sparse matrix
            Of dtype `numpy.result_type(A, other)`; bool for `or_and`. Dense for a dense `other`; for a sparse one a matrix of
            this one's format, its rows sorted.

        Raises
        ------
        ValueError
            If the shapes do not fit, `out` or `mask` does not fit, or the semiring is unknown.
        TypeError
            For mixed devices and unsupported dtypes.
        MemoryError
            If a sparse result would not fit the memory; before any of it is allocated.

        Notes
        -----
        *Cost*, dense: one pass over the matrix; allocates the result and, the first time, a plan of under 1 % of the matrix. Of
        a transposed view: also private sums of little more than the result (cores), or once a permutation (GPU). Sparse: see
        `_operations.product.spgemm`. *Order*: same bits for every run and number of threads. The operands are only read. Entries of one
        position take part one by one, in the dtype of the result: call `sum_duplicates` first to multiply their sums.
        """
        ring = ops.semiring(semiring)
        if issparse(other):
            if out is not None:
                raise ValueError("out is for dense results: a sparse one has as many entries as come out, leave out=None")
            return self._times_sparse(other, ring, mask)
        if mask is not None:
            raise ValueError("mask is for the product with a sparse matrix: of a dense result choose the entries afterwards")
        return self._times_dense(other, ring, out)

    @on_current_device
    def __matmul__(self, other):
        if type(other) is np.ndarray and self.ndim == 2:  # what most calls are: in few steps
            return matmul(self._csr, other, transposed=self._transposed)
        return self._times(other)

    @on_their_device
    def _times(self, other):
        if issparse(other):
            return self._times_sparse(other)
        return self._times_dense(other) if is_operand(other) else NotImplemented

    def __rmatmul__(self, other):
        if issparse(other):
            return FORMATS["csr"](other)._times_sparse(self)
        if not is_operand(other):
            return NotImplemented
        other = as_operand(other, self._csr.data)
        if self.ndim == 1:
            return self._times_dense(other) if other.ndim == 1 else self._times_dense(other.T)
        if other.ndim and other.shape[-1] != self.shape[0]:
            needed = f"the operand needs {self.shape[0]} columns"
            raise ValueError(f"dimension mismatch in @: operand {other.shape}, matrix {self.shape}; {needed}")
        return matmul(self._csr, other.T, transposed=not self._transposed).T

    def dot(self, other):
        """`A @ other`; of a number, `A * other`."""
        return self * other if not issparse(other) and is_scalar(other) else self @ other

    def _times_dense(self, other, ring=ops.PLUS_TIMES, out=None):
        if self.ndim == 2:
            return matmul(self._csr, other, ring, out, transposed=self._transposed)
        return matmul(self._csr, other, ring, None if out is None else out[None])[0]

    def _times_sparse(self, other, ring=ops.PLUS_TIMES, mask=None):
        """Of rows: `A B`. Of columns, since records hold the transposes: `(B^T A^T)^T`."""
        inner = other.shape[0]
        if self.shape[-1] != inner:
            needed = f"the operand needs {self.shape[-1]} rows"
            raise ValueError(f"dimension mismatch in @: matrix {self.shape}, operand {other.shape}; {needed}")
        other = as_ours(other)
        same_device(self.data, other.data)
        if other.ndim == 1 or self.ndim == 1:
            return self._times_vector(other, ring, mask)
        mask = None if mask is None else self._operand(mask)
        theirs = self._operand(other)
        product = spgemm(theirs, self._csr, ring, mask) if self._transposed else spgemm(self._csr, theirs, ring, mask)
        return self._wrap_merged(product)

    def _times_vector(self, other, ring, mask):
        """Products in which a vector takes part: it is a row on the left, a column on the right."""
        left, right = rows_of(self), rows_of(other)
        right = transpose(right) if other.ndim == 1 else right
        shape = self.shape[:-1] + other.shape[1:]
        if not shape:
            return spgemm_scalar(spgemm(left, right, ring), ring)
        mask = None if mask is None else rows_of(mask)
        if mask is not None and other.ndim == 1:
            mask = transpose(mask)
        product = spgemm(left, right, ring, mask)
        return FORMATS["coo"]._of(transpose(product) if other.ndim == 1 else product, 1)

    def matvec(self, x):
        """`A @ x`; with `rmatvec`, `matmat` and `rmatmat` what `scipy.sparse.linalg.aslinearoperator` asks for."""
        return self @ x

    def rmatvec(self, x):
        """`A.conj().T @ x`, without building the transpose."""
        return (self.T @ as_operand(x, self._csr.data).conj()).conj()

    matmat, rmatmat = matvec, rmatvec


def spgemm_scalar(product, ring):
    """The one element of a product of shape (1, 1): the identity where no entries met."""
    if product.data.size:
        return product.data[0]
    return ring.add.identity_for(product.data.dtype)
