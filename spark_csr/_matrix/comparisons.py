"""Comparisons of matrices, and the larger or smaller of two."""

from __future__ import annotations

import importlib
import operator
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from spark_csr._array import namespace_of
from spark_csr._foreign import warn_user
from spark_csr._matrix.base import SparseArray, issparse
from spark_csr._operations.merge import elementwise, operands

if TYPE_CHECKING:
    from spark_csr._matrix.relatives import K, Merges
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, Dense, Number

SYMBOLS = {"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">="}
OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def warn_of_density(text):
    """Issue SciPy's warning, whose class is looked up only now: to import this package does not import `scipy.sparse`."""
    warn_user(text, importlib.import_module("scipy.sparse").SparseEfficiencyWarning)


class Comparisons(SparseArray):
    """The operators of comparison, `maximum` and `minimum`. They follow IEEE where an entry is NaN."""

    def __eq__(self, other: object) -> Any:
        """Return the truth values of `A == other` for a matrix of the same shape, a dense array or a number.

        The result is a matrix of bools for a matrix or a number, a dense array for a dense array, and False for a matrix of
        another shape. Equal zeros give entries too: the result is nearly dense, and a `SparseEfficiencyWarning` is issued.
        """
        return self._compare("eq", other)

    def __ne__(self, other: object) -> Any:
        """Return the truth values of `A != other` for a matrix of the same shape, a dense array or a number."""
        return self._compare("ne", other)

    @overload
    def __lt__(self, other: Dense) -> Array: ...
    @overload
    def __lt__(self: Merges[K], other: Number | MatrixLike) -> K: ...
    def __lt__(self, other: Any) -> Any:
        """Return the truth values of `A < other` for a matrix of the same shape, a dense array or a number."""
        return self._compare("lt", other)

    @overload
    def __gt__(self, other: Dense) -> Array: ...
    @overload
    def __gt__(self: Merges[K], other: Number | MatrixLike) -> K: ...
    def __gt__(self, other: Any) -> Any:
        """Return the truth values of `A > other` for a matrix of the same shape, a dense array or a number."""
        return self._compare("gt", other)

    @overload
    def __le__(self, other: Dense) -> Array: ...
    @overload
    def __le__(self: Merges[K], other: Number | MatrixLike) -> K: ...
    def __le__(self, other: Any) -> Any:
        """Return the truth values of `A <= other` for a matrix of the same shape, a dense array or a number."""
        return self._compare("le", other)

    @overload
    def __ge__(self, other: Dense) -> Array: ...
    @overload
    def __ge__(self: Merges[K], other: Number | MatrixLike) -> K: ...
    def __ge__(self, other: Any) -> Any:
        """Return the truth values of `A >= other` for a matrix of the same shape, a dense array or a number."""
        return self._compare("ge", other)

    @overload
    def maximum(self, other: Dense) -> Array: ...
    @overload
    def maximum(self: Merges[K], other: Number | MatrixLike) -> K: ...
    def maximum(self, other: Any) -> Any:
        """Return the larger of each element and the corresponding element of `other`.

        Parameters
        ----------
        other : number, array_like or sparse matrix
            A matrix must have the shape of this one.

        Returns
        -------
        csr_array or csc_array, or array
            For a dense array: a dense array. For a matrix or a number: a `csc_array` if this matrix is one, else a `csr_array`;
            zeros are not stored. If the number gives every position an entry, the result is of the format of this matrix. NaN
            wins against every number.

        Raises
        ------
        ValueError
            If the shapes differ.
        NotImplementedError
            If `other` is none of these.

        Warns
        -----
        scipy.sparse.SparseEfficiencyWarning
            If `other` is a positive number or NaN, which gives every position an entry.

        Notes
        -----
        *Cost*: for a matrix, two passes over both patterns; for a number, one pass over the entries; for a dense array or a
        positive number, several passes over M*N elements. Duplicates are summed first, in a copy.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, -2]])
        >>> A.maximum(0).toarray()
        array([[1, 0, 0]])
        """
        return self._larger_or_smaller("maximum", "positive", other)

    @overload
    def minimum(self, other: Dense) -> Array: ...
    @overload
    def minimum(self: Merges[K], other: Number | MatrixLike) -> K: ...
    def minimum(self, other: Any) -> Any:
        """Return the smaller of each element and the corresponding element of `other`.

        Parameters, result and exceptions are those of `maximum`; it is a negative number or NaN that gives every position an
        entry.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, -2]])
        >>> A.minimum(0).toarray()
        array([[ 0,  0, -2]])
        """
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
            raise ValueError(f"inconsistent shapes: the matrix has shape {self.shape}, the operand {other.shape}")
        if not function(0, 0):
            return self._wrap_merged(elementwise.union(function, self._csr, self._operand(other)))
        opposite = SYMBOLS[OPPOSITE[name]]
        warn_of_density(f"Comparing two sparse matrices using {SYMBOLS[name]} is inefficient. Try using {opposite} instead.")
        return self._complement_of(elementwise.union(lambda u, v: ~function(u, v), self._csr, self._operand(other)))

    def _compare_with_scalar(self, name, scalar):
        function = getattr(operator, name)
        if not function(0, scalar):
            if np.isnan(scalar):
                return type(self)(self.shape, dtype=bool, device=self.device)
            return self._wrap_merged(elementwise.map_nonzeros(lambda data: function(data, scalar), self._csr))
        opposite = SYMBOLS[OPPOSITE[name]]
        text = f"Comparing a sparse matrix with {scalar} using {SYMBOLS[name]} is inefficient. Try using {opposite} instead."
        warn_of_density(text)
        if np.isnan(scalar):
            return type(self)(namespace_of(self.data).ones(self.shape, bool))
        return self._complement_of(elementwise.map_nonzeros(lambda data: ~function(data, scalar), self._csr))

    def _complement_of(self, false):
        """Return a matrix that is True at every position without an entry in the record `false`."""
        return self._wrap_merged(elementwise.complement(false))

    def _larger_or_smaller(self, name, sign, other):
        function = getattr(namespace_of(self.data), name)
        if issparse(other):
            if self.shape != other.shape:
                raise ValueError(f"inconsistent shapes: the matrix has shape {self.shape}, the operand {other.shape}")
            return self._wrap_merged(elementwise.union(function, self._csr, self._operand(other)))
        if not operands.is_scalar(other):
            dense = operands.try_dense(other, self.data)
            if dense is None:
                got = type(other).__name__
                raise NotImplementedError(f"{name} with an unrecognized array type is not supported, got {got}")
            return function(self.toarray(), dense)
        scalar = operands.as_scalar(other)
        if not getattr(np, name)(0, scalar):
            return self._wrap_merged(elementwise.map_nonzeros(lambda data: function(data, scalar), self._csr))
        warn_of_density(f"Taking {name} with a {sign} number results in a dense matrix.")
        return type(self)(function(self.toarray(), scalar))
