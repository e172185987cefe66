"""Breadth-first search: levels as SciPy's, trees as the GAP suite checks them, the same in every direction."""

import importlib

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import breadth_first_order

from battery import BATTERY
from loops import GRAPHS, SQUARE, edges_of, of_lists, random_lists
from namespaces import INTERPRETED
from spark_csr import config
from spark_csr._array import SIMULATED
from spark_csr._cpu.tuning import TUNING
from spark_csr.graph import Frontier, Graph, advance, bfs, filter
from spark_csr.graph.algorithms.bfs import DIRECTIONS, search

bfs_module = importlib.import_module("spark_csr.graph.algorithms.bfs")


@pytest.fixture(autouse=True, params=["one core", "all cores", "walk"])
def cores(request, monkeypatch):
    """Small graphs by one core, or levels of a few edges by all; or as a GPU does it."""
    if SIMULATED and request.param != "walk":
        pytest.skip("the cores' kernels are compiled")
    if request.param == "all cores":
        monkeypatch.setattr(TUNING, "breadth_serial", 0)
        monkeypatch.setattr(TUNING, "breadth_alone", 2)
        monkeypatch.setattr(TUNING, "breadth_pull_least", 4)
    elif request.param == "walk" and not SIMULATED:
        monkeypatch.setattr("spark_csr.graph.algorithms.bfs.goes_to_gpu", lambda x: True)


every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)


def levels(matrix, sources):
    """How far every vertex is, by SciPy's search from one more vertex that leads to all sources."""
    n = matrix.shape[0]
    pattern = scipy.sparse.coo_array(matrix)
    rows, columns = np.r_[pattern.row, np.full(len(sources), n)], np.r_[pattern.col, sources].astype(int)
    larger = scipy.sparse.csr_array((np.ones(rows.size), (rows, columns)), shape=(n + 1, n + 1))
    order, before = breadth_first_order(larger, n)
    depth = np.full(n + 1, -1)
    for v in order[1:]:
        depth[v] = 0 if before[v] == n else depth[before[v]] + 1
    return depth[:n]


def verify(edges, n, sources, distance, predecessor):
    """What the GAP suite asks of a tree, and that of all parents the smallest is taken."""
    assert distance.dtype == np.int32
    parents = [set() for _ in range(n)]
    for u, v in edges:
        if distance[u] >= 0:
            assert 0 <= distance[v] <= distance[u] + 1
            if distance[v] == distance[u] + 1:
                parents[v].add(u)
    for v in range(n):
        assert (distance[v] == 0) == (v in sources)
        assert predecessor[v] == (min(parents[v]) if distance[v] > 0 else -1)


