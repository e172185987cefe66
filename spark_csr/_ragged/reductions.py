"""Reductions of a ragged array, along an axis or of everything.

Design: whatever is combined is made a segment first (`aligned`), then all reductions are those of segments.
"""

import operator

import numpy as np

from spark_csr._numba import njit
from spark_csr._ragged.aligned import group_along
from spark_csr._ragged.base import RaggedBase
from spark_csr.primitives import load_balance_search
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.segmented import reduce_trusted
from spark_csr.primitives.sort import gather


class RaggedReductions(RaggedBase):
    """Sums, extremes, means, tests."""

    def sum(self, axis=None, *, initial=None):
        """Add values along an axis, or all of them.

        Parameters
        ----------
        axis : int or None
            -1 (or `ndim - 1`) adds the values of each innermost list; another axis adds the values whose other coordinates
            are equal, so lists are aligned at their starts and the result's are as long as the longest; None adds all.
        initial : scalar, optional
            Added to every sum: what an empty list gives. Default: 0.

        Returns
        -------
        Ragged, array or scalar
            Of one axis less: an array where one is left, for None a scalar (on a GPU an array of no dimensions). int64 or
            uint64 of integers and bools, else the dtype of the values.

        Raises
        ------
        ValueError
            If there is no such axis.
        TypeError
            For an axis that is no integer, or an `initial` that does not fit.

        Notes
        -----
        *Cost*: along the innermost axis one read of the values, as `primitives.segmented_reduce`; along another also a
        transpose, a stable sort by position, for each level from the axis inwards. *Order*: same bits every run; float16 is
        computed in float32. *Empty input*: an empty list gives `initial`; no lists, no results. awkward-array gives None
        for what `min` and `max` find in an empty list.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 1]])
        >>> R.sum(axis=1), R.sum(axis=0), int(R.sum())
        (array([16,  0, 10]), array([15,  6,  5]), 26)
        """
        return _combine(self, axis, "sum", initial)

    def min(self, axis=None, *, initial=None):
        """The least value along an axis, or of all, in the dtype of the values; NaN wins, as in NumPy.

        An empty list gives `initial`, else the largest number of the dtype (infinity of floats): awkward-array gives None.
        Otherwise as `sum`. TypeError for complex numbers, which have no order.
        """
        return _combine(self, axis, "min", initial)

    def max(self, axis=None, *, initial=None):
        """The greatest value along an axis, or of all, in the dtype of the values; NaN wins, as in NumPy.

        An empty list gives `initial`, else the smallest number of the dtype (-infinity of floats): awkward-array gives
        None. Otherwise as `sum`. TypeError for complex numbers, which have no order.
        """
        return _combine(self, axis, "max", initial)

    def any(self, axis=None):
        """Is any value along an axis, or of all, other than zero? Bools; False of an empty list. Otherwise as `sum`."""
        return _combine(_cast(self, np.dtype(bool)), axis, "any", None)

    def all(self, axis=None):
        """Are all values along an axis, or all there are, other than zero? Bools; True of an empty list. Otherwise as `sum`."""
        return _combine(_cast(self, np.dtype(bool)), axis, "all", None)

    def mean(self, axis=None):
        """The mean along an axis, or of all: float64 of integers and bools, else in the dtype of the values.

        NaN for an empty list. Cost, order and axes are those of `sum`; float16 is computed in float32.
        """
        dtype = np.dtype(np.float64) if self.dtype.kind in "biu" else self.dtype
        computed = np.dtype(np.float32) if dtype == np.float16 else dtype
        groups = group_along(_cast(self, computed), _axis(self, axis))
        totals, _ = reduce_trusted(groups.values, groups.offsets, "sum")
        counts = (groups.offsets[1:] - groups.offsets[:-1]).astype(totals.real.dtype)
        with np.errstate(invalid="ignore"):
            means = totals / counts
        return _wrap_results(self, axis, groups, means.astype(dtype, copy=False))

    def argmin(self, axis=None):
        """Where along an axis the least value is: the first of equals, NaN before all numbers, -1 in an empty list.

        Parameters
        ----------
        axis : int or None
            As in `sum`; None counts through all values, as in `R.flatten()`.

        Returns
        -------
        Ragged, array or scalar
            Of one axis less: coordinates along `axis`; int32, or int64 where they do not fit.

        Raises
        ------
        ValueError, TypeError
            As `min`.

        Notes
        -----
        *Cost*: as `min`, and two passes more; along another than the innermost axis also a binary search for each result.
        *Order*: the first of equals. *Empty input*: -1. awkward-array gives None for an empty list, and along an outer
        axis counts only the lists that are long enough.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 1]])
        >>> R.argmin(axis=1), R.argmin(axis=0), int(R.argmin())
        (array([ 1, -1,  1], dtype=int32), array([0, 2, 0], dtype=int32), 4)
        """
        return _find_position(self, axis, "min")

    def argmax(self, axis=None):
        """Where along an axis the greatest value is: the first of equals, NaN before all numbers, -1 in an empty list.

        Otherwise as `argmin`.
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
