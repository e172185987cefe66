"""Filter: what is kept, in which order."""

import numpy as np
import pytest

from loops import ITEMS
from spark_csr.graph import Frontier, filter, uniquify

pytestmark = pytest.mark.usefixtures("small_tiles")


def odd_or_marked(item, marks, offset):
    return (item + offset) % 2 == 1 or marks[item] > 0


@pytest.mark.parametrize("items", ITEMS, ids=str)
def test_filter_is_stable(xp, to_numpy, items):
    F = Frontier("edge", xp.asarray(np.array(items, np.int64)), n=40)
    marks = xp.asarray(np.arange(40) % 5 == 0).astype(np.int64)
    out = filter(F, odd_or_marked, (marks, 2))
    assert to_numpy(out.items).tolist() == [v for v in items if v % 2 == 1 or v % 5 == 0]
    assert (out.kind, out.n) == ("edge", 40)


def test_repeated_items_are_kept_until_uniquify(xp):
    F = filter(Frontier("vertex", xp.asarray([2, 1, 2]), n=3), lambda item: item > 1)
    assert F.items.tolist() == [2, 2]
    assert uniquify(F).items.tolist() == [2]


def test_refused():
    with pytest.raises(TypeError, match="must be a Frontier, got ndarray"):
        filter(np.array([1]), lambda item: True)
    with pytest.raises(TypeError, match="must take"):
        filter(Frontier("vertex", [0], n=1), lambda: True)
