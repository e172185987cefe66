"""Sums, differences and powers of matrices: `+`, `-`, `**` with matrices, dense arrays and numbers."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, overload

from spark_csr._array import is_array, namespace_of
from spark_csr._matrix.base import in_blocks_as, issparse
from spark_csr._matrix.multiplication import Multiplication, as_ours
from spark_csr._operations.form.canonical import without_duplicates
from spark_csr._operations.merge import broadcast, elementwise, operands

if TYPE_CHECKING:
    from typing import Self

    from spark_csr._matrix.relatives import K, Merges
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, DTypeLike, Number


class Arithmetic(Multiplication):
    """The operators `+`, `-` and `**`, and `power`. Results, their formats and dtypes are those of `scipy.sparse`."""

    @overload
    def __add__(self, other: Array) -> Array: ...
    @overload
    def __add__(self, other: Number) -> Self: ...
    @overload
    def __add__(self: Merges[K], other: MatrixLike) -> K: ...
    def __add__(self, other: Any) -> Any:
        """Add a matrix of the same shape, a dense array (the sum is dense), or the number 0.

        The sum of matrices is a `csc_array` for a `csc_array`, else a `csr_array`. Zeros that result are not stored.
        """
        if issparse(other):
            return self._unite(operator.add, other)
        if operands.is_scalar(other):
            return self._copy_if_zero(other, "adding a nonzero scalar to a sparse array is not supported: use A.toarray()")
        if not is_array(other):
            return NotImplemented
        dense = self._broadcast(other)
        dense = self._orient(dense) if self.ndim == 2 else dense[None]
        total = broadcast.add_dense(self._csr, dense)
        return self._orient(total) if self.ndim == 2 else total[0]

    @overload
    def __radd__(self, other: Array) -> Array: ...
    @overload
    def __radd__(self, other: Number) -> Self: ...
    @overload
    def __radd__(self, other: MatrixLike) -> Any: ...
    def __radd__(self, other: Any) -> Any:
        """Add this matrix to `other`, see `__add__`."""
        if not issparse(other):
            return self + other
        return in_blocks_as(other, as_ours(other) + self, getattr(other, "blocksize", None))

    @overload
    def __sub__(self, other: Array) -> Array: ...
    @overload
    def __sub__(self, other: Number) -> Self: ...
    @overload
    def __sub__(self: Merges[K], other: MatrixLike) -> K: ...
    def __sub__(self, other: Any) -> Any:
        """Subtract a matrix of the same shape, a dense array (the difference is dense), or the number 0.

        Formats are those of sums. The difference of two matrices of bools is their exclusive or.
        """
        if issparse(other):
            bools = self.dtype == bool and other.dtype == bool
            return self._unite(operator.xor if bools else operator.sub, other)
        if operands.is_scalar(other):
            return self._copy_if_zero(
                other, "subtracting a nonzero scalar from a sparse array is not supported: use A.toarray()"
            )
        return self.toarray() - self._broadcast(other) if is_array(other) else NotImplemented

    @overload
    def __rsub__(self, other: Array) -> Array: ...
    @overload
    def __rsub__(self, other: Number) -> Self: ...
    @overload
    def __rsub__(self, other: MatrixLike) -> Any: ...
    def __rsub__(self, other: Any) -> Any:
        """Subtract this matrix from `other`, see `__sub__`."""
        if operands.is_scalar(other):
            return -self._copy_if_zero(
                other, "subtracting a sparse array from a nonzero scalar is not supported: use A.toarray()"
            )
        if issparse(other):
            return in_blocks_as(other, as_ours(other) - self, getattr(other, "blocksize", None))
        return self._broadcast(other) - self.toarray() if is_array(other) else NotImplemented

    def power(self, n: Number, dtype: DTypeLike | None = None) -> Self:
        """Raise every entry to the power `n`.

        Parameters
        ----------
        n : number
            The exponent, which must not be 0: the result would be dense.
        dtype : dtype, optional
            The dtype that the values are cast to first. By default it is that of the matrix.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format and pattern, without duplicates. Missing elements stay 0 for every `n`.

        Raises
        ------
        NotImplementedError
            If `n` is 0 or not a number.
        TypeError
            If the dtype of the result is not supported.

        Notes
        -----
        *Cost*: one pass over the values. Duplicates are summed first, in a copy.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[2, 0, -3]])
        >>> A.power(2).toarray()
        array([[4, 0, 9]])
        """
        if not operands.is_scalar(n):
            raise NotImplementedError(f"input is not scalar: the exponent must be a number, got {type(n).__name__}")
        n = operands.as_scalar(n)
        if not n:
            raise NotImplementedError(
                "zero power is not supported as it would densify the matrix.\n"
                "Use `np.ones(A.shape, dtype=A.dtype)` for this case."
            )
        csr = without_duplicates(self._csr)
        csr = csr if dtype is None else csr.as_dtype(dtype)
        return self._like(elementwise.map_values(lambda data: data**n, csr))

    def __pow__(self, n: Number) -> Self:
        """Raise every entry to the power `n`, see `power`."""
        return self.power(n)

    def _copy_if_zero(self, scalar, refusal):
        """Return a copy if the scalar is zero; raise NotImplementedError otherwise."""
        if operands.as_scalar(scalar) == 0:
            return self.copy()
        raise NotImplementedError(refusal)

    def _unite(self, function, other):
        if self.shape != other.shape:
            raise ValueError(f"inconsistent shapes: the matrix has shape {self.shape}, the operand {other.shape}")
        return self._wrap_merged(elementwise.union(function, self._csr, self._operand(other)))

    def _broadcast(self, other):
        """Return a dense operand, broadcast to the shape of this matrix."""
        dense = operands.try_dense(other, self.data)
        return namespace_of(dense).broadcast_to(dense, self.shape)
