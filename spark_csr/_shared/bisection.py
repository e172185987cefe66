"""Binary searches in ascending integers, the same on every device."""

import numpy as np

from spark_csr._engine import njit


@njit(forceinline=True)
def first_at_least(values, start, stop, bound):
    """Return the first position from `start` on where the ascending `values` are at least `bound` (signed), else `stop`;
    unsigned.
    """
    low, high = np.uint64(start), np.uint64(stop)
    while low < high:
        middle = (low + high) >> 1
        if np.int64(values[middle]) < bound:
            low = middle + 1
        else:
            high = middle
    return low


@njit(forceinline=True)
def segment_of(offsets, segments, position):
    """Return the segment that holds `position` (signed): the last one that starts at or before it."""
    return np.int64(first_at_least(offsets, 1, segments + 1, position + 1)) - 1
