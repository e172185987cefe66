"""Users' functions of entries, as in GraphBLAS: `select`, `apply`, `ewise_add` and `ewise_mult`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spark_csr._matrix.base import SparseArray, as_ours, issparse
from spark_csr._operations.form.keep import select_entries
from spark_csr._operations.merge.functions import call_for_entries, combine

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from spark_csr._matrix.relatives import K, Merges
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._ops import MonoidLike
    from spark_csr._types import Array, Number


class Entrywise(SparseArray):
    """Functions that the user writes, of the row, the column and the value of an entry, or of the values of two matrices."""

    def select(self, func: Callable[..., Any], *arrays: Array | Number) -> Self:
        """Select the entries for which a function of the row, the column and the value is true.

        Parameters
        ----------
        func : callable
            `func(row, column, value, *arrays)` returns a bool. `row` and `column` are int64; the row of a vector is 0. It is a
            Python function or lambda, decorated with `@numba.njit` or not, under the rules of
            `spark_csr.primitives.transform_segments`: it is compiled into a kernel, must not close over variables, and is
            called once for every entry, in any order.
        *arrays : (k,) arrays and numbers
            Further arguments of `func`: contiguous arrays of one axis, on the device of the matrix, and numbers.

        Returns
        -------
        csr_array, csc_array or coo_array
            A matrix of the same format, shape and dtype with these entries, without duplicates.

        Raises
        ------
        ValueError
            If an array has several axes or is not contiguous.
        TypeError
            If `func` takes other arguments, closes over variables, does not compile (the message gives Numba's reason) or does
            not return a bool, or if an array is on another device or of a dtype that kernels do not compute in (float16).

        Notes
        -----
        *Cost*: two passes over the entries. The first call for a function and the dtypes of its arguments compiles a kernel,
        which is kept on disk. Duplicates are summed first. *Order*: that of the entries, the same in every run. Source: the
        operation `GrB_select` of GraphBLAS with its index operators.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 2, 0], [3, 4, 5]])
        >>> A.select(lambda row, column, value: column > row and value < 5).toarray()
        array([[0, 2, 0],
               [0, 0, 0]])
        """
        csr, flags = call_for_entries(func, self._csr, arrays, self._transposed, tests=True)
        return self._like(select_entries(csr, flags))

    def apply(self, func: Callable[..., Any], *arrays: Array | Number) -> Self:
        """Replace the value of every entry by a function of its row, its column and its value.

        Parameters, result and exceptions are those of `select`, but `func` returns a number, and all entries stay, also those
        that become zero, in the dtype that Numba infers for `func`. *Cost*: one pass over the entries.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 2, 0], [3, 4, 5]])
        >>> A.apply(lambda row, column, value, weights: value * weights[column], np.array([1.0, 0.5, 0.0])).toarray()
        array([[1., 1., 0.],
               [3., 2., 0.]])
        """
        csr, values = call_for_entries(func, self._csr, arrays, self._transposed)
        return self._like(csr.with_data(values))

    def ewise_add(self: Merges[K], other: MatrixLike, op: MonoidLike | Callable[[Any, Any], Any]) -> K:
        """Combine the values of two matrices where both have an entry; take the value of the one that has it elsewhere.

        Unlike `+`, `maximum` and the other operators, a missing entry is no zero: the minimum of 3 and nothing is 3. It
        accumulates one product onto another, as in `C.ewise_add(A.matmul(B, semiring="min_plus"), "min")`.

        Parameters
        ----------
        other : sparse matrix
            A matrix of the same shape, on the same device.
        op : str, Monoid or function
            What combines a value of this matrix with one of `other`: the name of a monoid such as "sum", "min", "max", "prod",
            a `Monoid`, or a Python function or lambda of two scalars, decorated with `@numba.njit` or not, which must not close
            over variables.

        Returns
        -------
        csr_array or csc_array
            The matrix, a `csc_array` if this one is. Entries that are zero stay. Both matrices are first made one dtype; a
            monoid gives this dtype, and a function the one that holds it and what Numba infers for the function.

        Raises
        ------
        ValueError
            If the shapes differ, or the name is unknown.
        TypeError
            If `other` is not a sparse matrix or on another device, or if `op` does not compile or does not return a number.

        Notes
        -----
        *Cost*: that of a sum, and a pass over the values of both. Operands that are not in canonical format are put in order
        first, in a copy, and duplicates are summed. *Order*: the same bits in every run. Source: `GrB_eWiseAdd` and the
        accumulators of GraphBLAS.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A, B = csr_array([[3, 0, 1]]), csr_array([[2, 5, 0]])
        >>> A.ewise_add(B, "min").toarray()
        array([[2, 5, 1]])
        """
        return self._combine(other, op, both=False)

    def ewise_mult(self: Merges[K], other: MatrixLike, op: MonoidLike | Callable[[Any, Any], Any]) -> K:
        """Combine the values of two matrices where both have an entry; the result has no others.

        Parameters, result and exceptions are those of `ewise_add`, but a function gives the dtype that Numba infers for it.
        Source: `GrB_eWiseMult` of GraphBLAS.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A, B = csr_array([[3, 0, 1]]), csr_array([[2, 5, 0]])
        >>> A.ewise_mult(B, lambda a, b: a / b).toarray()
        array([[1.5, 0. , 0. ]])
        """
        return self._combine(other, op, both=True)

    def _combine(self, other, op, both):
        if not issparse(other):
            raise TypeError(f"the operand must be a sparse matrix, got {type(other).__name__}")
        if self.shape != other.shape:
            raise ValueError(f"inconsistent shapes: the matrix has shape {self.shape}, the operand {other.shape}")
        return self._wrap_merged(combine(op, self._csr, self._operand(as_ours(other)), both))
