"""A function of every item of a frontier."""

import numpy as np
import pytest

from loops import ITEMS, SEVEN, of_lists
from spark_csr.graph import Frontier, for_each

pytestmark = pytest.mark.usefixtures("small_tiles")


def note(item, seen, level):
    seen[item] = level + item


@pytest.mark.parametrize("items", ITEMS, ids=str)
def test_for_each_item(xp, to_numpy, items):
    seen = xp.zeros(40, int)
    for_each(Frontier("vertex", xp.asarray(np.array(items, np.int64)), n=40), note, (seen, 7))
    assert to_numpy(seen).tolist() == [7 + v if v in items else 0 for v in range(40)]


def mark(item, seen):
    seen[item] = 1


def test_items_in_any_order(xp):
    seen = xp.zeros(7, int)
    for_each(Frontier.of(of_lists(xp, SEVEN), [6, 0]), mark, (seen,))
    assert seen.tolist() == [1, 0, 0, 0, 0, 0, 1]
