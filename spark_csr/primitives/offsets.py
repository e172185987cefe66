"""Offsets, the canonical form of segments, to head flags and from ids."""

import operator

import numpy as np

from spark_csr._array import as_operand, index_dtype, namespace_of, to_host_scalar
from spark_csr._numba import njit
from spark_csr._shared.bisection import first_at_least
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each


@njit
def mark_head(i, offsets, base, length, flags):
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
    offsets, base, stop = _check.offsets("offsets", offsets)
    length = stop - base
    flags = allocate_array(namespace_of(offsets), length, np.dtype(np.bool_), f"the head flags of {length} items")
    flags[...] = False
    for_each(offsets.size - 1, mark_head, offsets, base, flags.size, flags)
    return flags


@njit
def first_with_id(segment, ids, length, offsets):
    """Where the items of a segment begin among `length` ascending ids."""
    offsets[segment] = first_at_least(ids, 0, length, segment)


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
    *Cost*: two passes to check, with flags of a byte for each item, a binary search per segment; two host reads. *Order*:
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
    at = _check.find_first_true((ids < 0) | (ids >= n))
    if at is not None:
        raise ValueError(f"ids must lie in [0, {n}), got ids[{at}] = {to_host_scalar(ids[at])}")
    at = _check.find_first_true(ids[1:] < ids[:-1])
    if at is not None:
        raise ValueError(f"ids must not decrease, got ids[{at + 1}] = {to_host_scalar(ids[at + 1])}: sort them first")
    offsets = allocate_array(namespace_of(ids), n + 1, index_dtype(ids.size), f"offsets of {n} segments")
    for_each(n + 1, first_with_id, ids, ids.size, offsets)
    return offsets
