"""The forms that segments come in: offsets (canonical), counts, head flags, ids."""

import operator

import numpy as np
from numba import njit

from spark_csr import ops
from spark_csr._array import as_operand, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr.config import config
from spark_csr.primitives import _check
from spark_csr.primitives._memory import room
from spark_csr.primitives.foreach import for_each


def offsets_from_counts(counts):
    """Offsets of segments that have these lengths.

    Parameters
    ----------
    counts : (n,) integer array
        None negative.

    Returns
    -------
    (n+1,) array
        int32 where the total fits, else int64; starts at 0.

    Raises
    ------
    ValueError
        If a count is negative (named with its position), or they add up to 2**63 and more.
    TypeError
        For what is not an integer array.

    Notes
    -----
    *Cost*: one scan in int64, one pass that checks it, one that narrows it; four launches on a GPU and two host reads.
    Scratch: the offsets in int64. *Order*: exact. *Empty input*: `[0]`.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import offsets_from_counts
    >>> offsets_from_counts(np.array([3, 1, 0, 2]))
    array([0, 3, 4, 4, 6], dtype=int32)
    """
    offsets, total = scanned_counts(counts)
    return offsets.astype(index_dtype(total), copy=False)


_SUM = ops.monoid("sum")


@njit
def _note_decrease(i, offsets, flag):
    """All that find a decrease store the same value."""
    here = np.uint64(i)
    if offsets[here + np.uint64(1)] < offsets[here]:
        flag[0] = True


def trusted_offsets(counts):
    """Offsets in int64 of lengths that this package found itself: nothing is checked, nothing read by the host."""
    n, xp = counts.size, namespace_of(counts)
    offsets, end = xp.zeros(n + 1, np.int64), xp.empty(1, np.int64)
    if n:
        operands = counts, offsets[1:]
        backend_of(counts).scan(_SUM, offsets.dtype, n, ops.element, ops.store, operands, end)
    return offsets


def scanned_counts(counts, total=None):
    """Offsets in int64 and their total as a number; a `total` from the caller is believed unless `config.validate`.

    A negative count, and the first sum of 2**63 or more, show in the offsets: they decrease.
    """
    counts = as_operand(_check.integers("counts", counts))
    n, xp = counts.size, namespace_of(counts)
    offsets = trusted_offsets(counts.astype(np.int64) if counts.dtype.kind == "u" else counts)
    if total is not None and not config.validate:
        return offsets, total
    flag = xp.zeros(1, np.bool_)
    for_each(n, _note_decrease, offsets, flag)
    if to_host_scalar(flag[0]):
        at = _check.first_true(counts < 0)
        if at is not None:
            raise ValueError(f"counts must be 0 or above, got counts[{at}] = {to_host_scalar(counts[at])}")
        raise ValueError(f"counts must add up to less than 2**63, got {n} counts of up to {to_host_scalar(counts.max())}")
    found = to_host_scalar(offsets[n])
    if total not in (None, found):
        raise ValueError(f"total must be the sum of counts, {found}, got {total}")
    return offsets, found


def allocate(counts):
    """Where each of n writers writes, if writer `i` produces `counts[i]` items.

    Parameters
    ----------
    counts : (n,) integer array
        None negative; 0 for writers that write nothing.

    Returns
    -------
    addresses : (n,) array
        Writer `i` owns `addresses[i]` up to `addresses[i] + counts[i]`; int32 where the total fits, else int64. The address of
        a writer of nothing may be the total itself, one past the end: it must not write.
    total : int
        How many items there are in all.

    Raises
    ------
    ValueError, TypeError
        As `offsets_from_counts`.

    Notes
    -----
    *Cost*: as `offsets_from_counts`. *Empty input*: no addresses, and 0. Source: Blelloch 1990 (allocation).

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import allocate
    >>> allocate(np.array([1, 0, 1, 2, 1, 0, 3, 0]))
    (array([0, 1, 1, 2, 4, 5, 5, 8], dtype=int32), 8)
    """
    offsets, total = scanned_counts(counts)
    return offsets[:-1].astype(index_dtype(total), copy=False), total


