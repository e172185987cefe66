"""Filter, uniquify, for_each."""

import numpy as np
import pytest

from spark_csr.graph import Frontier, filter, for_each, uniquify

pytestmark = pytest.mark.usefixtures("small_tiles")

SOME = [[], [0], [3, 0, 3, 39, 0, 1], list(range(40)), [0] * 40]


def odd_or_marked(item, marks, offset):
    return (item + offset) % 2 == 1 or marks[item] > 0


@pytest.mark.parametrize("items", SOME, ids=str)
def test_filter_is_stable(xp, to_numpy, items):
    F = Frontier("edge", xp.asarray(np.array(items, np.int64)), n=40)
    marks = xp.asarray(np.arange(40) % 5 == 0).astype(np.int64)
    out = filter(F, odd_or_marked, (marks, 2))
    assert to_numpy(out.items).tolist() == [v for v in items if v % 2 == 1 or v % 5 == 0]
    assert (out.kind, out.n) == ("edge", 40)


@pytest.mark.parametrize("n", [40, 4000])
@pytest.mark.parametrize("items", SOME, ids=str)
def test_uniquify_keeps_every_item_once(xp, to_numpy, items, n):
    out = uniquify(Frontier("vertex", xp.asarray(np.array(items, np.int64)), n=n))
    assert to_numpy(out.items).tolist() == sorted(set(items))
    assert uniquify(out) is out or not items


def test_what_stays_in_order_is_not_sorted_again(xp, to_numpy):
    F = Frontier("vertex", bitmap=xp.asarray(np.arange(50) % 3 == 0))
    assert len(F.items) == 17
    kept = filter(F, lambda item: item > 5)
    assert uniquify(kept) is kept
    kept.add([0])
    assert to_numpy(uniquify(kept).items).tolist()[:2] == [0, 6]


def note(item, seen, level):
    seen[item] = level + item


@pytest.mark.parametrize("items", SOME, ids=str)
def test_for_each_item(xp, to_numpy, items):
    seen = xp.zeros(40, int)
    for_each(Frontier("vertex", xp.asarray(np.array(items, np.int64)), n=40), note, (seen, 7))
    assert to_numpy(seen).tolist() == [7 + v if v in items else 0 for v in range(40)]


def test_refused():
    with pytest.raises(TypeError, match="must be a Frontier, got ndarray"):
        filter(np.array([1]), lambda item: True)
    with pytest.raises(TypeError, match="must be a Frontier, got list"):
        uniquify([1])
    with pytest.raises(TypeError, match="must take"):
        filter(Frontier("vertex", [0], n=1), lambda: True)
