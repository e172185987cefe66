"""What tests of functions that find communities share."""

import networkx
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

from loops import GRAPHS, both_ways, undirected
from namespaces import INTERPRETED
from spark_csr import config, csr_array
from spark_csr.graph import Graph, modularity


def of_networkx(xp, H, weight=None):
    S = networkx.to_scipy_sparse_array(H, weight=weight, format="csr", dtype=float)
    return Graph(csr_array(tuple(map(xp.asarray, (S.data, S.indices, S.indptr))), shape=S.shape), directed=False)


def graphs():
    """Graphs that have communities, and one that has none."""
    yield networkx.karate_club_graph()
    if not INTERPRETED:
        yield networkx.les_miserables_graph()
        yield networkx.planted_partition_graph(20, 30, 0.3, 0.01, seed=1)
        yield networkx.gnp_random_graph(300, 0.03, seed=1)
        yield networkx.connected_caveman_graph(50, 8)


def verify_numbers(labels):
    """Communities are numbered in the order of their smallest vertices."""
    first = {}
    for v, label in enumerate(labels.tolist()):
        first.setdefault(label, v)
    assert list(first) == list(range(len(first)))


def check_quality(xp, to_numpy, function, slack):
    """Of some seeds the mean is near networkx's, by which communities are found one vertex after the other."""
    for H in graphs():
        for weight in (None, "weight"):
            G, seeds = of_networkx(xp, H, weight), range(1 if INTERPRETED else 4)
            found, expected = [], []
            for seed in seeds:
                labels = function(G, seed=seed)
                verify_numbers(to_numpy(labels))
                found.append(modularity(G, labels))
                sets = networkx.community.louvain_communities(H, weight=weight, seed=seed)
                expected.append(networkx.community.modularity(H, sets, weight=weight))
            assert np.mean(found) > np.mean(expected) - slack


def verify_cliques(xp, to_numpy, function):
    dense = scipy.linalg.block_diag(*[np.ones((5, 5))] * 3)
    dense[0, 14] = dense[14, 0] = 1
    S = scipy.sparse.csr_array(dense)
    G = Graph(csr_array(tuple(map(xp.asarray, (S.data, S.indices, S.indptr))), shape=S.shape), directed=False)
    assert to_numpy(function(G)).tolist() == [0] * 5 + [1] * 5 + [2] * 5
    assert to_numpy(function(G, 0.0)).tolist() == [0] * 5 + [1] * 5 + [0] * 5
    assert to_numpy(function(G, 1e6)).tolist() == list(range(15))
    for weight in (1e308, 5e-324):  # of which the sum overflows, or one over it
        G.matrix.data[:] = weight
        assert to_numpy(function(G)).tolist() == [0] * 5 + [1] * 5 + [2] * 5
    G.matrix.data[:] = 0
    assert to_numpy(function(G)).tolist() == list(range(15))
    assert to_numpy(function(G, weighted=False)).tolist() == [0] * 5 + [1] * 5 + [2] * 5


def check_threads(function):
    H = networkx.planted_partition_graph(60, 60, 0.2, 0.002, seed=2)
    for u, v in H.edges:
        H[u][v]["weight"] = 1 / (1 + (u * v) % 7)
    G, found = of_networkx(np, H, "weight"), []
    for threads in (1, 2, 1):
        with config(threads=threads):
            found.append(function(G, seed=3))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def verify_small(xp, to_numpy, function):
    for name in ("no vertices", "no edges", "one loop", "self-loops and repeats", "line"):
        lists = both_ways(GRAPHS[name])
        labels = to_numpy(function(undirected(xp, lists)))
        assert (labels.shape, labels.dtype) == ((len(lists),), np.int32)
        verify_numbers(labels)


def check_refused(xp, function):
    with pytest.raises(ValueError, match="needs an undirected graph"):
        function(Graph(xp.ones((2, 2))))
    G = Graph(xp.full((2, 2), -1.0), directed=False)
    with pytest.raises(ValueError, match="finite and not negative"):
        function(G)
    with pytest.raises(ValueError, match="seed must lie in"):
        function(G, seed=-1)
    with pytest.raises(TypeError, match="must be a Graph"):
        function(np.eye(2))
