"""Pairs of items, and combinations of them, inside every item.

Design: of a product the left items are the left array with each repeated, the right ones whole lists copied as often as there
are left items: no position of a pair is written unless it is asked for. Combinations are found by position, then copied.
Source: the products of awkward-array (Pivarski and Jayd-1234, 2018).
"""

import numpy as np

from spark_csr._array import as_operand, namespace_of, same_device, to_host_scalar
from spark_csr._ragged import take
from spark_csr._ragged.base import RaggedBase
from spark_csr.primitives import cartesian_product, combinations, offsets_from_counts, repeat
from spark_csr.primitives.sort import gather


class Tuples(RaggedBase):
    """Products and combinations."""

    def cartesian(self, other, *, index=False):
        """All pairs of something in an item of this array with something in the same item of another.

        Parameters
        ----------
        other : Ragged
            With as many items.
        index : bool
            The positions of the paired in their items, instead of the paired themselves.

        Returns
        -------
        left, right : Ragged
            Item `i` of both are the pairs of item `i`, those of the first in front of those of the second, `right` fastest, as
            `itertools.product`. What is paired are values where an array has two axes, else lists.

        Raises
        ------
        ValueError
            For arrays of one axis, or another number of items.
        TypeError
            For what is no Ragged, or mixed devices.
        MemoryError
            Where there is no room for the pairs.

        Notes
        -----
        *Cost*: writes the pairs; beside them, for every element of the left array how often it is taken. Four host reads; of
        lists, also those of indexing. *Order*: exact. *Empty input*: an item that is empty in one array has no pairs.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> electrons = Ragged.from_lists([[10, 20], [], [30]])
        >>> muons = Ragged.from_lists([[1, 2, 3], [4], [5]])
        >>> left, right = electrons.cartesian(muons)
        >>> left.to_lists(), right.to_lists()
        ([[10, 10, 10, 20, 20, 20], [], [30]], [[1, 2, 3, 1, 2, 3], [], [5]])
        """
        _check_pairs(self, other)
        (outer, *_), (others, *_) = self.packed().offsets, other.packed().offsets
        if index:
            offsets, *ranks = cartesian_product(outer, others, index="local")
            return tuple(self._of_packed(x, (offsets,)) for x in ranks)
        counts = outer[1:] - outer[:-1]
        each = repeat(others[1:] - others[:-1], counts)
        bounds = offsets_from_counts(each)
        total = to_host_scalar(bounds[-1])
        left = _repeat(_join_items(self), each, total)
        right = take.take_ranges(_join_items(other), repeat(others[:-1], counts), bounds, total)
        return tuple(_group(x, gather(bounds, outer)) for x in (left, right))

    def combinations(self, n=2, *, replacement=False, index=False):
        """All combinations of `n` different elements of every item.

        Parameters
        ----------
        n : int
            1 or more.
        replacement : bool
            Whether an element may be taken again.
        index : bool
            Positions in the item, instead of the elements themselves.

        Returns
        -------
        tuple of n Ragged
            In the order of `itertools.combinations`, or of `combinations_with_replacement`. Elements are values where the
            array has two axes, else lists.

        Raises
        ------
        ValueError
            If `n` is below 1, or for an array of one axis.
        TypeError
            If `n` is no integer.
        MemoryError
            Where there is no room for the combinations.

        Notes
        -----
        *Cost*: that of `primitives.combinations`, and a copy of what is combined. *Order*: exact. *Empty input*: an item of
        fewer than `n` elements has none, unless they may be taken again.

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
        raise ValueError(f"both arrays must have as many items, got {len(left)} and {len(right)}")


def _join_items(ragged):
    """Return everything that is in the items, joined."""
    packed = ragged.packed()
    return packed._of_packed(as_operand(packed.values), packed.offsets[1:])


def _group(ragged, offsets):
    """Return an array with one axis more: elements `offsets[i]:offsets[i+1]` are item `i`."""
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
