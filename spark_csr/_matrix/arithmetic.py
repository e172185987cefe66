"""Sums, differences and powers of matrices: `+`, `-`, `**` with matrices, dense arrays and numbers."""

import operator

from spark_csr._array import is_array, namespace_of
from spark_csr._matrix.base import issparse
from spark_csr._matrix.multiplication import Multiplication, as_ours
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr._operations.merge import broadcast, elementwise, operands


class Arithmetic(Multiplication):
    """The operators, `multiply` and `power`. Results, their formats and dtypes are those of `scipy.sparse`."""

    def __add__(self, other):
        if issparse(other):
            return self._unite(operator.add, other)
        if operands.is_scalar(other):
            return self._unchanged_by(other, "adding a nonzero scalar to a sparse array is not supported")
        if not is_array(other):
            return NotImplemented
        dense = self._broadcast(other)
        dense = self._orient(dense) if self.ndim == 2 else dense[None]
        total = broadcast.add_dense(self._csr, dense)
        return self._orient(total) if self.ndim == 2 else total[0]

    def __radd__(self, other):
        return as_ours(other) + self if issparse(other) else self + other

    def __sub__(self, other):
        if issparse(other):
            bools = self.dtype == bool and other.dtype == bool
            return self._unite(operator.xor if bools else operator.sub, other)
        if operands.is_scalar(other):
            return self._unchanged_by(other, "subtracting a nonzero scalar from a sparse array is not supported")
        return self.toarray() - self._broadcast(other) if is_array(other) else NotImplemented

    def __rsub__(self, other):
        if operands.is_scalar(other):
            return -self._unchanged_by(other, "subtracting a sparse array from a nonzero scalar is not supported")
        if issparse(other):
            return as_ours(other) - self
        return self._broadcast(other) - self.toarray() if is_array(other) else NotImplemented

    def power(self, n, dtype=None):
        """Every entry to the power of the number `n`, which must not be 0; computed in `dtype`, where it is given."""
        if not operands.is_scalar(n):
            raise NotImplementedError("input is not scalar")
        n = operands.as_scalar(n)
        if not n:
            raise NotImplementedError(
                "zero power is not supported as it would densify the matrix.\n"
                "Use `np.ones(A.shape, dtype=A.dtype)` for this case."
            )
        csr = sum_duplicates(self._csr)
        csr = csr if dtype is None else csr.with_data(csr.data.astype(dtype, copy=False))
        return self._like(elementwise.map_values(lambda data: data**n, csr))

    def __pow__(self, n):
        return self.power(n)

    def _unchanged_by(self, scalar, refusal):
        """A copy, if the scalar is zero."""
        if operands.as_scalar(scalar) == 0:
            return self.copy()
        raise NotImplementedError(refusal)

    def _unite(self, function, other):
        if self.shape != other.shape:
            raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        return self._wrap_merged(elementwise.union(function, self._csr, self._operand(other)))

    def _broadcast(self, other):
        """A dense operand, as if it had this shape."""
        dense = operands.try_dense(other, self.data)
        return namespace_of(dense).broadcast_to(dense, self.shape)
