"""Sorting of innermost lists, and the largest values of each.

Design: these methods sort segments. Positions are turned into ranks in the list, by which indexing takes values:
`R[R.argsort()]` is `R.sort()`.
"""

from __future__ import annotations

from typing import Any, Self

from spark_csr._engine import njit
from spark_csr._ragged.aligned import group_along
from spark_csr._ragged.base import RaggedBase, of_numbers
from spark_csr.primitives import segment_ids, segmented_argsort, segmented_sort, segmented_topk
from spark_csr.primitives.foreach import for_each


class Order(RaggedBase):
    """Sorting."""

    @of_numbers
    def sort(self, axis: int = -1, *, descending: bool = False) -> Self | Any:
        """Return a copy with every innermost list sorted.

        Parameters
        ----------
        axis : int, default -1
            -1 or `ndim - 1`: lists are sorted along the innermost axis only.
        descending : bool, default False
            Whether the largest value comes first.

        Returns
        -------
        Ragged
            An array with the same lists, each sorted. For an array of one axis, a NumPy or CuPy array.

        Raises
        ------
        ValueError
            If `axis` is another axis.
        TypeError
            If the values are complex numbers, which have no order.

        Notes
        -----
        *Order*: stable in both directions; NaN come last. *Cost*: that of `primitives.segmented_sort`. *Empty input*: empty
        lists stay empty.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 7], [], [9, 1]])
        >>> R.sort().to_lists(), R.sort(descending=True).to_lists()
        ([[5, 6, 7], [], [1, 9]], [[7, 6, 5], [], [9, 1]])
        """
        lists = _innermost_lists(self, axis, "sorted")
        return self._with(segmented_sort(lists.values, lists.offsets, descending=descending))._plain()

    @of_numbers
    def argsort(self, axis: int = -1, *, descending: bool = False) -> Self | Any:
        """Return the ranks that sort every innermost list: `R[R.argsort()]` is `R.sort()`.

        Parameters
        ----------
        axis : int, default -1
            -1 or `ndim - 1`: lists are sorted along the innermost axis only.
        descending : bool, default False
            Whether the largest value comes first.

        Returns
        -------
        Ragged
            An array with the same lists, which hold ranks: int32, or int64 if there are 2**31 values or more. For an array of
            one axis, a NumPy or CuPy array.

        Raises
        ------
        ValueError
            If `axis` is another axis.
        TypeError
            If the values are complex numbers, which have no order.

        Notes
        -----
        *Order*: stable in both directions; NaN come last. *Cost*: that of `primitives.segmented_argsort`. *Empty input*: empty
        lists stay empty.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 7], [], [9, 1]])
        >>> R.argsort().to_lists()
        [[1, 0, 2], [], [1, 0]]
        >>> R[R.argsort()].to_lists()
        [[5, 6, 7], [], [1, 9]]
        """
        lists = _innermost_lists(self, axis, "sorted")
        order = segmented_argsort(lists.values, lists.offsets, descending=descending)
        return self._with(_subtract_starts(order, lists.offsets, lists.offsets))._plain()

    @of_numbers
    def topk(self, k: int, *, index: bool = False) -> Self | Any:
        """Return the `k` largest values of every innermost list, the largest first.

        Parameters
        ----------
        k : int
            The number of values to take from each list. A shorter list gives all its values.
        index : bool, default False
            Return the positions of these values in their lists instead of the values.

        Returns
        -------
        Ragged
            An array with as many axes, whose innermost lists hold up to `k` values. For an array of one axis, a NumPy or CuPy
            array.

        Raises
        ------
        ValueError
            If `k` is negative.
        TypeError
            If `k` is not an integer, or if the values are complex numbers.

        Notes
        -----
        *Order*: equal values are taken in the order of their positions, NaN last. *Cost*: that of `primitives.segmented_topk`.
        *Empty input*: empty lists stay empty.

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
    """Return the innermost lists; raise ValueError if `axis` is another axis."""
    if ragged._axis(axis) != ragged.ndim - 1:
        raise ValueError(f"axis must be -1 (or {ragged.ndim - 1}), got {axis}: lists are {done} along the innermost axis only")
    return group_along(ragged, ragged.ndim - 1)


@njit
def _subtract_start(i, segment, starts, places):
    places[i] -= starts[segment[i]]


def _subtract_starts(places, offsets, starts):
    """Turn positions among all values into ranks in their lists, in place.

    The positions of list `s` lie between `offsets[s]` and `offsets[s + 1]`; the list itself begins at `starts[s]`.
    """
    for_each(places.size, _subtract_start, segment_ids(offsets), starts, places)
    return places
