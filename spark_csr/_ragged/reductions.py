"""Reductions of a ragged array, along an axis or of all values.

Design: the values to combine are made segments first (`aligned`); every reduction is then one of segments.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._numba import njit
from spark_csr._ragged.aligned import group_along
from spark_csr._ragged.base import RaggedBase
from spark_csr.primitives import load_balance_search
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.segmented import reduce_trusted
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Number


class RaggedReductions(RaggedBase):
    """Sums, extremes, means and tests."""

    def sum(self, axis: int | None = None, *, initial: Number | None = None) -> Any:
        """Add values along an axis, or all of them.

        Parameters
        ----------
        axis : int, optional
            -1 (or `ndim - 1`) adds the values of each innermost list. Another axis adds the values whose other coordinates are
            equal: lists are aligned at their starts, and the lists of the result are as long as the longest. Default: all
            values are added.
        initial : scalar, optional
            A value that is added to every sum, and the sum of an empty list. Default: 0.

        Returns
        -------
        Ragged, array or scalar
            The sums, of one axis less: an array where one axis is left, and for `axis=None` a scalar (on a GPU an array of no
            dimensions). int64 or uint64 for integers and bools, else the dtype of the values.

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            If `axis` is not an integer, or if `initial` does not fit the dtype.

        Notes
        -----
        *Cost*: along the innermost axis one read of the values, as `primitives.segmented_reduce`. Along another axis also a
        transpose, a stable sort by position, for each level from that axis inwards. *Order*: the same bits every run; float16
        is computed in float32. *Empty input*: an empty list gives `initial`; without lists there are no results.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 1]])
        >>> R.sum(axis=1), R.sum(axis=0), int(R.sum())
        (array([16,  0, 10]), array([15,  6,  5]), 26)
        """
        return _combine(self, axis, "sum", initial)

    def min(self, axis: int | None = None, *, initial: Number | None = None) -> Any:
        """Return the least value along an axis, or of all values.

        Parameters
        ----------
        axis : int, optional
            -1 (or `ndim - 1`) compares the values of each innermost list; another axis those whose other coordinates are equal,
            as in `sum`. Default: all values are compared.
        initial : scalar, optional
            A value that is compared too, and the result of an empty list. Default: the largest number of the dtype, infinity
            for floats.

        Returns
        -------
        Ragged, array or scalar
            The least values, of one axis less, in the dtype of the values: an array where one axis is left, and for `axis=None`
            a scalar (on a GPU an array of no dimensions).

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            If `axis` is not an integer, if `initial` does not fit the dtype, or if the values are complex numbers, which have
            no order.

        Notes
        -----
        If a value is NaN, so is the result, as in NumPy. *Cost* and *Order*: as in `sum`. *Empty input*: an empty list gives
        `initial`, where awkward-array gives None.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 1]])
        >>> R.min(axis=1, initial=100), R.min(axis=0), int(R.min())
        (array([  5, 100,   1]), array([6, 1, 5]), 1)
        """
        return _combine(self, axis, "min", initial)

    def max(self, axis: int | None = None, *, initial: Number | None = None) -> Any:
        """Return the greatest value along an axis, or of all values.

        Parameters
        ----------
        axis : int, optional
            -1 (or `ndim - 1`) compares the values of each innermost list; another axis those whose other coordinates are equal,
            as in `sum`. Default: all values are compared.
        initial : scalar, optional
            A value that is compared too, and the result of an empty list. Default: the smallest number of the dtype, -infinity
            for floats.

        Returns
        -------
        Ragged, array or scalar
            The greatest values, of one axis less, in the dtype of the values: an array where one axis is left, and for
            `axis=None` a scalar (on a GPU an array of no dimensions).

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            If `axis` is not an integer, if `initial` does not fit the dtype, or if the values are complex numbers, which have
            no order.

        Notes
        -----
        If a value is NaN, so is the result, as in NumPy. *Cost* and *Order*: as in `sum`. *Empty input*: an empty list gives
        `initial`, where awkward-array gives None.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 1]])
        >>> R.max(axis=1, initial=0), R.max(axis=0), int(R.max())
        (array([6, 0, 9]), array([9, 5, 5]), 9)
        """
        return _combine(self, axis, "max", initial)

    def any(self, axis: int | None = None) -> Any:
        """Return whether any value along an axis, or of all values, differs from zero.

        Parameters
        ----------
        axis : int, optional
            The axis to reduce, as in `sum`. Default: all values are tested.

        Returns
        -------
        Ragged, array or scalar
            Bools, of one axis less: an array where one axis is left, and for `axis=None` a scalar (on a GPU an array of no
            dimensions).

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            If `axis` is not an integer.

        Notes
        -----
        *Cost* and *Order*: as in `sum`, after a conversion of the values to bool. *Empty input*: False for an empty list.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[0, 5, 0], [], [0, 0]]).any(axis=1)
        array([ True, False, False])
        """
        return _combine(_cast(self, np.dtype(bool)), axis, "any", None)

    def all(self, axis: int | None = None) -> Any:
        """Return whether all values along an axis, or all values of the array, differ from zero.

        Parameters
        ----------
        axis : int, optional
            The axis to reduce, as in `sum`. Default: all values are tested.

        Returns
        -------
        Ragged, array or scalar
            Bools, of one axis less: an array where one axis is left, and for `axis=None` a scalar (on a GPU an array of no
            dimensions).

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            If `axis` is not an integer.

        Notes
        -----
        *Cost* and *Order*: as in `sum`, after a conversion of the values to bool. *Empty input*: True for an empty list.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[1, 5, 0], [], [2, 3]]).all(axis=1)
        array([False,  True,  True])
        """
        return _combine(_cast(self, np.dtype(bool)), axis, "all", None)

    def mean(self, axis: int | None = None) -> Any:
        """Return the mean along an axis, or of all values.

        Parameters
        ----------
        axis : int, optional
            The axis to reduce, as in `sum`. Default: all values count.

        Returns
        -------
        Ragged, array or scalar
            The means, of one axis less: an array where one axis is left, and for `axis=None` a scalar (on a GPU an array of no
            dimensions). float64 for integers and bools, else the dtype of the values.

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            If `axis` is not an integer.

        Notes
        -----
        *Cost* and *Order*: as in `sum`; float16 is computed in float32. *Empty input*: NaN for an empty list.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 4], [], [9, 1]])
        >>> R.mean(axis=1), float(R.mean())
        (array([ 5., nan,  5.]), 5.0)
        """
        dtype = np.dtype(np.float64) if self.dtype.kind in "biu" else self.dtype
        computed = np.dtype(np.float32) if dtype == np.float16 else dtype
        groups = group_along(_cast(self, computed), _axis(self, axis))
        totals, _ = reduce_trusted(groups.values, groups.offsets, "sum")
        counts = (groups.offsets[1:] - groups.offsets[:-1]).astype(totals.real.dtype)
        with np.errstate(invalid="ignore"):
            means = totals / counts
        return _wrap_results(self, axis, groups, means.astype(dtype, copy=False))

    def argmin(self, axis: int | None = None) -> Any:
        """Return the position of the least value along an axis, or of all values.

        Parameters
        ----------
        axis : int, optional
            The axis to reduce, as in `sum`. Default: positions count through all values, as in `R.flatten()`.

        Returns
        -------
        Ragged, array or scalar
            Coordinates along `axis`, of one axis less: int32, or int64 where they do not fit.

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            If `axis` is not an integer, or if the values are complex numbers, which have no order.

        Notes
        -----
        *Cost*: that of `min`, and two passes more; along an outer axis also a binary search for each result.
        *Order*: the first of equal values; NaN comes before all numbers. *Empty input*: -1 for an empty list. awkward-array
        gives None for an empty list.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 1]])
        >>> R.argmin(axis=1), R.argmin(axis=0), int(R.argmin())
        (array([ 1, -1,  1], dtype=int32), array([0, 2, 0], dtype=int32), 4)
        """
        return _find_position(self, axis, "min")

    def argmax(self, axis: int | None = None) -> Any:
        """Return the position of the greatest value along an axis, or of all values.

        Parameters
        ----------
        axis : int, optional
            The axis to reduce, as in `sum`. Default: positions count through all values, as in `R.flatten()`.

        Returns
        -------
        Ragged, array or scalar
            Coordinates along `axis`, of one axis less: int32, or int64 where they do not fit.

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            If `axis` is not an integer, or if the values are complex numbers, which have no order.

        Notes
        -----
        *Cost*: that of `max`, and two passes more; along an outer axis also a binary search for each result.
        *Order*: the first of equal values; NaN comes before all numbers. *Empty input*: -1 for an empty list.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 1]])
        >>> R.argmax(axis=1), R.argmax(axis=0), int(R.argmax())
        (array([ 0, -1,  0], dtype=int32), array([2, 0, 0], dtype=int32), 3)
        """
        return _find_position(self, axis, "max")


def _axis(ragged, axis):
    return None if axis is None else ragged._axis(operator.index(axis))


def _cast(ragged, dtype):
    return ragged if ragged.dtype == dtype else ragged.astype(dtype)


def _combine(ragged, axis, op, initial):
    groups = group_along(ragged, _axis(ragged, axis))
    return _wrap_results(ragged, axis, groups, reduce_trusted(groups.values, groups.offsets, op, initial)[0])


def _wrap_results(ragged, axis, groups, results):
    """Return one result for each group, as lists, as an array, or as a scalar."""
    if axis is None or ragged.ndim == 1:
        return results[0]
    return ragged._of_packed(results, groups.lists)._plain()


@njit
def _subtract_start(i, offsets, places):
    at = places[np.uint64(i)]
    places[np.uint64(i)] = at - offsets[np.uint64(i)] if at >= 0 else at


def _find_position(ragged, axis, op):
    groups = group_along(ragged, _axis(ragged, axis))
    _, places = reduce_trusted(groups.values, groups.offsets, op, return_index=True)
    if groups.items is None:
        ranks = places
        for_each(ranks.size, _subtract_start, groups.offsets, ranks)
    else:  # no group is empty: merged lists are no longer than the longest
        _, ranks = load_balance_search(groups.outer, gather(groups.items, places))
    return _wrap_results(ragged, axis, groups, ranks)
