"""Triangles against sets in Python, networkx, masked products and common neighbours."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from battery import build
from loops import GRAPHS, SQUARE, of_lists
from spark_csr import csr_array, tril
from spark_csr._array import SIMULATED
from spark_csr.graph import (
    Graph,
    average_clustering,
    clustering,
    segmented_intersection,
    transitivity,
    triangle_count,
    triangles,
)
from spark_csr.graph.algorithms import triangle_count as module

pytestmark = pytest.mark.usefixtures("small_tiles")

CLIQUE = [[v for v in range(9) if v != u] for u in range(9)]


def by_hand(lists):
    """The triangles of every vertex, whichever way edges go, and the neighbours."""
    near = [set() for _ in lists]
    for u, row in enumerate(lists):
        for v in row:
            if u != v:
                near[u].add(v)
                near[v].add(u)
    counts = [sum(b in near[a] for a, b in itertools.combinations(around, 2)) for around in near]
    return counts, near


def undirected(xp, lists):
    """Edges as they are and their reverses: unsorted, loops and repeats kept."""
    both = [list(row) for row in lists]
    for u, row in enumerate(lists):
        for v in row:
            if u != v:
                both[v].append(u)
    return Graph(of_lists(xp, both, np.ones(sum(map(len, both)))).matrix, directed=False)


@pytest.mark.parametrize("lists", [*GRAPHS.values(), CLIQUE], ids=[*GRAPHS, "clique"])
def test_every_graph(xp, to_numpy, lists):
    G, (expected, near) = undirected(xp, lists), by_hand(lists)
    assert triangle_count(G) == sum(expected) // 3
    assert to_numpy(triangles(G)).tolist() == expected
    pairs = [len(around) * (len(around) - 1) // 2 for around in near]
    assert to_numpy(clustering(G)).tolist() == [t / max(p, 1) for t, p in zip(expected, pairs, strict=True)]
    shares = [t / max(p, 1) for t, p in zip(expected, pairs, strict=True)]
    assert transitivity(G) == sum(expected) / max(sum(pairs), 1)
    for count_zeros, some in ((True, shares), (False, [share for share in shares if share])):
        if some:
            assert average_clustering(G, count_zeros) == pytest.approx(np.mean(some), rel=1e-14)
        else:
            with pytest.raises(ZeroDivisionError, match="no vertex to take the mean of"):
                average_clustering(G, count_zeros)
    assert (type(triangle_count(G)), triangles(G).dtype, clustering(G).dtype) == (int, np.int64, np.float64)


@settings(max_examples=8 if SIMULATED else 25)
@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=8), min_size=n, max_size=n)))
def test_random_graphs(xp, to_numpy, lists):
    G, (expected, _) = undirected(xp, lists), by_hand(lists)
    assert to_numpy(triangles(G)).tolist() == expected
    assert triangle_count(G) == sum(expected) // 3


@pytest.mark.parametrize("name", SQUARE)
def test_battery_and_other_ways(xp, to_numpy, name):
    """As masked products, and as neighbours that the ends of every edge share."""
    G = Graph(build(xp, name)).symmetrize("max")
    lower = tril(G.matrix, -1)
    lower.data[:] = 1
    assert triangle_count(G) == lower.matmul(lower, mask=lower).sum()
    u, v = lower.nonzero()
    assert triangle_count(G) == segmented_intersection(Graph(lower), u, v, count=True).sum()
    assert to_numpy(triangles(G)).sum() == 3 * triangle_count(G)


def test_lists_end_where_they_end(xp):
    """Of edges that lead up: behind a list that is searched for 5 the next one begins with it."""
    up = of_lists(xp, [[1, 5], [2, 3, 4], [5], [], [], []])._csr
    assert module._count_triangles(up, True).tolist() == [0] * 6


@pytest.mark.exhaustive
def test_wide_indices(xp):
    G = Graph(of_lists(xp, CLIQUE, np.ones(72), np.int64).matrix, directed=False)
    assert triangle_count(G) == 84
    assert triangles(G).tolist() == [28] * 9


def test_one_host_read_where_rows_are_in_order(xp, monkeypatch):
    G, reads = undirected(xp, CLIQUE), []
    triangle_count(G)
    monkeypatch.setattr(module, "to_host_scalar", lambda x: reads.append(x) or x.item())
    triangle_count(G)
    assert len(reads) == 1


def test_refused(xp):
    for function in (triangle_count, triangles, clustering):
        with pytest.raises(
            ValueError,
            match=r"counting triangles needs an undirected graph: use G.symmetrize\(\), with combine= if weights differ",
        ):
            function(of_lists(xp, [[1], [0]]))
        with pytest.raises(TypeError, match="G must be a Graph"):
            function(csr_array(np.eye(2)))


@pytest.mark.usefixtures("cpu_only")
def test_as_networkx():
    nx = pytest.importorskip("networkx")
    graph = nx.karate_club_graph()
    G = Graph.from_networkx(graph)
    assert triangles(G).tolist() == list(nx.triangles(graph).values())
    np.testing.assert_allclose(clustering(G), list(nx.clustering(graph).values()))


@pytest.mark.usefixtures("cpu_only")
def test_real_graphs(real_matrix_file):
    S = sp.load_npz(real_matrix_file).tocsr()
    if S.shape[0] != S.shape[1]:
        pytest.skip("no graph")
    lower = sp.csr_array(sp.tril(S + S.T, -1), dtype=bool).astype(float)
    assert triangle_count(Graph(lower).symmetrize()) == int((lower @ lower).multiply(lower).sum())
