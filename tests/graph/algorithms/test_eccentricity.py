"""Eccentricity: as networkx has it, of graphs in which every vertex reaches all others."""

import networkx
import numpy as np
import pytest

from loops import both_ways, edges_of, of_lists, random_lists, undirected
from namespaces import INTERPRETED
from spark_csr.graph import eccentricity


def ring(n, chords):
    """A ring in one direction, with some chords."""
    rng = np.random.default_rng(n)
    return [[(v + 1) % n, *rng.integers(0, n, rng.integers(0, chords + 1)).tolist()] for v in range(n)]


@pytest.mark.parametrize("n, chords", [(0, 0), (1, 0), (2, 0), (30, 0), (60, 2), (300, 2)])
def test_as_networkx(xp, to_numpy, n, chords):
    if INTERPRETED and n > 60:
        pytest.skip("slow where kernels are interpreted")
    lists = ring(n, chords)
    both = both_ways(lists)
    for G, kind, edges in ((of_lists(xp, lists), networkx.DiGraph, lists), (undirected(xp, both), networkx.Graph, both)):
        H = kind()
        H.add_nodes_from(range(n))
        H.add_edges_from(edges_of(edges))
        found = to_numpy(eccentricity(G))
        assert found.dtype == np.int32
        assert found.tolist() == (list(networkx.eccentricity(H).values()) if n else [])


def test_refused(xp):
    with pytest.raises(ValueError, match=r"got vertex 1, which does not: .* connected_components\(G, 'strong'\)"):
        eccentricity(of_lists(xp, [[1], []]))
    with pytest.raises(ValueError, match=r"got vertex 0, which does not: .* connected_components\(G\)"):
        eccentricity(undirected(xp, [[], [2], [1]]))
    with pytest.raises(ValueError, match="must reach all others"):
        eccentricity(of_lists(xp, random_lists(60, 1)))
    with pytest.raises(TypeError, match="must be a Graph"):
        eccentricity(np.eye(2))
