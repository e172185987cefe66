"""A function of every edge of a vertex, combined."""

import math

import numpy as np
import pytest

from loops import GRAPHS, edges_of, of_lists
from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr.graph import Frontier, Graph, neighbor_reduce

pytestmark = pytest.mark.usefixtures("small_tiles")


def value(src, dst, edge, weight, rank, shift):
    return 10000 * src + 100 * dst + edge + rank[dst] + shift + weight


MONOIDS = {"sum": sum, "max": lambda x: max(x, default=-math.inf)}


@pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("direction", ["out", "in"])
@pytest.mark.parametrize("monoid", MONOIDS)
def test_every_vertex_or_those_of_a_frontier(xp, to_numpy, lists, direction, monoid):
    G, n = of_lists(xp, lists), len(lists)
    rank = np.arange(n) % 5.0
    state = xp.asarray(rank), 2
    of_vertex = [[] for _ in lists]
    for e, (u, v) in enumerate(edges_of(lists)):
        of_vertex[u if direction == "out" else v].append(value(u, v, e, e + 1.0, rank, 2))
    expected = [MONOIDS[monoid](x) for x in of_vertex]
    out = neighbor_reduce(G, value, monoid, direction=direction, state=state)
    assert to_numpy(out).tolist() == expected
    items = [n - 1, 0, n // 2, 0] if n else []
    out = neighbor_reduce(G, value, monoid, Frontier.of(G, items), direction, state=state)
    assert to_numpy(out).tolist() == [expected[v] for v in items]


def test_dtypes_are_those_of_sums(xp):
    G = of_lists(xp, [[1, 0], [0]], np.array([1, 0, 3], np.float32))
    assert neighbor_reduce(G, lambda s, d, e, w: w, "sum").dtype == np.float32
    assert neighbor_reduce(G, lambda s, d, e, w: w > 0, "sum").dtype == np.int64
    assert neighbor_reduce(G, lambda s, d, e, w: w > 0, "any").tolist() == [True, True]


def test_refused(xp):
    G = of_lists(xp, [[1], [0]])
    with pytest.raises(ValueError, match="direction must be"):
        neighbor_reduce(G, value, "sum", direction="both")
    with pytest.raises(ValueError, match="unknown monoid 'average'"):
        neighbor_reduce(G, value, "average")
    with pytest.raises(ValueError, match="must be of kind 'vertex', got one of kind 'edge'"):
        neighbor_reduce(G, value, "sum", Frontier.all(G, "edge"))
    with pytest.raises(TypeError, match="must take"):
        neighbor_reduce(G, value, "sum")
    if not SIMULATED:
        with pytest.raises(TypeError, match="return a number"):
            neighbor_reduce(G, lambda s, d, e, w: (s, d), "sum")


def test_weights_of_float16(xp, to_numpy):
    G = Graph(csr_array(xp.asarray(np.array([[0, 2], [0, 0]], np.float16))))
    assert to_numpy(neighbor_reduce(G, lambda src, dst, edge, weight: weight, "sum")).tolist() == [2, 0]
