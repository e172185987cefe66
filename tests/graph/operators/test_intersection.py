"""Neighbours that two vertices share."""

import numpy as np
import pytest

from loops import GRAPHS, SEVEN, of_lists, random_lists
from spark_csr.graph import segmented_intersection

pytestmark = pytest.mark.usefixtures("small_tiles")


@pytest.mark.parametrize("lists", [*GRAPHS.values(), random_lists(50, 40)], ids=[*GRAPHS, "dense"])
def test_common_neighbours(xp, to_numpy, lists):
    G, n = of_lists(xp, lists), len(lists)
    rng = np.random.default_rng(0)
    u, v = rng.integers(0, max(n, 1), (2, 90 if n else 0))
    if n:
        u[:3] = v[3:6] = n // 3  # that of very many edges
    offsets, items = segmented_intersection(G, xp.asarray(u), xp.asarray(v))
    expected = [sorted(set(lists[a]) & set(lists[b])) for a, b in zip(u, v, strict=True)]
    assert to_numpy(offsets).tolist() == np.cumsum([0] + [len(x) for x in expected]).tolist()
    assert to_numpy(items).tolist() == [v for row in expected for v in row]
    assert to_numpy(segmented_intersection(G, xp.asarray(u), xp.asarray(v), count=True)).tolist() == [*map(len, expected)]
    assert offsets.dtype == items.dtype == np.int32


def test_a_long_row_is_searched(xp, to_numpy):
    G = of_lists(xp, [list(range(0, 80, 2)), [0, 78, 79], [1], [78], *[[]] * 76])
    for pair in ((0, 1), (1, 0)):
        assert to_numpy(segmented_intersection(G, *(xp.asarray([v]) for v in pair))[1]).tolist() == [0, 78]
    assert to_numpy(segmented_intersection(G, xp.asarray([0, 0]), xp.asarray([2, 3]), count=True)).tolist() == [0, 1]


def test_refused(xp):
    G, pair = of_lists(xp, [[1], [0]]), xp.asarray([0, 1])
    with pytest.raises(ValueError, match="equal length, got 2 and 1"):
        segmented_intersection(G, pair, pair[:1])
    with pytest.raises(ValueError, match=r"v must lie in \[0, 2\), got v\[1\] = 2"):
        segmented_intersection(G, pair, pair * 2)
    with pytest.raises(TypeError, match="u must hold integers"):
        segmented_intersection(G, pair * 1.0, pair)


def test_batches_of_pairs(xp):
    G = of_lists(xp, SEVEN)
    assert segmented_intersection(G, xp.asarray([0, 2]), xp.asarray([1, 4]))[1].tolist() == [2, 5]
