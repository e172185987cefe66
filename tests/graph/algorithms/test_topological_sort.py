"""Topological orders: generations as networkx's, in ascending order; cycles are refused."""

import networkx
import numpy as np
import pytest

from loops import edges_of, of_lists
from namespaces import INTERPRETED
from spark_csr.graph import Graph, topological_generations, topological_sort


def acyclic(n, most, seed=0):
    """Edges, some repeated, lead from earlier to later vertices of a permutation."""
    rng = np.random.default_rng(seed)
    place = rng.permutation(n)
    order = np.argsort(place)
    return [order[rng.integers(place[v] + 1, n, rng.integers(0, most))].tolist() if place[v] + 1 < n else [] for v in range(n)]


@pytest.mark.parametrize("lists", [[], [[]], [[], [0], [1, 1]], acyclic(50, 4), acyclic(40, 30)], ids=len)
def test_as_networkx(xp, to_numpy, lists):
    G, H = of_lists(xp, lists), networkx.MultiDiGraph()
    H.add_nodes_from(range(len(lists)))
    H.add_edges_from(edges_of(lists))
    expected = list(map(sorted, networkx.topological_generations(H)))
    found = to_numpy(topological_generations(G))
    assert (found.dtype, found.shape) == (np.int32, (len(lists),))
    assert [np.flatnonzero(found == k).tolist() for k in range(len(expected))] == expected
    assert to_numpy(topological_sort(G)).tolist() == [v for generation in expected for v in generation]


def test_a_long_path(xp, to_numpy):
    n = 100 if INTERPRETED else 50_000
    G = of_lists(xp, [[v - 1] if v else [] for v in range(n)])
    np.testing.assert_array_equal(to_numpy(topological_sort(G)), np.arange(n)[::-1])


def test_cycles_are_refused(xp):
    for lists in ([[0]], [[1], [2], [1]], [[], [2], [1]]):
        with pytest.raises(ValueError, match="without cycles, but vertex . is on a cycle, or can be"):
            topological_sort(of_lists(xp, lists))
    with pytest.raises(TypeError, match="must be a Graph"):
        topological_generations(np.eye(2))
    assert topological_sort(Graph(np.zeros((2, 2)), directed=False)).tolist() == [0, 1]
