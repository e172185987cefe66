"""Worked examples, open ends and errors of the notes on Mini-Gunrock, each by its letter and number."""

import importlib
import itertools

import numpy as np
import pytest

from loops import GRAPHS, of_lists
from spark_csr._array import SIMULATED
from spark_csr.graph import Frontier, Graph, advance, expand, filter, for_each, segmented_intersection, uniquify
from spark_csr.graph.operators.expand import ranges_of

SEVEN = [[1, 2, 3], [0, 2, 4], [3, 4, 5], [5, 6], [2, 5, 6], [6], []]
"""The graph of Mini-Gunrock's own tests."""


def anywhere(src, dst, edge, weight):
    return True


def unseen(src, dst, edge, weight, distance):
    return distance[dst] < 0


def bfs(xp, G, source, direction="push"):
    """Distances and predecessors."""
    distance, predecessor = xp.full(G.n_vertices, -1), xp.full(G.n_vertices, -1)
    frontier, level = Frontier.of(G, source), 0
    distance[source] = 0
    while len(frontier):
        frontier, level = advance(G, frontier, unseen, (distance,), direction=direction, unique=True), level + 1
        distance[frontier.items] = level
        predecessor[frontier.items] = frontier.sources
    return distance.tolist(), predecessor.tolist()


def test_D3_1_degrees_are_differences_of_offsets(xp):
    assert of_lists(xp, SEVEN).degrees().tolist() == [3, 3, 3, 2, 3, 1, 0]


def test_D3_2_bfs_labels_and_predecessors(xp):
    assert bfs(xp, of_lists(xp, SEVEN), 0)[1] == [-1, 0, 0, 0, 1, 2, 3]


def test_D3_4_sources_of_edges(xp):
    assert of_lists(xp, SEVEN).sources().tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5]


def test_T3_1_expansion_of_three_vertices(xp, to_numpy):
    offsets = [0, 2, 10, 100, 150, 180, 900, 1000]
    G = of_lists(xp, [[0] * (stop - start) for start, stop in itertools.pairwise(offsets)])
    F = Frontier.of(G, [0, 3, 6])
    edges, segment, rank = map(to_numpy, expand(G, F))
    assert to_numpy(G.degrees())[[0, 3, 6]].tolist() == np.bincount(segment).tolist() == [2, 50, 100]
    assert to_numpy(ranges_of(G._csr, F)[2]).tolist() == [0, 2, 52, 152]
    assert np.flatnonzero(rank == 0).tolist() == [0, 2, 52]
    assert edges.tolist() == [0, 1, *range(100, 150), *range(900, 1000)]


def test_T3_2_two_buffers_take_turns(cpu_only):
    assert [x ^ 1 for x in range(10)] == [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]
    G = Graph(np.ones((80, 80)))
    first = advance(G, Frontier.all(G), anywhere).items
    kept = G._scratch[0]
    second = advance(G, Frontier.all(G), anywhere).items
    assert G._scratch[0] is kept
    assert not any(np.shares_memory(x, y) for x, y in ((first, second), (first, kept), (second, kept)))


def test_T3_3_bfs_of_seven_vertices(xp):
    G = of_lists(xp, SEVEN)
    assert bfs(xp, G, 0)[0] == [0, 1, 1, 1, 2, 2, 2]
    assert bfs(xp, G.symmetrize("min"), 0)[0] == [0, 1, 1, 1, 2, 2, 2]
    assert bfs(xp, G.transpose, 0)[0] == [0, 1, -1, -1, -1, -1, -1]


def test_T3_4_bfs_of_a_line(xp):
    assert bfs(xp, of_lists(xp, GRAPHS["line"]), 0)[0] == [0, 2, 4, 3, 1]


@pytest.mark.parametrize("direction", ["pull", "auto"])
def test_X3_1_push_and_pull_are_one_search(xp, direction):
    for lists in (SEVEN, GRAPHS["line"], GRAPHS["star"], GRAPHS["random"]):
        assert bfs(xp, of_lists(xp, lists), 0, direction) == bfs(xp, of_lists(xp, lists), 0)


def test_X3_2_frontiers_of_edges_are_used(xp):
    G = of_lists(xp, SEVEN)
    edges = advance(G, Frontier.of(G, 0), anywhere, output="edge")
    assert advance(G, edges, anywhere).items.tolist() == [*SEVEN[1], *SEVEN[2], *SEVEN[3]]


def test_X3_3_operators_without_filter_and_batches_of_intersections(xp):
    G, seen = of_lists(xp, SEVEN), xp.zeros(7, int)
    for_each(Frontier.of(G, [6, 0]), note, (seen,))
    assert seen.tolist() == [1, 0, 0, 0, 0, 0, 1]
    assert segmented_intersection(G, xp.asarray([0, 2]), xp.asarray([1, 4]))[1].tolist() == [2, 5]


def note(item, seen):
    seen[item] = 1


