"""A breadth-first search in a loop over `advance`: worked examples, cycles, both directions."""

import pytest

from loops import GRAPHS, SEVEN, of_lists
from spark_csr.graph import Frontier, advance


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


def test_predecessors_of_seven_vertices(xp):
    assert bfs(xp, of_lists(xp, SEVEN), 0)[1] == [-1, 0, 0, 0, 1, 2, 3]


def test_distances_of_seven_vertices(xp):
    G = of_lists(xp, SEVEN)
    assert bfs(xp, G, 0)[0] == [0, 1, 1, 1, 2, 2, 2]
    assert bfs(xp, G.symmetrize("min"), 0)[0] == [0, 1, 1, 1, 2, 2, 2]
    assert bfs(xp, G.transpose, 0)[0] == [0, 1, -1, -1, -1, -1, -1]


def test_distances_on_a_line(xp):
    assert bfs(xp, of_lists(xp, GRAPHS["line"]), 0)[0] == [0, 2, 4, 3, 1]


@pytest.mark.parametrize("direction", ["pull", "auto"])
def test_push_and_pull_are_one_search(xp, direction):
    for lists in (SEVEN, GRAPHS["line"], GRAPHS["star"], GRAPHS["random"]):
        assert bfs(xp, of_lists(xp, lists), 0, direction) == bfs(xp, of_lists(xp, lists), 0)


def test_cycles_end(xp):
    assert bfs(xp, of_lists(xp, [[1], [2], [0]]), 1)[0] == [2, 0, 1]
