"""Shortest paths: distances as SciPy's, predecessors on shortest paths, whatever the lengths."""

import importlib

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra

import dtypes
from loops import GRAPHS, edges_of, of_lists, random_lists
from namespaces import INTERPRETED
from spark_csr import config, csr_array
from spark_csr._array import SIMULATED
from spark_csr._cpu.tuning import TUNING
from spark_csr.graph import Graph, sssp
from spark_csr.graph.algorithms.checks import as_lengths

bins_module = importlib.import_module("spark_csr._cpu.bins")
sssp_module = importlib.import_module("spark_csr.graph.algorithms.sssp")


@pytest.fixture(autouse=True, params=["one core", "all cores"])
def cores(request, monkeypatch):
    """Small graphs by one core, or rounds of a few vertices by all."""
    if request.param == "all cores":
        if SIMULATED:
            pytest.skip("the cores' kernels are compiled")
        monkeypatch.setattr(TUNING, "relax_serial", 0)
        monkeypatch.setattr(TUNING, "relax_alone", 4)


NOWHERE = np.empty(0, np.int32)
"""No targets."""

every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)


def lengths_of(lists, seed=0, kinds=4):
    """Small integers, zeros among them, so that sums are exact and many paths are as short as others. (Vertex `n // 3` of
    `random_lists` has many edges.)"""
    return np.random.default_rng(seed).integers(0, kinds, sum(map(len, lists))).astype(float)


def bellman_ford(lists, lengths, sources, limit=np.inf):
    distance = np.full(len(lists), np.inf)
    distance[sources] = 0
    for _ in lists:
        for (u, v), length in zip(edges_of(lists), lengths, strict=True):
            if distance[u] + length <= limit:
                distance[v] = min(distance[v], distance[u] + length)
    return distance


def verify(lists, lengths, sources, distance, predecessor):
    """Every vertex has the smallest of the nearer ones before it, or else one as near; and all lead to sources."""
    last = [set() for _ in lists]
    for (u, v), length in zip(edges_of(lists), lengths, strict=True):
        if distance[u] < np.inf and distance[u] + length == distance[v]:
            last[v].add(u)
    for v in range(len(lists)):
        nearer = [u for u in last[v] if distance[u] < distance[v]]
        if v in sources or distance[v] == np.inf:
            assert predecessor[v] == -1
        elif nearer:
            assert predecessor[v] == min(nearer)
        else:
            assert predecessor[v] in last[v]
        for _ in lists:
            v = predecessor[v] if predecessor[v] >= 0 else v
        assert predecessor[v] == -1


