"""Frontiers: lists, bitmaps, growing."""

import numpy as np
import pytest

from loops import of_lists
from spark_csr import config
from spark_csr.graph import Frontier, Graph

pytestmark = pytest.mark.usefixtures("small_tiles")


@pytest.mark.parametrize("items", [[], [0], [39, 0, 7, 7], range(40)])
def test_list_to_bitmap_and_back(xp, to_numpy, items):
    F = Frontier("vertex", xp.asarray(np.array(items, np.int64)), n=40)
    assert to_numpy(F.items).tolist() == list(items)
    assert to_numpy(F.bitmap).tolist() == [v in items for v in range(40)]
    back = Frontier("edge", bitmap=F.bitmap)
    assert len(back) == len(set(items))
    assert to_numpy(back.items).tolist() == sorted(set(items))
    assert back.items.dtype == F.items.dtype == np.int32
    assert (back.kind, back.n, back.device) == ("edge", 40, F.device)


def test_of_and_all(xp, to_numpy):
    G = of_lists(xp, [[1, 2], [], [0]])
    assert to_numpy(Frontier.of(G, 2).items).tolist() == [2]
    assert to_numpy(Frontier.of(G, (2, 0), "edge").items).tolist() == [2, 0]
    assert to_numpy(Frontier.all(G).items).tolist() == [0, 1, 2]
    everything = Frontier.all(G, "edge")
    assert (everything.n, len(everything), bool(everything.bitmap.all())) == (3, 3, True)
    assert repr(everything) == f"Frontier(3 of 3 edges, {G.device})"


@pytest.mark.parametrize("make", [lambda G, x: Frontier.of(G, x), lambda G, x: Frontier("vertex", x, n=3)])
def test_arrays_that_are_given_may_be_written_into(xp, to_numpy, make):
    G = Graph(xp.ones((3, 3)))
    for dtype in (np.int32, np.int64):
        items = xp.asarray([2, 0], dtype)
        F = make(G, items)
        items[:] = 2**30
        assert to_numpy(F.items).tolist() == [2, 0]
    bitmap = xp.asarray([True, False, True])
    F = Frontier("vertex", bitmap=bitmap)
    bitmap[1] = True
    assert to_numpy(F.items).tolist() == [0, 2]


def test_growing_doubles_the_room(xp, to_numpy):
    given = xp.asarray(np.array([5, 3], np.int32))
    F = Frontier("vertex", given, n=1000)
    assert F.bitmap.size == 1000
    rooms = set()
    for item in range(200):
        F.add([item])
        rooms.add(F._buffer.size)
    assert to_numpy(F.items).tolist() == [5, 3, *range(200)]
    assert to_numpy(F.bitmap).sum() == 200
    assert to_numpy(given).tolist() == [5, 3]
    assert len(rooms) < 9


def test_adding_to_a_bitmap_and_nothing(xp, to_numpy):
    F = Frontier("vertex", bitmap=xp.asarray(np.array([False, True, True])))
    F.add([])
    F.add(xp.asarray(np.array([0, 1])))
    assert to_numpy(F.items).tolist() == [1, 2, 0, 1]


def test_items_and_bitmap_are_read_only(cpu_only):
    F = Frontier("vertex", np.array([1]), n=2)
    for part in (F.items, F.bitmap):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 0


@pytest.mark.parametrize(
    "given, error, message",
    [
        ({"kind": "node", "items": [0], "n": 1}, ValueError, "'vertex' or 'edge', got 'node'"),
        ({"kind": "edge"}, ValueError, "either items or bitmap"),
        ({"kind": "edge", "items": [0], "bitmap": np.ones(1, bool)}, ValueError, "not both"),
        ({"kind": "edge", "items": [0]}, ValueError, "give n"),
        ({"kind": "vertex", "items": [0, 5, 9], "n": 5}, ValueError, r"items must lie in \[0, 5\), got items\[1\] = 5"),
        ({"kind": "vertex", "items": [0, -1], "n": 5}, ValueError, r"items\[1\] = -1"),
        ({"kind": "vertex", "items": [0.5], "n": 5}, TypeError, "integers, got dtype float64"),
        ({"kind": "vertex", "items": [True], "n": 5}, TypeError, "integers, got dtype bool"),
        ({"kind": "vertex", "items": [[0]], "n": 5}, ValueError, "one-dimensional"),
        ({"kind": "vertex", "bitmap": np.ones(3, bool), "n": 4}, ValueError, "4 elements, got 3"),
        ({"kind": "vertex", "bitmap": np.ones(3)}, TypeError, "dtype bool, got float64"),
    ],
)
def test_what_is_no_frontier(given, error, message):
    with pytest.raises(error, match=message):
        Frontier(**given)


def test_items_are_checked_when_added(xp):
    F = Frontier("vertex", [0], n=3)
    with pytest.raises(ValueError, match=r"items\[0\] = 3"):
        F.add([3])
    with config(validate=False):
        F.add([2])


def test_exchanged_frontiers_grow_on_their_own():
    a, b = Frontier("vertex", [0], n=9), Frontier("vertex", [], n=9)
    a, b = b, a
    for item in range(9):
        a.add([item])
        b.add([8 - item])
    assert (a.items.tolist(), b.items.tolist()) == (list(range(9)), [0, *range(8, -1, -1)])


def test_growing_beyond_the_room_goes_on():
    F = Frontier("vertex", [0], n=5)
    F.add([1, 2, 3, 4] * 100)
    assert len(F) == 401


def test_sizes_are_integers_beyond_what_float32_counts():
    n = 2**24 + 1
    assert Frontier("vertex", [n - 1], n=n).items.tolist() == [n - 1]
    with pytest.raises(ValueError, match=f"got items.0. = {n}"):
        Frontier("vertex", [n], n=n)
