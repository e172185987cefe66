"""Ranges of items, copied one behind the other: rows of a matrix, lists of a ragged array.

Design: where the ranges begin and where they go is one scan of their lengths; the copy shares out items, not ranges, so that
one long range is shared out like many short ones.
"""

import math
from typing import NamedTuple

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.search import merge_path_tiles

SUM = ops.monoid("sum")


class Ranges(NamedTuple):
    """`count` ranges of items: range `i` lies between bound `rows[i]` and the next one, or with a `step` other than 0 between
    bound `first + i * step` and the next one. A step of 2 takes the bounds in pairs."""

    rows: object
    first: int
    step: int
    bounds: object
    count: int

    @classmethod
    def of_rows(cls, rows, bounds):
        """Make the ranges that begin at the bounds with the indices `rows`."""
        return cls(rows, 0, 0, bounds, rows.size)

    @classmethod
    def by_step(cls, first, step, count, bounds):
        """Make the `count` ranges that begin at every `step`-th bound from `first` on."""
        return cls(namespace_of(bounds).empty(0, np.int64), first, step, bounds, count)

    @property
    def operands(self):
        """What kernels take: all but the count."""
        return self[:4]


@njit(forceinline=True)
def bound_of(rows, first, step, i):
    """Return the index of the bound at which range `i` begins; see `Ranges`."""
    return np.uint64(rows[i]) if step == 0 else np.uint64(first + np.int64(i) * step)


@njit(forceinline=True)
def _length(operands, i):
    """Return the length of range `i`: what is summed up to offsets."""
    rows, first, step, bounds = operands[0], operands[1], operands[2], operands[3]
    bound = bound_of(rows, first, step, i)
    return bounds[bound + 1] - bounds[bound]


@njit(forceinline=True)
def _note(operands, i, total):
    """Write the start of range `i`, and the offset at which it ends in the result."""
    rows, first, step, bounds, starts, offsets = operands
    starts[i] = bounds[bound_of(rows, first, step, i)]
    offsets[np.uint64(i) + 1] = total


def expand_ranges(ranges, total=None):
    """Return where some `Ranges` start, their offsets when they are copied one behind the other, and their total length.

    Offsets are int32 if that holds the total. The total may exceed what the dtype of the bounds holds: then the lengths are
    summed once more, in int64. With `total` known nothing is read from the device.
    """
    bounds, count = ranges.bounds, ranges.count
    xp = namespace_of(bounds)
    starts, end = xp.empty(count, bounds.dtype), xp.zeros(1, np.int64)
    known = total is not None
    for dtype in (index_dtype(total),) if known else map(np.dtype, (np.int32, np.int64)):
        offsets = xp.zeros(count + 1, dtype)
        if count:
            backend_of(bounds).scan(SUM, end.dtype, count, _length, _note, (*ranges.operands, starts, offsets), end)
        total = total if known else to_host_scalar(end[0])
        if index_dtype(total) == dtype:
            break
    return starts, offsets, total


def copy_ranges(starts, offsets, total, low, indices, data):
    """Return the entries of ranges, range by range: columns, of which `low` becomes the first, and values."""
    out_indices, out_data = (allocate_array(namespace_of(x), total, x.dtype, f"{total} entries") for x in (indices, data))
    if total:
        sources, targets = map(by_width, (indices, data)), map(by_width, (out_indices, out_data))
        _gather(starts, offsets, total, low, *sources, *targets)
    return out_indices, out_data


def copy_range_values(starts, offsets, total, values):
    """Return the values of ranges, range by range: numbers, or rows, which are ranges of numbers themselves."""
    values = as_operand(values)
    shape, width = (total, *values.shape[1:]), math.prod(values.shape[1:])
    if values.ndim > 1:
        dtype = index_dtype(max(values.size, total * width))
        starts, offsets = (x.astype(dtype, copy=False) * dtype.type(width) for x in (starts, offsets))
        values, total = values.reshape(-1), total * width
    out = allocate_array(namespace_of(values), total, values.dtype, f"{total} values")
    if total:
        _gather(starts, offsets, total, 0, None, by_width(values), None, by_width(out))
    return out.reshape(shape)


def _gather(starts, offsets, total, *arrays):
    backend = backend_of(offsets)
    backend.gather_segments(merge_path_tiles(offsets, total, backend.gather_tile_size), starts, offsets, *arrays)
