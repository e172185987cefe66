"""Keys of every kind, on every axis and at every depth, against nested lists."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dtypes
from nested import EXAMPLES, array, joined, loose, plain, ragged_lists
from spark_csr import Ragged
from spark_csr._operations.select import ranges
from spark_csr._ragged import take

pytestmark = pytest.mark.usefixtures("small_tiles")

FULL = slice(None)

BOUNDS = st.none() | st.integers(-5, 5)
SLICES = st.builds(slice, BOUNDS, BOUNDS, st.sampled_from([None, 1, 1, 2, 3, -1, -2]))
INTEGERS = st.integers(-4, 3)


def selected(lists, keys):
    """What a key for each axis chooses from nested lists."""
    if not keys:
        return lists
    key, *rest = keys
    if isinstance(key, int):
        return selected(lists[key], rest)
    items = lists[key] if isinstance(key, slice) else [lists[i] for i in key]
    return [selected(item, rest) for item in items]


def outcome(choose):
    """What is chosen, or that an index is out of range."""
    try:
        return plain(choose())
    except IndexError:
        return IndexError


@given(ragged_lists(), st.data())
def test_keys_of_all_axes(xp, drawn, data):
    ndim, lists = drawn
    R = array(xp, lists, ndim)
    R = loose(R) if data.draw(st.booleans()) else R
    keys = data.draw(st.lists(INTEGERS | SLICES, min_size=1, max_size=ndim))
    if lists and data.draw(st.booleans()):
        keys[0] = data.draw(st.lists(st.integers(-len(lists), len(lists) - 1), max_size=7))
    try:
        wanted = selected(lists, keys)
    except IndexError:
        wanted = IndexError
    assert outcome(lambda: R[tuple(keys)]) == wanted
    assert R.to_lists() == lists


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_every_item_of_every_list(xp, ndim, lists):
    for R in (array(xp, lists, ndim), loose(array(xp, lists, ndim))):
        for i in range(-len(lists), len(lists)):
            assert plain(R[i]) == plain(R[np.int32(i)]) == plain(R[i, ...]) == lists[i]
        for i in (len(lists), -len(lists) - 1):
            with pytest.raises(IndexError, match=f"index {i} is out of range for a ragged array of {len(lists)} items"):
                R[i]


@pytest.mark.parametrize("ndim, lists", EXAMPLES)
def test_items_by_arrays_lists_and_masks(xp, ndim, lists):
    n = len(lists)
    rows = [*range(n), *range(-n, 0)][::-1]
    mask = [i % 3 != 1 for i in range(n)]
    for R in (array(xp, lists, ndim), loose(array(xp, lists, ndim))):
        for key in (rows, xp.asarray(rows, dtype=np.int64), xp.asarray(rows, dtype=np.int8), np.array(rows, int)):
            assert plain(R[key]) == [lists[i] for i in rows]
        for key in (mask, xp.asarray(mask, dtype=bool)):
            assert plain(R[key]) == [item for item, keep in zip(lists, mask, strict=True) if keep]
        assert plain(R[[]]) == []
        assert R[[]] is not R if ndim == 1 else R[[]].ndim == ndim


def test_views_share_memory():
    R = array(np, [[[1, 2], [3]], [], [[4], [], [5, 6]]], 3)
    for part in (R[0], R[-1:], R[1:, :], R[...], R[()], R[2, 1:]):
        assert np.shares_memory(part.values, R.values)
    for part in (R[2, 2], R[0][0], R.flatten(0)[0]):
        assert np.shares_memory(part, R.values)
        part[0] = 7
    assert R.to_lists() == [[[7, 2], [3]], [], [[4], [], [7, 6]]]
    assert R[0].packed().offsets[0].base is not None
    for part in (R[[0]], R[::2], R[:, :1]):
        assert not np.shares_memory(part.values, R.values)


def test_results_of_one_axis_are_arrays(xp):
    R = array(xp, [[6, 5, 5], [2], [9, 8]], 2)
    for part in (R[0], R[:, 0], R[1:2, -1], R[[2, 0], 0], R[0, 1:], R[0, [0, 0]], array(xp, [1, 2], 1)[:1]):
        assert isinstance(part, xp.ndarray)
        assert part.ndim == 1
    assert R[0, 1].shape == ()


@pytest.mark.parametrize("dtype", dtypes.each(usual="?eD"))
def test_every_width_is_moved(xp, dtype):
    R = array(xp, [[1, 0], [], [1, 1, 0]], 2, dtype)
    for part in (R[[2, 0]], R[::-1, 1:], R[R.astype(bool)], R[R._with(xp.zeros(5, np.int64))]):
        assert part.dtype == dtype
    assert R[[2, 2, 0]].to_lists() == [[1, 1, 0], [1, 1, 0], [1, 0]]


def test_many_items_in_many_tiles(cpu_only):
    rng = np.random.default_rng(0)
    inner = np.cumsum([0, 0, *rng.integers(0, 9, 900) * rng.integers(0, 2, 900), 0])
    outer = np.concatenate([[0, 0], np.sort(rng.integers(0, 902, 99)), [902, 902]])
    R = Ragged(np.arange(inner[-1]), outer, inner)
    lists = R.to_lists()
    for rows in (rng.permutation(len(R)), rng.integers(0, len(R), 500)):
        assert R[rows].to_lists() == [lists[i] for i in rows]
    assert R[:, ::-2, 1:].to_lists() == [[values[1:] for values in item[::-2]] for item in lists]


@pytest.mark.parametrize(
    "key, message",
    [
        (3, "index 3 is out of range for a ragged array of 3 items"),
        ([0, 5], r"index \(5\) out of range for axis 0 with size 3"),
        ([0, -4], r"index \(-4\) out of range for axis 0 with size 3"),
        ((slice(None), 1), "index 1 is out of range for axis 1: list 1 holds 1 items"),
        ((slice(None), -2), "index -2 is out of range for axis 1: list 1 holds 1 items"),
        ((slice(None), 2**70), "index 1180591620717411303424 is out of range for axis 1: list 0 holds 3 items"),
        ((0, 3), "index 3 is out of range for a ragged array of 3 items"),
        ((0, 0, 0), "too many indices: the ragged array has 2 axes, but 3 were indexed"),
        ((0, 0, ..., 0), "too many indices"),
        ((..., 0, ...), "single ellipsis"),
        (None, "None adds an axis"),
        ((0, None), "None adds an axis"),
        (True, "True adds an axis"),
        (np.array([[0, 1]]), r"array of shape \(1, 2\)"),
        (np.ones((3, 2), bool), "too many indices"),
        ([[0], [1, 2]], "must be rectangular"),
        ([True, False], r"shape \(2,\) instead of \(3,\), the shape of the axes it selects from"),
        (1.5, "must be an integer"),
        ([0.5], "must hold integers or booleans: .*0.5"),
        ("a", "must be an integer"),
        ((slice(None), [0, 0]), "axis 1 takes an integer or a slice, which applies to all lists, got list: .* with a Ragged"),
        (([0], "a"), "must (hold|be an) integer.*, got dtype <U1"),
        (([0], slice(None), [0]), "too many indices"),
        ((0, 1.5), "must be an integer"),
    ],
    ids=str,
)
def test_wrong_keys_are_named(xp, key, message):
    with pytest.raises(IndexError, match=message):
        array(xp, [[6, 5, 5], [2], [9, 8]], 2)[key]


def test_wrong_slices_are_named(xp):
    R = array(xp, [[6, 5, 5], [2]], 2)
    for key in (slice(None, None, 0), (FULL, slice(None, None, 0))):
        with pytest.raises(ValueError, match="slice step cannot be zero"):
            R[key]
    with pytest.raises(IndexError, match="index 0 is out of range for axis 2: list 1 holds 0 items"):
        array(xp, [[[1], []]], 3)[:, :, 0]
    with pytest.raises(TypeError):
        R[0] = 1


def test_slices_of_lists_reach_far(xp):
    R = array(xp, [[6, 5, 5], [], [2]], 2)
    assert R[:, -(2**70) : 2**70].to_lists() == R.to_lists()
    assert R[:, 2**70 : -(2**70) : -1].to_lists() == [[5, 5, 6], [], [2]]
    assert R[:, :: 2**70].to_lists() == [[6], [], [2]]
    assert R[:, 2**70 :].to_lists() == [[], [], []]


def test_more_chosen_than_int32_holds(xp, monkeypatch):
    """Items chosen often hold more than the array: offsets are then of 64 bits."""
    narrow = ranges.index_dtype
    for module in (ranges, take):
        monkeypatch.setattr(module, "index_dtype", lambda largest: narrow(largest if largest <= 6 else 2**40))
    chosen = array(xp, [[[1, 2], [3]], [[4, 5, 6]]], 3)[[0, 1, 0, 1]]
    assert chosen.to_lists() == [[[1, 2], [3]], [[4, 5, 6]]] * 2
    assert [x.dtype for x in chosen.offsets] == [np.int32, np.int64]


@pytest.mark.parametrize("step", [None, 2, -1, -3])
def test_every_slice_of_short_lists(xp, step):
    lists = [[6, 5, 4], [], [2], [9, 8]]
    R, ends = array(xp, lists, 2), (None, -9, -2, 0, 1, 2, 9)
    for start, stop in itertools.product(ends, ends):
        key = slice(start, stop, step)
        assert R[:, key].to_lists() == [values[key] for values in lists]


@given(ragged_lists(), st.data())
def test_ragged_masks_keep_values_or_lists(xp, drawn, data):
    ndim, lists = drawn
    depth = data.draw(st.integers(1, ndim))
    n = len(joined(lists, depth - 1))
    kept = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    R = array(xp, lists, ndim)
    mask = Ragged._of_packed(xp.asarray(kept, dtype=bool), R.packed().offsets[: depth - 1])
    flags = iter(kept)
    wanted = _each_list(lists, depth - 1, lambda items: [item for item in items if next(flags)])
    assert plain(R[mask]) == plain(loose(R)[loose(mask)]) == wanted


def _each_list(lists, depth, func):
    return func(lists) if depth == 0 else [_each_list(item, depth - 1, func) for item in lists]


@given(ragged_lists(), st.data())
def test_ragged_indices_pick_in_each_list(xp, drawn, data):
    ndim, lists = drawn
    depth = data.draw(st.integers(1, ndim))

    def choose(items):
        return data.draw(st.lists(st.integers(-len(items), len(items) - 1), max_size=4)) if items else []

    index = _each_list(lists, depth - 1, choose)
    picks = iter(joined([index], depth - 1))
    wanted = _each_list(lists, depth - 1, lambda items: [items[i] for i in next(picks)])
    R, picked = array(xp, lists, ndim), array(xp, index, depth)
    assert plain(R[picked]) == plain(loose(R)[loose(picked)]) == wanted


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_ragged_indices_of_every_width(xp, dtype):
    R = array(xp, [[6, 5, 4], [], [9, 8]], 2)
    assert R[array(xp, [[2, 0, 2], [], [1]], 2, dtype)].to_lists() == [[4, 6, 4], [], [8]]
    with pytest.raises(IndexError, match="out of range: list 2 holds 2 items"):
        R[array(xp, [[], [], [np.iinfo(dtype).max]], 2, dtype)]


@pytest.mark.parametrize("lists, ndim", [([[], []], 2), ([[[]], []], 3)])
def test_ragged_indices_where_there_are_no_values(xp, lists, ndim):
    R = array(xp, lists, ndim)
    assert R[R].to_lists() == lists
    index = Ragged.concatenate([R, array(xp, [[0], []] if ndim == 2 else [[[0]], []], ndim)], axis=ndim - 1)
    with pytest.raises(IndexError, match="index 0 is out of range: list 0 holds 0 items"):
        R[index]


@pytest.mark.parametrize(
    "index, ndim, message",
    [
        ([[0], [0], []], 2, "index 0 is out of range: list 1 holds 0 items"),
        ([[0, -4], [], []], 2, "index -4 is out of range: list 0 holds 3 items"),
        ([[0], []], 2, "must have the lists of the array, but they differ: one array has 3 items and the other has 2"),
        ([3], 1, "index 3 is out of range: list 0 holds 3 items"),
        ([[[0]], [], []], 3, "the index has 3, the array has 2"),
        ([[0.5], [], []], 2, "must hold integers or bools, got dtype float64"),
        ([[True], [], [False]], 2, "they differ: list 0 of level 0 has 3 items in one array and 1"),
        ([True], 1, "they differ: one array has 3 items and the other has 1"),
    ],
)
def test_wrong_ragged_indices_are_named(xp, index, ndim, message):
    with pytest.raises(IndexError, match=message):
        array(xp, [[6, 5, 4], [], [9, 8]], 2)[array(xp, index, ndim, None)]


@pytest.mark.parametrize(
    "key",
    [np.ma.array([0, 2], mask=[0, 1]), np.ma.array([True, False, True], mask=[0, 1, 1]), np.ma.array(0, mask=True)],
)
@pytest.mark.parametrize("place", [lambda k: k, lambda k: (k, 0), lambda k: (FULL, k), lambda k: (0, k), lambda k: (..., k)])
def test_masked_keys_are_refused(xp, key, place):
    R = array(xp, [[6, 5, 4], [7], [9, 8]], 2)
    with pytest.raises(TypeError, match="is a masked array, whose mask would be lost: use"):
        R[place(key)]