def test_E3_1_half_a_matrix_is_no_undirected_graph(xp):
    half = of_lists(xp, [[1, 2], [2], []], [1, 1, 1])
    with pytest.raises(ValueError, match="stores every edge both ways, got 0 -> 1 alone"):
        Graph(half.matrix, directed=False)
    assert half.symmetrize().n_edges == 6


def test_E3_2_predecessors_are_known(xp):
    F = advance(of_lists(xp, SEVEN), Frontier.of(of_lists(xp, SEVEN), [1, 2]), anywhere, unique=True)
    assert F.items.tolist() == [0, 2, 3, 4, 5]
    assert F.sources.tolist() == [1, 1, 2, 1, 2]


def test_E3_3_functions_are_called_without_output_and_cycles_end(xp):
    G = of_lists(xp, [[1], [2], [0]])
    seen = xp.zeros(3, int)
    advance(G, Frontier.all(G), note_edge, (seen,), output=None)
    assert seen.tolist() == [1, 1, 1]
    assert bfs(xp, G, 1)[0] == [2, 0, 1]


def note_edge(src, dst, edge, weight, seen):
    seen[edge] = 1


def test_E3_3_what_is_refused_is_not_applied_further(xp):
    G = of_lists(xp, [[1, 2], [], []])
    assert advance(G, Frontier.of(G, 0), unseen, (xp.asarray([0, 0, -1]),)).items.tolist() == [2]


def test_E3_4_exchanged_frontiers_grow_on_their_own():
    a, b = Frontier("vertex", [0], n=9), Frontier("vertex", [], n=9)
    a, b = b, a
    for item in range(9):
        a.add([item])
        b.add([8 - item])
    assert (a.items.tolist(), b.items.tolist()) == (list(range(9)), [0, *range(8, -1, -1)])


def test_E3_5_growing_beyond_the_room_goes_on():
    F = Frontier("vertex", [0], n=5)
    F.add([1, 2, 3, 4] * 100)
    assert len(F) == 401


def test_E3_6_sizes_are_integers():
    n = 2**24 + 1
    assert Frontier("vertex", [n - 1], n=n).items.tolist() == [n - 1]
    with pytest.raises(ValueError, match=f"got items.0. = {n}"):
        Frontier("vertex", [n], n=n)


def test_E3_6_more_visits_than_edges(xp):
    G = of_lists(xp, SEVEN)
    F = Frontier.of(G, [0] * 20)
    assert len(advance(G, F, anywhere)) == 60 > G.n_edges


@pytest.mark.skipif(SIMULATED, reason="70,000 lanes of Python")
def test_E3_6_totals_above_int32():
    G = Graph(np.ones((200, 200), bool))
    _items, _starts, offsets, total = ranges_of(G._csr, Frontier("vertex", np.zeros(11_000_000, np.int32), n=200))
    assert total == offsets[-1] == 11_000_000 * 200 > 2**31
    assert offsets.dtype == np.int64


def test_E3_7_vertex_zero_survives(xp):
    F = Frontier("vertex", xp.asarray([3, 0, 3, 0]), n=4)
    assert uniquify(F).items.tolist() == [0, 3]
    assert filter(F, lambda item: True).items.tolist() == [3, 0, 3, 0]
    assert advance(of_lists(xp, [[0]]), Frontier("vertex", xp.asarray([0]), n=1), anywhere, unique=True).items.tolist() == [0]


def test_E3_8_filter_keeps_repeated_items_and_uniquify_does_not(xp):
    F = filter(Frontier("vertex", xp.asarray([2, 1, 2]), n=3), lambda item: item > 1)
    assert F.items.tolist() == [2, 2]
    assert uniquify(F).items.tolist() == [2]


def test_E3_9_two_host_reads_for_an_advance_one_for_a_filter(xp, monkeypatch):
    reads = []
    for name in ("graph.operators.visits", "_operations.select.ranges", "primitives.search", "graph.frontier"):
        module = importlib.import_module(f"spark_csr.{name}")
        monkeypatch.setattr(module, "to_host_scalar", lambda x: reads.append(x) or x.item())
    G = of_lists(xp, SEVEN)
    F = advance(G, Frontier.of(G, [0, 1]), anywhere)
    found = len(reads)
    filter(F, lambda item: item > 0)
    assert (found, len(reads) - found) == (2, 1)


def test_E3_10_pull_stops_at_the_first_accepted_edge(xp):
    G, seen = of_lists(xp, [[3], [3], [3], []]), xp.zeros(3, int)
    advance(G, Frontier.all(G), note_and_accept, (seen,), direction="pull", unique=True)
    assert seen.tolist() == [1, 0, 0]


def note_and_accept(src, dst, edge, weight, seen):
    seen[edge] = 1
    return True


def test_E3_11_a_frontier_is_a_list_or_a_bitmap_never_a_list_with_gaps(xp):
    G = of_lists(xp, SEVEN)
    F = advance(G, Frontier.all(G), unseen, (xp.asarray([0, 0, 0, -1, 0, 0, 0]),))
    assert F.items.tolist() == [3, 3]
    assert F.bitmap.tolist() == [False, False, False, True, False, False, False]
