"""Reductions of a ragged array, along an axis or of all values.

Design: the values to combine are made segments first (`aligned`); every reduction is then one of segments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import index_dtype, namespace_of
from spark_csr._engine import njit
from spark_csr._ragged.aligned import group_along
from spark_csr._ragged.base import RaggedBase, of_numbers
from spark_csr.primitives import compact, load_balance_search, offsets_from_counts
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.segmented import reduce_trusted
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Number


class RaggedReductions(RaggedBase):
    """Sums, extremes and tests."""

    def sum(self, axis: int | None = None, *, keepdims: bool = False, initial: Number | None = None) -> Any:
        """Add values along an axis, or all of them.

        Parameters
        ----------
        axis : int, optional
            -1 (or `ndim - 1`) adds the values of each innermost list. Another axis adds the values whose other coordinates are
            equal: lists are aligned at their starts, and the lists of the result are as long as the longest. Default: all
            values are added.
        keepdims : bool, default False
            Whether the axis stays, with one item in each of its lists. Operators repeat this item along the axis. Along the
            innermost axis the item is one sum, repeated for all values of its list. (Operators repeat a result
            without `keepdims` in the same way.) Along an outer axis the item is a list of sums, repeated for all
            lists that were added: they must be as long as this list.
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
        return _combine(self, axis, "sum", keepdims, initial)

    def prod(self, axis: int | None = None, *, keepdims: bool = False, initial: Number | None = None) -> Any:
        """Multiply values along an axis, or all of them.

        Parameters, result and exceptions are those of `sum`, but `initial` is a number that every product is multiplied by, and
        the product of an empty list: 1 by default.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[6, 5], [], [9, 1]]).prod(axis=1)
        array([30,  1,  9])
        """
        return _combine(self, axis, "prod", keepdims, initial)

    def min(
        self, axis: int | None = None, *, keepdims: bool = False, initial: Number | None = None, return_mask: bool = False
    ) -> Any:
        """Return the least value along an axis, or of all values.

        Parameters
        ----------
        axis : int, optional
            -1 (or `ndim - 1`) compares the values of each innermost list; another axis those whose other coordinates are equal,
            as in `sum`. Default: all values are compared.
        keepdims : bool, default False
            Whether the axis stays, with one result in each list, as in `sum`.
        initial : scalar, optional
            A value that is compared too, and the result of an empty list. Default: infinity for floats; for integers and bools
            there is none.
        return_mask : bool, default False
            Whether to return also a mask, with one bool for each result: False where a list is empty. There the first result
            holds `initial`, or the largest number of the dtype.

        Returns
        -------
        Ragged, array or scalar
            The least values, of one axis less, in the dtype of the values: an array where one axis is left, and for `axis=None`
            a scalar (on a GPU an array of no dimensions). With `return_mask`, a tuple of this and the mask.

        Raises
        ------
        ValueError
            If there is no such axis; or if a list of integers or bools is empty, and neither `initial` nor `return_mask` is
            given. The message names the first empty list.
        TypeError
            If `axis` is not an integer, if `initial` does not fit the dtype, or if the values are complex numbers, which have
            no order.

        Notes
        -----
        If a value is NaN, so is the result, as in NumPy. *Cost* and *Order*: as in `sum`; for integers also a pass over the
        offsets and one host read. *Empty input*: see `initial` and `return_mask`; awkward-array gives None for an empty list.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 1]])
        >>> R.min(axis=1, initial=100), R.min(axis=0), int(R.min())
        (array([  5, 100,   1]), array([6, 1, 5]), 1)
        >>> least, mask = R.min(axis=1, return_mask=True)
        >>> least[mask], mask
        (array([5, 1]), array([ True, False,  True]))
        """
        return _find_extreme(self, axis, "min", keepdims, initial, return_mask)

    def max(
        self, axis: int | None = None, *, keepdims: bool = False, initial: Number | None = None, return_mask: bool = False
    ) -> Any:
        """Return the greatest value along an axis, or of all values.

        Parameters, result and exceptions are those of `min`. By default, an empty list gives -infinity for floats, and a
        ValueError is raised for integers and bools. With `return_mask`, an empty list gives the smallest number of the dtype.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 1]])
        >>> R.max(axis=1, initial=0), R.max(axis=0), int(R.max())
        (array([6, 0, 9]), array([9, 5, 5]), 9)
        """
        return _find_extreme(self, axis, "max", keepdims, initial, return_mask)

    def any(self, axis: int | None = None, *, keepdims: bool = False) -> Any:
        """Return whether any value along an axis, or of all values, differs from zero.

        Parameters
        ----------
        axis : int, optional
            The axis to reduce, as in `sum`. Default: all values are tested.
        keepdims : bool, default False
            Whether the axis stays, with one result in each list, as in `sum`.

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
        return _combine(cast(self, np.dtype(bool)), axis, "any", keepdims)

    def all(self, axis: int | None = None, *, keepdims: bool = False) -> Any:
        """Return whether all values along an axis, or all values of the array, differ from zero.

        Parameters, result and exceptions are those of `any`. An empty list gives True.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> Ragged.from_lists([[1, 5, 0], [], [2, 3]]).all(axis=1)
        array([False,  True,  True])
        """
        return _combine(cast(self, np.dtype(bool)), axis, "all", keepdims)

    @of_numbers
    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Any:
        """Return the position of the least value along an axis, or of all values.

        Parameters
        ----------
        axis : int, optional
            The axis to reduce, as in `sum`. Default: positions count through all values, as in `R.flatten()`.
        keepdims : bool, default False
            Whether the axis stays, with one position in each list. The list that stands for an empty list is empty, so that
            `R[R.argmin(axis=-1, keepdims=True)]` returns the least value of every list that has one.

        Returns
        -------
        Ragged, array or scalar
            Positions along `axis`: int32, or int64 where they do not fit. The result has one axis less, unless `keepdims`.

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
        >>> R[R.argmin(axis=1, keepdims=True)]
        Ragged([[5], [], [1]], dtype=int64)
        """
        return _find_position(self, axis, "min", keepdims)

    @of_numbers
    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Any:
        """Return the position of the greatest value along an axis, or of all values.

        Parameters, result and exceptions are those of `argmin`: `R[R.argmax(axis=-1, keepdims=True)]` returns the greatest
        value of every list that has one.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [], [9, 1]])
        >>> R.argmax(axis=1), R.argmax(axis=0), int(R.argmax())
        (array([ 0, -1,  0], dtype=int32), array([2, 0, 0], dtype=int32), 3)
        """
        return _find_position(self, axis, "max", keepdims)


def find_axis(ragged, axis):
    """Return the number of an axis, counted from the front; None, or a tuple of all axes as NumPy has it, stands for all."""
    if isinstance(axis, tuple):
        axes = {ragged._axis(one) for one in axis}
        if len(axes) < len(axis):
            raise ValueError(f"duplicate value in axis: got {axis}")
        if len(axes) not in (1, ragged.ndim):
            raise TypeError(f"axis must be one axis, or None for all axes, got {axis}: reduce one axis after the other")
        return axes.pop() if len(axes) == 1 else None
    return None if axis is None else ragged._axis(axis)


def cast(ragged, dtype):
    """Return an array with values of a dtype: `ragged` itself if it has that dtype."""
    return ragged if ragged.dtype == dtype else ragged.astype(dtype)


def _combine(ragged, axis, op, keepdims, initial=None):
    axis = find_axis(ragged, axis)
    groups = group_along(ragged, axis)
    return wrap_results(ragged, axis, groups, reduce_trusted(groups.values, groups.offsets, op, initial)[0], keepdims)


def _find_extreme(ragged, axis, op, keepdims, initial, return_mask):
    axis = find_axis(ragged, axis)
    groups = group_along(ragged, axis)
    if initial is None and not return_mask and groups.values.dtype.kind in "biu":
        _refuse_empty(groups, axis)
    results = wrap_results(ragged, axis, groups, reduce_trusted(groups.values, groups.offsets, op, initial)[0], keepdims)
    if not return_mask:
        return results
    return results, wrap_results(ragged, axis, groups, groups.offsets[1:] > groups.offsets[:-1], keepdims)


def _refuse_empty(groups, axis):
    """Raise ValueError for a group without values; groups of another than the innermost axis are never empty."""
    at = None if groups.items is not None else find_first_true(groups.offsets[1:] == groups.offsets[:-1])
    if at is not None:
        what = "the array holds no values" if axis is None else f"list {at} is empty"
        raise ValueError(
            f"{what}, and {groups.values.dtype} has no value that means this: give initial=, or return_mask=True to get a mask"
        )


def wrap_results(ragged, axis, groups, results, keepdims):
    """Return one result for each group, as lists, as an array, or as a scalar."""
    if keepdims:
        return _keep_axis(ragged, axis, groups, results)
    if axis is None or ragged.ndim == 1:
        return results[0]
    return ragged._of_packed(results, groups.lists)._plain()


def _keep_axis(ragged, axis, groups, results):
    """Return the results as lists of one in place of the axis, or of every axis if it is None."""
    xp, lists = namespace_of(results), groups.lists
    if axis is None or ragged.ndim == 1:
        return _mark(ragged, results, [xp.asarray([0, 1], dtype=np.int32)] * (ragged.ndim - 1), range(ragged.ndim))
    at = max(axis - 1, 0)
    count = lists[at].size - 1 if at < len(lists) else len(results)
    ones = xp.arange(count + 1, dtype=index_dtype(count)) if axis else xp.asarray([0, count], dtype=index_dtype(count))
    return _mark(ragged, results, (*lists[:at], ones, *lists[at:]), [axis])


def _mark(ragged, results, offsets, axes):
    """Return an array whose `axes` were kept by a reduction: operators stretch them."""
    kept = ragged._of_packed(results, offsets)
    kept._kept_axes = frozenset(axes)
    return kept._plain()


@njit
def _subtract_start(i, offsets, places):
    at = places[i]
    places[i] = at - offsets[i] if at >= 0 else at


def _find_position(ragged, axis, op, keepdims):
    axis = None if axis is None else ragged._axis(axis)
    groups = group_along(ragged, axis)
    _, places = reduce_trusted(groups.values, groups.offsets, op, return_index=True)
    if groups.items is None:
        ranks = places
        for_each(ranks.size, _subtract_start, groups.offsets, ranks)
    else:  # no group is empty: merged lists are no longer than the longest
        _, ranks = load_balance_search(groups.outer, gather(groups.items, places))
    found = wrap_results(ragged, axis, groups, ranks, keepdims)
    return _without_missing(found) if keepdims and groups.items is None else found


def _without_missing(positions):
    """Return positions without those that are -1, whose lists become empty."""
    if not isinstance(positions, RaggedBase):
        return positions[positions >= 0]
    there = positions.values >= 0
    lists = offsets_from_counts(there.astype(np.int32))
    return positions._of_packed(compact(positions.values, there), (*positions.packed().offsets[:-1], lists))