def counts_from_offsets(offsets):
    """The length of every segment: the inverse of `offsets_from_counts`.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`; may start above zero.

    Returns
    -------
    (n,) array of the dtype of `offsets`

    Raises
    ------
    ValueError
        If offsets decrease, start below zero or are none at all.
    TypeError
        For what is not an integer array.

    Notes
    -----
    *Cost*: one pass; with `config.validate` one more and four host reads, else none. *Order*: exact. *Empty input*: no
    segments, no counts.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import counts_from_offsets
    >>> counts_from_offsets(np.array([0, 3, 4, 4, 6]))
    array([3, 1, 0, 2])
    """
    offsets = _check.offsets("offsets", offsets)
    return offsets[1:] - offsets[:-1]


@njit
def _mark_head(i, offsets, base, length, flags):
    """Empty segments that share a start store the same value."""
    start = np.int64(offsets[i]) - base
    if start < length and offsets[i + 1] > offsets[i]:
        flags[start] = True


def head_flags_from_offsets(offsets):
    """True at the first item of every segment.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`; may start above zero.

    Returns
    -------
    (offsets[-1] - offsets[0],) bool array
        Empty segments leave no trace: offsets hold more than flags.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As `segment_ids`.

    Notes
    -----
    *Cost*: one fill and one pass over the offsets; one launch on a GPU, host reads as `segment_ids`. *Order*: exact.
    *Empty input*: no items, no flags.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import head_flags_from_offsets
    >>> head_flags_from_offsets(np.array([0, 2, 5, 8])).astype(int)
    array([1, 0, 1, 0, 0, 1, 0, 0])
    """
    offsets = _check.offsets("offsets", offsets)
    base = to_host_scalar(offsets[0])
    length = to_host_scalar(offsets[-1]) - base
    flags = room(namespace_of(offsets), length, np.dtype(np.bool_), f"the head flags of {length} items")
    flags[...] = False
    for_each(offsets.size - 1, _mark_head, offsets, base, flags.size, flags)
    return flags


@njit
def first_with_id(segment, ids, length, offsets):
    low, high = np.int64(0), np.int64(length)
    while low < high:
        middle = (low + high) >> 1
        if np.int64(ids[middle]) < segment:
            low = middle + 1
        else:
            high = middle
    offsets[segment] = low


def offsets_from_segment_ids(ids, n):
    """Offsets of `n` segments from the id of every item: the inverse of `segment_ids`.

    Parameters
    ----------
    ids : (m,) integer array
        In non-decreasing order, each in `[0, n)`.
    n : int
        How many segments.

    Returns
    -------
    (n+1,) array
        int32, or int64 for 2**31 items and more.

    Raises
    ------
    ValueError
        If `n` is negative, or an id is out of range or smaller than the one before it (named with its position).
    TypeError
        For ids that are not an integer array.
    MemoryError
        If there is no room for the result: named with its size.

    Notes
    -----
    *Cost*: two passes to check, with flags of a byte for each item, a binary search per segment; four host reads. *Order*:
    exact. *Empty input*: `n + 1` zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import offsets_from_segment_ids
    >>> offsets_from_segment_ids(np.array([0, 0, 0, 1, 3, 3]), 4)
    array([0, 3, 4, 4, 6], dtype=int32)
    """
    ids = as_operand(_check.integers("ids", ids))
    n = operator.index(n)
    if n < 0:
        raise ValueError(f"n must be 0 or above, got {n}")
    at = _check.first_true((ids < 0) | (ids >= n))
    if at is not None:
        raise ValueError(f"ids must lie in [0, {n}), got ids[{at}] = {to_host_scalar(ids[at])}")
    at = _check.first_true(ids[1:] < ids[:-1])
    if at is not None:
        raise ValueError(f"ids must not decrease, got ids[{at + 1}] = {to_host_scalar(ids[at + 1])}: sort them first")
    offsets = room(namespace_of(ids), n + 1, index_dtype(ids.size), f"offsets of {n} segments")
    for_each(n + 1, first_with_id, ids, ids.size, offsets)
    return offsets
