"""The forms of segments, and the ways between them."""

import numpy as np
import pytest

from spark_csr.primitives import (
    counts_from_offsets,
    head_flags_from_offsets,
    offsets_from_counts,
    offsets_from_segment_ids,
    segment_ids,
)

pytestmark = pytest.mark.usefixtures("small_tiles")

COUNTS = [[], [0], [3], [0, 0, 2], [2, 0, 0], [3, 1, 0, 2], [0] * 20, [1] * 25, [30, 0, 1]]
every_counts = pytest.mark.parametrize("counts", COUNTS, ids=str)


@every_counts
def test_there_and_back(xp, to_numpy, counts):
    counts = np.array(counts, int)
    offsets = offsets_from_counts(xp.asarray(counts))
    assert offsets.dtype == np.int32
    np.testing.assert_array_equal(to_numpy(offsets), np.concatenate([[0], np.cumsum(counts)]))
    np.testing.assert_array_equal(to_numpy(counts_from_offsets(offsets)), counts)
    again = offsets_from_segment_ids(segment_ids(offsets), counts.size)
    np.testing.assert_array_equal(to_numpy(again), to_numpy(offsets))


@every_counts
def test_head_flags(xp, to_numpy, counts):
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(int)
    expected = np.isin(np.arange(offsets[-1]), offsets[:-1])
    for shift in (0, 4):
        np.testing.assert_array_equal(to_numpy(head_flags_from_offsets(xp.asarray(offsets + shift))), expected)


def test_ids_without_items(xp, to_numpy):
    assert to_numpy(offsets_from_segment_ids(xp.zeros(0, int), 3)).tolist() == [0, 0, 0, 0]
    assert to_numpy(offsets_from_segment_ids(xp.zeros(0, int), 0)).tolist() == [0]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: head_flags_from_offsets(np.array([-3, 2])), ValueError, r"offsets\[0\] = -3"),
        (lambda: head_flags_from_offsets(np.array([2**63, 2**63 + 2], np.uint64)), ValueError, r"offsets\[1\] = 9"),
        (lambda: offsets_from_segment_ids(np.array([0, 2, 1]), 3), ValueError, r"ids\[2\] = 1"),
        (lambda: offsets_from_segment_ids(np.array([0, 3]), 3), ValueError, r"ids\[1\] = 3"),
        (lambda: offsets_from_segment_ids(np.array([-1, 0]), 3), ValueError, r"ids\[0\] = -1"),
        (lambda: offsets_from_segment_ids(np.array([0]), -1), ValueError, "-1"),
        (lambda: offsets_from_segment_ids(np.array([0.0]), 3), TypeError, "ids must hold integers"),
        (lambda: offsets_from_segment_ids(np.zeros(0, int), -1), ValueError, "-1"),
        (lambda: offsets_from_segment_ids(np.zeros(0, int), 2**62), MemoryError, "offsets of 4611686018427387904 segments"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
