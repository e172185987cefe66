"""Reductions of matrices: sums, means, variances, counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from spark_csr._array import DTYPES, is_array, namespace_of
from spark_csr._matrix.axes import axis_of_mean, axis_of_record, keep_dims
from spark_csr._matrix.base import SparseArray
from spark_csr._operations.reduce.sums import SUM, count_nonzeros, means, sums
from spark_csr._operations.reduce.variances import means_and_variances, variances
from spark_csr.primitives.scan import accumulator_dtype

if TYPE_CHECKING:
    from typing import Literal

    from spark_csr._types import Array, Axes, DTypeLike


class Reductions(SparseArray):
    """Reductions along an axis, or of the whole matrix.

    `axis` is None for the whole matrix, 0 for every column, 1 for every row, the same from the end (-2, -1), or a tuple of
    these. Missing elements are zeros. The matrix is only read.
    """

    @overload
    def sum(
        self, axis: None = None, dtype: DTypeLike | None = None, out: None = None, *, keepdims: Literal[False] = False
    ) -> Any: ...
    @overload
    def sum(self, axis: Axes, dtype: DTypeLike | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array: ...
    @overload
    def sum(self, axis: Axes | None = None, dtype: DTypeLike | None = None, *, out: Array, keepdims: bool = False) -> Array: ...
    @overload
    def sum(self, axis: Axes | None = None, dtype: DTypeLike | None = None, *, keepdims: Literal[True]) -> Array: ...
    def sum(
        self, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Array | None = None, *, keepdims: bool = False
    ) -> Any:
        """Sum all elements, every column, or every row.

        Parameters
        ----------
        axis : int, tuple of ints or None, default None
            The axis along which to sum: 0 gives one sum for each column, 1 one for each row, None the sum of all. -2 and -1
            stand for 0 and 1.
        dtype : dtype, optional
            The dtype of the result, which entries are cast to before they are added. By default it is int64 or uint64 for
            integers and bools, else that of the matrix.
        out : array, optional
            An array of the shape of the result that receives it, cast to the dtype of `out`. Without `dtype`, entries are added
            in the dtype that holds theirs and that of `out`.
        keepdims : bool, default False
            Whether the result keeps the axis that is reduced, with extent 1.

        Returns
        -------
        (n,) or (m,) array, or scalar
            The sums, on the device of the matrix; on a GPU a scalar is an array without dimensions.

        Raises
        ------
        ValueError
            If `axis` is out of range or names an axis twice, or `out` has another shape.
        TypeError
            If `axis` is not an integer, or `dtype` is not supported.

        Notes
        -----
        *Cost*: one pass over the data. The sums of columns (in a `csc_array`, of rows) also need a pass over the indices, and
        the plan of the transposed product. No values are multiplied, so NaN and infinities affect only the sum of their own
        row or column. Duplicates are added one by one: two True at one position are 2. *Order*: the same bits every run;
        float16 is summed in float32, and columns of floats in float64. *Empty input*: 0.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [0, 0, 3]])
        >>> A.sum(axis=1), A.sum(axis=0), int(A.sum())
        (array([3, 3]), array([1, 0, 5]), 6)
        """
        found = sums(self._csr, axis_of_record(self, axis), dtype_of_sum(self, dtype, out))
        return write_out(keep_dims(self, axis, found, keepdims), out)

    @overload
    def mean(
        self, axis: None = None, dtype: DTypeLike | None = None, out: None = None, *, keepdims: Literal[False] = False
    ) -> Any: ...
    @overload
    def mean(
        self, axis: Axes, dtype: DTypeLike | None = None, out: Array | None = None, *, keepdims: bool = False
    ) -> Array: ...
    @overload
    def mean(
        self, axis: Axes | None = None, dtype: DTypeLike | None = None, *, out: Array, keepdims: bool = False
    ) -> Array: ...
    @overload
    def mean(self, axis: Axes | None = None, dtype: DTypeLike | None = None, *, keepdims: Literal[True]) -> Array: ...
    def mean(
        self, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Array | None = None, *, keepdims: bool = False
    ) -> Any:
        """Compute the mean of all elements, of every column, or of every row; missing elements count as zeros.

        Parameters, result and exceptions are those of `sum`. By default, means of integers and bools are float64. If there are
        no elements, a ZeroDivisionError is raised, as in SciPy. Elements are summed first, then divided.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [0, 0, 3]])
        >>> A.mean(axis=1), A.mean(axis=0), float(A.mean())
        (array([1., 1.]), array([0.5, 0. , 2.5]), 1.0)
        """
        found = means(self._csr, axis_of_mean(self, axis), dtype)
        return write_out(keep_dims(self, axis, found, keepdims), out)

    def var(
        self,
        axis: Axes | None = None,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        ddof: int = 0,
        *,
        keepdims: bool = False,
    ) -> Any:
        """Compute the variance of all elements, of every column, or of every row; missing elements count as zeros.

        Parameters
        ----------
        axis : int, tuple of ints or None, default None
            The axis along which to compute: 0 gives one variance for each column, 1 one for each row, None that of all. -2 and
            -1 stand for 0 and 1.
        dtype : dtype, optional
            The dtype that entries are cast to first, floating or complex. By default it is float64 for integers and bools, else
            that of the matrix. The result has this dtype, or by default that of its real part.
        out : array, optional
            An array of the shape of the result that receives it, cast to the dtype of `out`.
        ddof : int, default 0
            The sum of squares is divided by the number of elements minus `ddof`.
        keepdims : bool, default False
            Whether the result keeps the axis that is reduced, with extent 1.

        Returns
        -------
        (n,) or (m,) array, or scalar
            The variances, on the device of the matrix; they are real if the matrix is complex. As in NumPy, they are NaN or
            infinite if there are no more than `ddof` elements.

        Raises
        ------
        ZeroDivisionError
            If there are no elements, as for `mean`.
        ValueError
            If `axis` is out of range or given twice, or `out` has another shape.
        TypeError
            If `axis` is not an integer, or `dtype` is not supported.

        Notes
        -----
        The means are computed first, then the sums of squared distances from them, both in 64 bits. *Cost*: that of `mean`
        twice, a pass over the entries, and a copy of them if their dtype is another one. *Order*: the same bits every run.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [0, 0, 4]])
        >>> A.var(axis=0), A.var(axis=0, ddof=1)
        (array([0.25, 0.  , 1.  ]), array([0.5, 0. , 2. ]))
        """
        found = variances(self._csr, axis_of_mean(self, axis), dtype, ddof)
        return write_out(keep_dims(self, axis, found, keepdims), out)

    def std(
        self,
        axis: Axes | None = None,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        ddof: int = 0,
        *,
        keepdims: bool = False,
    ) -> Any:
        """Compute the standard deviation of all elements, of every column, or of every row: the square root of `var`.

        Parameters, result and exceptions are those of `var`.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> csr_array([[1, 0, 2], [0, 0, 4]]).std(axis=0)
        array([0.5, 0. , 1. ])
        """
        found = variances(self._csr, axis_of_mean(self, axis), dtype, ddof, root=True)
        return write_out(keep_dims(self, axis, found, keepdims), out)

    def mean_var(
        self, axis: Axes | None = None, dtype: DTypeLike | None = None, ddof: int = 0, *, keepdims: bool = False
    ) -> Any:
        """Compute the means and the variances of all elements, of every column, or of every row, together.

        Parameters
        ----------
        axis : int, tuple of ints or None, default None
            The axis along which to compute, as for `mean`.
        dtype : dtype, optional
            The dtype that entries are cast to first, as for `var`.
        ddof : int, default 0
            The sum of squares is divided by the number of elements minus `ddof`.
        keepdims : bool, default False
            Whether the results keep the axis that is reduced, with extent 1.

        Returns
        -------
        mean, var : (n,) or (m,) arrays, or scalars
            The means, computed in 64 bits, in the dtype of those of `mean`; and what `var` returns.

        Raises
        ------
        ZeroDivisionError
            If there are no elements, as for `mean`.
        ValueError
            If `axis` is out of range or given twice.
        TypeError
            If `axis` is not an integer, or `dtype` is not supported.

        Notes
        -----
        *Cost*: that of `var`, which computes the means anyway.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> mean, var = csr_array([[1, 0, 2], [0, 0, 4]]).mean_var(axis=0)
        >>> mean, var
        (array([0.5, 0. , 3. ]), array([0.25, 0.  , 1.  ]))
        """
        found = means_and_variances(self._csr, axis_of_mean(self, axis), dtype, ddof)
        mean, var = (keep_dims(self, axis, part, keepdims) for part in found)
        return mean, var

    @overload
    def count_nonzero(self, axis: None = None, *, keepdims: Literal[False] = False) -> Any: ...
    @overload
    def count_nonzero(self, axis: Axes, *, keepdims: bool = False) -> Array: ...
    @overload
    def count_nonzero(self, axis: Axes | None = None, *, keepdims: Literal[True]) -> Array: ...
    def count_nonzero(self, axis: Axes | None = None, *, keepdims: bool = False) -> Any:
        """Count the nonzeros of the matrix, of every column, or of every row.

        Parameters
        ----------
        axis : int, tuple of ints or None, default None
            The axis along which to count: 0 gives one count for each column, 1 one for each row, None the count of all. -2 and
            -1 stand for 0 and 1.
        keepdims : bool, default False
            Whether the result keeps the axis that is reduced, with extent 1.

        Returns
        -------
        (n,) or (m,) array of integers, or int
            The counts, on the device of the matrix. Stored zeros do not count, unlike in `nnz`.

        Raises
        ------
        ValueError
            If `axis` is out of range or given twice.
        TypeError
            If `axis` is not an integer.

        Notes
        -----
        *Cost*: one pass over the data; duplicates are summed first, in a copy.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [0, 0, 3]])
        >>> int(A.count_nonzero()), A.count_nonzero(axis=0)
        (3, array([1, 0, 2]))
        """
        return keep_dims(self, axis, count_nonzeros(self._csr, axis_of_record(self, axis)), keepdims)

    def trace(self, offset: int = 0) -> Any:
        """Sum a diagonal of the matrix.

        Parameters
        ----------
        offset : int, default 0
            Which diagonal: the one that begins `offset` columns to the right of the first element, or `-offset` rows below it.

        Returns
        -------
        scalar
            The sum of the elements `(i, i + offset)`; 0 if the diagonal lies outside of the matrix.

        Raises
        ------
        ValueError
            If this is a vector.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> int(csr_array([[1, 0, 2], [0, 3, 0]]).trace())
        4
        """
        return self.diagonal(k=offset).sum()


def dtype_of_sum(matrix, dtype, out):
    """Return the dtype of the sums of a matrix: the one that is given, else one that holds its values and those of `out`."""
    if dtype is None and is_array(out) and out.dtype in DTYPES:
        return accumulator_dtype(SUM, np.result_type(matrix.dtype, out.dtype))
    return dtype


def write_out(result, out):
    """Return `result`, or write it into `out` and return that."""
    if out is None:
        return result
    if not is_array(out):
        raise TypeError(f"output parameter out must be an array, got {type(out).__name__}")
    if out.shape != result.shape:
        raise ValueError(
            f"output parameter out has wrong dimensions: its shape is {out.shape}, that of the result {result.shape}"
        )
    out[...] = namespace_of(out).asarray(result)  # NumPy checks the range of a number, and casts an array
    return out
