"""Elementwise products and quotients: `*`, `/`, `multiply`. For `@` see `products`."""

from __future__ import annotations

import operator
import sys
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from spark_csr._array import same_device
from spark_csr._foreign import warn_user
from spark_csr._matrix.base import FORMATS, SparseArray, are_old, as_ours, in_blocks_as, issparse, rows_of
from spark_csr._operations.form.canonical import sum_duplicates, without_duplicates
from spark_csr._operations.merge import broadcast, elementwise, operands

if TYPE_CHECKING:
    from typing import Self

    from spark_csr._matrix.coo import coo_array
    from spark_csr._matrix.relatives import K, Merges
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, Dense, Number


def merged_format(matrix):
    """Return the name of the format of sums and products of a matrix with others."""
    return "csc" if matrix.format == "csc" else "csr"


def _is_old_matrix(other):
    return any(kind.__name__ == "spmatrix" for kind in type(other).__mro__)


class Multiplication(SparseArray):
    """Elementwise products and quotients; formats and dtypes are those of `scipy.sparse`."""

    @overload
    def multiply(self, other: Dense) -> coo_array: ...
    @overload
    def multiply(self, other: Number) -> Self: ...
    @overload
    def multiply(self: Merges[K], other: MatrixLike) -> K: ...
    def multiply(self, other: Any) -> Any:
        """Multiply every element by that of a matrix, a dense array or a number; shapes are broadcast.

        Parameters
        ----------
        other : number, array_like or sparse matrix
            The other factor. If it has one row, this row multiplies every row of the matrix; if it has one column, this column
            multiplies every column. A dense array is read only at the positions of entries.

        Returns
        -------
        csr_array, csc_array or coo_array, or array
            For a number: a matrix of this format. For a matrix: a `csc_array` if this matrix is one, else a `csr_array`,
            without stored zeros; broadcasting may lead to another format. For a dense array: a `coo_array`, or a dense array if
            this matrix is a single element or the array has three dimensions or more.

        Raises
        ------
        ValueError
            If the shapes do not fit.
        TypeError
            If the operands are on several devices, or a dtype is not supported.

        Notes
        -----
        *Cost*: for a number, one pass over the values; for a dense array, one read of it for each entry; for a matrix, two
        passes over both patterns. *Order*: same bits every run. The operands are only read. Duplicates are summed first if
        the values are integers and the result has another dtype.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [0, 3, 0]])
        >>> A.multiply(A).toarray()
        array([[1, 0, 4],
               [0, 9, 0]])
        >>> A.multiply([10, 20, 30]).toarray()
        array([[10,  0, 60],
               [ 0, 60,  0]])
        """
        if operands.is_scalar(other):
            return self._scale(operands.as_scalar(other))
        if issparse(other):
            return self._times_entries(as_ours(other))
        dense = operands.try_dense(other, self.data)
        return NotImplemented if dense is None else self._combine_elements(operator.mul, dense)

    if TYPE_CHECKING:
        __mul__ = multiply
    else:

        def __mul__(self, other):
            """Multiply by a matrix of the same shape, a dense array or a number, entry by entry, see `multiply`.

            A matrix of SciPy's old classes, whose own `*` is the matrix product, gives a SparseWarning.
            """
            if are_old([other]):
                text = (
                    "A * M multiplies entry by entry here, though `*` of M is the matrix product: write A @ M or A.multiply(M)"
                )
                warn_user(text, sys.modules["scipy.sparse"].SparseWarning)
            return self.multiply(other)

    @overload
    def __rmul__(self, other: Dense) -> coo_array: ...
    @overload
    def __rmul__(self, other: Number) -> Self: ...
    @overload
    def __rmul__(self, other: MatrixLike) -> Any: ...
    def __rmul__(self, other: Any) -> Any:
        """Multiply `other` by this matrix elementwise, see `multiply`. A `spmatrix` of SciPy gives the matrix product."""
        if issparse(other):  # `*` of SciPy's old matrices is the matrix product
            if _is_old_matrix(other):
                return self.__rmatmul__(other)
            return in_blocks_as(other, as_ours(other) * self, getattr(other, "blocksize", None))
        return self.multiply(other)

    @overload
    def __truediv__(self, other: Dense) -> coo_array: ...
    @overload
    def __truediv__(self, other: Number) -> Self: ...
    @overload
    def __truediv__(self, other: MatrixLike) -> Array: ...
    def __truediv__(self, other: Any) -> Any:
        """Divide every element by that of a matrix of the same shape, a dense array or a number.

        The quotient of two matrices is a dense array, in which positions without an entry in either matrix are NaN.
        """
        if issparse(other):
            return self._divide_by_entries(other)
        if operands.is_scalar(other):
            return self._divide_by_number(operands.as_scalar(other))
        dense = operands.try_dense(other, self.data)
        return NotImplemented if dense is None else self._combine_elements(elementwise.divide, dense)

    def __rtruediv__(self, other: MatrixLike) -> Any:
        """Divide another matrix by this one, see `__truediv__`."""
        return as_ours(other) / self if issparse(other) else NotImplemented

    def _scale(self, number):
        return self._like(elementwise.scale(self._held, number))

    def _divide_by_number(self, number):
        if number == 0 and not isinstance(number, np.generic):
            raise ZeroDivisionError(
                "a matrix is divided by 0: divide A.toarray(), or by numpy.float64(0) to divide entries only"
            )
        matrix = self._as_quotient()
        return matrix._like(elementwise.map_values(lambda data: data / number, matrix._held))

    def _only_element(self):
        """Return the element of a matrix of one element, in the dtype of sums."""
        return operands.as_scalar(sum_duplicates(self._csr).data.sum())

    def _as_quotient(self):
        """Return this matrix without duplicates, in the dtype in which SciPy divides: float64 for what fits it."""
        matrix = self._like(without_duplicates(self._csr))
        return matrix.astype(np.float64, copy=False) if np.can_cast(self.dtype, np.float64) else matrix

    def _times_entries(self, other):
        """Multiply by a sparse matrix. Formats follow SciPy, whose broadcasting is a product with a diagonal matrix."""
        if self.shape == other.shape:
            return self._wrap_merged(elementwise.multiply(self._csr, self._operand(other)))
        same_device(self.data, other.data)
        if other.shape in ((1,), (1, 1)):
            scaled = FORMATS[merged_format(self)]._of(rows_of(self, self._transposed), self.ndim)
            scaled = scaled._scale(operands.as_scalar(other.toarray().reshape(())))
            return FORMATS["coo"]._of(scaled._csr) if self.ndim < other.ndim else scaled
        if self.shape in ((1,), (1, 1)):
            return other._scale(self._only_element())
        form = FORMATS[self._format_times(other)]
        return form._of(broadcast.multiply(rows_of(self, form._transposed), rows_of(other, form._transposed)))

    def _format_times(self, other):
        (rows, columns), (other_rows, other_columns) = ((1, *m.shape)[-2:] for m in (self, other))
        if rows == 1 and (other_columns == 1 or columns == other_columns != 1) and other_rows != 1:
            return merged_format(other)
        if 1 in (columns, other_columns) and not other_rows == columns == 1:
            return "csr"
        return "coo" if self.ndim == 1 else merged_format(self)

    def _combine_elements(self, function, dense):
        """Return the product with a dense array, or the quotient."""
        if dense.ndim > 2:
            return function(self.toarray(), dense)
        if dense.size == 1:
            combined = broadcast.combine_dense(function, self._csr, dense.reshape(1, 1))
            return FORMATS["coo"]._of(combined) if self.ndim < dense.ndim else self._wrap_merged(combined)
        if self.shape in ((1,), (1, 1)):
            return function(self._only_element(), dense).reshape(broadcast.broadcast_shapes(self.shape, dense.shape))
        shape = broadcast.broadcast_shapes(self.shape, dense.shape)
        dense = dense.reshape((1, *dense.shape)[-2:])
        return FORMATS["coo"]._of(broadcast.combine_dense(function, rows_of(self), dense), len(shape))

    def _divide_by_entries(self, other):
        """Return the quotient as a dense array, as SciPy does: NaN where neither matrix has an entry."""
        if self.shape != other.shape:
            raise ValueError(f"inconsistent shapes: the matrix has shape {self.shape}, the operand {other.shape}")
        found = self._orient(broadcast.divide(self._as_quotient()._csr, self._operand(other)))
        return found[0] if self.ndim == 1 else found

    def __imul__(self, other: Number) -> Self:  # type: ignore[misc]  # of numbers only, as in SciPy
        """Multiply every entry by a number, in place."""
        if not operands.is_scalar(other):
            return NotImplemented
        data = self.data
        data *= operands.as_scalar(other)
        return self

    def __itruediv__(self, other: Number) -> Self:  # type: ignore[misc]
        """Divide every entry by a number, in place."""
        if not operands.is_scalar(other):
            return NotImplemented
        data = self.data
        data /= operands.as_scalar(other)
        return self
