"""Closeness: as networkx has it, by edges and by lengths, of all vertices and of some."""

import networkx
import numpy as np
import pytest

from loops import GRAPHS, both_ways, edges_of, of_lists, random_lists, undirected
from namespaces import INTERPRETED
from spark_csr import config
from spark_csr.graph import Graph, closeness_centrality

every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)


def of_networkx(lists, directed, lengths=None, **options):
    H = (networkx.MultiDiGraph if directed else networkx.MultiGraph)()
    H.add_nodes_from(range(len(lists)))
    edges = edges_of(lists) if directed else [(u, v) for u, v in edges_of(lists) if u <= v]
    lengths = np.ones(len(edges)) if lengths is None else lengths
    H.add_weighted_edges_from((u, v, w) for (u, v), w in zip(edges, lengths.tolist(), strict=True))
    found = networkx.closeness_centrality(H, **options)
    return np.array([found[v] for v in range(len(lists))])


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@every_graph
def test_as_networkx(xp, to_numpy, lists):
    both = both_ways(lists)
    G, U = of_lists(xp, lists), undirected(xp, both)
    for improved in (True, False):
        close(to_numpy(closeness_centrality(G, wf_improved=improved)), of_networkx(lists, True, wf_improved=improved))
        close(to_numpy(closeness_centrality(U, wf_improved=improved)), of_networkx(both, False, wf_improved=improved))
    lengths = np.random.default_rng(0).integers(0, 5, len(edges_of(lists))).astype(float)
    found = to_numpy(closeness_centrality(of_lists(xp, lists, lengths), weighted=True))
    close(found, of_networkx(lists, True, lengths, distance="weight"))


def test_some_vertices(xp, to_numpy):
    lists = GRAPHS["random"]
    G, expected = of_lists(xp, lists), of_networkx(lists, True)
    for some in (20, [3], [20, 3, 20], list(range(10, 30))):
        for options in ({}, {"weighted": True}):
            H = of_lists(xp, lists, np.ones(G.n_edges)) if options else G
            close(to_numpy(closeness_centrality(H, some, **options)), expected[np.atleast_1d(some)])


@pytest.mark.parametrize("n", [64, 255, 256, 300])
def test_more_sources_than_bits(xp, to_numpy, n):
    lists = random_lists(n, 3)
    if INTERPRETED and n > 64:
        pytest.skip("slow where kernels are interpreted")
    close(to_numpy(closeness_centrality(of_lists(xp, lists))), of_networkx(lists, True))


def test_any_number_of_threads(cpu_only):
    lists = random_lists(3000, 9)
    lengths = np.random.default_rng(0).random(len(edges_of(lists)))
    G, found = of_lists(np, lists, lengths), []
    for threads in (1, 2):
        with config(threads=threads):
            found.append((closeness_centrality(G), closeness_centrality(G, range(200), weighted=True)))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_refused(xp):
    G = of_lists(xp, [[1], [0]], np.array([1.0, -2]))
    assert closeness_centrality(G).tolist() == [1, 1]
    with pytest.raises(ValueError, match="at least 0, as lengths, got -2.0 for 1 -> 0"):
        closeness_centrality(G, weighted=True)
    with pytest.raises(ValueError, match=r"u\[0\] = 2"):
        closeness_centrality(G, 2)
    with pytest.raises(TypeError, match="must be real"):
        closeness_centrality(Graph(xp.asarray([[1j]])), weighted=True)
    with pytest.raises(TypeError, match="must be a Graph"):
        closeness_centrality(np.eye(2))
