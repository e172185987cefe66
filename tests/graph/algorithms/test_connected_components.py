"""Components: SciPy's, numbered by their smallest vertices, however edges stand."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

from battery import build
from loops import GRAPHS, SQUARE, both_ways, of_lists, random_lists
from spark_csr import config
from spark_csr.graph import Graph, connected_components
from spark_csr.graph.algorithms import strong, weak
from spark_csr.graph.union import number_sets_by_least

pytestmark = pytest.mark.usefixtures("small_tiles")

CONNECTIONS = ["weak", "strong"]


def expected(matrix, connection):
    """SciPy's components, numbered by their smallest vertices. Its search of strong ones does not end for repeated edges."""
    pattern = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape).copy()
    pattern.sum_duplicates()
    count, labels = csgraph.connected_components(pattern, connection=connection)
    _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
    return count, np.argsort(np.argsort(first))[labels].tolist()


def agree(to_numpy, G, connection):
    count, labels = connected_components(G, connection)
    assert labels.dtype == np.int32
    assert type(count) is int
    assert (count, to_numpy(labels).tolist()) == expected(G.to_device("cpu").matrix.to_scipy(), connection)
    assert connected_components(G, connection, return_labels=False) == count


@pytest.fixture(autouse=True, params=[4, 0], ids=["sampled if dense", "sampled"])
def many(request, monkeypatch):
    """How many edges for each vertex pay for a sample, in a graph of any size."""
    monkeypatch.setattr(weak, "MANY", request.param)
    monkeypatch.setattr(weak, "FEW", 0)


@pytest.fixture(params=[True, False], ids=["one thread", "searches"])
def thread(request, monkeypatch):
    """Strong components by one thread alone, or after searches."""
    monkeypatch.setattr(strong, "one_thread_is_fast", lambda x: request.param and isinstance(x, np.ndarray))


@pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("connection", CONNECTIONS)
def test_as_scipy(xp, to_numpy, thread, lists, connection):
    agree(to_numpy, of_lists(xp, lists), connection)


@pytest.mark.parametrize("name", SQUARE)
@pytest.mark.parametrize("connection", CONNECTIONS)
def test_battery(xp, to_numpy, thread, name, connection):
    for index in (np.int32, np.int64):
        agree(to_numpy, Graph(build(xp, name, index=index)), connection)


LISTS = st.integers(1, 25).flatmap(lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=3), min_size=n, max_size=n))


@given(lists=LISTS)
@settings(max_examples=25)
def test_random_graphs(xp, to_numpy, lists):
    for connection in CONNECTIONS:
        agree(to_numpy, of_lists(xp, lists), connection)


def shuffled(lists, seed):
    """The same graph with its vertices numbered otherwise."""
    p = np.random.default_rng(seed).permutation(len(lists)).tolist()
    back = np.argsort(p).tolist()
    return [[p[v] for v in lists[u]] for u in back]


@pytest.mark.parametrize("connection", CONNECTIONS)
def test_long_paths_and_cycles(xp, to_numpy, thread, connection):
    n = 150
    path, reverse = [[u + 1] if u + 1 < n else [] for u in range(n)], [[u - 1] if u else [] for u in range(n)]
    for lists in (path, reverse, [[(u + 1) % n] for u in range(n)], shuffled(path, 0), shuffled(reverse, 1)):
        agree(to_numpy, of_lists(xp, lists), connection)


def test_many_components_one_large(xp, to_numpy, thread):
    lists = random_lists(200, 2, seed=4)
    for connection in CONNECTIONS:
        agree(to_numpy, of_lists(xp, shuffled(lists, 5)), connection)


@pytest.mark.parametrize("undirected", [True, False])
def test_edges_that_leave_the_largest_set_late(xp, to_numpy, undirected):
    """Vertices that only the third edge or a later one of a vertex of the largest set leads to, and sets apart from it."""
    n, rng = 300, np.random.default_rng(3)
    lists = [sorted([(u * 7 + 1) % 100, (u * 3 + 2) % 100, *rng.choice(100, 4)]) if u < 100 else [] for u in range(n)]
    for v in range(100, 160):
        lists[rng.integers(100)].append(v)
    for v in range(170, 280):
        lists[v] += [v + 1, v + 1 + v % 3, 170]
    lists = both_ways(lists) if undirected else lists
    G = of_lists(xp, lists, np.ones(sum(map(len, lists))))
    agree(to_numpy, Graph(G.matrix, directed=not undirected), "weak")


