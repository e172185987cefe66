"""Parts of graphs: neighbours as in the lists that a graph was made of, graphs of some vertices."""

import numpy as np
import pytest

from loops import GRAPHS, both_ways, edges_of, of_lists, undirected
from spark_csr.graph import Graph

every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
pytestmark = pytest.mark.usefixtures("small_tiles")


@every_graph
def test_neighbors(xp, to_numpy, lists):
    G, edges = of_lists(xp, lists), edges_of(lists)
    assert len(G) == len(lists)
    for v in range(len(lists)):
        assert to_numpy(G.neighbors(v)).tolist() == lists[v]
        assert to_numpy(G.neighbors(v, "in")).tolist() == sorted(u for u, w in edges if w == v)


def test_neighbors_share_memory_and_are_read_only(cpu_only):
    G = of_lists(np, GRAPHS["star"])
    found = G.neighbors(0)
    assert np.shares_memory(found, G.matrix._csr.indices)
    assert not found.flags.writeable


def expected_subgraph(lists, vertices):
    number, weights = {v: i for i, v in enumerate(vertices)}, iter(range(1, len(edges_of(lists)) + 1))
    rows = [[(number.get(v), w) for v, w in zip(row, weights, strict=False)] for row in lists]
    return [[(v, w) for v, w in rows[u] if v is not None] for u in vertices]


@every_graph
def test_subgraph(xp, to_numpy, lists):
    n, rng = len(lists), np.random.default_rng(0)
    G = of_lists(xp, lists)
    for size in {0, n // 2, n}:
        vertices = rng.permutation(n)[:size]
        H, expected = G.subgraph(xp.asarray(vertices)), expected_subgraph(lists, vertices.tolist())
        assert (len(H), H.directed) == (size, True)
        assert to_numpy(H.matrix.indices).tolist() == [v for row in expected for v, _ in row]
        assert to_numpy(H.matrix.data).tolist() == [w for row in expected for _, w in row]
        assert to_numpy(H.degrees()).tolist() == [len(row) for row in expected]


def test_subgraph_of_an_undirected_graph(xp):
    G = undirected(xp, both_ways(GRAPHS["random"]))
    H = G.subgraph([7, 3, 20, 21, 9, 0])
    assert not H.directed
    Graph(H.matrix, directed=False)


def test_refused(xp):
    G = of_lists(xp, [[1], [0], []])
    with pytest.raises(ValueError, match=r"vertices must be distinct, got 1 twice: use numpy.unique"):
        G.subgraph([1, 0, 1])
    with pytest.raises(ValueError, match=r"vertices\[1\] = 3"):
        G.subgraph([1, 3])
    with pytest.raises(TypeError):
        G.subgraph([0.5])
    with pytest.raises(ValueError, match=r"vertex must lie in \[0, 3\), got -1"):
        G.neighbors(-1)
    with pytest.raises(ValueError, match="direction must be 'out' or 'in', got 'both'"):
        G.neighbors(0, "both")
    with pytest.raises(TypeError, match="vertex must hold numbers, got .a.: names need a graph"):
        G.neighbors("a")
