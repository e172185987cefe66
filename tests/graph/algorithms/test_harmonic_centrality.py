"""Harmonic centrality: as networkx has it, by edges and by lengths, of all vertices and of some."""

import networkx
import numpy as np
import pytest

from loops import GRAPHS, both_ways, edges_of, of_lists, random_lists, undirected
from namespaces import INTERPRETED
from spark_csr.graph import Graph, harmonic_centrality

every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)


def of_networkx(lists, directed, lengths=None):
    H = (networkx.MultiDiGraph if directed else networkx.MultiGraph)()
    H.add_nodes_from(range(len(lists)))
    edges = edges_of(lists) if directed else [(u, v) for u, v in edges_of(lists) if u <= v]
    lengths = np.ones(len(edges)) if lengths is None else lengths
    H.add_weighted_edges_from((u, v, w) for (u, v), w in zip(edges, lengths.tolist(), strict=True))
    found = networkx.harmonic_centrality(H, distance="weight")
    return np.array([found[v] for v in range(len(lists))])


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@every_graph
def test_as_networkx(xp, to_numpy, lists):
    both = both_ways(lists)
    close(to_numpy(harmonic_centrality(of_lists(xp, lists))), of_networkx(lists, True))
    close(to_numpy(harmonic_centrality(undirected(xp, both))), of_networkx(both, False))
    lengths = np.random.default_rng(0).integers(0, 5, len(edges_of(lists))).astype(float)
    close(to_numpy(harmonic_centrality(of_lists(xp, lists, lengths), weighted=True)), of_networkx(lists, True, lengths))


def test_some_vertices(xp, to_numpy):
    lists = GRAPHS["random"]
    G, expected = of_lists(xp, lists, np.ones(len(edges_of(lists)))), of_networkx(lists, True)
    for some in (20, [3], [20, 3, 20], []):
        for weighted in (False, True):
            close(to_numpy(harmonic_centrality(G, some, weighted)), expected[np.atleast_1d(np.array(some, int))])


def test_more_sources_than_bits(xp, to_numpy):
    if INTERPRETED:
        pytest.skip("slow where kernels are interpreted")
    lists = random_lists(300, 3)
    close(to_numpy(harmonic_centrality(of_lists(xp, lists))), of_networkx(lists, True))


def test_refused(xp):
    G = of_lists(xp, [[1], [0]], np.array([1.0, -2]))
    assert harmonic_centrality(G).tolist() == [1, 1]
    with pytest.raises(ValueError, match="at least 0, as lengths, got -2.0 for 1 -> 0"):
        harmonic_centrality(G, weighted=True)
    with pytest.raises(ValueError, match=r"nbunch\[0\] = 2"):
        harmonic_centrality(G, 2)
    with pytest.raises(TypeError, match="must be real"):
        harmonic_centrality(Graph(xp.asarray([[1j]])), weighted=True)
    with pytest.raises(TypeError, match="must be a Graph"):
        harmonic_centrality(np.eye(2))
