"""All edges of a frontier: which they are, whose they are, and how many."""

import itertools

import numpy as np
import pytest

from loops import GRAPHS, advanced, of_lists
from spark_csr._array import SIMULATED
from spark_csr.graph import Frontier, Graph, expand
from spark_csr.graph.operators.expand import ranges_of

every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)


@pytest.mark.usefixtures("small_tiles")
@every_graph
def test_expand(xp, to_numpy, lists):
    G, n = of_lists(xp, lists), len(lists)
    items = [n - 1, 0, n // 2, 0] if n else []
    found = [to_numpy(x).tolist() for x in expand(G, Frontier.of(G, items))]
    expected = [
        (e, k, rank) for k, u in enumerate(items) for rank, (_, _, e) in enumerate(advanced(lists, [u], lambda *_: True))
    ]
    assert found == [list(column) for column in zip(*expected, strict=True)] or (found == [[], [], []] and not expected)


@pytest.mark.usefixtures("small_tiles")
def test_expand_edges(xp, to_numpy):
    G = of_lists(xp, [[1, 2], [2], [0]])
    assert to_numpy(expand(G, Frontier.of(G, [3, 0], "edge"))[0]).tolist() == [0, 1, 2]


def test_three_vertices(xp, to_numpy):
    offsets = [0, 2, 10, 100, 150, 180, 900, 1000]
    G = of_lists(xp, [[0] * (stop - start) for start, stop in itertools.pairwise(offsets)])
    F = Frontier.of(G, [0, 3, 6])
    edges, segment, rank = map(to_numpy, expand(G, F))
    assert to_numpy(G.degrees())[[0, 3, 6]].tolist() == np.bincount(segment).tolist() == [2, 50, 100]
    assert to_numpy(ranges_of(G._csr, F)[2]).tolist() == [0, 2, 52, 152]
    assert np.flatnonzero(rank == 0).tolist() == [0, 2, 52]
    assert edges.tolist() == [0, 1, *range(100, 150), *range(900, 1000)]


@pytest.mark.skipif(SIMULATED, reason="70,000 lanes of Python")
def test_totals_above_int32():
    G = Graph(np.ones((200, 200), bool))
    _items, _starts, offsets, total = ranges_of(G._csr, Frontier("vertex", np.zeros(11_000_000, np.int32), n=200))
    assert total == offsets[-1] == 11_000_000 * 200 > 2**31
    assert offsets.dtype == np.int64
