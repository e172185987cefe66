"""Vertices within some hops: those of a breadth-first search, the nearest first."""

import importlib

import networkx
import numpy as np
import pytest

from loops import GRAPHS, edges_of, of_lists
from spark_csr._dispatch import backend_of
from spark_csr.graph import k_hop


@pytest.mark.parametrize("direction", ["out", "in"])
def test_as_networkx(xp, to_numpy, direction):
    lists = GRAPHS["random"]
    H = networkx.DiGraph(edges_of(lists))
    H.add_nodes_from(range(len(lists)))
    G, H = of_lists(xp, lists), H if direction == "out" else H.reverse()
    for source in (20, 5):
        for k in range(4):
            expected = networkx.single_source_shortest_path_length(H, source, cutoff=k)
            vertices, distance = map(to_numpy, k_hop(G, source, k, direction=direction))
            assert dict(zip(vertices.tolist(), distance.tolist(), strict=True)) == expected
            assert list(zip(distance, vertices, strict=True)) == sorted(zip(distance, vertices, strict=True))
    several = to_numpy(k_hop(G, [5, 20], 0)[0])
    assert several.tolist() == [5, 20]


def test_the_graph_around_a_vertex(xp):
    lists = GRAPHS["random"]
    H = networkx.ego_graph(networkx.DiGraph(edges_of(lists)), 20, 1)
    G = of_lists(xp, lists)
    near = G.subgraph(k_hop(G, 20, 1)[0])
    edges = set(zip(near.sources().tolist(), near.matrix.indices.tolist(), strict=True))
    assert (len(near), len(edges)) == (len(H), H.number_of_edges())


@pytest.mark.parametrize("few", [True, False])
def test_few_vertices_are_found_as_many_are(xp, to_numpy, monkeypatch, few):
    """Stars of as many edges as there is room for, and of one more; loops and repeated sources."""
    tuning = importlib.import_module(f"{backend_of(xp.zeros(1)).__name__}.tuning").TUNING
    if hasattr(tuning, "near_vertices"):
        monkeypatch.setattr(tuning, "near_vertices", 9 if few else 8)
    lists = [[], [9, 3, 7, 1, 5, 8, 4, 2], *[[0, k] for k in range(2, 10)]]
    vertices, distance = map(to_numpy, k_hop(of_lists(xp, lists), [1, 1], 1))
    assert vertices.tolist() == [1, 2, 3, 4, 5, 7, 8, 9]
    assert distance.tolist() == [0] + [1] * 7
    vertices, distance = map(to_numpy, k_hop(of_lists(xp, lists), 1, 5))
    assert vertices.tolist() == [1, 2, 3, 4, 5, 7, 8, 9, 0]
    assert (vertices.dtype, distance.dtype, distance.tolist()) == (np.int32, np.int32, [0] + [1] * 7 + [2])


def test_refused(xp):
    G = of_lists(xp, [[1], [0]])
    assert k_hop(G, [], 3)[0].size == 0
    with pytest.raises(ValueError, match="k must be 0 or above, got -1"):
        k_hop(G, 0, -1)
    with pytest.raises(ValueError, match="direction must be 'out' or 'in', got 'both'"):
        k_hop(G, 0, 1, direction="both")
    with pytest.raises(TypeError):
        k_hop(G, 0, 0.5)
    with pytest.raises(TypeError, match="must be a Graph"):
        k_hop(np.eye(2), 0, 1)
