"""Leiden: modularity near that of networkx's Louvain, connected communities, the same for every number of threads."""

import networkx
import numpy as np
import pytest

from communities import check_quality, check_refused, check_threads, graphs, of_networkx, verify_cliques, verify_small
from namespaces import INTERPRETED
from spark_csr import csr_array
from spark_csr.graph import Graph, leiden_communities, modularity


def test_modularity_is_near_that_of_networkx_s_louvain(xp, to_numpy):
    check_quality(xp, to_numpy, leiden_communities, 0.03 if INTERPRETED else 0.015)


def test_cliques_are_found(xp, to_numpy):
    verify_cliques(xp, to_numpy, leiden_communities)


def test_any_number_of_threads(cpu_only):
    check_threads(leiden_communities)


def test_levels(xp):
    G = of_networkx(xp, networkx.karate_club_graph())
    one, all_of_them = (leiden_communities(G, max_level=k) for k in (1, None))
    assert modularity(G, one) <= modularity(G, all_of_them)
    with pytest.raises(ValueError, match="max_level must be at least 1, got 0"):
        leiden_communities(G, max_level=0)


def test_communities_are_connected(xp, to_numpy):
    for seed in range(1 if INTERPRETED else 10):
        H = networkx.gnp_random_graph(30 if INTERPRETED else 400, 0.008, seed=seed)
        labels = to_numpy(leiden_communities(of_networkx(xp, H), seed=seed))
        for label in set(labels.tolist()):
            assert networkx.is_connected(H.subgraph(np.flatnonzero(labels == label).tolist()))


def potts(dense, labels, resolution):
    """The weight within communities, less the resolution for each pair within one."""
    same = np.equal.outer(labels, labels)
    return np.triu(dense, 1)[np.triu(same, 1)].sum() - resolution * np.triu(same, 1).sum()


@pytest.mark.parametrize("scale", [1, 1e-9])
def test_constant_potts_model(xp, to_numpy, scale):
    dense = np.kron(np.eye(3), np.ones((5, 5))) + np.eye(15, k=5) / 4 + np.eye(15, k=-5) / 4
    G = Graph(csr_array(xp.asarray(dense * scale)), directed=False)
    cases = (0.5, [0] * 5 + [1] * 5 + [2] * 5), (0, [0] * 15), (2, list(range(15))), (0.02, [0] * 15)
    for resolution, expected in cases[:1] if INTERPRETED else cases:
        assert to_numpy(leiden_communities(G, resolution * scale, metric="cpm")).tolist() == expected
    G.matrix.data[:] = 0
    assert to_numpy(leiden_communities(G, metric="cpm")).tolist() == list(range(15))
    with pytest.raises(ValueError, match="metric must be .* got 'potts'"):
        leiden_communities(G, metric="potts")


def test_no_two_communities_of_the_constant_potts_model_gain_by_a_merge(xp, to_numpy):
    for H in graphs():
        dense, resolution = networkx.to_numpy_array(H, weight=None), 0.3
        labels = to_numpy(leiden_communities(of_networkx(xp, H), resolution, metric="cpm"))
        best = potts(dense, labels, resolution)
        assert best > potts(dense, np.arange(len(H)), resolution) + len(H) / 5
        for a, b in {(labels[u], labels[v]) for u, v in zip(*dense.nonzero(), strict=True) if labels[u] < labels[v]}:
            assert potts(dense, np.where(labels == a, b, labels), resolution) <= best + 1e-9


def test_loops_and_repeats(xp, to_numpy):
    verify_small(xp, to_numpy, leiden_communities)


def test_refused(xp):
    check_refused(xp, leiden_communities)
