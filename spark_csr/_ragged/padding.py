"""Ragged arrays as dense arrays with a mask, and back.

Design: the array is spread one axis at a time. For every list the start and the stop on the next level are known; a missing
list stops where it starts, so that no value stands for "missing". On the cores one index fills a run of positions, which takes
one division; on a GPU each index fills one position, and neighbours fill neighbours.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Self

import numpy as np

from spark_csr._array import as_operand, by_width, contiguous, device_of, index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._operations.form.build import as_array
from spark_csr._ragged.base import RaggedBase
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives._rows import take_rows

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike, Number

RUN = 512
"""The number of positions that one index fills on the cores. Not tuned."""


class Padding(RaggedBase):
    """Conversion from and to dense arrays."""

    def to_padded(self, fill_value: Number = 0, length: int | None = None) -> tuple[Array, Array]:
        """Return a dense array, and the mask of the positions that hold a value.

        Parameters
        ----------
        fill_value : scalar, default 0
            The value of the positions where there is none.
        length : int, optional
            The length of the innermost axis: longer lists are cut, shorter ones are filled up. Default: the length of the
            longest list.

        Returns
        -------
        dense : array of `ndim` dimensions
            The values, in their dtype. Each dimension is as long as the longest list of its axis.
        mask : bool array of the same shape
            True where `dense` holds a value of a list.

        Raises
        ------
        ValueError
            If `length` is negative.
        TypeError
            If `fill_value` does not fit the dtype.
        MemoryError
            If there is no room for the result, whose size the longest list decides. The message names the size.

        Notes
        -----
        *Cost*: one write of both results and one read of the values; one host read for each level. *Empty input*: axes without
        lists have length 0.

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
        if packed.values.ndim > 1:
            places, mask = packed._with(xp.arange(packed.size)).to_padded(-1, length)
            fill_value = _check.cast_scalar("fill_value", fill_value, self.dtype)
            dense = take_rows(packed.values, places.reshape(-1), fill_value)
            return dense.reshape(*places.shape, *packed.values.shape[1:]), mask
        length = None if length is None else _check.count_of("length", length)
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
    def from_padded(cls, dense: ArrayLike, mask: ArrayLike | None = None) -> Self:
        """Make a ragged array of those positions of a dense array that hold a value.

        Parameters
        ----------
        dense : array of two or more dimensions
            The values.
        mask : bool array of the same shape, optional
            True for the values to select. Default: all of them.

        Returns
        -------
        Ragged
            An array with as many axes, whose values have the order of `dense`. The outer axes become lists of full length:
            lists without values stay, even where the outer axes were padded too.

        Raises
        ------
        ValueError
            If the shapes differ, or if `dense` has fewer than two dimensions.
        TypeError
            If the dtype of the mask is not bool, or if the arrays are on different devices.

        Notes
        -----
        *Cost*: without a mask only the offsets are made, and the values are shared if they are in C order. With a mask: two
        reads of it, one read of the values, one write. *Empty input*: dimensions of length 0 give no items, or empty lists.

        Examples
        --------
        >>> import numpy as np
        >>> from spark_csr import Ragged
        >>> x = np.array([[6, 5, 5], [2, 0, 0], [9, 9, 0]])
        >>> Ragged.from_padded(x, x > 0)
        Ragged([[6, 5, 5], [2], [9, 9]], dtype=int64)
        """
        values = as_array(dense, "dense", None)
        xp, shape = namespace_of(values), values.shape
        if len(shape) < 2:
            raise ValueError(f"dense must have two dimensions or more, got shape {shape}: use Ragged(x) for an array of one")
        flags = None if mask is None else as_array(mask, "mask", device_of(values))
        if flags is not None:
            same_device(values, flags)
            if flags.dtype != np.bool_:
                raise TypeError(f"mask must have dtype bool, got {flags.dtype}: use mask != 0")
            if flags.ndim < 2 or flags.shape != shape[: flags.ndim]:
                raise ValueError(f"mask must have the shape of dense, {shape}, or of its first axes, got {flags.shape}")
            shape = flags.shape
        offsets = [_equal_lists(xp, math.prod(shape[:axis]), shape[axis]) for axis in range(1, len(shape))]
        full = cls._of_packed(contiguous(values).reshape(math.prod(shape), *values.shape[len(shape) :]), offsets)
        return full if flags is None else full[cls._of_packed(contiguous(flags).reshape(-1), offsets)]


def _equal_lists(xp, count, length):
    dtype = index_dtype(max(count * length, count))
    return xp.arange(count + 1, dtype=dtype) * dtype.type(length)


def _find_longest(offsets):
    return to_host_scalar((offsets[1:] - offsets[:-1]).max()) if offsets.size > 1 else 0


def _for_each_run(out, body, *arguments):
    """Run `body` for all positions of `out`, with a run of them for each index."""
    run = RUN if device_of(out) == "cpu" else 1
    backend_of(out).for_each(-(-out.size // run), body, run, out.size, *arguments)


@njit
def _fill(i, run, size, length, starts, stops, values, fill, dense, mask):
    """Fill run `i`: for each list its values, then the fill value."""
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
            place, source = place + 1, source + 1
        while place < last:
            dense[place] = fill[0]
            mask[place] = False
            place += 1
        row, column = row + 1, np.uint64(0)


@njit
def _find_lists(i, run, size, length, starts, stops, level, new_starts, new_stops):
    """For run `i`, write where lists start and stop on the next level; a missing list stops where it starts."""
    place, end, length = np.uint64(i) * np.uint64(run), np.uint64(size), np.uint64(length)
    end = min(place + np.uint64(run), end)
    row = place // length
    column = place - row * length
    while place < end:
        source = np.uint64(starts[row]) + column
        there = source < np.uint64(stops[row])
        new_starts[place] = level[source] if there else 0
        new_stops[place] = level[source + 1] if there else 0
        place, column = place + 1, column + 1
        if column == length:
            row, column = row + 1, np.uint64(0)


def _spread_lists(starts, stops, extent, level, size, what):
    """Return the start and the stop of the list at every position of the next axis."""
    xp = namespace_of(level)
    new_starts, new_stops = allocate_array(xp, size, level.dtype, what), allocate_array(xp, size, level.dtype, what)
    _for_each_run(new_starts, _find_lists, extent, starts, stops, level, new_starts, new_stops)
    return new_starts, new_stops
