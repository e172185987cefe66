"""Advance by pushing: what is called, what is kept, in which order."""

import importlib

import numba
import numpy as np
import pytest

from loops import GRAPHS, SEVEN, advanced, edges_of, of_lists, random_lists
from spark_csr._array import SIMULATED
from spark_csr.graph import Frontier, Graph, advance, filter

pytestmark = pytest.mark.usefixtures("small_tiles")

every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
compiled = pytest.mark.skipif(SIMULATED, reason="the simulator compiles nothing")


def accepts(src, dst, edge, weight):
    return (src + 2 * dst + edge) % 3 != 0


def frontiers(lists):
    """No vertex, one, all, and some in any order, several times."""
    n = len(lists)
    rng = np.random.default_rng(n)
    return [[], [n - 1], list(range(n)), rng.integers(0, n, n).tolist()] if n else [[]]


@every_graph
@pytest.mark.parametrize("output", ["vertex", "edge"])
def test_order_is_that_of_the_frontier_and_the_rank(xp, to_numpy, lists, output):
    G = of_lists(xp, lists)
    for items in frontiers(lists):
        F = advance(G, Frontier.of(G, items), accepts, output=output)
        expected = advanced(lists, items, lambda u, v, e: accepts(u, v, e, None))
        assert to_numpy(F.items).tolist() == [kept[1 if output == "vertex" else 2] for kept in expected]
        assert (F.kind, F.n) == (output, G.n_vertices if output == "vertex" else G.n_edges)


@every_graph
def test_all_vertices(xp, to_numpy, lists):
    G = of_lists(xp, lists)
    F = advance(G, Frontier.all(G), accepts)
    assert to_numpy(F.items).tolist() == [v for e, (u, v) in enumerate(edges_of(lists)) if accepts(u, v, e, None)]


@compiled
def test_a_function_may_allocate_on_the_cores():
    G = Graph([[0, 1, 1], [1, 0, 1], [0, 0, 0]])
    F = advance(G, Frontier.all(G), lambda src, dst, edge, weight: np.ones(3).sum() > dst + src)
    assert F.items.tolist() == [1, 2, 0]


def test_larger_graphs_and_wide_indices(xp, to_numpy):
    lists = random_lists(300, 9)
    for index in (np.int32, np.int64):
        G = of_lists(xp, lists, index=index)
        items = np.random.default_rng(1).integers(0, 300, 250)
        F = advance(G, Frontier.of(G, xp.asarray(items)), accepts)
        assert to_numpy(F.items).tolist() == [v for _, v, _ in advanced(lists, items, lambda u, v, e: accepts(u, v, e, None))]


def test_edges_lead_on_from_their_targets(xp, to_numpy):
    lists = GRAPHS["random"]
    G, ends = of_lists(xp, lists), edges_of(lists)
    items = [5, 5, len(ends) - 1, 0]
    F = advance(G, Frontier.of(G, items, "edge"), accepts, output="edge")
    expected = advanced(lists, [ends[e][1] for e in items], lambda u, v, e: accepts(u, v, e, None))
    assert to_numpy(F.items).tolist() == [e for _, _, e in expected]


def heavier(src, dst, edge, weight, limit, factor):
    return weight * factor > limit[dst]


@pytest.mark.parametrize("dtype", ["float64", "float16", "bool", "int8"])
def test_weights_and_state(xp, to_numpy, dtype):
    lists = GRAPHS["random"]
    ends = edges_of(lists)
    weights = np.resize(np.array([1, 0, 3, 2], dtype), len(ends))
    G, limit = of_lists(xp, lists, weights), xp.asarray(np.arange(60.0) % 7)
    F = advance(G, Frontier.all(G), heavier, (limit, 2), output="edge")
    assert to_numpy(F.items).tolist() == [e for e, (u, v) in enumerate(ends) if float(weights[e]) * 2 > v % 7]


def note(src, dst, edge, weight, seen):
    seen[edge] = src * 100 + dst


def test_for_its_effects(xp, to_numpy):
    lists = GRAPHS["random"]
    G, items = of_lists(xp, lists), [7, 20, 3]
    seen = xp.full(G.n_edges, -1)
    assert advance(G, Frontier.of(G, items), note, (seen,), output=None) is None
    expected = [-1] * G.n_edges
    for u, v, e in advanced(lists, items, lambda *_: True):
        expected[e] = u * 100 + v
    assert to_numpy(seen).tolist() == expected


def test_functions_of_any_sort(xp):
    G = of_lists(xp, [[1], [0]])
    for func in (lambda s, d, e, w: True, numba.njit(lambda s, d, e, w: s < 5), lambda s, d, e, w, x=3: x == 3):
        assert len(advance(G, Frontier.all(G), func)) == 2


def free_variable():
    limit = 3
    return lambda s, d, e, w: w < limit


