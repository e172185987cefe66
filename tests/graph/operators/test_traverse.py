"""Traverse: what is reached, in how many rounds, by small steps and by large ones."""

import numpy as np
import pytest

from loops import GRAPHS, advanced, of_lists, random_lists
from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr.graph import Frontier, Graph, atomic_add, atomic_min, traverse

every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
FAR = 1 << 20

pytestmark = pytest.mark.usefixtures("small")


def reach(src, dst, edge, weight, distance):
    return atomic_min(distance, dst, distance[src] + 1) == FAR


def reached(lists, items, depth_limit=None):
    """Distances, and what is reached last."""
    distance, level = dict.fromkeys(items, 0), 0
    while items and level != depth_limit:
        level += 1
        items = sorted({v for _, v, _ in advanced(lists, items, lambda u, v, e, seen=distance: v not in seen)})
        distance |= dict.fromkeys(items, level)
    return [distance.get(v, FAR) for v in range(len(lists))], items


@every_graph
@pytest.mark.parametrize("depth_limit", [None, 0, 1, 2])
def test_distances(xp, to_numpy, lists, depth_limit):
    G = of_lists(xp, lists)
    for sources in ([], [len(lists) // 3], list(range(0, len(lists), 2))) if lists else ([],):
        distance = xp.full(len(lists), FAR, np.int32)
        distance[xp.asarray(np.array(sources, int))] = 0
        last = traverse(G, Frontier.of(G, sources), reach, (distance,), depth_limit=depth_limit)
        expected, items = reached(lists, sources, depth_limit)
        assert to_numpy(distance).tolist() == expected
        assert sorted(to_numpy(last.items).tolist()) == items


def test_a_vertex_is_in_the_next_frontier_once_for_every_yes(xp, to_numpy):
    G = of_lists(xp, [[1, 1, 2], [], [1]])
    last = traverse(G, Frontier.of(G, [0, 0, 2]), lambda src, dst, edge, weight: True, depth_limit=1)
    assert sorted(to_numpy(last.items).tolist()) == [1, 1, 1, 1, 1, 2, 2]


def peel(src, dst, edge, weight, left):
    return atomic_add(left, dst, -1) == 1


def test_counting_down_gives_a_topological_order(xp, to_numpy):
    lists = [sorted({v for v in row if v > u}) for u, row in enumerate(random_lists(200, 5))]
    G = of_lists(xp, lists)
    left = G.degrees("in")
    first = [v for v in range(len(lists)) if not any(v in row for row in lists)]
    assert len(traverse(G, Frontier.of(G, first), peel, (left,))) == 0
    assert not to_numpy(left).any()


def cheaper(src, dst, edge, weight, cost):
    reached = cost[src] + weight
    return reached < cost[dst] and atomic_min(cost, dst, reached) > reached


@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_weights_and_wide_indices(xp, to_numpy, dtype):
    lists = random_lists(150, 6)
    weights = np.random.default_rng(3).integers(1, 9, sum(map(len, lists)))
    G = of_lists(xp, lists, weights.astype(dtype), np.int64)
    cost = xp.full(len(lists), 1e6)
    cost[50] = 0
    traverse(G, Frontier.of(G, 50), cheaper, (cost,))
    expected = np.full(len(lists), 1e6)
    expected[50] = 0
    for _ in lists:
        for u, v, e in advanced(lists, range(len(lists)), lambda u, v, e: True):
            expected[v] = min(expected[v], expected[u] + weights[e])
    assert to_numpy(cost).tolist() == expected.tolist()


@pytest.mark.skipif(not SIMULATED, reason="reads of a GPU are counted under the simulator")
def test_one_read_for_a_large_step_and_one_for_all_small_ones(xp, host_reads, small, request):
    n = 12
    G = of_lists(xp, [[u + 1] for u in range(n - 1)] + [[]])
    distance = xp.full(n, FAR, np.int32)
    distance[0] = 0
    F = Frontier.of(G, 0)
    host_reads.clear()
    traverse(G, F, reach, (distance,))
    steps = n if "steps of all" in request.node.callspec.id else 1
    assert len(host_reads) <= steps + 1  # and one for the edges that leave the first frontier


def test_bad_input():
    G = Graph([[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="depth_limit must be 0 or above, got -1"):
        traverse(G, Frontier.of(G, 0), reach, (np.zeros(2),), depth_limit=-1)
    with pytest.raises(ValueError, match="must be of kind 'vertex', got one of kind 'edge'"):
        traverse(G, Frontier.of(G, 0, "edge"), reach, (np.zeros(2),))
    with pytest.raises(TypeError, match="Frontier"):
        traverse(G, [0], reach, (np.zeros(2),))
    if not SIMULATED:
        with pytest.raises(TypeError, match="return a bool"):
            traverse(G, Frontier.of(G, 0), lambda src, dst, edge, weight: 1.0)


def test_weights_of_float16(xp, to_numpy):
    G = Graph(csr_array(xp.asarray(np.array([[0, 2], [0, 0]], np.float16))))
    reached = traverse(G, Frontier.of(G, 0), lambda src, dst, edge, weight: weight > 1, depth_limit=1)
    assert to_numpy(reached.items).tolist() == [1]
