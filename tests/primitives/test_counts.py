"""Offsets and addresses from counts."""

import numpy as np
import pytest

from spark_csr.primitives import allocate, counts_from_offsets, offsets_from_counts

pytestmark = pytest.mark.usefixtures("small_tiles")


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


@pytest.mark.parametrize("counts", [[], [0], [3], [0, 0, 2], [2, 0, 0], [3, 1, 0, 2], [0] * 20, [1] * 25, [30, 0, 1]], ids=str)
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


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: offsets_from_counts(np.array([1, -2, 3])), ValueError, r"counts\[1\] = -2"),
        (lambda: offsets_from_counts(np.array([1, 2**63 - 1, 2**63 - 1, 2])), ValueError, r"less than 2\*\*63"),
        (lambda: allocate(np.array([1, -2, 3])), ValueError, r"counts\[1\] = -2"),
        (lambda: allocate(np.full(5, 2**62)), ValueError, r"less than 2\*\*63"),
        (lambda: allocate(np.array([1.5])), TypeError, "counts must hold integers, got dtype float64"),
        (lambda: offsets_from_counts(np.array([1.5])), TypeError, "counts must hold integers, got dtype float64"),
        (lambda: offsets_from_counts({1}), TypeError, "set"),
        (lambda: counts_from_offsets(np.array([0, 2, 1])), ValueError, r"offsets\[1\] = 2 > offsets\[2\] = 1"),
        (lambda: counts_from_offsets(np.array([[0, 2]])), ValueError, "one-dimensional"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