@every_graph
def test_distances_and_trees(xp, to_numpy, lists):
    n, lengths = len(lists), lengths_of(lists)
    G = of_lists(xp, lists, lengths)
    for sources in ([], [n - 1], [n // 3], [0, 0, n // 2]) if n else ([],):
        distance, predecessor = map(to_numpy, sssp(G, sources))
        assert (distance.dtype, predecessor.dtype) == (np.float64, np.int32)
        np.testing.assert_array_equal(distance, bellman_ford(lists, lengths, sources))
        verify(lists, lengths, sources, distance, predecessor)
        np.testing.assert_array_equal(to_numpy(sssp(G, sources, return_predecessors=False)), distance)


@pytest.mark.parametrize("dtype", dtypes.each([np.int32, np.float32, np.bool_, np.uint64, np.float16], "i"))
def test_dtypes_of_lengths(xp, to_numpy, dtype):
    lists = random_lists(40, 4)
    lengths = lengths_of(lists, kinds=2 if dtype == np.bool_ else 9).astype(dtype)
    distance = to_numpy(sssp(of_lists(xp, lists, lengths, np.int64), 13, return_predecessors=False))
    np.testing.assert_array_equal(distance, bellman_ford(lists, lengths.astype(float), [13]))


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(0, 5), st.sampled_from([1, 2, 9, 1000]))
def test_random_graphs(xp, to_numpy, seed, n, most, kinds):
    lists = random_lists(n, most, seed)
    lengths = lengths_of(lists, seed, kinds)
    distance, predecessor = map(to_numpy, sssp(of_lists(xp, lists, lengths), n // 3))
    np.testing.assert_array_equal(distance, bellman_ford(lists, lengths, [n // 3]))
    verify(lists, lengths, [n // 3], distance, predecessor)


def test_a_threshold_for_every_vertex(xp, to_numpy, monkeypatch):
    backend = "_cuda" if SIMULATED else "_cpu"
    monkeypatch.setattr(importlib.import_module(f"spark_csr.{backend}.tuning").TUNING, "relax_step", 1e-9)
    lists = random_lists(60, 5)
    lengths = lengths_of(lists, kinds=50)
    np.testing.assert_array_equal(to_numpy(sssp(of_lists(xp, lists, lengths), 20)[0]), bellman_ford(lists, lengths, [20]))


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("room", [4, -1])
def test_many_cores_and_rounds(cpu_only, monkeypatch, far, room):
    """Rounds of more edges than one core takes alone, whose lists are handed out in parts; distances within a few bins, and so
    far apart that bins are used many times; bins that are large enough, and those of two or more cores that are not."""
    monkeypatch.setattr(TUNING, "relax_room", room)
    n, rng = 40_000, np.random.default_rng(5)
    matrix = scipy.sparse.random_array((n, n), density=12 / n, format="csr", rng=rng)
    matrix.data = rng.integers(1, 256, matrix.nnz).astype(float) ** (4 if far else 1)
    expected, G = dijkstra(matrix, indices=7), Graph(csr_array(matrix))
    for threads in (1, 2, None):
        with config(threads=threads):
            distance, predecessor = sssp(G, 7)
            np.testing.assert_array_equal(distance, expected)
            np.testing.assert_array_equal(predecessor, sssp(G, 7)[1])


@pytest.mark.parametrize("alone", [0, 200], ids=["in parts", "alone"])
@pytest.mark.parametrize("blocks", [None, 0, 1])
def test_lists_and_bins_of_every_core(cpu_only, alone, blocks):
    """Vertices that wait in the list, the bin after next and the last bin of each of three cores are gone through, whichever
    core takes them, and whether there is room for more in the bins or not."""
    relax, cores, n = importlib.import_module("spark_csr._cpu.relax"), 3, 90
    vertices = [[u + 1] if u % 10 < 9 else [] for u in range(n)]  # a path from each of the vertices that wait
    lengths = lengths_of(vertices, kinds=9) + 1
    csr = of_lists(np, vertices, lengths)._csr
    distance, lists = np.full(n, np.inf), np.zeros((2, cores, n + 1), np.uint32)
    sizes, bins = np.zeros((2, cores), np.uint64), bins_module.empty_bins(cores, n, np.uint32)
    edges, step = np.zeros((cores, relax.CHUNK + bins_module.PAD), np.uint64), 1.5
    for c, (near, later, far) in enumerate([(0, 10, 20), (30, 40, 50), (60, 70, 80)]):
        lists[0, c, 0], distance[near], distance[later], distance[far] = near, 0, 4, 1000 + c
        assert bins_module.put(*bins_module.bins_of(bins, c), 2, later)
        assert bins_module.put(*bins_module.bins_of(bins, c), bins_module.BINS, far)
    if blocks is not None:
        bins = bins[0], bins[1][:, : 2 + blocks].copy(), bins[2]
    expected = distance.copy()
    for _ in range(n):
        for (u, v), length in zip(edges_of(vertices), lengths, strict=True):
            expected[v] = min(expected[v], expected[u] + length)
    sizes[0] = 1
    reach = distance, np.full(n, np.inf), np.zeros(n, np.uint32), np.full(1, np.inf), 1 / step
    graph = csr.indptr, csr.indices.view(np.uint32), csr.data
    assert not relax._search(cores, relax._numbers(), graph, reach, NOWHERE, lists, sizes, bins, edges, alone)
    np.testing.assert_array_equal(distance, expected)


@pytest.mark.parametrize("first", [5, 6])
def test_going_alone_leaves_no_old_lists(cpu_only, first):
    """After an odd and an even number of rounds nothing is left of what other cores listed in an earlier round."""
    relax, n = importlib.import_module("spark_csr._cpu.relax"), 8
    graph = np.append(np.arange(n), n - 1).astype(np.int32), np.arange(1, n, dtype=np.uint32), np.ones(n - 1)
    distance, lists, sizes = np.full(n, np.inf), np.zeros((2, 2, n + 1), np.uint32), np.zeros((2, 2), np.uint64)
    distance[first], lists[0, 0, 0], sizes[0, 0], sizes[1, 1] = 0, first, 1, 3
    reach = distance, np.full(n, np.inf), np.zeros(n, np.uint32), np.full(1, np.inf), 0.0
    bins, edges = bins_module.empty_bins(2, 100, np.uint32), np.zeros((2, relax.CHUNK + bins_module.PAD), np.uint64)
    start = 0, 0.0, np.uint64(0), np.uint64(1)
    here, _, _ = relax._go_alone(
        graph, reach, NOWHERE, lists, sizes, *start, edges, bins, np.uint64(100), TUNING.relax_near_ahead
    )
    np.testing.assert_array_equal(sizes[here], [0, 0])
    np.testing.assert_array_equal(distance[first:], np.arange(n - first))


@pytest.mark.parametrize("wrong", [-1, np.nan])
def test_wrong_lengths_anywhere(xp, wrong):
    """On edges that are gone through, in circles, in vain or too far, and on those that are not."""
    lists = [[1], [0, 2], [3, 2], [], [5], [4]]
    for at, (u, v) in enumerate(edges_of(lists)):
        lengths = np.array([1.0, 0, 5, 2, 3, 1, 1])
        lengths[at] = wrong
        G = of_lists(xp, lists, lengths)
        for sources, limit in ((0, np.inf), (0, 1), (3, np.inf), ([], np.inf)):
            with pytest.raises(ValueError, match=f"as lengths, got {float(wrong)} for {u} -> {v}: .*bellman_ford"):
                sssp(G, sources, limit=limit)


def test_the_mean_is_about_right(xp):
    lengths = np.random.default_rng(0).random(50_000)
    assert abs(sssp_module._estimate_mean(xp.asarray(lengths)) - 0.5) < 0.05
    rare = np.zeros(50_000)
    rare[1] = 50_000
    assert sssp_module._estimate_mean(xp.asarray(rare)) == 1
    assert sssp_module._estimate_mean(xp.asarray(lengths[:0])) == 0


def test_as_scipy_on_real_graphs(xp, to_numpy, real_matrix_file):
    matrix = scipy.sparse.load_npz(real_matrix_file)
    if matrix.shape[0] != matrix.shape[1] or (SIMULATED and matrix.nnz > 1000):
        pytest.skip("no graph, or too large for the simulator")
    lengths = np.random.default_rng(0).random(matrix.nnz)
    matrix = scipy.sparse.csr_array((lengths, matrix.indices, matrix.indptr), shape=matrix.shape)
    G = Graph(csr_array(tuple(map(xp.asarray, (lengths, matrix.indices, matrix.indptr))), shape=matrix.shape))
    distance, predecessor = map(to_numpy, sssp(G, 0))
    np.testing.assert_allclose(distance, dijkstra(matrix, indices=0), rtol=1e-12)
    beyond = np.flatnonzero(predecessor >= 0)
    np.testing.assert_array_equal(distance[predecessor[beyond]] + matrix[predecessor[beyond], beyond], distance[beyond])
    assert beyond.size == np.isfinite(distance).sum() - 1


def test_a_long_path(xp, to_numpy):
    n = 100 if INTERPRETED else 50_000
    lengths = np.random.default_rng(0).random(n - 1)
    G = of_lists(xp, [[u + 1] for u in range(n - 1)] + [[]], lengths)
    distance, predecessor = map(to_numpy, sssp(G, 0))
    np.testing.assert_array_equal(distance, np.cumsum(np.r_[0, lengths]))
    np.testing.assert_array_equal(predecessor, np.arange(n) - 1)


def test_a_source_named_many_times(xp, to_numpy):
    assert to_numpy(sssp(of_lists(xp, [[0], [0]], [1.0, 2.0]), [1] * 50)[0]).tolist() == [2, 0]


def test_limit(xp, to_numpy):
    lists = random_lists(60, 3)
    lengths = lengths_of(lists, kinds=9)
    G = of_lists(xp, lists, lengths)
    for limit in (0, 3, 7.5):
        np.testing.assert_array_equal(to_numpy(sssp(G, 20, limit=limit)[0]), bellman_ford(lists, lengths, [20], limit))


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.sampled_from([1, 9, 1000]))
def test_a_search_for_targets_ends_at_the_furthest(xp, to_numpy, seed, count, kinds):
    """The result is that of a search to the distance of the furthest target; without a path to it, of one to everywhere."""
    lists = random_lists(40, 3, seed)
    lengths, targets = lengths_of(lists, seed, kinds), np.random.default_rng(seed).integers(0, 40, count)
    G, expected = of_lists(xp, lists, lengths), bellman_ford(lists, lengths, [13])
    distance, predecessor = map(to_numpy, sssp(G, 13, targets))
    expected[expected > expected[targets].max()] = np.inf
    np.testing.assert_array_equal(distance, expected)
    verify(lists, lengths, [13], distance, predecessor)
    for limit in (0, 5):
        nearer = to_numpy(sssp(G, 13, targets, limit=limit)[0])
        assert (nearer[nearer < np.inf] == distance[nearer < np.inf]).all()
        assert (nearer < np.inf)[distance <= limit].all()


def test_a_target_on_many_cores(cpu_only):
    n, rng = 40_000, np.random.default_rng(5)
    matrix = scipy.sparse.random_array((n, n), density=12 / n, format="csr", rng=rng)
    everywhere, G = dijkstra(matrix, indices=7), Graph(csr_array(matrix))
    for target in (7, *np.argsort(everywhere)[[10, n // 2]]):
        expected = np.where(everywhere > everywhere[target], np.inf, everywhere)
        np.testing.assert_array_equal(sssp(G, 7, target, return_predecessors=False), expected)


def test_infinite_lengths_are_no_edges(xp, to_numpy):
    distance, predecessor = map(to_numpy, sssp(of_lists(xp, [[1, 2], [2], []], [np.inf, 5.0, 1.0]), 0))
    assert distance.tolist() == [0, np.inf, 5]
    assert predecessor.tolist() == [-1, -1, 0]


def test_lengths_that_add_nothing_make_no_circle(xp, to_numpy):
    """1e-30 is lost beside 1: between 1, 2 and 3 all edges end shortest paths."""
    lists, tiny = [[2], [2, 3], [1, 3], [1, 2]], 1e-30
    lengths = [1.0, tiny, tiny, tiny, tiny, tiny, tiny]
    distance, predecessor = map(to_numpy, sssp(of_lists(xp, lists, lengths), 0))
    assert distance.tolist() == [0, 1, 1, 1]
    assert predecessor.tolist() == [-1, 2, 0, 2]


def test_bad_input():
    with pytest.raises(ValueError, match="weights must be at least 0, as lengths, got -2.0 for 1 -> 0"):
        sssp(Graph([[0, 1.0], [-2, 0]]), 0)
    with pytest.raises(ValueError, match="got nan for 0 -> 1"):
        sssp(Graph([[0, np.nan], [0, 0]]), 0)
    with pytest.raises(TypeError, match="complex128"):
        sssp(Graph([[0, 1j], [0, 0]]), 0)
    with pytest.raises(ValueError, match=r"source\[0\] = 5"):
        sssp(Graph([[0, 1], [0, 0]]), 5)
    with pytest.raises(ValueError, match=r"target\[0\] = 5"):
        sssp(Graph([[0, 1], [0, 0]]), 0, 5)
    with pytest.raises(ValueError, match="limit must be at least 0, got -1"):
        sssp(Graph([[0, 1], [0, 0]]), 0, limit=-1)


def test_lengths_of_float16_are_added_in_float32(xp):
    assert as_lengths(csr_array(xp.ones((1, 1), np.float16))._csr).dtype == np.float32