REFUSED = [
    (free_variable(), (), "must not close over variables.*limit"),
    (lambda s, d, e: True, (), "must take .*src, dst, edge, weight"),
    (lambda s, d, e, w: True, (1,), r"state\[0\]"),
    (len, (), "must be a Python function"),
    (None, (), "must be a Python function"),
    *(
        pytest.param(func, (), message, marks=compiled)
        for func, message in [
            (lambda s, d, e, w: w, "return a bool, got float64"),
            (lambda s, d, e, w: None, "return a bool, got none"),
            (lambda s, d, e, w: w.sum() > 0, "Unknown attribute 'sum'"),
            (lambda s, d, e, w: s + "a" == d, "No implementation"),
        ]
    ),
]


@pytest.mark.parametrize("func, state, message", REFUSED)
def test_functions_that_are_refused(xp, func, state, message):
    G = of_lists(xp, [[1], [0]])
    with pytest.raises(TypeError, match=message):
        advance(G, Frontier.all(G), func, state)


def test_other_arguments_that_are_refused(xp):
    G = of_lists(xp, [[1], [0]])
    everything = Frontier.all(G)
    for state, error, message in [
        ([1], TypeError, "state must be a tuple"),
        (("a",), TypeError, r"state\[0\] must be an array or a number, got str"),
        ((xp.ones((2, 2)),), ValueError, r"state\[0\] must be a contiguous array of one axis"),
        ((1, xp.ones(4)[::2]), ValueError, r"state\[1\] must be a contiguous"),
        ((xp.ones(2, np.float16),), TypeError, "float16"),
    ]:
        with pytest.raises(error, match=message):
            advance(G, everything, accepts, state)
    with pytest.raises(ValueError, match="output must be"):
        advance(G, everything, accepts, output="both")
    with pytest.raises(ValueError, match="has 3 items of kind 'vertex', but G has 2"):
        advance(G, Frontier("vertex", xp.asarray(np.array([0])), n=3), accepts)
    with pytest.raises(TypeError, match="must be a Frontier, got list"):
        advance(G, [0], accepts)
    with pytest.raises(TypeError, match=r"must be a Graph, got list: use Graph\(A\)"):
        advance([[0]], everything, accepts)
    assert isinstance(G, Graph)


def anywhere(src, dst, edge, weight):
    return True


def unseen(src, dst, edge, weight, distance):
    return distance[dst] < 0


def test_two_buffers_take_turns(cpu_only):
    assert [x ^ 1 for x in range(10)] == [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]
    G = Graph(np.ones((80, 80)))
    first = advance(G, Frontier.all(G), anywhere).items
    kept = G._scratch[0]
    second = advance(G, Frontier.all(G), anywhere).items
    assert G._scratch[0] is kept
    assert not any(np.shares_memory(x, y) for x, y in ((first, second), (first, kept), (second, kept)))


def test_frontiers_of_edges_are_used(xp):
    G = of_lists(xp, SEVEN)
    edges = advance(G, Frontier.of(G, 0), anywhere, output="edge")
    assert advance(G, edges, anywhere).items.tolist() == [*SEVEN[1], *SEVEN[2], *SEVEN[3]]


def test_predecessors_are_known(xp):
    F = advance(of_lists(xp, SEVEN), Frontier.of(of_lists(xp, SEVEN), [1, 2]), anywhere, unique=True)
    assert F.items.tolist() == [0, 2, 3, 4, 5]
    assert F.sources.tolist() == [1, 1, 2, 1, 2]


def test_what_is_refused_is_not_applied_further(xp):
    G = of_lists(xp, [[1, 2], [], []])
    assert advance(G, Frontier.of(G, 0), unseen, (xp.asarray([0, 0, -1]),)).items.tolist() == [2]


def test_more_visits_than_edges(xp):
    G = of_lists(xp, SEVEN)
    F = Frontier.of(G, [0] * 20)
    assert len(advance(G, F, anywhere)) == 60 > G.n_edges


def test_two_host_reads_for_an_advance_one_for_a_filter(xp, monkeypatch):
    reads = []
    for name in ("graph.operators.visits", "_operations.select.ranges", "primitives.search", "graph.frontier"):
        module = importlib.import_module(f"spark_csr.{name}")
        monkeypatch.setattr(module, "to_host_scalar", lambda x: reads.append(x) or x.item())
    G = of_lists(xp, SEVEN)
    F = advance(G, Frontier.of(G, [0, 1]), anywhere)
    found = len(reads)
    filter(F, lambda item: item > 0)
    assert (found, len(reads) - found) == (2, 1)


def test_a_frontier_is_a_list_or_a_bitmap_never_a_list_with_gaps(xp):
    G = of_lists(xp, SEVEN)
    F = advance(G, Frontier.all(G), unseen, (xp.asarray([0, 0, 0, -1, 0, 0, 0]),))
    assert F.items.tolist() == [3, 3]
    assert F.bitmap.tolist() == [False, False, False, True, False, False, False]


def note_edge(src, dst, edge, weight, seen):
    seen[edge] = 1


def test_functions_are_called_without_output(xp):
    G = of_lists(xp, [[1], [2], [0]])
    seen = xp.zeros(3, int)
    advance(G, Frontier.all(G), note_edge, (seen,), output=None)
    assert seen.tolist() == [1, 1, 1]
