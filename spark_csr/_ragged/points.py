"""Single items of lists: those that one index for each list selects, and those that index arrays of several axes select.

Design: an index of a list, and the number of the list, give a position on the next level. So index arrays are followed from the
outermost axis inwards, and only what they select is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import as_operand, contiguous, index_dtype, is_array, namespace_of, refuse_masked, same_device
from spark_csr._operations.select import keys
from spark_csr._ragged.base import RaggedBase, describe_difference
from spark_csr._ragged.pick import as_signed, find_places, take_from_lists
from spark_csr.primitives import _check
from spark_csr.primitives._rows import take_rows

if TYPE_CHECKING:
    from spark_csr._types import Array, Number


class Points(RaggedBase):
    """One item of every list."""

    def pick(self, index: RaggedBase | Array | list[int] | int, *, fill_value: Number | None = None) -> Any:
        """Return one item of every list, at the position that `index` gives for the list.

        Parameters
        ----------
        index : int, (n,) array, list, or Ragged of integers
            One position for each list of the first level. Or a `Ragged` of fewer axes than this array and with the same outer
            lists: one position for each list of a deeper level. An integer is the position for all lists. Negative positions
            count from the end of a list. What `argmin` and `argmax` return is such an index.
        fill_value : scalar, optional
            What the result holds for lists that are too short, such as empty ones. Default: they raise an exception.

        Returns
        -------
        Ragged or array
            The items, with the lists of `index`: values where the index has one axis less than this array, else lists.

        Raises
        ------
        IndexError
            If a list is too short and there is no `fill_value`; the message names the first. If `index` has as many axes as
            this array or more, has other lists, or does not hold integers.
        ValueError
            If `fill_value` is given where items are lists.
        TypeError
            If `fill_value` does not fit the dtype, or if `index` is on another device.

        Notes
        -----
        *Cost*: one pass over the index, which reads the items that it selects, and one host read; with `fill_value` some passes
        over the index more. *Empty input*: an array without items has an empty result.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 7], [], [9, 1]])
        >>> R.pick(R.argmin(axis=-1), fill_value=0)
        array([5, 0, 1])
        >>> R[[0, 2]].pick([-1, 0])
        array([7, 9])
        >>> R.pick(0, fill_value=-1)
        array([ 6, -1,  9])
        """
        key = index if isinstance(index, RaggedBase) else _as_index(index, self)
        if key.ndim >= self.ndim:
            raise IndexError(
                f"an index of {key.ndim} axes holds no position for each list of an array of {self.ndim}: use R[index]"
            )
        if key.dtype.kind not in "iu":
            raise IndexError(f"positions must be integers, got dtype {key.dtype}")
        same_device(self.values, key.values)
        differ = describe_difference(self, key, key.ndim - 1)
        if differ:
            raise IndexError(f"the index must have one position for each list, but the lists differ: {differ}")
        packed, key = self.packed(), key.packed()
        lists = packed.offsets[key.ndim - 1]
        inner = packed._of_packed(packed.values, packed.offsets[key.ndim :])
        wanted = as_signed(as_operand(key.values))
        if fill_value is None:
            ids = namespace_of(wanted).arange(wanted.size, dtype=index_dtype(wanted.size))
            taken = take_from_lists(inner, lists, ids, wanted).packed()
        else:
            taken = _take_or_fill(inner, lists, wanted, fill_value)
        return self._of_packed(taken.values, (*key.offsets, *taken.offsets))._plain()


def _as_index(index, ragged):
    """Return an index of one axis as a ragged array beside `ragged`; an empty list holds integers."""
    refuse_masked("an index", index)
    array = keys.move_beside(ragged.values, index)
    array = array.astype(np.int64) if array.dtype.kind == "f" and not array.size else array
    if not array.ndim:
        array = namespace_of(array).full(len(ragged), array, array.dtype)
    return ragged._of_packed(contiguous(_check.one_dimensional("index", array)), ())


def _take_or_fill(inner, lists, wanted, fill_value):
    """Return a value of every list, and `fill_value` for lists that are too short."""
    if inner.ndim > 1:
        raise ValueError("fill_value is for values, but the items are lists: leave it out, or select the items that have lists")
    fill = _check.cast_scalar("fill_value", fill_value, inner.dtype)
    xp = namespace_of(inner.values)
    counts, wanted = (lists[1:] - lists[:-1]).astype(np.int64), wanted.astype(np.int64)
    there = (wanted < counts) & (wanted >= -counts)
    places = xp.where(there, lists[:-1] + xp.where(wanted < 0, wanted + counts, wanted), -1)
    return inner._of_packed(take_rows(inner.values, places, fill), ())


def find_length(parts):
    """Return how many of the first parts of a key are index arrays and integers that go together: 0 if there is one array.

    Part 0 is an array or a list of integers, or a mask.
    """
    length = 1
    while length < len(parts) and not isinstance(parts[length], (slice, RaggedBase)):
        length += 1
    return length if any(not _is_integer(part) for part in parts[1:length]) else 0


def _is_integer(part):
    return isinstance(part, (int, np.integer)) or (is_array(part) and not part.ndim)


def take_points(ragged, rows, parts):
    """Return what index arrays of the first axes select together: of item `rows[k]` item `parts[0][k]`, and so on.

    `rows` holds numbers of items within bounds. Integers and arrays of one element stand for arrays of equal elements.
    """
    packed, xp = ragged.packed(), namespace_of(ragged.values)
    columns = [_read_part(part, axis, ragged) for axis, part in enumerate(parts, 1)]
    lengths = {x.size for x in (rows, *columns)} - {1}
    if len(lengths) > 1:
        sizes = ", ".join(str(x.size) for x in (rows, *columns))
        raise IndexError(f"index arrays that go together must have one length, got {sizes}")
    length = lengths.pop() if lengths else 1
    ids, *columns = (contiguous(xp.broadcast_to(x, (length,))) for x in (rows, *columns))
    for lists, wanted, inner in zip(packed.offsets, columns[:-1], packed.offsets[1:], strict=False):
        ids = find_places(lists, ids, wanted, inner.size - 1)
    depth = len(columns)
    inner = packed._of_packed(packed.values, packed.offsets[depth:])
    return take_from_lists(inner, packed.offsets[depth - 1], ids, columns[-1])


def _read_part(part, axis, ragged):
    """Return the index of an inner axis as a one-dimensional array of signed integers."""
    refuse_masked("an index", part)
    array = keys.move_beside(ragged.values, part)
    if array.dtype.kind not in "iu":
        if not (array.dtype.kind == "f" and not array.size):
            raise IndexError(f"the index of axis {axis} must hold integers, got dtype {array.dtype}")
        array = array.astype(np.int64)
    if array.ndim > 1:
        raise IndexError(f"the index of axis {axis} must have one dimension, got shape {array.shape}: use x.ravel()")
    return as_signed(contiguous(array.reshape(-1)))
