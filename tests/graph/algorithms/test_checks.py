"""Numbers that algorithms are given: messages name the parameter."""

import numpy as np
import pytest

from spark_csr import csr_array, graph


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda G: graph.bfs(G, 0, depth_limit=1.5), TypeError, "depth_limit must be an integer, got 1.5"),
        (lambda G: graph.k_hop(G, 0, 1.5), TypeError, "k must be an integer, got 1.5"),
        (lambda G: graph.k_hop(G, 0, -1), ValueError, "k must be 0 or above, got -1"),
        (lambda G: graph.k_core(G, 1.5), TypeError, "k must be an integer, got 1.5"),
        (lambda G: graph.pagerank(G, max_iter=-1), ValueError, "max_iter must be 0 or above, got -1"),
        (lambda G: graph.hits(G, tol=np.nan), ValueError, "tol must be finite, got nan"),
        (lambda G: graph.katz_centrality(G, tol="x"), TypeError, "tol must be a number, got 'x'"),
        (lambda G: graph.eigenvector_centrality(G, max_iter=2.5), TypeError, "max_iter must be an integer, got 2.5"),
        (lambda G: graph.label_propagation(G, max_iter=1.5), TypeError, "max_iter must be an integer, got 1.5"),
        (lambda G: graph.louvain_communities(G, np.nan), ValueError, "resolution must be finite, got nan"),
        (lambda G: graph.leiden_communities(G, np.inf), ValueError, "resolution must be finite, got inf"),
        (lambda G: graph.modularity(G, np.zeros(2, int), np.nan), ValueError, "resolution must be finite, got nan"),
        (lambda G: graph.louvain_communities(G, max_level=1.5), TypeError, "max_level must be an integer, got 1.5"),
        (lambda G: graph.betweenness(G, k=1.5), TypeError, "k must be an integer, got 1.5"),
        (lambda G: graph.sample_neighbors(G, 0, [1.5]), TypeError, "a size must be an integer, got 1.5"),
    ],
)
def test_numbers_are_named(call, error, message):
    with pytest.raises(error, match=message):
        call(graph.Graph([[0, 1], [1, 0]], directed=False))


def test_limits_beyond_64_bits_are_none(xp, to_numpy):
    G = graph.Graph(csr_array(xp.asarray([[0, 1], [1, 0]])), directed=False)
    assert to_numpy(graph.bfs(G, 0, depth_limit=2**70)[0]).tolist() == [0, 1]
    assert to_numpy(graph.k_hop(G, 0, 2**70)[0]).tolist() == [0, 1]
    assert graph.k_core(G, 2**70).size == 0
