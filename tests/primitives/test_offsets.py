"""The forms of segments, and the ways between them."""

import numpy as np
import pytest

from spark_csr.primitives import (
    allocate,
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


def test_total_beyond_int32_needs_int64(xp, to_numpy):
    offsets = offsets_from_counts(xp.asarray([2**30, 2**30, 5], dtype=np.int32))
    assert offsets.dtype == np.int64
    assert to_numpy(offsets).tolist() == [0, 2**30, 2**31, 2**31 + 5]
    assert offsets_from_counts(xp.asarray([2**31 - 1])).dtype == np.int32


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64])
def test_small_counts_do_not_overflow(xp, to_numpy, dtype):
    assert to_numpy(offsets_from_counts(xp.full(3, 100, dtype))).tolist() == [0, 100, 200, 300]


@pytest.mark.parametrize("counts", [np.array([2**62, 2**62, 5]), np.array([2**63], np.uint64), np.full(5, 2**62)])
def test_total_beyond_int64_is_refused(xp, counts):
    with pytest.raises((ValueError, OverflowError, MemoryError), match="counts"):
        offsets_from_counts(xp.asarray(counts))


@every_counts
def test_allocate(xp, to_numpy, counts):
    counts = np.array(counts, int)
    addresses, total = allocate(xp.asarray(counts))
    assert addresses.dtype == np.int32
    assert type(total) is int
    assert total == counts.sum()
    written = [p for a, c in zip(to_numpy(addresses).tolist(), counts, strict=True) for p in range(a, a + c)]
    assert written == list(range(total))


def test_write_addresses(xp, to_numpy):
    """The last writer's address is the total: it has nothing to write."""
    addresses, total = allocate(xp.asarray([1, 0, 1, 2, 1, 0, 3, 0]))
    assert to_numpy(addresses).tolist() == [0, 1, 1, 2, 4, 5, 5, 8]
    assert total == 8


def test_addresses_beyond_int32_need_int64(xp, to_numpy):
    addresses, total = allocate(xp.asarray([2**30, 2**30, 5], dtype=np.int32))
    assert addresses.dtype == np.int64
    assert to_numpy(addresses).tolist() == [0, 2**30, 2**31]
    assert total == 2**31 + 5


def test_ids_without_items(xp, to_numpy):
    assert to_numpy(offsets_from_segment_ids(xp.zeros(0, int), 3)).tolist() == [0, 0, 0, 0]
    assert to_numpy(offsets_from_segment_ids(xp.zeros(0, int), 0)).tolist() == [0]


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: offsets_from_counts(np.array([1, -2, 3])), ValueError, r"counts\[1\] = -2"),
        (lambda: offsets_from_counts(np.array([1, 2**63 - 1, 2**63 - 1, 2])), ValueError, r"less than 2\*\*63"),
        (lambda: allocate(np.array([1, -2, 3])), ValueError, r"counts\[1\] = -2"),
        (lambda: allocate(np.full(5, 2**62)), ValueError, r"less than 2\*\*63"),
        (lambda: allocate(np.array([1.5])), TypeError, "counts must hold integers, got dtype float64"),
        (lambda: offsets_from_counts(np.array([1.5])), TypeError, "counts must hold integers, got dtype float64"),
        (lambda: offsets_from_counts([1]), TypeError, "list"),
        (lambda: counts_from_offsets(np.array([0, 2, 1])), ValueError, r"offsets\[1\] = 2 > offsets\[2\] = 1"),
        (lambda: counts_from_offsets(np.array([[0, 2]])), ValueError, "one-dimensional"),
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
