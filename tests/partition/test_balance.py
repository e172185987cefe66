"""Rows for each block: all rows once, in order, and equal work up to one row."""

import numpy as np
import pytest

from spark_csr.gallery import rmat
from spark_csr.partition import balanced_offsets
from spark_csr.partition.balance import as_offsets


@pytest.mark.parametrize("blocks", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("lengths", [[3] * 12, [], [0] * 9, [90, 2, 2, 6], [0, 0, 50, 0, 1], [1, 1, 1, 1000]])
def test_no_block_has_more_than_its_share_and_one_row(xp, lengths, blocks):
    indptr = np.cumsum([0, *lengths])
    offsets = balanced_offsets(xp.asarray(indptr.astype(np.int32)), blocks)
    assert isinstance(offsets, np.ndarray)
    assert offsets.dtype == np.int64
    assert offsets[0] == 0
    assert offsets[-1] == len(lengths)
    assert offsets.size == blocks + 1
    assert (np.diff(offsets) >= 0).all()
    work = np.diff((indptr + np.arange(indptr.size))[offsets])
    assert work.max(initial=0) <= work.sum() / blocks + max(lengths, default=0) + 1


@pytest.mark.usefixtures("cpu_only")
def test_a_power_law_is_shared_equally():
    A = rmat(12, 8)
    work = np.diff((A.indptr + np.arange(A.shape[0] + 1, dtype=np.int64))[balanced_offsets(A.indptr, 8)])
    assert work.max() <= 1.1 * work.mean()


def test_segments_may_begin_above_0(xp):
    assert balanced_offsets(xp.asarray([10, 12, 14, 16]), 3).tolist() == [0, 1, 2, 3]


def test_offsets_beyond_int32():
    indptr = np.arange(5, dtype=np.int64) * 2**32
    assert balanced_offsets(indptr, 2).tolist() == [0, 2, 4]


def test_what_is_refused(xp):
    with pytest.raises(ValueError, match="blocks must be 1 or more, got 0"):
        balanced_offsets(xp.asarray([0, 2]), 0)
    with pytest.raises(ValueError, match="indptr must not decrease"):
        balanced_offsets(xp.asarray([0, 3, 2]), 2)
    with pytest.raises(TypeError, match="indptr must hold integers"):
        balanced_offsets(xp.asarray([0.0, 3]), 2)


def test_offsets_of_any_kind(xp):
    for given in ([0, 2, 5], xp.asarray([0, 2, 5]), (0, 2, 5)):
        assert as_offsets("x", given, 5).tolist() == [0, 2, 5]
    for given, words in [
        ([1, 5], "must begin at 0 and end at 5, got 1 and 5"),
        ([0, 4], "must begin at 0 and end at 5, got 0 and 4"),
        ([0, 3, 2, 5], "must not decrease, got 3 before 2"),
        ([0.0, 5.0], "list of at least two integers, got shape (2,) of dtype float64"),
        ([0], "list of at least two integers"),
    ]:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 the words are compared
            as_offsets("x", given, 5)
        assert words in str(caught.value)
