"""Arithmetic of matrices: `+ - * / **` with matrices, dense arrays and numbers."""

import operator

import numpy as np

from spark_csr._array import is_array, namespace_of, same_device
from spark_csr._base import FORMATS, SparseArray, issparse, rows_of
from spark_csr.operations import broadcast, convert, elementwise, operands


def adopted(matrix):
    """A sparse matrix of another library as one of ours, in its own format where we have that, else by rows."""
    return matrix if isinstance(matrix, SparseArray) else FORMATS.get(matrix.format, FORMATS["csr"])(matrix)


def merged_format(matrix):
    """The format of what a matrix and another are put together to."""
    return "csc" if matrix.format == "csc" else "csr"


class Arithmetic(SparseArray):
    """The operators, `multiply` and `power`. Results, their formats and dtypes are those of `scipy.sparse`."""

    def __add__(self, other):
        if operands.is_scalar(other):
            return self._unchanged_by(other, "adding a nonzero scalar to a sparse array is not supported")
        if issparse(other):
            return self._united(operator.add, other)
        if not is_array(other):
            return NotImplemented
        dense = self._broadcast(other)
        dense = self._oriented(dense) if self.ndim == 2 else dense[None]
        total = broadcast.plus_dense(self._csr, dense)
        return self._oriented(total) if self.ndim == 2 else total[0]

    def __radd__(self, other):
        return adopted(other) + self if issparse(other) else self + other

    def __sub__(self, other):
        if operands.is_scalar(other):
            return self._unchanged_by(other, "subtracting a nonzero scalar from a sparse array is not supported")
        if issparse(other):
            bools = self.dtype == bool and other.dtype == bool
            return self._united(operator.xor if bools else operator.sub, other)
        return self.toarray() - self._broadcast(other) if is_array(other) else NotImplemented

    def __rsub__(self, other):
        if operands.is_scalar(other):
            return -self._unchanged_by(other, "subtracting a sparse array from a nonzero scalar is not supported")
        if issparse(other):
            return adopted(other) - self
        return self._broadcast(other) - self.toarray() if is_array(other) else NotImplemented

    def multiply(self, other):
        """Entry times entry of a matrix, a dense array or a number; shapes are broadcast.

        Parameters
        ----------
        other : number, array_like or sparse matrix
            A row or a column stands for as many as there are. At places without an entry a dense one is not looked at.

        Returns
        -------
        sparse matrix or array
            Of a number: this format. Of a matrix: this format by rows or columns, zeros dropped. Of a dense array:
            `coo_array`; dense where this matrix is a single element, or the array has three dimensions or more.

        Raises
        ------
        ValueError
            If the shapes do not fit.
        TypeError
            For mixed devices and unsupported dtypes.

        Notes
        -----
        *Cost*: of a number, one pass over the values; of a dense array, one element of it for each entry; of a matrix, two
        passes over both patterns. *Order*: same bits every run. The operands are only read.
        """
        if operands.is_scalar(other):
            return self._scaled(operands.scalar(other))
        if issparse(other):
            return self._times_entries(adopted(other))
        dense = operands.dense(other, self.data)
        return NotImplemented if dense is None else self._times_elements(dense)

    __mul__ = multiply

    def __rmul__(self, other):
        return adopted(other) * self if issparse(other) else self.multiply(other)

    def __truediv__(self, other):
        if issparse(other):
            return self._divided_by_entries(other)
        if operands.is_scalar(other):
            return self._as_quotient()._scaled(1 / operands.scalar(other))
        dense = operands.dense(other, self.data)
        return NotImplemented if dense is None else self._times_elements(dense, reciprocal=True)

    def __rtruediv__(self, other):
        return adopted(other) / self if issparse(other) else NotImplemented

    def __imul__(self, other):
        if not operands.is_scalar(other):
            return NotImplemented
        self._csr.data *= operands.scalar(other)
        return self

    def __itruediv__(self, other):
        if not operands.is_scalar(other):
            return NotImplemented
        self._csr.data *= 1.0 / operands.scalar(other)
        return self

    def power(self, n, dtype=None):
        """Every entry to the power of the number `n`, which must not be 0; computed in `dtype`, where it is given."""
        if not operands.is_scalar(n):
            raise NotImplementedError("input is not scalar")
        n = operands.scalar(n)
        if not n:
            raise NotImplementedError(
                "zero power is not supported as it would densify the matrix.\n"
                "Use `np.ones(A.shape, dtype=A.dtype)` for this case."
            )
        csr = convert.canonical(self._csr)
        csr = csr if dtype is None else csr.with_data(csr.data.astype(dtype, copy=False))
        return self._like(elementwise.mapped(lambda data: data**n, csr))

    def __pow__(self, n):
        return self.power(n)

    def _unchanged_by(self, scalar, refusal):
        """A copy, if the scalar is zero."""
        if operands.scalar(scalar) == 0:
            return self.copy()
        raise NotImplementedError(refusal)

    def _united(self, function, other):
        if self.shape != other.shape:
            raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        return self._merged(elementwise.union(function, self._csr, self._operand(other)))

    def _broadcast(self, other):
        """A dense operand, as if it had this shape."""
        dense = operands.dense(other, self.data)
        return namespace_of(dense).broadcast_to(dense, self.shape)

    def _scaled(self, number):
        return self._like(elementwise.mapped(lambda data: data * number, self._csr))

    def _as_quotient(self):
        """This matrix in the dtype that SciPy divides in, float64 for what fits it; entries of one place summed before."""
        canonical = self._like(convert.canonical(self._csr))
        return canonical.astype(np.float64, copy=False) if np.can_cast(self.dtype, np.float64) else canonical

    def _times_entries(self, other):
        """Formats follow SciPy, whose broadcasting is a product with a diagonal matrix."""
        if self.shape == other.shape:
            return self._merged(elementwise.product(self._csr, self._operand(other)))
        same_device(self.data, other.data)
        if other.shape in ((1,), (1, 1)):
            scaled = FORMATS[merged_format(self)]._of(rows_of(self, self._transposed), self.ndim)
            scaled = scaled._scaled(operands.scalar(other.toarray().reshape(())))
            return FORMATS["coo"]._of(scaled._csr) if self.ndim < other.ndim else scaled
        if self.shape in ((1,), (1, 1)):
            return other._scaled(operands.scalar(self.data.sum()))
        form = FORMATS[self._format_times(other)]
        return form._of(broadcast.product(rows_of(self, form._transposed), rows_of(other, form._transposed)))

    def _format_times(self, other):
        (rows, columns), (other_rows, other_columns) = ((1, *m.shape)[-2:] for m in (self, other))
        if rows == 1 and (other_columns == 1 or columns == other_columns != 1) and other_rows != 1:
            return merged_format(other)
        if 1 in (columns, other_columns) and not other_rows == columns == 1:
            return "csr"
        return "coo" if self.ndim == 1 else merged_format(self)

    def _times_elements(self, dense, reciprocal=False):
        if dense.ndim > 2:
            return self.toarray() * (1 / dense if reciprocal else dense)
        if dense.size == 1:
            number = operands.scalar(dense.reshape(()))
            scaled = self._scaled(1 / number if reciprocal else number)
            return FORMATS["coo"]._of(scaled._csr) if self.ndim < dense.ndim else scaled._merged(scaled._csr)
        if self.shape in ((1,), (1, 1)):
            total = operands.scalar(self.data.sum())
            return (total * (1 / dense if reciprocal else dense)).reshape(np.broadcast_shapes(self.shape, dense.shape))
        try:
            shape = np.broadcast_shapes(self.shape, dense.shape)
        except ValueError:
            raise ValueError(f"inconsistent shapes {self.shape} and {dense.shape}") from None
        dense = dense.reshape((1, *dense.shape)[-2:])
        return FORMATS["coo"]._of(broadcast.times_dense(rows_of(self), dense, reciprocal), len(shape))

    def _divided_by_entries(self, other):
        """Dense, as SciPy has it: NaN where both have no entry."""
        if self.shape != other.shape:
            raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        found = self._oriented(broadcast.quotient(self._as_quotient()._csr, self._operand(other)))
        return found[0] if self.ndim == 1 else found
