"""Ragged arrays as dense ones with a mask, and back.

Design: an axis at a time. Of every list is known where it starts and stops on the next level; a list that is not there stops
where it starts, so that nothing stands for "missing". On the cores one index fills a run of positions, which takes one
division; on a GPU a position each, side by side.
"""

import math
import operator

import numpy as np

from spark_csr._array import as_operand, by_width, contiguous, device_of, index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array

RUN = 512
"""Positions that are filled by one index on the cores. Not tuned."""


class Padding(RaggedBase):
    """Dense arrays in and out."""

    def to_padded(self, fill_value=0, length=None):
        """A dense array, and the mask of the positions that hold a value.

        Parameters
        ----------
        fill_value : scalar
            What stands in the positions that hold none.
        length : int, optional
            Of the innermost axis: longer lists are cut, shorter ones filled up; default: that of the longest list.

        Returns
        -------
        dense : array of `ndim` dimensions, of the dtype of the values
            Each as long as the longest list of its axis.
        mask : bool array of the same shape
            True where a value stands.

        Raises
        ------
        ValueError
            If `length` is negative.
        TypeError
            If `fill_value` does not fit the dtype.
        MemoryError
            If there is no room: the one long list decides; the size is named.

        Notes
        -----
        *Cost*: one write of both results and one read of the values; a host read a level. *Empty input*: axes without lists
        have length 0.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> dense, mask = Ragged.from_lists([[6, 5, 5], [2], [9, 9]]).to_padded(-1)
        >>> dense
        array([[ 6,  5,  5],
               [ 2, -1, -1],
               [ 9,  9, -1]])
        >>> mask.sum(axis=1)
        array([3, 1, 2])
        """
        packed, xp = self.packed(), namespace_of(self.values)
        length = None if length is None else operator.index(length)
        if length is not None and length < 0:
            raise ValueError(f"length must be 0 or above, got {length}")
        fill = xp.full(1, _check.cast_scalar("fill_value", fill_value, self.dtype), self.dtype)
        starts, stops = xp.zeros(1, np.int64), xp.full(1, len(self), np.int64)
        shape = [len(self), *(_find_longest(x) for x in packed.offsets)]
        if length is not None:
            shape[-1] = length
        what = f"a dense array of shape {tuple(shape)}"
        for extent, level, depth in zip(shape, packed.offsets, range(1, len(shape)), strict=False):
            starts, stops = _spread_lists(starts, stops, extent, level, math.prod(shape[:depth]), what)
        dense = allocate_array(xp, math.prod(shape), self.dtype, what)
        mask = allocate_array(xp, dense.size, np.dtype(bool), what)
        values = by_width(as_operand(packed.values))
        _for_each_run(dense, _fill, shape[-1], starts, stops, values, by_width(fill), by_width(dense), mask)
        return dense.reshape(shape), mask.reshape(shape)

    @classmethod
    def from_padded(cls, dense, mask=None):
        """The ragged array of those positions of a dense array that hold a value.

        Parameters
        ----------
        dense : array of two or more dimensions
        mask : bool array of the same shape, optional
            True for the values to keep; default: all.

        Returns
        -------
        Ragged
            Of as many axes, its values in the order of `dense`. The outer axes become lists of full length: where these were
            padded too, lists without values stay.

        Raises
        ------
        ValueError
            If the shapes differ, or there are fewer than two dimensions.
        TypeError
            If the mask is not bool, or devices are mixed.

        Notes
        -----
        *Cost*: without a mask the offsets alone are made and values are shared, where they are in C order; with one two reads
        of it, one of the values, one write. *Empty input*: legal.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import Ragged
        >>> x = np.array([[6, 5, 5], [2, 0, 0], [9, 9, 0]])
        >>> Ragged.from_padded(x, x > 0)
        Ragged([[6, 5, 5], [2], [9, 9]], dtype=int64)
        """
        dense = as_array(dense, "dense", None)
        if dense.ndim < 2:
            raise ValueError(
                f"dense must have two dimensions or more, got shape {dense.shape}: Ragged(x) takes an array of one"
            )
        xp = namespace_of(dense)
        offsets = [_equal_lists(xp, math.prod(dense.shape[:axis]), dense.shape[axis]) for axis in range(1, dense.ndim)]
        full = cls._of_packed(contiguous(dense).reshape(-1), offsets)
        if mask is None:
            return full
        mask = as_array(mask, "mask", device_of(dense))
        same_device(dense, mask)
        if mask.dtype != np.bool_:
            raise TypeError(f"mask must have dtype bool, got {mask.dtype}: use mask != 0")
        if mask.shape != dense.shape:
            raise ValueError(f"mask must have the shape of dense, {dense.shape}, got {mask.shape}")
        return full[cls._of_packed(contiguous(mask).reshape(-1), offsets)]


def _equal_lists(xp, count, length):
    dtype = index_dtype(max(count * length, count))
    return xp.arange(count + 1, dtype=dtype) * dtype.type(length)


def _find_longest(offsets):
    return to_host_scalar((offsets[1:] - offsets[:-1]).max()) if offsets.size > 1 else 0


def _for_each_run(out, body, *arguments):
    """Run `body` for all positions of `out`, a run of them for each index."""
    run = RUN if device_of(out) == "cpu" else 1
    backend_of(out).for_each(-(-out.size // run), body, run, out.size, *arguments)


@njit
def _fill(i, run, size, length, starts, stops, values, fill, dense, mask):
    """Run `i`: list by list its values, then what fills up."""
    place, end, length = np.uint64(i) * np.uint64(run), np.uint64(size), np.uint64(length)
    end = min(place + np.uint64(run), end)
    row = place // length
    column = place - row * length
    while place < end:
        source = np.uint64(starts[row]) + column
        stop = min(np.uint64(stops[row]), source + (end - place))
        last = min(end, place + (length - column))
        while place < last and source < stop:
            dense[place] = values[source]
            mask[place] = True
            place, source = place + np.uint64(1), source + np.uint64(1)
        while place < last:
            dense[place] = fill[0]
            mask[place] = False
            place += np.uint64(1)
        row, column = row + np.uint64(1), np.uint64(0)


@njit
def _find_lists(i, run, size, length, starts, stops, level, new_starts, new_stops):
    """Run `i`: where lists start and stop on the next level; those that are not there hold nothing."""
    place, end, length = np.uint64(i) * np.uint64(run), np.uint64(size), np.uint64(length)
    end = min(place + np.uint64(run), end)
    row = place // length
    column = place - row * length
    while place < end:
        source = np.uint64(starts[row]) + column
        there = source < np.uint64(stops[row])
        new_starts[place] = level[source] if there else 0
        new_stops[place] = level[source + np.uint64(1)] if there else 0
        place, column = place + np.uint64(1), column + np.uint64(1)
        if column == length:
            row, column = row + np.uint64(1), np.uint64(0)


def _spread_lists(starts, stops, extent, level, size, what):
    """Return, for every position of the next axis, where its list starts and stops."""
    xp = namespace_of(level)
    new_starts, new_stops = allocate_array(xp, size, level.dtype, what), allocate_array(xp, size, level.dtype, what)
    _for_each_run(new_starts, _find_lists, extent, starts, stops, level, new_starts, new_stops)
    return new_starts, new_stops
