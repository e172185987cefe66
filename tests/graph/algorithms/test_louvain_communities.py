"""Louvain: modularity near that of networkx, the same communities for every number of threads."""

import networkx
import pytest

from communities import check_quality, check_refused, check_threads, of_networkx, verify_cliques, verify_small
from namespaces import INTERPRETED
from spark_csr.graph import louvain_communities, modularity


def test_modularity_is_near_that_of_networkx(xp, to_numpy):
    check_quality(xp, to_numpy, louvain_communities, 0.03 if INTERPRETED else 0.015)


def test_cliques_are_found(xp, to_numpy):
    verify_cliques(xp, to_numpy, louvain_communities)


def test_any_number_of_threads(cpu_only):
    check_threads(louvain_communities)


def test_levels(xp):
    G = of_networkx(xp, networkx.karate_club_graph())
    one, all_of_them = (louvain_communities(G, max_level=k) for k in (1, None))
    assert modularity(G, one) <= modularity(G, all_of_them)
    with pytest.raises(ValueError, match="max_level must be at least 1, got 0"):
        louvain_communities(G, max_level=0)


def test_loops_and_repeats(xp, to_numpy):
    verify_small(xp, to_numpy, louvain_communities)


def test_refused(xp):
    check_refused(xp, louvain_communities)
