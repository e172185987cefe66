"""Binary searches, compared with NumPy's."""

import numpy as np
import pytest
from numba import njit

from spark_csr._shared.bisection import first_at_least, segment_of
from spark_csr.primitives import for_each


@njit
def look_up(i, values, start, stop, bounds, out):
    out[i] = first_at_least(values, start, stop, np.int64(bounds[i]))


@njit
def find_segment(i, offsets, segments, out):
    out[i] = segment_of(offsets, segments, np.int64(i))


@pytest.mark.parametrize("values", [[], [3], [0, 0, 2, 2, 2, 5, 9], list(range(17))], ids=len)
@pytest.mark.parametrize("dtype", [np.int32, np.uint64])
def test_first_at_least(xp, to_numpy, values, dtype):
    values, bounds = np.array(values, dtype), np.arange(-1, 20)
    for start, stop in ((0, values.size), (min(2, values.size), values.size), (0, values.size // 2), (0, 0)):
        found = xp.zeros(bounds.size, np.int64)
        for_each(bounds.size, look_up, xp.asarray(values), start, stop, xp.asarray(bounds), found)
        wanted = start + np.searchsorted(values[start:stop].astype(int), bounds)
        np.testing.assert_array_equal(to_numpy(found), wanted)


@pytest.mark.parametrize("counts", [[4], [0, 3, 0, 0, 1, 2, 0], [1] * 9], ids=len)
def test_segment_of(xp, to_numpy, counts):
    offsets = np.concatenate([[0], np.cumsum(counts)])
    found = xp.zeros(offsets[-1], np.int64)
    for_each(found.size, find_segment, xp.asarray(offsets), len(counts), found)
    np.testing.assert_array_equal(to_numpy(found), np.repeat(np.arange(len(counts)), counts))
