"""Comparisons of matrices, and the larger or smaller of two."""

import importlib
import operator
import warnings

import numpy as np

from spark_csr._array import namespace_of
from spark_csr._matrix.base import SparseArray, issparse
from spark_csr._operations.merge import elementwise, operands

SYMBOLS = {"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">="}
OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def warn_of_density(text, stacklevel=5):
    """SciPy's warning, whose class is looked up when it is needed: importing us does not import `scipy.sparse`."""
    category = importlib.import_module("scipy.sparse").SparseEfficiencyWarning
    warnings.warn(text, category, stacklevel=stacklevel)


class Comparisons(SparseArray):
    """The operators of comparison, `maximum` and `minimum`. They follow IEEE where an entry is NaN."""

    def __eq__(self, other):
        return self._compare("eq", other)

    def __ne__(self, other):
        return self._compare("ne", other)

    def __lt__(self, other):
        return self._compare("lt", other)

    def __gt__(self, other):
        return self._compare("gt", other)

    def __le__(self, other):
        return self._compare("le", other)

    def __ge__(self, other):
        return self._compare("ge", other)

    def maximum(self, other):
        """The larger of each entry and that of a matrix, a dense array or a number; NaN wins. Dense for a dense array.

        A number above zero gives every position an entry: with SciPy's `SparseEfficiencyWarning`.
        """
        return self._larger_or_smaller("maximum", "positive", other)

    def minimum(self, other):
        """The smaller of each entry and that of a matrix, a dense array or a number: see `maximum`."""
        return self._larger_or_smaller("minimum", "negative", other)

    def _compare(self, name, other):
        function = getattr(operator, name)
        if not issparse(other):
            if operands.is_scalar(other):
                return self._compare_with_scalar(name, operands.as_scalar(other))
            dense = operands.try_dense(other, self.data)
            return NotImplemented if dense is None else function(self.toarray(), dense)
        if self.shape != other.shape:
            if name in ("eq", "ne"):
                return name == "ne"
            raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
        if not function(0, 0):
            return self._wrap_merged(elementwise.union(function, self._csr, self._operand(other)))
        opposite = SYMBOLS[OPPOSITE[name]]
        warn_of_density(f"Comparing two sparse matrices using {SYMBOLS[name]} is inefficient. Try using {opposite} instead.")
        return self._except(elementwise.union(lambda u, v: ~function(u, v), self._csr, self._operand(other)))

    def _compare_with_scalar(self, name, scalar):
        function = getattr(operator, name)
        if not function(0, scalar):
            if np.isnan(scalar):
                return type(self)(self.shape, dtype=bool, device=self.device)
            return self._wrap_merged(elementwise.map_nonzeros(lambda data: function(data, scalar), self._csr))
        opposite = SYMBOLS[OPPOSITE[name]]
        text = f"Comparing a sparse matrix with {scalar} using {SYMBOLS[name]} is inefficient. Try using {opposite} instead."
        warn_of_density(text, stacklevel=6)
        if np.isnan(scalar):
            return type(self)(namespace_of(self.data).ones(self.shape, bool))
        return self._except(elementwise.map_nonzeros(lambda data: ~function(data, scalar), self._csr))

    def _except(self, false):
        """True everywhere but where the record `false` has an entry."""
        return self._wrap_merged(elementwise.complement(false))

    def _larger_or_smaller(self, name, sign, other):
        function = getattr(namespace_of(self.data), name)
        if issparse(other):
            if self.shape != other.shape:
                raise ValueError(f"inconsistent shapes {self.shape} and {other.shape}")
            return self._wrap_merged(elementwise.union(function, self._csr, self._operand(other)))
        if not operands.is_scalar(other):
            dense = operands.try_dense(other, self.data)
            if dense is None:
                raise NotImplementedError("maximum or minimum with an unrecognized array type is not supported")
            return function(self.toarray(), dense)
        scalar = operands.as_scalar(other)
        if not getattr(np, name)(0, scalar):
            return self._wrap_merged(elementwise.map_nonzeros(lambda data: function(data, scalar), self._csr))
        warn_of_density(f"Taking {name} with a {sign} number results in a dense matrix.")
        return type(self)(function(self.toarray(), scalar))