def test_the_largest_set(xp):
    assert weak._sample_largest(xp.asarray(np.array([5, 3, 3, 1, 3], np.int32))) == 3
    assert weak._sample_largest(xp.asarray(np.repeat(np.array([9, 4], np.int32), 2000))) == 4


def test_the_largest_is_found_by_searches(xp, monkeypatch):
    monkeypatch.setattr(strong, "one_thread_is_fast", lambda x: False)
    lists = [[1, 4], [2], [1, 3], [1], []]
    G, n = of_lists(xp, lists), len(lists)
    root, is_root = xp.full(n, -1, np.int32), xp.zeros(n, bool)
    strong._find_largest(xp, G, root, is_root)
    assert root.tolist() == [-1, 1, 1, 1, -1]
    assert is_root.tolist() == [False, True, False, False, False]
    monkeypatch.setattr(strong, "LEVELS", 2)
    root[:] = -1
    strong._find_largest(xp, G, root, is_root)
    assert (root == -1).all()


SEVERAL = [[1], [2, 4], [0, 3], [], [5], [6], [4, 7], [7, 8], [9], [8, 3], [0], [11], [10, 12], [12], [13, 9], [15], [14, 15]]
"""Cycles of several lengths, loops, and vertices before, between and behind them."""


def test_other_components_are_found_by_colours(xp, to_numpy, monkeypatch):
    monkeypatch.setattr(strong, "one_thread_is_fast", lambda x: False)
    monkeypatch.setattr(strong, "_find_components_on_host", None)
    agree(to_numpy, of_lists(xp, SEVERAL), "strong")


@pytest.mark.parametrize("number", ["DEPTH", "ROUNDS"])
def test_what_colours_do_not_reach_is_left_to_the_host(xp, to_numpy, monkeypatch, number):
    monkeypatch.setattr(strong, "one_thread_is_fast", lambda x: False)
    monkeypatch.setattr(strong, number, 1)
    left, on_host = [], strong._find_components_on_host
    monkeypatch.setattr(
        strong, "_find_components_on_host", lambda xp, rest, *given: left.append(rest.size) or on_host(xp, rest, *given)
    )
    agree(to_numpy, of_lists(xp, SEVERAL), "strong")
    assert left


def test_undirected_components_are_strong(xp, monkeypatch):
    G = of_lists(xp, GRAPHS["star"])
    G.directed = False
    monkeypatch.setattr(strong, "strong_roots", None)
    assert connected_components(G, "strong", return_labels=False) == 1


def test_sets_known_by_any_of_their_vertices(xp):
    count, labels = number_sets_by_least(xp.asarray(np.array([3, 4, 2, 3, 4, 3], np.int32)))
    assert (count, labels.tolist()) == (3, [0, 1, 2, 0, 1, 0])


def test_real_graphs(real_matrix_file, cpu_only, to_numpy, thread):
    matrix = sp.load_npz(real_matrix_file).tocsr()
    if matrix.shape[0] == matrix.shape[1]:
        for connection in CONNECTIONS:
            agree(to_numpy, Graph(matrix), connection)


def test_threads_change_nothing(cpu_only):
    for most in (3, 30):
        G = of_lists(np, random_lists(20000, most, seed=1))
        first = connected_components(G)[1].tolist()
        assert first == expected(G.matrix.to_scipy(), "weak")[1]
        assert all(connected_components(G)[1].tolist() == first for _ in range(5))
        with config(threads=1):
            assert connected_components(G)[1].tolist() == first


def test_refused(xp):
    with pytest.raises(ValueError, match="connection must be 'weak' or 'strong', got 'both'"):
        connected_components(of_lists(xp, [[0]]), "both")
    with pytest.raises(TypeError, match="must be a Graph"):
        connected_components(np.eye(2))
