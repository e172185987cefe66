"""Indexing of the inner axes: item `j`, or a slice, of every list."""

import operator

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import njit
from spark_csr._ragged import take
from spark_csr.primitives import _check
from spark_csr.primitives.counts import scan_trusted_counts
from spark_csr.primitives.search import segment_ids_of_trusted

FULL = slice(None)

FAR = 2**62
"""A position that is beyond the end of any list."""


def select_inside(ragged, keys, axis=1):
    """Return a ragged array with as many items, each with what the keys of axis 1, 2, ... select in it.

    `axis` is the number of the first of these axes, for messages.
    """
    if all(isinstance(key, slice) and key == FULL for key in keys):
        return ragged
    packed = ragged.packed()
    outer, inner = packed.offsets[0], packed._of_packed(packed.values, packed.offsets[1:])
    key, *rest = keys
    if not isinstance(key, slice):
        return select_inside(_take_item_of_each(outer, inner, _read_integer(key, axis), axis), rest, axis + 1)
    if key != FULL:
        outer, inner = _take_slice_of_each(outer, inner, key)
    inner = select_inside(inner, rest, axis + 1).packed()
    return packed._of_packed(inner.values, (outer, *inner.offsets))


def _read_integer(key, axis):
    try:
        return operator.index(key)
    except TypeError:
        raise IndexError(
            f"axis {axis} takes an integer or a slice, which applies to all lists, got {type(key).__name__}: to take values "
            "from each list, index with a Ragged of integers or bools as the only key"
        ) from None


@njit
def _note_item(i, offsets, j, rows, flag):
    """Write the position of item `j` of list `i`; every index whose list is too short stores the same flag."""
    start, stop = np.int64(offsets[i]), np.int64(offsets[i + 1])
    place = (start if j >= 0 else stop) + j
    wrong = (place < start) | (place >= stop)
    rows[i] = place
    if wrong:
        flag[0] = True


def _take_item_of_each(outer, inner, j, axis):
    """Return item `j` of every list."""
    xp, n = namespace_of(outer), outer.size - 1
    rows, flag = xp.empty(n, np.int64), xp.zeros(1, bool)
    backend_of(outer).for_each(n, _note_item, outer, max(min(j, FAR), -FAR), rows, flag)
    if to_host_scalar(flag[0]):
        counts = outer[1:] - outer[:-1]
        at = _check.find_first_true(counts < min(j + 1 if j >= 0 else -j, FAR))
        raise IndexError(f"index {j} is out of range for axis {axis}: list {at} holds {to_host_scalar(counts[at])} items")
    return take.take_items(inner, rows)


@njit
def _bound_slice(i, offsets, start, stop, step, firsts, counts):
    """Write where the slice of list `i` begins, and how long it is, by Python's rules."""
    begin = np.int64(offsets[i])
    count = offsets[i + 1] - begin
    low, high = (np.int64(0), count) if step > 0 else (np.int64(-1), count - 1)
    first = min(max(start + count if start < 0 else start, low), high)
    last = min(max(stop + count if stop < 0 else stop, low), high)
    length = (last - first + step - 1) // step if step > 0 else (first - last - step - 1) // -step
    firsts[i] = begin + first
    counts[i] = max(length, np.int64(0))


@njit
def _step_to(i, ids, offsets, firsts, step, rows):
    """Write the position of item `i` of the result: so many steps from the first item of its list."""
    here, r = np.uint64(i), ids[i]
    rows[here] = firsts[r] + (np.int64(here) - offsets[r]) * step


@njit
def _take_step(i, ids, offsets, firsts, step, values, out):
    """Do the same where items are values."""
    here, r = np.uint64(i), ids[i]
    out[here] = values[firsts[r] + (np.int64(here) - offsets[r]) * step]


def _take_slice_of_each(outer, inner, key):
    """Return a slice of every list: the new outer offsets, and the items."""
    start, stop, step = _read_slice(key)
    xp, n = namespace_of(outer), outer.size - 1
    firsts, counts = xp.empty(n, outer.dtype), xp.empty(n, outer.dtype)
    backend_of(outer).for_each(n, _bound_slice, outer, start, stop, step, firsts, counts)
    offsets = scan_trusted_counts(counts)
    total = to_host_scalar(offsets[-1])
    offsets = offsets.astype(index_dtype(total), copy=False)
    if step == 1:
        return offsets, take.take_ranges(inner, firsts, offsets, total)
    steps = segment_ids_of_trusted(offsets, total), offsets, firsts, step
    if inner._items_are_numbers:
        values = as_operand(inner.values)
        out = xp.empty(total, values.dtype)
        backend_of(out).for_each(total, _take_step, *steps, by_width(values), by_width(out))
        return offsets, inner._of_packed(out, ())
    rows = xp.empty(total, np.int64)
    backend_of(rows).for_each(total, _step_to, *steps, rows)
    return offsets, take.take_items(inner, rows)


def _read_slice(key):
    """Return start, stop and step as integers.

    A missing bound, or one beyond any list, becomes a number far outside of all lists.
    """
    step = 1 if key.step is None else operator.index(key.step)
    if not step:
        raise ValueError("slice step cannot be zero")
    start, stop = (0 if step > 0 else FAR, FAR if step > 0 else -FAR)
    start, stop = (x if k is None else operator.index(k) for k, x in ((key.start, start), (key.stop, stop)))
    return (max(min(x, FAR), -FAR) for x in (start, stop, step))
