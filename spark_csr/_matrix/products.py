"""Matrix products: of a sparse matrix with dense vectors and matrices, and with sparse ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import is_tensor, same_device
from spark_csr._current_device import on_current_device, on_their_device
from spark_csr._matrix.base import FORMATS, SparseArray, as_ours, in_blocks_as, issparse, keep_pattern, rows_of
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.merge.operands import is_scalar
from spark_csr._operations.product.matmul import as_operand, check_dimensions, is_operand, matmul
from spark_csr._operations.product.spgemm import spgemm
from spark_csr._progress import check_progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._matrix.compressed import Compressed
    from spark_csr._matrix.relatives import K, Merges
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._ops import SemiringLike
    from spark_csr._types import Array, Dense, Number, Progress


TENSOR_PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {}
"""Products of a matrix with a tensor, by the name of its library; what lies above this package registers them."""


class Products(SparseArray):
    """`@`, `dot`, `matmul`, and what `scipy.sparse.linalg.aslinearoperator` asks for."""

    @overload
    def matmul(
        self,
        other: Dense,
        *,
        semiring: SemiringLike = "plus_times",
        out: Array | None = None,
        mask: None = None,
        progress: Literal[False] | None = None,
    ) -> Array: ...
    @overload
    def matmul(
        self: Merges[K],
        other: Compressed,
        *,
        semiring: SemiringLike = "plus_times",
        out: None = None,
        mask: MatrixLike | None = None,
        complement: bool = False,
        progress: Progress = None,
    ) -> K: ...
    @overload
    def matmul(
        self,
        other: MatrixLike,
        *,
        semiring: SemiringLike = "plus_times",
        out: None = None,
        mask: MatrixLike | None = None,
        complement: bool = False,
        progress: Progress = None,
    ) -> Any: ...
    def matmul(
        self,
        other: Any,
        *,
        semiring: SemiringLike = "plus_times",
        out: Array | None = None,
        mask: MatrixLike | None = None,
        complement: bool = False,
        progress: Progress = None,
    ) -> Any:
        """Compute the matrix product with a dense or sparse vector or matrix, or a stack of matrices, in any semiring.

        Parameters
        ----------
        other : (n,), (n, k) or (..., n, k) array_like, torch.Tensor or sparse matrix
            The right operand, on the device of the matrix. A dense array in C order is read without a copy. One of three axes
            or more is a stack of matrices in its last two axes, as in `numpy.matmul`. A tensor of PyTorch gives a tensor with a
            gradient, as `spark_csr.interop.torch.spmm` does.
        semiring : str or Semiring, default "plus_times"
            The operators that add and multiply: "plus_times", "min_plus", "max_plus", "max_times", "any_pair", "or_and", or a
            `Semiring`. Elements that are not stored take no part. For a row without entries, a dense result has the identity of
            the addition, such as 0, and a sparse result has no entry.
        out : (m,), (m, k) or (..., m, k) array, optional
            For a dense `other`: an array that receives the result. It must be in C order, have the dtype of the result and
            share no memory with the operands.
        mask : sparse matrix of shape (m, k), optional
            For a sparse `other`: the product is computed only at positions where this matrix has entries, of any value.
        complement : bool, default False
            If True, the product is left out at positions where `mask` has entries, and is there at all others. Then the whole
            product is computed first.
        progress : bool or function, optional
            For a sparse `other`. True shows on stderr how far the product is, as a bar of tqdm if that is installed, else in
            lines. A function is called as `progress(step, steps)` after each step. In a step, some rows of the result are
            counted or computed.

        Returns
        -------
        (m,), (m, k) or (..., m, k) array, or sparse matrix
            The product, of dtype `numpy.result_type(A, other)`, or bool for "or_and". If `other` is dense, the product is a
            dense array. If `other` is sparse, it is a `csc_array` if this matrix is one, else a `csr_array`, whose indices
            ascend in every column or row. If one operand is a sparse vector, it is a `coo_array`; if both are, a number.

        Raises
        ------
        ValueError
            If the shapes do not fit, `out` or `mask` does not fit, `complement` has no mask, or the semiring is unknown.
        TypeError
            If the operands are on several devices, or a dtype is not supported.
        MemoryError
            If a sparse result would not fit the memory. The exception is raised before any of the result is allocated.

        Notes
        -----
        *Cost* of a dense result: one pass over the matrix, and for a stack one for each matrix in it. Every call allocates the
        result, unless `out` is given. The first call also allocates a plan of less than 1 % of the memory of the matrix, which
        is kept. The product of a `csc_array`, as in `A.T @ x`, also allocates partial sums on the cores, which take little more
        memory than the result; with eight columns or more the first one allocates the pattern by column instead, of 8 to 16
        bytes for each entry, which is kept if memory has room for several such. On a GPU, the first such product allocates a
        permutation, and a copy of the values that is kept until `A.data` is read. *Cost* of a sparse result: two passes over
        all products of two entries, and scratch memory up to `config.spgemm_memory`. *Order*: the result has the same bits on
        every run and for every number of threads. The operands are not changed. Duplicates are multiplied one by one, in the
        dtype of the result; to multiply their sums, call `sum_duplicates` first.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1.0, 0, 2], [0, 3, 0]])
        >>> A.matmul(np.array([1.0, 10, 100]))
        array([201.,  30.])
        >>> A.matmul(np.array([1.0, 10, 100]), semiring="min_plus")
        array([ 2., 13.])
        """
        ring = ops.semiring(semiring)
        if complement and mask is None:
            raise ValueError("complement=True needs a mask, whose positions are left out")
        if issparse(other):
            if out is not None:
                raise ValueError("out cannot be given for a sparse operand, whose product is sparse: leave out=None")
            return self._times_sparse(other, ring, mask, progress, complement)
        if mask is not None:
            raise ValueError("mask can be given for a sparse operand only: select elements of the dense product instead")
        if check_progress(progress):
            raise ValueError("progress can be given for a sparse operand only: a dense product is one pass over the matrix")
        if is_tensor(other):
            if ring is not ops.PLUS_TIMES or out is not None:
                given = "out" if out is not None else f"semiring {ring.name!r}"
                raise TypeError(f"the product with a tensor takes no {given}: give A.matmul an array, as tensor.numpy() is")
            return TENSOR_PRODUCTS["torch"](self, other)
        return self._times_dense(other, ring, out)

    @overload
    def __matmul__(self, other: Dense) -> Array: ...
    @overload
    def __matmul__(self: Merges[K], other: Compressed) -> K: ...
    @overload
    def __matmul__(self, other: MatrixLike) -> Any: ...
    @on_current_device
    def __matmul__(self, other: Any) -> Any:
        """Compute the matrix product with a dense or sparse vector or matrix, see `matmul`."""
        if type(other) is np.ndarray and self._ndim == 2:  # what most calls are: in few steps
            return matmul(self._lent, other, transposed=self._transposed)
        return self._times(other)

    @on_their_device
    def _times(self, other):
        if issparse(other):
            return self._times_sparse(other)
        if is_tensor(other):
            return TENSOR_PRODUCTS["torch"](self, other)
        return self._times_dense(other) if is_operand(other) else NotImplemented

    @overload
    def __rmatmul__(self, other: Dense) -> Array: ...
    @overload
    def __rmatmul__(self, other: MatrixLike) -> Any: ...
    def __rmatmul__(self, other: Any) -> Any:
        """Compute the matrix product of `other` with this matrix, see `matmul`."""
        if issparse(other):
            return in_blocks_as(other, FORMATS["csr"](other)._times_sparse(self), (getattr(other, "blocksize", (1,))[0], 1))
        if is_tensor(other):
            return _flip(TENSOR_PRODUCTS["torch"](self.T, _flip(other)))
        if not is_operand(other):
            return NotImplemented
        other = as_operand(other, self._lent.data)
        if self.ndim == 1:
            return self._times_dense(_flip(other))
        check_dimensions(other)
        if other.shape[-1] != self.shape[0]:
            shapes = f"the operand has shape {other.shape}, the matrix {self.shape}"
            raise ValueError(f"dimension mismatch in @: {shapes}; the operand needs {self.shape[0]} columns")
        return _flip(matmul(self._lent, _flip(other), transposed=not self._transposed))

    @overload
    def dot(self, other: Dense) -> Array: ...
    @overload
    def dot(self: Merges[K], other: Compressed) -> K: ...
    @overload
    def dot(self, other: Number | MatrixLike) -> Any: ...
    def dot(self, other: Any) -> Any:
        """Compute `A @ other` for a vector or matrix, or `A * other` for a number.

        Parameters
        ----------
        other : number, array_like or sparse matrix
            The right operand.

        Returns
        -------
        array or sparse matrix
            The product, as in `matmul` or `multiply`.

        Raises
        ------
        ValueError
            If the shapes do not fit.
        TypeError
            If the operands are on several devices, or a dtype is not supported.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [0, 3, 0]])
        >>> A.dot([1, 10, 100])
        array([201,  30])
        """
        if not issparse(other) and is_scalar(other):
            return self * other
        if issparse(other) and other.ndim > 2:
            return as_ours(other)._dot(self, other)
        if np.ndim(other) > 2:
            if self.format == "coo":
                return self._many_axes._dot(self, other)  # type: ignore[attr-defined]
            raise ValueError(f"dot takes a vector or a matrix, got shape {np.shape(other)}: use A @ X for a stack of matrices")
        return self @ other

    def _times_dense(self, other, ring=ops.PLUS_TIMES, out=None):
        if self.ndim == 2:
            return matmul(self._lent, other, ring, out, transposed=self._transposed)
        if out is not None:
            out = out[..., None, :] if out.ndim else out[None]
        product = matmul(self._lent, other, ring, out)
        return product[..., 0, :] if product.ndim > 1 else product[0]

    def _times_sparse(self, other, ring=ops.PLUS_TIMES, mask=None, progress=None, complement=False):
        """Multiply records by rows as `A B`, and records by columns, which hold the transposes, as `(B^T A^T)^T`."""
        if other.ndim > 2 and ring is ops.PLUS_TIMES and mask is None:
            return as_ours(other).__rmatmul__(self)
        inner = other.shape[0]
        if self.shape[-1] != inner:
            shapes = f"the matrix has shape {self.shape}, the operand {other.shape}"
            raise ValueError(f"dimension mismatch in @: {shapes}; the operand needs {self.shape[-1]} rows")
        given, other = other, as_ours(other)
        same_device(self.data, other.data)
        if other.ndim == 1 or self.ndim == 1:
            return self._times_vector(other, ring, mask, progress, complement)
        mask = None if mask is None else self._operand(mask)
        theirs = self._operand(other)
        factors = self._csr, theirs
        if self._transposed:
            factors, ring = factors[::-1], ops.exchange_factors(ring)
        product = spgemm(*factors, ring, mask, progress, complement)
        return self._wrap_merged(keep_pattern(product, given) if product.indices is theirs.indices else product)

    def _times_vector(self, other, ring, mask, progress, complement):
        """Compute a product in which a vector takes part: it is a row on the left, a column on the right."""
        left, right = rows_of(self), rows_of(other)
        right = transpose(right) if other.ndim == 1 else right
        shape = self.shape[:-1] + other.shape[1:]
        if not shape:
            return spgemm_scalar(spgemm(left, right, ring, None, progress), ring)
        mask = None if mask is None else rows_of(mask)
        if mask is not None and other.ndim == 1:
            mask = transpose(mask)
        product = spgemm(left, right, ring, mask, progress, complement)
        return FORMATS["coo"]._of(transpose(product) if other.ndim == 1 else product, 1)

    def matvec(self, x: Dense) -> Array:
        """Compute `A @ x` for a dense vector or matrix.

        Parameters
        ----------
        x : (n,) or (n, k) array_like
            The right operand.

        Returns
        -------
        (m,) or (m, k) array
            The product.

        Notes
        -----
        `matvec` and `matmat` are two names of one method; so are `rmatvec` and `rmatmat`.
        `scipy.sparse.linalg.aslinearoperator` calls all four.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2], [0, 3, 0]]).matvec([1, 10, 100])
        array([201,  30])
        """
        return self @ x

    def rmatvec(self, x: Dense) -> Array:
        """Compute `A.conj().T @ x` for a dense vector or matrix; the transpose is not built.

        Parameters
        ----------
        x : (m,) or (m, k) array_like
            The right operand.

        Returns
        -------
        (n,) or (n, k) array
            The product.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2], [0, 3, 0]]).rmatvec([1, 10])
        array([ 1, 30,  2])
        """
        return (self.T @ as_operand(x, self._lent.data).conj()).conj()

    matmat = matvec
    rmatmat = rmatvec


def _flip(x):
    """Return the transposes of the matrices in the last two axes of an array or a tensor; a vector is its own."""
    return x.swapaxes(-1, -2) if x.ndim > 1 else x


def spgemm_scalar(product, ring):
    """Return the element of a product of shape (1, 1), which is the identity if no entries met."""
    if product.data.size:
        return product.data[0]
    return ring.add.identity_for(product.data.dtype)