@every_graph
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_trees(xp, to_numpy, lists, direction, small):
    G, n = of_lists(xp, lists), len(lists)
    for sources in ([], [n // 3], [n - 1], list(range(0, n, 7))) if n else ([],):
        verify(edges_of(lists), n, sources, *map(to_numpy, bfs(G, sources, direction=direction)))


@pytest.mark.parametrize("name", SQUARE)
def test_battery(xp, to_numpy, name):
    indptr, indices, _, shape = BATTERY[name]
    lists = [row.tolist() for row in np.split(indices, indptr[1:-1])][: shape[0]]
    for source in range(0, shape[0], 5):
        verify(edges_of(lists), shape[0], [source], *map(to_numpy, bfs(of_lists(xp, lists), source)))


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_levels_of_a_real_graph(xp, to_numpy, real_matrix_file, direction):
    matrix = scipy.sparse.load_npz(real_matrix_file)
    if matrix.shape[0] != matrix.shape[1] or (SIMULATED and matrix.nnz > 1000):
        pytest.skip("no graph, or too large for the simulator")
    matrix = scipy.sparse.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
    G = Graph(xp_matrix(xp, matrix))
    for source in (0, int(np.argmax(np.diff(matrix.indptr)))):
        distance, predecessor = map(to_numpy, bfs(G, source, direction=direction))
        np.testing.assert_array_equal(distance, levels(matrix, [source]))
        beyond = np.flatnonzero(distance > 0)
        assert (matrix[predecessor[beyond], beyond] == 1).all()
        np.testing.assert_array_equal(distance[predecessor[beyond]] + 1, distance[beyond])


def xp_matrix(xp, matrix):
    from spark_csr import csr_array

    return csr_array(tuple(map(xp.asarray, (matrix.data, matrix.indices, matrix.indptr))), shape=matrix.shape)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(0, 4))
def test_random_graphs(xp, to_numpy, seed, n, most):
    lists = random_lists(n, most, seed)
    sources = [n // 3, seed % n]
    trees = [tuple(map(to_numpy, bfs(of_lists(xp, lists), sources, direction=direction))) for direction in DIRECTIONS]
    verify(edges_of(lists), n, sources, *trees[0])
    for distance, predecessor in trees[1:]:
        np.testing.assert_array_equal(distance, trees[0][0])
        np.testing.assert_array_equal(predecessor, trees[0][1])


@pytest.mark.parametrize("depth", [0, 1, 2, 5])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_depth_limit(xp, to_numpy, depth, direction, small):
    lists = random_lists(80, 3)
    G = of_lists(xp, lists)
    distance, predecessor = map(to_numpy, bfs(G, 26, direction=direction))
    limited = tuple(map(to_numpy, bfs(G, 26, direction=direction, depth_limit=depth)))
    near = (distance >= 0) & (distance <= depth)
    np.testing.assert_array_equal(limited[0], np.where(near, distance, -1))
    np.testing.assert_array_equal(limited[1], np.where(near, predecessor, -1))


@pytest.mark.parametrize("n", [1, 63, 64, 65, 128, 129])
def test_pulling_at_the_ends_of_words(xp, to_numpy, n):
    """The last vertex reaches the first, which reaches all; then all are of one level, which reaches nobody."""
    G = of_lists(xp, [list(range(n)), *([[n - 1]] * (n - 2)), [0]][:n])
    found = [[to_numpy(x).tolist() for x in bfs(G, n - 1, direction=d)] for d in ("push", "pull")]
    assert found[0] == found[1]
    assert found[0][0] == ([1] + [2] * (n - 2) + [0] if n > 1 else [0])


def pulled(G, alpha, beta):
    """The levels that are pulled from."""
    ways = np.zeros(G.n_vertices, bool)
    search(G, 0, "auto", alpha, beta, None, ways)
    return np.flatnonzero(ways).tolist()


def test_levels_that_are_pulled(xp, monkeypatch):
    """Most edges of a star are those of its centre and of its rays; a path's levels have one. Few edges are pushed along."""
    n, walk = 100, importlib.import_module("spark_csr.graph.operators.walk")
    monkeypatch.setattr(walk.Walk, "small", False)
    star = of_lists(xp, [[1], list(range(2, n)), *([[1]] * (n - 2))])
    monkeypatch.setattr(bfs_module, "LEAST", 1000)
    monkeypatch.setattr(TUNING, "breadth_pull_least", 1000)
    assert pulled(star, 15, 18) == []
    monkeypatch.setattr(bfs_module, "LEAST", 0)
    monkeypatch.setattr(TUNING, "breadth_pull_least", 0)
    assert pulled(star, 15, 18) == [1, 2]
    assert pulled(star, 0, 18) == pulled(star, 15, 0) == []
    path = of_lists(xp, [[u + 1] for u in range(n - 1)] + [[]])
    assert pulled(path, 15, 18) == []


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_large_levels_on_many_cores(cpu_only, direction):
    """Levels of thousands of vertices, one of them with most edges: the same for any number of threads and on a second search,
    when reversed edges are known."""
    n = 20_000
    lists = random_lists(n, 12, seed=4)
    lists[n // 3] = list(range(0, n, 2))
    G, sources = of_lists(np, lists), [n // 3, 5, 5]
    verify(edges_of(lists), n, sources, *bfs(G, sources, direction=direction))
    for threads in (1, 2, 16):
        with config(threads=threads):
            for again, first in zip(bfs(G, 7, direction=direction), bfs(G, 7, direction="push"), strict=True):
                np.testing.assert_array_equal(again, first)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_levels_of_more_vertices_than_a_block_has_threads(xp, to_numpy, direction):
    """On a GPU a block then goes through a level in several turns."""
    n = 20 if SIMULATED else 1200
    lists = [[*range(1, n + 1)], *([n + 1 + k, n + 1 + (k + 7) % n] for k in range(n)), *([] for _ in range(n))]
    G = of_lists(xp, lists)
    assert to_numpy(bfs(G, 0, direction=direction)[0]).tolist() == [0] + [1] * n + [2] * n


def test_a_long_path(xp, to_numpy):
    n = 300 if INTERPRETED else 100_000
    G = of_lists(xp, [[u + 1] for u in range(n - 1)] + [[]])
    distance, predecessor = map(to_numpy, bfs(G, 0))
    np.testing.assert_array_equal(distance, np.arange(n))
    np.testing.assert_array_equal(predecessor, np.arange(n) - 1)


@pytest.mark.skipif(not SIMULATED, reason="launches are counted under the simulator")
def test_no_launch_goes_through_all_of_a_long_path(monkeypatch):
    from spark_csr._engine.gpu import launch

    monkeypatch.setattr(importlib.import_module("spark_csr._cuda.tuning").TUNING, "drain_rounds", 50)
    G = of_lists(np, [[u + 1] for u in range(299)] + [[]])
    bfs(G, 0)
    before = launch.launches
    np.testing.assert_array_equal(bfs(G, 0)[0], np.arange(300))
    assert launch.launches - before >= 6


def unseen(src, dst, edge, weight, distance):
    return distance[dst] < 0


def test_equal_to_one_of_ones_own(xp, to_numpy):
    lists = random_lists(200, 5)
    G = of_lists(xp, lists)
    distance = xp.full(200, -1, np.int32)
    distance[66] = level = 0
    frontier = Frontier.of(G, 66)
    while len(frontier):
        level += 1
        frontier = advance(G, frontier, unseen, (distance,), unique=True)
        distance[frontier.items] = level
    np.testing.assert_array_equal(to_numpy(bfs(G, 66)[0]), to_numpy(distance))
    assert len(filter(Frontier.all(G), lambda v, distance: distance[v] >= 0, (distance,))) == (to_numpy(distance) >= 0).sum()


@pytest.mark.skipif(not SIMULATED, reason="reads of a GPU are counted under the simulator")
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_one_read_a_level(xp, host_reads, direction, small, request):
    n = 12
    G = of_lists(xp, [[u + 1] for u in range(n - 1)] + [[]])
    bfs(G, 0, direction=direction)
    host_reads.clear()
    bfs(G, 0, direction=direction)
    levels = n if "steps of all" in request.node.callspec.id or direction == "pull" else 1
    assert len(host_reads) <= levels + 2  # the source is looked at, and its edges counted


def test_bad_input():
    G = Graph([[0, 1], [1, 0]])
    for source in (2, -1, [0, 5]):
        with pytest.raises(ValueError, match=rf"source\[\d\] = -?{np.max(np.abs(source))}"):
            bfs(G, source)
    with pytest.raises(TypeError, match="float"):
        bfs(G, 0.5)
    with pytest.raises(ValueError, match="direction must be 'auto', 'push' or 'pull', got 'down'"):
        bfs(G, 0, direction="down")
    with pytest.raises(ValueError, match="depth_limit must be 0 or above, got -1"):
        bfs(G, 0, depth_limit=-1)
    with pytest.raises(TypeError, match="Graph"):
        bfs([[0, 1], [1, 0]], 0)
