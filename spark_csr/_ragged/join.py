"""Concatenation of ragged arrays."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from spark_csr._array import as_operand, index_dtype, is_array, namespace_of, same_device, to_host_scalar
from spark_csr._operations.form.dtypes import check_dtype
from spark_csr._operations.select.ranges import Ranges, expand_ranges
from spark_csr._ragged import take
from spark_csr._ragged.base import RaggedBase, describe_difference
from spark_csr.primitives._memory import allocate_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._types import Array


class Joining(RaggedBase):
    """Concatenation."""

    @classmethod
    def concatenate(cls, arrays: Sequence[Self | Array], axis: int = 0) -> Self | Any:
        """Concatenate ragged arrays along an axis.

        Parameters
        ----------
        arrays : sequence of Ragged
            At least one array; all have the same number of axes. One-dimensional arrays count as ragged arrays of one axis.
        axis : int, default 0
            0 puts the items of one array behind those of the other. 1 puts together, for each item, the lists or values that
            each array holds there; all arrays need the same number of items. Further axes follow inwards.

        Returns
        -------
        Ragged
            A copy. Its dtype is what NumPy promotes the dtypes of the values to. If one-dimensional arrays were given, an
            array.

        Raises
        ------
        ValueError
            If no arrays are given, if they have different numbers of axes, or if their lists differ before that axis. The
            message names the first difference.
        TypeError
            If something other than a ragged array is given, or if the arrays are on different devices.

        Notes
        -----
        *Cost*: one read and one write of all values and offsets; for inner axes one more of each, and a scan of the joined
        lists. *Order*: kept. *Empty input*: arrays without items are allowed.

        Examples
        --------
        >>> from spark_csr import Ragged
        >>> R, S = Ragged.from_lists([[6, 5, 5], [2]]), Ragged.from_lists([[1], [7, 8]])
        >>> Ragged.concatenate([R, S])
        Ragged([[6, 5, 5], [2], [1], [7, 8]], dtype=int64)
        >>> Ragged.concatenate([R, S], axis=1)
        Ragged([[6, 5, 5, 1], [2, 7, 8]], dtype=int64)
        """
        given: list[Any] = [cls(x) if is_array(x) and x.ndim == 1 else x for x in arrays]
        if not given:
            raise ValueError("there is nothing to concatenate: give at least one ragged array")
        for at, x in enumerate(given):
            if not isinstance(x, RaggedBase):
                raise TypeError(f"arrays[{at}] must be a Ragged, got {type(x).__name__}: use Ragged.from_lists")
            if x.ndim != given[0].ndim:
                raise ValueError(
                    f"arrays must have as many axes as arrays[0]: it has {given[0].ndim}, but arrays[{at}] has {x.ndim}"
                )
            if x.values.shape[1:] != given[0].values.shape[1:]:
                shapes = f"{given[0].values.shape[1:]}, but those of arrays[{at}] have {x.values.shape[1:]}"
                raise ValueError(f"elements must have the same shape: those of arrays[0] have {shapes}")
        same_device(*(x.values for x in given))
        axis = given[0]._axis(axis)
        for at, x in enumerate(given):
            differ = describe_difference(given[0], x, axis - 1) if axis else None
            if differ:
                raise ValueError(
                    f"arrays must have the same lists before axis {axis}, but arrays[0] and arrays[{at}] differ: {differ}"
                )
        packed = [x.packed() for x in given]
        outer = packed[0].offsets[: max(axis - 1, 0)]
        inner = [x._of_packed(x.values, x.offsets[len(outer) :]) for x in packed]
        joined = _join_item_by_item(inner) if axis else _join_end_to_end(inner)
        return cls._of_packed(joined.values, (*outer, *joined.packed().offsets))._plain()


def _join_end_to_end(arrays):
    """Return the items of all arrays, one array behind the other."""
    packed = [x.packed() for x in arrays]
    xp, dtype = namespace_of(packed[0].values), check_dtype(np.result_type(*(x.dtype for x in packed)))
    shape = (sum(x.size for x in packed), *packed[0].values.shape[1:])
    values = allocate_array(xp, math.prod(shape), dtype, f"the values of {len(packed)} arrays").reshape(shape)
    xp.concatenate([x.values for x in packed], out=values, casting="same_kind")
    levels = zip(*(x.offsets for x in packed), strict=True)
    return packed[0]._of_packed(values, [_join_offsets(xp, level) for level in levels])


def _starts(sizes):
    """Return where each part begins and where the last one ends, for parts of the given sizes."""
    return list(itertools.accumulate(sizes, initial=0))


def _join_offsets(xp, level):
    """Return the offsets of one level of all arrays, one array behind the other."""
    places, bases = _starts(x.size - 1 for x in level), _starts(to_host_scalar(x[-1]) for x in level)
    out = xp.zeros(places[-1] + 1, index_dtype(bases[-1]))
    for x, base, start, stop in zip(level, bases, places, places[1:], strict=False):
        out[start + 1 : stop + 1] = x[1:]
        out[start + 1 : stop + 1] += out.dtype.type(base)
    return out


def _join_item_by_item(arrays):
    """Return, for each item, what each array holds there: ranges of one array that holds all their values."""
    packed = [x.packed() for x in arrays]
    inner = _join_end_to_end([x._of_packed(x.values, x.offsets[1:]) for x in packed])
    outer = [x.offsets[0] for x in packed]
    xp, n, many = namespace_of(inner.values), len(packed[0]), len(packed)
    bases = _starts(to_host_scalar(x[-1]) for x in outer)
    bounds = xp.empty((n, many, 2), index_dtype(bases[-1]))
    for k, (x, base) in enumerate(zip(outer, bases, strict=False)):
        bounds[:, k, 0], bounds[:, k, 1] = x[:-1], x[1:]
        bounds[:, k] += bounds.dtype.type(base)
    starts, offsets, total = expand_ranges(Ranges.by_step(0, 2, n * many, bounds.reshape(-1)))
    taken = take.take_ranges(inner, starts, offsets, total)
    return taken._of_packed(taken.values, (as_operand(offsets[::many]), *taken.packed().offsets))
