"""Every item of a frontier once."""

import numpy as np
import pytest

from loops import ITEMS, of_lists
from spark_csr.graph import Frontier, advance, filter, uniquify

pytestmark = pytest.mark.usefixtures("small_tiles")


@pytest.mark.parametrize("n", [40, 4000])
@pytest.mark.parametrize("items", ITEMS, ids=str)
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


def anywhere(src, dst, edge, weight):
    return True


def test_vertex_zero_survives(xp):
    F = Frontier("vertex", xp.asarray([3, 0, 3, 0]), n=4)
    assert uniquify(F).items.tolist() == [0, 3]
    assert filter(F, lambda item: True).items.tolist() == [3, 0, 3, 0]
    assert advance(of_lists(xp, [[0]]), Frontier("vertex", xp.asarray([0]), n=1), anywhere, unique=True).items.tolist() == [0]


def test_refused():
    with pytest.raises(TypeError, match="must be a Frontier, got list"):
        uniquify([1])
