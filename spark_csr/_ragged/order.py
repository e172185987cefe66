"""Innermost lists in order, and the largest values of each.

Design: these are sorts of segments; positions are turned into ranks in the list, which is what picks values again:
`R[R.argsort()]` is `R.sort()`.
"""

import operator

import numpy as np

from spark_csr._numba import njit
from spark_csr._ragged.aligned import group_along
from spark_csr._ragged.base import RaggedBase
from spark_csr.primitives import segment_ids, segmented_argsort, segmented_sort, segmented_topk
from spark_csr.primitives.foreach import for_each


class Order(RaggedBase):
    """Sorts."""

    def sort(self, axis=-1, *, descending=False):
        """A copy with every innermost list sorted.

        Parameters
        ----------
        axis : int
            -1 or `ndim - 1`: lists are sorted along the innermost axis only.
        descending : bool
            Largest first.

        Returns
        -------
        Ragged
            The same lists; of one axis, an array.

        Raises
        ------
        ValueError
            For another axis.
        TypeError
            For complex numbers, which have no order.

        Notes
        -----
        *Order*: stable, whatever the direction; NaN come last. *Cost*: that of `primitives.segmented_sort`. *Empty input*:
        empty lists stay empty.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 7], [], [9, 1]])
        >>> R.sort().to_lists(), R.argsort().to_lists()
        ([[5, 6, 7], [], [1, 9]], [[1, 0, 2], [], [1, 0]])
        """
        lists = _innermost_lists(self, axis, "sorted")
        return self._with(segmented_sort(lists.values, lists.offsets, descending=descending))._plain()

    def argsort(self, axis=-1, *, descending=False):
        """The order that sorts every innermost list: `R[R.argsort()]` is `R.sort()`.

        Parameters, errors and notes are those of `sort`.

        Returns
        -------
        Ragged
            The same lists, of ranks in them: int32, or int64 for 2**31 values and more. Of one axis, an array.
        """
        lists = _innermost_lists(self, axis, "sorted")
        order = segmented_argsort(lists.values, lists.offsets, descending=descending)
        return self._with(_subtract_starts(order, lists.offsets, lists.offsets))._plain()

    def topk(self, k, *, index=False):
        """The `k` largest values of every innermost list, largest first; all of a list that is shorter.

        Parameters
        ----------
        k : int
        index : bool
            Their ranks in the list instead of the values.

        Returns
        -------
        Ragged
            As deep, the innermost lists of up to `k` values. Of one axis, an array.

        Raises
        ------
        ValueError
            If `k` is negative.
        TypeError
            If `k` is no integer, or for complex numbers.

        Notes
        -----
        *Order*: equal values by position; NaN are taken last. *Cost*: that of `primitives.segmented_topk`. *Empty input*: an
        empty list has none.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 7], [], [9, 1]])
        >>> R.topk(2).to_lists(), R.topk(2, index=True).to_lists()
        ([[7, 6], [], [9, 1]], [[2, 0], [], [0, 1]])
        """
        lists = group_along(self, self.ndim - 1)
        offsets, values, places = segmented_topk(lists.values, lists.offsets, k)
        found = _subtract_starts(places, offsets, lists.offsets) if index else values
        return self._of_packed(found, (*lists.lists, offsets) if self.offsets else ())._plain()


def _innermost_lists(ragged, axis, done):
    """Return the innermost lists; raise ValueError for another axis."""
    if ragged._axis(operator.index(axis)) != ragged.ndim - 1:
        raise ValueError(f"axis must be -1 (or {ragged.ndim - 1}), got {axis}: lists are {done} along the innermost axis only")
    return group_along(ragged, ragged.ndim - 1)


@njit
def _subtract_start(i, segment, starts, places):
    places[i] -= starts[np.uint64(segment[i])]


def _subtract_starts(places, offsets, starts):
    """Turn positions among all values into ranks in their lists, in place; those of list `s` lie between `offsets[s]` and the
    next."""
    for_each(places.size, _subtract_start, segment_ids(offsets), starts, places)
    return places
