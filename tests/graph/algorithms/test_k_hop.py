"""Vertices within some hops: those of a breadth-first search, the nearest first."""

import networkx
import numpy as np
import pytest

from loops import GRAPHS, edges_of, of_lists
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


def test_refused(xp):
    G = of_lists(xp, [[1], [0]])
    assert k_hop(G, [], 3)[0].size == 0
    with pytest.raises(ValueError, match="k must be at least 0, got -1"):
        k_hop(G, 0, -1)
    with pytest.raises(ValueError, match="direction must be 'out' or 'in', got 'both'"):
        k_hop(G, 0, 1, direction="both")
    with pytest.raises(TypeError):
        k_hop(G, 0, 0.5)
    with pytest.raises(TypeError, match="must be a Graph"):
        k_hop(np.eye(2), 0, 1)
