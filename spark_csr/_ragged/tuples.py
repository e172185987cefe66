"""Pairs of items, and combinations of them, inside every item.

Design: of a cartesian product, the left items are the left array with each item repeated, and the right items are whole lists,
copied once for each left item: no position of a pair is written unless it is asked for. Combinations are found by position,
then copied. Source: the products of awkward-array (Pivarski and contributors, 2018).
"""

from __future__ import annotations

from typing import Self

import numpy as np

from spark_csr._array import as_operand, namespace_of, same_device, to_host_scalar
from spark_csr._ragged import take
from spark_csr._ragged.base import RaggedBase
from spark_csr.primitives import cartesian_product, combinations, offsets_from_counts, repeat
from spark_csr.primitives.sort import gather


class Tuples(RaggedBase):
    """Cartesian products and combinations."""

    def cartesian(self, other: Self, *, index: bool = False, nested: bool = False) -> tuple[Self, Self]:
        """Pair every element of each item of this array with every element of the same item of another array.

        Parameters
        ----------
        other : Ragged
            An array with as many items.
        index : bool, default False
            Return the positions of the elements in their items instead of the elements.
        nested : bool, default False
            Whether the pairs of each element of this array are a list of their own: one axis more, along which a reduction
            finds the best partner of every element.

        Returns
        -------
        left, right : Ragged
            Item `i` of both holds the pairs of item `i`, ordered as in `itertools.product`: by the position in the left array,
            then by that in the right one. Elements are values where an array has two axes, else lists.

        Raises
        ------
        ValueError
            If an array has one axis, or if the numbers of items differ.
        TypeError
            If `other` is not a Ragged, or if it is on another device.
        MemoryError
            If there is no room for the pairs.

        Notes
        -----
        *Cost*: writes the pairs and, for every element of the left array, how often it is taken. Four host reads; for lists
        also those of indexing. *Order*: exact. *Empty input*: an item that is empty in one array has no pairs.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> electrons = Ragged.from_lists([[10, 20], [], [30]])
        >>> muons = Ragged.from_lists([[1, 2, 3], [4], [5]])
        >>> left, right = electrons.cartesian(muons)
        >>> left.to_lists(), right.to_lists()
        ([[10, 10, 10, 20, 20, 20], [], [30]], [[1, 2, 3, 1, 2, 3], [], [5]])
        >>> left, right = electrons.cartesian(muons, nested=True)
        >>> right
        Ragged([[[1, 2, 3], [1, 2, 3]], [], [[5]]], dtype=int64)
        """
        _check_pairs(self, other)
        (outer, *_), (others, *_) = self.packed().offsets, other.packed().offsets
        if index and not nested:
            offsets, *ranks = cartesian_product(outer, others, index="local")
            return tuple(self._of_packed(x, (offsets,)) for x in ranks)
        counts = outer[1:] - outer[:-1]
        each = repeat(others[1:] - others[:-1], counts)
        bounds = offsets_from_counts(each)
        if index:
            return tuple(self._of_packed(x, (outer, bounds)) for x in cartesian_product(outer, others, index="local")[1:])
        total = to_host_scalar(bounds[-1])
        left = _repeat(_join_items(self), each, total)
        right = take.take_ranges(_join_items(other), repeat(others[:-1], counts), bounds, total)
        if nested:
            return tuple(_group(_group(x, bounds), outer) for x in (left, right))
        return tuple(_group(x, gather(bounds, outer)) for x in (left, right))

    def combinations(self, n: int = 2, *, replacement: bool = False, index: bool = False) -> tuple[Self, ...]:
        """Return all combinations of `n` different elements of every item.

        Parameters
        ----------
        n : int, default 2
            The number of elements in a combination, 1 or more.
        replacement : bool, default False
            Whether an element may be taken again.
        index : bool, default False
            Return the positions of the elements in their items instead of the elements.

        Returns
        -------
        tuple of n Ragged
            The first elements of all combinations, the second ones, and so on, in the order of `itertools.combinations` or
            `combinations_with_replacement`. Elements are values where the array has two axes, else lists.

        Raises
        ------
        ValueError
            If `n` is below 1, or if the array has one axis.
        TypeError
            If `n` is not an integer.
        MemoryError
            If there is no room for the combinations.

        Notes
        -----
        *Cost*: that of `primitives.combinations`, and a copy of the elements that are combined. *Order*: exact. *Empty input*:
        an item of fewer than `n` elements has no combinations, unless elements may be taken again.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> first, second = Ragged.from_lists([[1, 2, 3], [4], [5, 6]]).combinations()
        >>> first.to_lists(), second.to_lists()
        ([[1, 1, 2], [], [5]], [[2, 3, 3], [], [6]])
        """
        _check_lists(self)
        outer = self.packed().offsets[0]
        offsets, *found = combinations(outer, n, replacement=replacement, index="local" if index else "global")
        if index:
            return tuple(self._of_packed(x, (offsets,)) for x in found)
        inner = _join_items(self)
        return tuple(_group(_take_rows(inner, rows), offsets) for rows in found)


def _check_lists(ragged):
    if ragged.ndim < 2:
        raise ValueError("an array of one axis has no lists to take elements from: use primitives.cartesian_product")


def _check_pairs(left, right):
    if not isinstance(right, RaggedBase):
        raise TypeError(f"cartesian takes a Ragged, got {type(right).__name__}: use Ragged.from_lists(...)")
    _check_lists(left)
    _check_lists(right)
    same_device(left.values, right.values)
    if len(left) != len(right):
        raise ValueError(f"both arrays must have the same number of items, got {len(left)} and {len(right)}")


def _join_items(ragged):
    """Return the elements of all items, joined."""
    packed = ragged.packed()
    return packed._of_packed(as_operand(packed.values), packed.offsets[1:])


def _group(ragged, offsets):
    """Return an array of one axis more: elements `offsets[i]:offsets[i+1]` are item `i`."""
    packed = ragged.packed()
    return packed._of_packed(packed.values, (offsets, *packed.offsets))


def _repeat(inner, counts, total):
    """Return every element as often as its count says."""
    if not inner.offsets:
        return inner._of_packed(repeat(inner.values, counts, total=total), ())
    return take.take_items(inner, repeat(namespace_of(counts).arange(len(inner), dtype=np.int64), counts, total=total))


def _take_rows(inner, rows):
    if not inner.offsets:
        return inner._of_packed(gather(inner.values, rows), ())
    return take.take_items(inner, rows.astype(np.int64, copy=False))
