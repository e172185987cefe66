"""Convert offsets, the canonical form of segments, to head flags, and segment ids to offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import as_operand, index_dtype, namespace_of, to_host_scalar
from spark_csr._engine import njit
from spark_csr._shared.bisection import first_at_least
from spark_csr.primitives import _check
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike


@njit
def mark_head(i, offsets, base, length, flags):
    """Flag the first item of a segment; empty segments flag nothing."""
    start = offsets[i] - base
    if start < length and offsets[i + 1] > offsets[i]:
        flags[start] = True


def head_flags_from_offsets(offsets: ArrayLike) -> Array:
    """Return flags that are True at the first item of every segment.

    Parameters
    ----------
    offsets : (n+1,) integer array
        Segment `i` is `offsets[i]:offsets[i+1]`. The offsets may start above zero.

    Returns
    -------
    (offsets[-1] - offsets[0],) bool array
        One flag for each item. Empty segments have no flag, so offsets cannot be computed from flags alone.

    Raises
    ------
    ValueError
        If `offsets` decreases, starts below zero, reaches 2**63 or is empty.
    TypeError
        If `offsets` is not an integer array.
    MemoryError
        If there is not enough memory for the result. The message gives its size.

    Notes
    -----
    *Cost*: The function fills the result once and makes one pass over the offsets. On a GPU it makes one launch, one that
    checks, and one host read. *Order*: The result is exact. *Empty input*: Without items there are no flags.

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
    """Write where the items of a segment begin among `length` ascending ids."""
    offsets[segment] = first_at_least(ids, 0, length, segment)


def offsets_from_segment_ids(ids: ArrayLike, n: int) -> Array:
    """Return the offsets of `n` segments from the segment id of every item: the inverse of `segment_ids`.

    Parameters
    ----------
    ids : (m,) integer array
        The segment of every item, in non-decreasing order, each in `[0, n)`.
    n : int
        The number of segments.

    Returns
    -------
    (n+1,) array
        The offsets, of dtype int32, or int64 for 2**31 items and more.

    Raises
    ------
    ValueError
        If `n` is negative, or an id is out of range or smaller than the one before it. The message names its position.
    TypeError
        If `ids` is not an integer array.
    MemoryError
        If there is not enough memory for the result. The message gives its size.

    Notes
    -----
    *Cost*: The function makes two passes to check, which write a flag of one byte for each item, and a binary search for each
    segment. On a GPU it makes two host reads. *Order*: The result is exact. *Empty input*: The result is `n + 1` zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.primitives import offsets_from_segment_ids
    >>> offsets_from_segment_ids(np.array([0, 0, 0, 1, 3, 3]), 4)
    array([0, 3, 4, 4, 6], dtype=int32)
    """
    ids = as_operand(_check.integers("ids", ids))
    n = _check.count_of("n", n)
    at = _check.find_first_true((ids < 0) | (ids >= n))
    if at is not None:
        raise ValueError(f"ids must lie in [0, {n}), got ids[{at}] = {to_host_scalar(ids[at])}")
    at = _check.find_first_true(ids[1:] < ids[:-1])
    if at is not None:
        raise ValueError(f"ids must not decrease, got ids[{at + 1}] = {to_host_scalar(ids[at + 1])}: sort them first")
    offsets = allocate_array(namespace_of(ids), n + 1, index_dtype(ids.size), f"offsets of {n} segments")
    for_each(n + 1, first_with_id, ids, ids.size, offsets)
    return offsets
