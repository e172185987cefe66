"""Bellman-Ford: as SciPy and networkx have it, with lengths that may be negative; cycles are found."""

import networkx
import numpy as np
import pytest

from loops import GRAPHS, edges_of, of_lists, random_lists
from spark_csr import config
from spark_csr.graph import Graph, bellman_ford, sssp

every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)


def without_negative_cycles(lists, seed=0):
    """Lengths, negative ones too, of which no cycle has a negative sum: heights of vertices are added to lengths from 0 on."""
    rng = np.random.default_rng(seed)
    height, edges = rng.integers(-20, 20, len(lists)), edges_of(lists)
    return np.array([rng.integers(0, 9) + height[v] - height[u] for u, v in edges], float)


def of_networkx(lists, lengths, sources):
    """The least distance from any of the sources."""
    H = networkx.MultiDiGraph()
    H.add_nodes_from(range(len(lists)))
    H.add_weighted_edges_from((u, v, w) for (u, v), w in zip(edges_of(lists), lengths.tolist(), strict=True))
    out = np.full(len(lists), np.inf)
    for source in sources:
        for v, d in networkx.single_source_bellman_ford_path_length(H, source).items():
            out[v] = min(out[v], d)
    return out


def predecessors_of(lists, lengths, sources, distance):
    """Of paths of least length those of fewest edges, and of these the last vertex with the lowest number."""
    before, level = np.full(len(lists), -1), {s: 0 for s in sources if distance[s] == 0}
    tight = [(u, v) for (u, v), w in zip(edges_of(lists), lengths, strict=True) if distance[u] + w == distance[v] < np.inf]
    for depth in range(len(lists)):
        for u, v in sorted(tight):
            if level.get(u) == depth and v not in level:
                level[v], before[v] = depth + 1, u
    return before


@every_graph
def test_as_networkx(xp, to_numpy, lists):
    lengths = without_negative_cycles(lists)
    G = of_lists(xp, lists, lengths)
    for sources in ([], [0], [0, len(lists) - 1]) if lists else ([],):
        distance, before = map(to_numpy, bellman_ford(G, sources))
        np.testing.assert_array_equal(distance, of_networkx(lists, lengths, sources))
        np.testing.assert_array_equal(before, predecessors_of(lists, lengths, sources, distance))
        np.testing.assert_array_equal(to_numpy(bellman_ford(G, sources, return_predecessors=False)), distance)


def test_as_dijkstra_where_no_length_is_negative(xp, to_numpy):
    lists = random_lists(60, 6, seed=3)
    G = of_lists(xp, lists, np.arange(len(edges_of(lists))) % 7)
    np.testing.assert_array_equal(to_numpy(bellman_ford(G, 20)[0]), to_numpy(sssp(G, 20)[0]))


@pytest.mark.parametrize("n", [40, 100])
def test_a_long_cycle(xp, n):
    """More rounds than there are before the first search for a cycle."""
    ring = [[(v + 1) % n] for v in range(n)]
    G = of_lists(xp, ring, np.array([1.0] * (n - 1) + [1.0 - n]))
    assert bellman_ford(G, 3)[0].tolist() == [v - 3 for v in range(n)]
    with pytest.raises(ValueError, match="the sources reach a cycle of negative length"):
        bellman_ford(of_lists(xp, ring, np.array([1.0] * (n - 1) + [-float(n)])), 3)


def test_a_cycle_is_found_before_there_are_as_many_rounds_as_vertices(cpu_only, monkeypatch):
    from spark_csr.graph.operators import walk

    n, levels = 3000, []
    advance = walk.Walk.advance
    monkeypatch.setattr(walk.Walk, "advance", lambda self, *rest: (advance(self, *rest), levels.append(self.level)))
    lists = [[v + 1, 0] if v == 2 else [(v + 1) % n] for v in range(n)]
    lengths = np.where(np.array([u == 2 and v == 0 for u, v in edges_of(lists)]), -3.0, 1.0)
    with pytest.raises(ValueError, match="cycle of negative length"):
        bellman_ford(of_lists(np, lists, lengths), 0)
    assert levels[-1] <= 64


def test_cycles_out_of_reach_do_not_count(xp, to_numpy):
    G = of_lists(xp, [[1], [], [3], [2]], np.array([-2.0, -1, -1]))
    assert to_numpy(bellman_ford(G, 0)[0]).tolist() == [0, -2, np.inf, np.inf]
    for source in (2, range(4)):
        with pytest.raises(ValueError, match="negative length"):
            bellman_ford(G, source)


def test_infinite_lengths_are_missing_edges(xp, to_numpy):
    assert to_numpy(bellman_ford(of_lists(xp, [[1], []], np.array([np.inf])), 0)[0]).tolist() == [0, np.inf]
    G = of_lists(xp, [[1, 3], [2], [], [], []], np.array([1, np.inf, np.inf]))
    distance, predecessor = map(to_numpy, bellman_ford(G, 0))
    assert distance.tolist() == [0, 1, np.inf, np.inf, np.inf]
    assert predecessor.tolist() == [-1, 0, -1, -1, -1]


def test_a_cycle_that_rounding_makes_negative(xp):
    G = of_lists(xp, [[1], [2], [3], [1]], np.array([1e16, -1.2, 0.6, 0.6]))
    with pytest.raises(ValueError, match="cycle"):
        bellman_ford(G, 0)


def test_any_number_of_threads(cpu_only):
    lists = random_lists(3000, 9)
    G, found = of_lists(np, lists, without_negative_cycles(lists)), []
    for threads in (1, 2):
        with config(threads=threads):
            found.append(bellman_ford(G, 1000))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_refused(xp):
    with pytest.raises(ValueError, match="not be NaN or -inf, as lengths, got nan for 1 -> 0"):
        bellman_ford(of_lists(xp, [[1], [0]], np.array([1.0, np.nan])), 0)
    with pytest.raises(ValueError, match="not be NaN or -inf, as lengths, got -inf for 0 -> 1"):
        bellman_ford(of_lists(xp, [[1], []], np.array([-np.inf])), 0)
    with pytest.raises(ValueError, match=r"source\[0\] = 2"):
        bellman_ford(of_lists(xp, [[1], []]), 2)
    with pytest.raises(TypeError, match="must be real"):
        bellman_ford(Graph(xp.asarray([[1j]])), 0)
    with pytest.raises(TypeError, match="must be a Graph"):
        bellman_ford(np.eye(2), 0)


def test_an_undirected_edge_of_negative_length_is_a_cycle(xp):
    G = Graph(xp.asarray([[0, -1.0], [-1, 0]]), directed=False)
    with pytest.raises(ValueError, match="in an undirected graph"):
        bellman_ford(G, 0)


def test_a_vertex_is_in_a_frontier_once(xp):
    """Else frontiers double at each round where several edges lead to a cycle."""
    lists = [[v for v in range(6) for _ in range(2)] for _ in range(6)]
    with pytest.raises(ValueError, match="cycle"):
        bellman_ford(of_lists(xp, lists, np.full(72, -1.0)), 0)
