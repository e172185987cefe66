"""Reductions of matrices: extremes, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from spark_csr._matrix.axes import axis_of_record, keep_dims
from spark_csr._matrix.base import FORMATS, SparseArray, rows_of
from spark_csr._operations.reduce.extreme_positions import find_extreme_position, find_extreme_positions
from spark_csr._operations.reduce.extremes import extreme, extremes

if TYPE_CHECKING:
    from spark_csr._matrix.coo import coo_array
    from spark_csr._types import Array, Axes


class Extremes(SparseArray):
    """The greatest and the least elements along an axis, or of all; `axis` as in `Reductions`. The matrix is only read."""

    @overload
    def max(self, axis: None = None, out: None = None, *, explicit: bool = False) -> Any: ...
    @overload
    def max(self, axis: Axes, out: None = None, *, explicit: bool = False) -> coo_array: ...
    @overload
    def max(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool) -> Any: ...
    def max(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool = False) -> Any:
        """Return the greatest element of the matrix, of every column, or of every row.

        Parameters
        ----------
        axis : int, tuple of ints or None, default None
            The axis that is reduced: 0 gives one result for each column, 1 one for each row, None one for the whole matrix. -2
            and -1 stand for 0 and 1.
        out : None
            Accepted because NumPy passes it; it must be None.
        explicit : bool, default False
            Whether to look at entries only. Otherwise missing elements take part as zeros.
        keepdims : bool, default False
            Whether the result keeps the axis that is reduced, with extent 1.

        Returns
        -------
        coo_array of shape (n,) or (m,), or scalar
            The result has the dtype of the matrix, and stores no zeros. With `explicit`, it is 0 where there are no entries.

        Raises
        ------
        ValueError
            If there are no elements, `axis` is out of range or given twice, or `out` is given.
        TypeError
            If `axis` is not an integer.

        Notes
        -----
        NaN counts as the greatest. Complex numbers are ordered by their real, then by their imaginary part. *Cost*: one pass
        over the data and a few over the result; for columns (of a `csc_array`: for rows), a transposition first. Duplicates are
        summed first, in a copy. *Order*: same bits every run. *Empty input*: ValueError.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [-1, -2, -3]])
        >>> A.max(axis=1).toarray(), A.max(axis=0).toarray(), int(A.max())
        (array([ 2, -1]), array([1, 0, 2]), 2)
        """
        return self._extreme("max", axis, out, explicit, keepdims)

    @overload
    def min(self, axis: None = None, out: None = None, *, explicit: bool = False) -> Any: ...
    @overload
    def min(self, axis: Axes, out: None = None, *, explicit: bool = False) -> coo_array: ...
    @overload
    def min(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool) -> Any: ...
    def min(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool = False) -> Any:
        """Return the least element of the matrix, of every column, or of every row.

        Parameters, result and exceptions are those of `max`. NaN counts as the least.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [-1, -2, -3]])
        >>> A.min(axis=1).toarray(), A.min(axis=0).toarray(), int(A.min())
        (array([ 0, -3]), array([-1, -2, -3]), -3)
        """
        return self._extreme("min", axis, out, explicit, keepdims)

    @overload
    def nanmax(self, axis: None = None, out: None = None, *, explicit: bool = False) -> Any: ...
    @overload
    def nanmax(self, axis: Axes, out: None = None, *, explicit: bool = False) -> coo_array: ...
    @overload
    def nanmax(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool) -> Any: ...
    def nanmax(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool = False) -> Any:
        """Return the greatest element of the matrix, of every column, or of every row, ignoring NaN.

        Parameters, result and exceptions are those of `max`. The result is NaN only where there is nothing else.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1.0, 0, float("nan")]])
        >>> float(A.nanmax()), float(A.max())
        (1.0, nan)
        """
        return self._extreme("nanmax", axis, out, explicit, keepdims)

    @overload
    def nanmin(self, axis: None = None, out: None = None, *, explicit: bool = False) -> Any: ...
    @overload
    def nanmin(self, axis: Axes, out: None = None, *, explicit: bool = False) -> coo_array: ...
    @overload
    def nanmin(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool) -> Any: ...
    def nanmin(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool = False) -> Any:
        """Return the least element of the matrix, of every column, or of every row, ignoring NaN.

        Parameters, result and exceptions are those of `max`. The result is NaN only where there is nothing else.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[-1.0, 0, float("nan")]])
        >>> float(A.nanmin()), float(A.min())
        (-1.0, nan)
        """
        return self._extreme("nanmin", axis, out, explicit, keepdims)

    @overload
    def argmax(self, axis: None = None, out: None = None, *, explicit: bool = False) -> int: ...
    @overload
    def argmax(self, axis: Axes, out: None = None, *, explicit: bool = False) -> Array: ...
    @overload
    def argmax(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool) -> Any: ...
    def argmax(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool = False) -> Any:
        """Return the position of the greatest element of the matrix, of every column, or of every row.

        Parameters
        ----------
        axis : int, tuple of ints or None, default None
            The axis that is reduced: 0 gives one result for each column, 1 one for each row, None one for the whole matrix. -2
            and -1 stand for 0 and 1.
        out : None
            Accepted because NumPy passes it; it must be None.
        explicit : bool, default False
            Whether to look at entries only. A row or column without entries then gives 0. For the whole matrix, the result is
            then the position among the entries in canonical order.
        keepdims : bool, default False
            Whether the result keeps the axis that is reduced, with extent 1.

        Returns
        -------
        (n,) or (m,) array of integers, or int
            For every column its row, for every row its column. For the whole matrix, the position when the elements are read
            row by row. Of equal elements the first is chosen; NaN counts as the greatest.

        Raises
        ------
        ValueError
            If there are no elements, `axis` is out of range or given twice, `out` is given, or the whole matrix has no entries
            and `explicit` is set.
        TypeError
            If `axis` is not an integer.

        Notes
        -----
        *Cost*: for rows, five passes over arrays as long as the entries; for columns (of a `csc_array`: for rows), a
        transposition first. *Empty input*: ValueError. In SciPy, an element that is not stored comes before NaN.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [-1, 0, -3]])
        >>> A.argmax(axis=1), A.argmax()
        (array([2, 1]), 2)
        """
        return self._position("max", axis, out, explicit, keepdims)

    @overload
    def argmin(self, axis: None = None, out: None = None, *, explicit: bool = False) -> int: ...
    @overload
    def argmin(self, axis: Axes, out: None = None, *, explicit: bool = False) -> Array: ...
    @overload
    def argmin(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool) -> Any: ...
    def argmin(self, axis: Axes | None = None, out: None = None, *, explicit: bool = False, keepdims: bool = False) -> Any:
        """Return the position of the least element of the matrix, of every column, or of every row.

        Parameters, result and exceptions are those of `argmax`. NaN counts as the least.

        Examples
        --------
        >>> from spark_csr import csr_array
        >>> A = csr_array([[1, 0, 2], [-1, 0, -3]])
        >>> A.argmin(axis=1), A.argmin()
        (array([1, 2]), 5)
        """
        return self._position("min", axis, out, explicit, keepdims)

    def _extreme(self, op, axis, out, explicit, keepdims):
        of_record = axis_of_record(self, axis)
        _refuse(out, op)
        if of_record is None:
            found = extreme(self._csr, op, explicit)
        else:
            found = FORMATS["coo"]._of(extremes(self._csr, of_record, op, explicit), 1)
        return keep_dims(self, axis, found, keepdims)

    def _position(self, op, axis, out, explicit, keepdims):
        of_record = axis_of_record(self, axis)
        _refuse(out, f"arg{op}")
        if of_record is None:
            found = find_extreme_position(rows_of(self), op, explicit)
        else:
            found = find_extreme_positions(self._csr, of_record, op, explicit)
        return keep_dims(self, axis, found, keepdims)


def _refuse(out, name):
    if out is not None:
        raise ValueError(f"Sparse {name} does not support an 'out' parameter, because its result may be sparse: leave out=None")
