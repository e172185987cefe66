"""Leiden: modularity near that of networkx's Louvain, connected communities, the same for every number of threads."""

import networkx
import numpy as np
import pytest

from communities import check_quality, check_refused, check_threads, of_networkx, verify_cliques, verify_small
from namespaces import INTERPRETED
from spark_csr.graph import leiden_communities, modularity


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


def test_loops_and_repeats(xp, to_numpy):
    verify_small(xp, to_numpy, leiden_communities)


def test_refused(xp):
    check_refused(xp, leiden_communities)
