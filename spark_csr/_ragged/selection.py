"""Indexing of a ragged array, by the rules of NumPy and awkward-array."""

from __future__ import annotations

from typing import Any

import numpy as np

from spark_csr._array import namespace_of, refuse_masked, to_host_scalar
from spark_csr._operations.select import keys
from spark_csr._ragged import take
from spark_csr._ragged.base import RaggedBase
from spark_csr._ragged.inner import FULL, select_inside
from spark_csr._ragged.pick import pick
from spark_csr._ragged.points import find_length, take_points


class Selection(RaggedBase):
    """Indexing."""

    def __getitem__(self, key: Any) -> Any:
        """Return items, items of items, and so on.

        Parameters
        ----------
        key : int, slice, index array, list of ints, bool mask, Ragged, or a tuple
            One key for each axis, from the outermost axis inwards; `...` stands for as many full slices as are missing. A key
            may be an array, a list or a mask, if only integers stand before it: `R[[2, 0], :, 1]` and `R[0, [1, 1]]`. If the
            next axes have arrays too, without a slice between them, these arrays are paired element by element, as in NumPy:
            `R[i, j]` holds item `j[k]` of item `i[k]`, for every k. A Ragged must be the only key. If it holds bools, they say
            for each value or list whether it is selected. If it holds integers, they say for each item which values of its
            lists to take, as in `R[R.argsort()]`.

        Returns
        -------
        Ragged, array or scalar
            A view for integers, and for slices of step 1, of the outermost axis; else a copy.

        Raises
        ------
        IndexError
            If an index is out of range (the message names it and the first list that is too short), if a mask or a Ragged has
            other lists, if index arrays that go together have different lengths, if there are more keys than axes, and for
            `None` or arrays behind slices.
        TypeError
            If the key is on another device, or is a masked array.

        Notes
        -----
        *Cost*: two host reads for a view. A copy takes one read and one write of the selected items, and for keys of
        inner axes also of the offsets of the outer axes.
        *Order*: that of the key. *Empty input*: an empty key selects no items.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R = Ragged.from_lists([[6, 5, 5], [2], [9, 8]])
        >>> R[0], R[0, -1]
        (array([6, 5, 5]), np.int64(5))
        >>> R[[2, 0]], R[:, 0], R[:, ::-1]
        (Ragged([[9, 8], [6, 5, 5]], dtype=int64), array([6, 2, 9]), Ragged([[5, 5, 6], [2], [8, 9]], dtype=int64))
        >>> R[[0, 2, 2], [2, 0, 1]]
        array([5, 9, 8])
        """
        if type(key) is int:
            return self._item(key)
        if isinstance(key, RaggedBase):
            return pick(self, key)._plain()
        parts = _expand_ellipsis(key, self.ndim)
        return self._choose(*parts) if parts else self

    def _item(self, i):
        """Return one item as users see it: an array instead of a Ragged of one axis, and a scalar of an array of one axis."""
        i = _wrap_integer(i, len(self))
        if not self._offsets:
            return self._values[i]
        outer = self._offsets[0]
        return self._items_between(to_host_scalar(outer[i]), to_host_scalar(outer[i + 1]))

    def _row(self, i):
        """Return one item as a Ragged that is a view."""
        i, outer = _wrap_integer(i, len(self)), self._offsets[0]
        return self._lists(to_host_scalar(outer[i]), to_host_scalar(outer[i + 1]))

    def _lists(self, start, stop):
        """Return a view of lists `start` to `stop` of the next level."""
        if self.ndim == 2:
            return self._of(self._values[start:stop], ())
        return self._of(self._values, (self._offsets[1][start : stop + 1], *self._offsets[2:]))

    def _items_between(self, start, stop):
        """Return lists `start` to `stop` of the next level as users see them: an array instead of a Ragged of one axis."""
        return self._values[start:stop] if self.ndim == 2 else self._lists(start, stop)

    def _slice(self, start, stop):
        """Return a view of items `start` to `stop`."""
        stop = max(start, stop)
        if not self._offsets:
            return self._of(self._values[start:stop], ())
        return self._of(self._values, (self._offsets[0][start : stop + 1], *self._offsets[1:]))

    def _choose(self, key, *rest):
        """Return what a key for each axis selects."""
        n = len(self)
        if isinstance(key, slice) and key.step in (None, 1):
            return select_inside(self._slice(*key.indices(n)[:2]), rest)._plain()
        shape = ()
        if type(key) is not int:
            (key,), shape = keys.parse((key,), (n,), self._values)
        if isinstance(key, int):
            return self._row(key)._choose(*rest) if rest else self._item(key)
        is_slice = isinstance(key, slice)
        if is_slice:
            key = range(n)[key]
            key = namespace_of(self._values).arange(key.start, key.stop, key.step, dtype=np.int64)
        if len(shape) != 1:
            raise IndexError(f"items are selected by a one-dimensional list, got an array of shape {shape}: use x.ravel()")
        together = 0 if is_slice else find_length((key, *rest)) - 1
        if together > 0:
            return select_inside(take_points(self, key, rest[:together]), rest[together:])._plain()
        return select_inside(take.take_items(self, key), rest)._plain()

    def _plain(self):
        """Return an array of one axis as a NumPy or CuPy array, any other as it is."""
        return self if self._offsets else self._values


def _wrap_integer(i, n):
    """Return an integer in `[0, n)`: a negative one counts from the end."""
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of range for a ragged array of {n} items")
    return i % n


def _expand_ellipsis(key, ndim):
    """Return the parts of the key, with full slices in place of an ellipsis."""
    parts = key if isinstance(key, tuple) else (key,)
    for part in parts:
        refuse_masked("an index", part)
        if part is None or isinstance(part, (bool, np.bool_)):
            raise IndexError(
                f"{part} adds an axis, which a ragged array does not support: use R.to_padded(), or a mask of all items"
            )
    dots = [at for at, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    missing = ndim - len(parts) + len(dots)
    if missing < 0:
        raise IndexError(f"too many indices: the ragged array has {ndim} axes, but {len(parts) - len(dots)} were indexed")
    at = dots[0] if dots else len(parts)
    return [*parts[:at], *[FULL] * missing * len(dots), *parts[at + 1 :]]
