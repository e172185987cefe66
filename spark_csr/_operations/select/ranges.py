"""Ranges of items, copied one behind the other: rows of a matrix, lists of a ragged array.

Design: where the ranges begin and where they go is one scan of their lengths; the copy shares out items, not ranges, so that
one long range is shared out like many short ones.
"""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.search import merge_path_tiles

SUM = ops.monoid("sum")


@njit(forceinline=True)
def bound_of(rows, first, step, i):
    """The bound at which range `i` begins. No step: the bounds are listed."""
    return np.uint64(rows[i]) if step == 0 else np.uint64(first + np.int64(i) * step)


@njit(forceinline=True)
def _length(operands, i):
    """What is summed up to offsets."""
    rows, first, step, bounds = operands[0], operands[1], operands[2], operands[3]
    bound = bound_of(rows, first, step, i)
    return np.int64(bounds[bound + np.uint64(1)]) - np.int64(bounds[bound])


@njit(forceinline=True)
def _note(operands, i, total):
    """The start of a range, and the offset at which it ends in the result."""
    rows, first, step, bounds, starts, offsets = operands
    starts[i] = bounds[bound_of(rows, first, step, i)]
    offsets[np.uint64(i) + np.uint64(1)] = total


def expand_ranges(ranges, count, total=None):
    """Where `count` ranges start, the offsets of them one behind the other, and their total.

    `ranges` are `(rows, first, step, bounds)`: range `i` lies between bound `rows[i]` and the next one, or with a step between
    bound `first + i * step` and the next one. Offsets are of int32 if that holds the total, which may be more than the bounds
    say: then they are summed once more. With `total` known nothing is read from the device.
    """
    xp, bounds = namespace_of(ranges[-1]), ranges[-1]
    starts, end = xp.empty(count, bounds.dtype), xp.zeros(1, np.int64)
    known = total is not None
    for dtype in (index_dtype(total),) if known else map(np.dtype, (np.int32, np.int64)):
        offsets = xp.zeros(count + 1, dtype)
        if count:
            backend_of(bounds).scan(SUM, end.dtype, count, _length, _note, (*ranges, starts, offsets), end)
        total = total if known else to_host_scalar(end[0])
        if index_dtype(total) == dtype:
            break
    return starts, offsets, total


def copy_ranges(starts, offsets, total, low, indices, data):
    """The entries of ranges, range by range: columns, of which `low` becomes the first, and values."""
    out_indices, out_data = (allocate_array(namespace_of(x), total, x.dtype, f"{total} entries") for x in (indices, data))
    if total:
        sources, targets = map(by_width, (indices, data)), map(by_width, (out_indices, out_data))
        _gather(starts, offsets, total, low, *sources, *targets)
    return out_indices, out_data


def copy_range_values(starts, offsets, total, values):
    """The values of ranges, range by range."""
    values = as_operand(values)
    out = allocate_array(namespace_of(values), total, values.dtype, f"{total} values")
    if total:
        _gather(starts, offsets, total, 0, None, by_width(values), None, by_width(out))
    return out


def _gather(starts, offsets, total, *arrays):
    backend = backend_of(offsets)
    backend.gather_segments(merge_path_tiles(offsets, total, backend.gathered_items), starts, offsets, *arrays)
