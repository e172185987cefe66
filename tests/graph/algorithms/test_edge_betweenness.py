"""Edge betweenness: as networkx has it, by edges and by lengths, from all sources and from some."""

import networkx
import numpy as np
import pytest

from loops import GRAPHS, both_ways, edges_of, of_lists, random_lists, undirected
from spark_csr import config
from spark_csr.graph import Graph, edge_betweenness

every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)


def once(lists):
    """Each edge once, in the order of the lists."""
    return [list(dict.fromkeys(row)) for row in lists]


def of_networkx(lists, directed, lengths=None, **options):
    H, edges = (networkx.DiGraph if directed else networkx.Graph)(), edges_of(lists)
    H.add_nodes_from(range(len(lists)))
    lengths = np.ones(len(edges)) if lengths is None else lengths
    H.add_weighted_edges_from((u, v, w) for (u, v), w in zip(edges, lengths.tolist(), strict=True))
    found = networkx.edge_betweenness_centrality(H, weight="weight", **options)
    return np.array([found[e] if e in found else found[e[::-1]] for e in edges])


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@every_graph
@pytest.mark.parametrize("normalized", [True, False])
def test_as_networkx(xp, to_numpy, lists, normalized):
    lists = once(lists)
    both = once(both_ways(lists))
    found = to_numpy(edge_betweenness(of_lists(xp, lists), normalized=normalized))
    close(found, of_networkx(lists, True, normalized=normalized))
    found = to_numpy(edge_betweenness(undirected(xp, both), normalized=normalized))
    close(found, of_networkx(both, False, normalized=normalized))
    lengths = np.random.default_rng(0).integers(1, 5, len(edges_of(lists))).astype(float)
    found = to_numpy(edge_betweenness(of_lists(xp, lists, lengths), weighted=True, normalized=normalized))
    close(found, of_networkx(lists, True, lengths, normalized=normalized))


def test_some_sources(xp, to_numpy):
    lists = once(random_lists(60, 6))
    G, expected = of_lists(xp, lists), of_networkx(lists, True, k=7, seed=3)
    close(to_numpy(edge_betweenness(G, 7, seed=3)), expected)
    by_hand = sum(to_numpy(edge_betweenness(G, sources=s, normalized=False)) for s in (5, 9)) / 2
    close(to_numpy(edge_betweenness(G, sources=[9, 5], normalized=False)), by_hand)


def test_any_number_of_threads(cpu_only):
    lists, found = once(random_lists(2000, 9)), []
    for threads in (1, 2):
        with config(threads=threads):
            found.append(edge_betweenness(of_lists(np, lists), 90, seed=1))
    np.testing.assert_array_equal(*found)


def test_progress(cpu_only):
    calls = []
    edge_betweenness(of_lists(np, once(random_lists(60, 6))), progress=lambda *done: calls.append(done))
    assert calls[-1] == (60, 60)


def test_long_lengths_do_not_overflow(xp, to_numpy):
    lists = [[1, 2], [3], [3], []]
    found = edge_betweenness(of_lists(xp, lists, np.full(4, 1e308)), weighted=True, normalized=False)
    assert to_numpy(found).tolist() == [1.5, 1.5, 1.5, 1.5]


def test_refused(xp):
    with pytest.raises(ValueError, match="at most one edge from one vertex to another, got several 0 -> 1"):
        edge_betweenness(of_lists(xp, [[2, 1, 1], [], []]))
    with pytest.raises(ValueError, match="be positive, as lengths, got 0.0 for 0 -> 1"):
        edge_betweenness(of_lists(xp, [[1], []], np.zeros(1)), weighted=True)
    with pytest.raises(ValueError, match="k must be at least 1"):
        edge_betweenness(of_lists(xp, [[1], []]), 3)
    with pytest.raises(TypeError, match="must be real"):
        edge_betweenness(Graph(xp.asarray([[1j]])), weighted=True)
    with pytest.raises(TypeError, match="must be a Graph"):
        edge_betweenness(np.eye(2))
