"""One item of every list, and index arrays of several axes, against nested lists."""

import numpy as np
import pytest

from nested import EXAMPLES, array, joined, loose, plain
from spark_csr import Ragged

pytestmark = pytest.mark.usefixtures("small_tiles")

DEEP = [[[1, 2, 3], [4, 5]], [[6, 7, 8, 9], [10], [11, 12], [13, 14, 15]]]


@pytest.mark.parametrize("form", [lambda R: R, loose], ids=["packed", "loose"])
def test_pick_of_numbers(xp, form):
    R = form(array(xp, [[6, 5, 7], [8], [9, 1]], 2))
    for index in ([1, 0, -1], xp.asarray([1, 0, -1]), xp.asarray([1, 0, -1], dtype=np.int8), Ragged(xp.asarray([1, 0, -1]))):
        assert R.pick(index).tolist() == [5, 8, 1]
    assert R.pick(R.argmax(axis=-1)).tolist() == R.max(axis=-1).tolist()
    assert array(xp, [], 2).pick([]).tolist() == []


def test_pick_of_lists(xp):
    R = array(xp, DEEP, 3)
    assert R.pick([1, -1]).to_lists() == [[4, 5], [13, 14, 15]]
    assert R.pick(array(xp, [[2, -2], [3, 0, 1, 1]], 2)).to_lists() == [[3, 4], [9, 10, 12, 14]]
    assert R.pick(R.argmin(axis=-1)).to_lists() == [[1, 4], [6, 10, 11, 13]]


@pytest.mark.parametrize("ndim, lists", [x for x in EXAMPLES if x[0] > 1])
def test_pick_the_greatest(xp, ndim, lists):
    R = loose(array(xp, lists, ndim))
    best = R.argmax(axis=-1)
    wanted, _ = R.max(axis=-1, return_mask=True)
    assert plain(R.pick(best, fill_value=np.iinfo(np.int64).min)) == plain(wanted)
    assert R[R.argmax(axis=-1, keepdims=True)].flatten().tolist() == [max(x) for x in joined(lists, ndim - 2) if x]


def test_pick_or_fill(xp):
    R = array(xp, [[6, 5, 7], [], [9, 1]], 2)
    assert R.pick([2, 0, 2], fill_value=-5).tolist() == [7, -5, -5]
    assert R.pick([-3, -1, -3], fill_value=-5).tolist() == [6, -5, -5]
    assert R.pick(1, fill_value=-5).tolist() == [5, -5, 1]
    assert R[[0, 2]].pick(-1).tolist() == [7, 1]
    assert array(xp, [[], []], 2).pick([0, -1], fill_value=3).tolist() == [3, 3]
    with pytest.raises(TypeError, match="fill_value must fit the dtype int64"):
        R.pick([0, 0, 0], fill_value=np.nan)
    with pytest.raises(ValueError, match="the items are lists"):
        array(xp, DEEP, 3).pick([0, 0], fill_value=0)


@pytest.mark.parametrize(
    "index, message",
    [
        ([0, 0, 0], "index 0 is out of range: list 1 holds 0 items"),
        ([0, 0], "one array has 3 items and the other has 2"),
        ([0.5, 0, 0], "positions must be integers, got dtype float64"),
        (Ragged.from_lists([[0], [], [0]]), "an index of 2 axes .* use R\\[index\\]"),
    ],
    ids=["too short", "length", "floats", "axes"],
)
def test_pick_refuses(cpu_only, index, message):
    with pytest.raises(IndexError, match=message):
        array(np, [[6, 5, 7], [], [9, 1]], 2).pick(index)


def test_index_arrays_go_together(xp):
    R = array(xp, [[6, 5, 7], [], [9, 1]], 2)
    rows, columns = [0, 2, 0, 2], [2, 0, -3, -1]
    wanted = [[6, 5, 7], [], [9, 1]]
    wanted = [wanted[i][j] for i, j in zip(rows, columns, strict=True)]
    for i, j in ((rows, columns), (xp.asarray(rows), xp.asarray(columns)), (np.array(rows), np.array(columns, np.int8))):
        assert R[i, j].tolist() == wanted
    assert loose(R)[rows, columns].tolist() == wanted
    assert R[[0, 2], [1]].tolist() == [5, 1]
    assert R[[2], [1, 0]].tolist() == [1, 9]
    assert R[xp.asarray([True, False, True]), [0, 1]].tolist() == [6, 1]
    assert R[[], []].tolist() == []
    n = xp.arange(3)[R.counts() > 0]
    assert R[n, R.argmax(axis=-1)[n]].tolist() == [7, 9]


def test_index_arrays_of_three_axes(xp):
    R = array(xp, DEEP, 3)
    assert R[[0, 1, 1], [1, 0, 3]].to_lists() == [[4, 5], [6, 7, 8, 9], [13, 14, 15]]
    assert R[[0, 1, 1], [1, 0, 3], [0, -1, 2]].tolist() == [4, 9, 15]
    assert R[[0, 1, 1], 0, [0, -1, 2]].tolist() == [1, 9, 8]
    assert R[1, [1, 0, 3], [0, -1, 2]].tolist() == [10, 9, 15]
    assert R[[0, 1], [1, 0], :1].to_lists() == [[4], [6]]
    assert R[[0, 1], [1, 0], -1].tolist() == [5, 9]
    assert R[np.nonzero(R > 12)].tolist() == [13, 14, 15]


@pytest.mark.parametrize(
    "key, message",
    [
        (([0, 2], [0, 2]), "index 2 is out of range: list 2 holds 2 items"),
        (([0, 3], [0, 0]), "out of range for axis 0"),
        (([0, 2], [0, 0, 0]), "index arrays that go together must have one length, got 2, 3"),
        (([0, 2], [True, False]), "the index of axis 1 must hold integers, got dtype bool"),
        (([0, 2], [[0, 0]]), "the index of axis 1 must have one dimension"),
    ],
    ids=["inner", "outer", "lengths", "mask", "two dimensions"],
)
def test_index_arrays_refused(cpu_only, key, message):
    with pytest.raises(IndexError, match=message):
        array(np, [[6, 5, 7], [], [9, 1]], 2)[key]
