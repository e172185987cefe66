"""Betweenness: as networkx has it, estimated or not, scaled or not, whatever the number of threads."""

import importlib
import random

import networkx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from battery import BATTERY
from loops import GRAPHS, SQUARE, both_ways, edges_of, of_lists, random_lists, undirected
from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr._config import config
from spark_csr._dispatch import backend_of
from spark_csr.graph import Graph, betweenness

TUNING = importlib.import_module(f"spark_csr.{'_cuda' if SIMULATED else '_cpu'}.tuning").TUNING


def of_networkx(lists, directed, **options):
    H = (networkx.MultiDiGraph if directed else networkx.MultiGraph)()
    H.add_nodes_from(range(len(lists)))
    H.add_edges_from(edges_of(lists))
    found = networkx.betweenness_centrality(H, **options)
    return np.array([found[v] for v in range(len(lists))])


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12)


def lists_of(name):
    if name in GRAPHS:
        return GRAPHS[name]
    indptr, indices, _, shape = BATTERY[name]
    return [row.tolist() for row in np.split(indices, indptr[1:-1])][: shape[0]]


@pytest.mark.parametrize("name", [*GRAPHS, *SQUARE])
def test_loops_and_repeats(xp, to_numpy, name):
    lists = lists_of(name)
    some = {"k": 3, "seed": 0} if SIMULATED and len(lists) > 9 else {}
    close(to_numpy(betweenness(of_lists(xp, lists), **some)), of_networkx(lists, True, **some))
    some["endpoints"] = True
    close(to_numpy(betweenness(undirected(xp, both_ways(lists)), **some)), of_networkx(lists, False, **some))


@pytest.mark.parametrize("endpoints", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("k", [None, 1, 3, 5])
def test_scales(xp, to_numpy, k, normalized, endpoints):
    options = {"k": k, "normalized": normalized, "endpoints": endpoints}
    lists = [[1, 3], [2, 2], [3, 0], [], [3]]
    close(to_numpy(betweenness(of_lists(xp, lists), **options, seed=7)), of_networkx(lists, True, **options, seed=7))
    G = undirected(xp, both_ways(lists))
    close(to_numpy(betweenness(G, **options, seed=random.Random(2))), of_networkx(lists, False, **options, seed=2))


@given(st.integers(0, 2**32 - 1), st.integers(1, 8 if SIMULATED else 30), st.integers(0, 5))
def test_random_graphs(xp, to_numpy, seed, n, most):
    lists = random_lists(n, most, seed)
    close(to_numpy(betweenness(of_lists(xp, lists))), of_networkx(lists, True))


def weighted_pair(xp, lists, directed, seed=0):
    """A graph of small whole lengths, so that many paths are as short as others, as networkx has it and as we do."""
    rng, lengths = np.random.default_rng(seed), {}
    H = (networkx.MultiDiGraph if directed else networkx.MultiGraph)()
    H.add_nodes_from(range(len(lists)))
    data = []
    for u, v in edges_of(lists):
        key = (u, v, len(data)) if directed else (min(u, v), max(u, v))
        data.append(lengths.setdefault(key, float(rng.integers(1, 4))))
        if directed or u <= v:
            H.add_edge(u, v, weight=data[-1])
    G = of_lists(xp, lists, np.array(data))
    return H, G if directed else Graph(G.matrix, directed=False)


@pytest.mark.parametrize("name", GRAPHS)
def test_lengths(xp, to_numpy, name):
    some = {"k": 3, "seed": 0} if SIMULATED and len(GRAPHS[name]) > 9 else {}
    for directed, lists in ((True, GRAPHS[name]), (False, both_ways(GRAPHS[name]))):
        H, G = weighted_pair(xp, lists, directed)
        for options in ({}, {"endpoints": True, "normalized": False}):
            expected = networkx.betweenness_centrality(H, weight="weight", **options, **some)
            found = to_numpy(betweenness(G, **options, **some, weighted=True))
            close(found, [expected[v] for v in range(len(lists))])


@pytest.mark.parametrize("scale", [2.0**-1060, 2.0**1021])
def test_sums_of_lengths_do_not_overflow(xp, to_numpy, scale):
    G = weighted_pair(xp, both_ways(random_lists(20, 3)), True)[1]
    expected = to_numpy(betweenness(G, weighted=True))
    G.matrix.data[:] *= scale
    np.testing.assert_array_equal(to_numpy(betweenness(G, weighted=True)), expected)


def test_lengths_of_no_path(xp, to_numpy):
    """An edge of infinite length is missing; one that adds nothing to a distance is on a shortest path."""
    G = of_lists(xp, [[1, 2], [2], [3], []], np.array([1.0, np.inf, 2, 1e-30]))
    assert to_numpy(betweenness(G, normalized=False, weighted=True)).tolist() == [0, 2, 2, 0]
    for wrong in (0.0, -1.0, np.nan):
        G.matrix.data[2] = wrong
        with pytest.raises(ValueError, match=f"must be positive, as lengths, got {wrong} for 1 -> 2: use weighted=False"):
            betweenness(G, weighted=True)
    assert to_numpy(betweenness(G, normalized=False)).tolist() == [0, 0, 2, 0]


@pytest.mark.usefixtures("cpu_only")
def test_same_bits_of_lengths_for_any_number_of_threads(monkeypatch):
    lists = random_lists(300, 5)
    G, found = of_lists(np, lists, np.random.default_rng(0).random(len(edges_of(lists)))), []
    for threads in (1, 2):
        with config(threads=threads):
            found.append(betweenness(G, weighted=True))
    np.testing.assert_array_equal(*found)


@pytest.fixture(params=[1, 3])
def few_rows(request, monkeypatch):
    """Rows of the table that take several sources each, on all cores."""
    monkeypatch.setattr(TUNING, "brandes_rows", request.param)
    if SIMULATED:
        monkeypatch.setattr(TUNING, "brandes_work", 1)  # a launch for each source of a block
    else:
        monkeypatch.setattr(TUNING, "brandes_serial", 0)


@pytest.mark.usefixtures("few_rows")
def test_sources_one_after_the_other(xp, to_numpy):
    lists = [[v + 1] for v in range(6)] + [[0], [8], [7, 9], [8], []] + [[0, 1, 2, 11]]
    close(to_numpy(betweenness(of_lists(xp, lists), endpoints=True)), of_networkx(lists, True, endpoints=True))
    lists = random_lists(40, 3, 3)
    close(to_numpy(betweenness(of_lists(xp, lists), k=7, seed=1)), of_networkx(lists, True, k=7, seed=1))


def test_a_block_goes_from_source_to_source(xp, to_numpy, monkeypatch):
    """Warps of a GPU's block forget what the last source reached, and the next source is among that."""
    backend = backend_of(xp.zeros(1)).__name__
    monkeypatch.setattr(importlib.import_module(f"{backend}.tuning").TUNING, "brandes_rows", 1)
    n = 12 if SIMULATED else 90
    lists = [[(v + 1) % n, (5 * v + 2) % n] for v in range(n)]
    close(to_numpy(betweenness(of_lists(xp, lists))), of_networkx(lists, True))


@pytest.mark.usefixtures("cpu_only")
def test_same_bits_for_any_number_of_threads(monkeypatch):
    G = of_lists(np, random_lists(200, 5))
    alone = betweenness(G)
    monkeypatch.setattr(TUNING, "brandes_serial", 0)
    for threads in (1, 2):
        with config(threads=threads):
            np.testing.assert_array_equal(betweenness(G), alone)


def test_real_graphs(xp, to_numpy, real_matrix_file):
    A = scipy.sparse.load_npz(real_matrix_file)
    if A.shape[0] != A.shape[1] or A.nnz > (200 if SIMULATED else 300_000):
        pytest.skip("no graph, or too large for networkx or the simulator")
    A = scipy.sparse.csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    k = None if A.nnz < 1000 else 2
    found = networkx.betweenness_centrality(networkx.from_scipy_sparse_array(A, create_using=networkx.DiGraph), k=k, seed=4)
    G = Graph(csr_array(tuple(map(xp.asarray, (A.data, A.indices, A.indptr))), shape=A.shape))
    close(to_numpy(betweenness(G, k=k, seed=4)), [found[v] for v in range(A.shape[0])])


def test_chosen_sources(xp, to_numpy):
    lists = random_lists(20, 3, 8)
    G, chosen = of_lists(xp, lists), random.Random(9).sample(range(20), 5)
    expected = of_networkx(lists, True, k=5, seed=9)
    close(to_numpy(betweenness(G, sources=chosen)), expected)
    close(to_numpy(betweenness(G, sources=xp.asarray(np.array(chosen)))), expected)
    assert np.isnan(to_numpy(betweenness(G, sources=3))).tolist() == [v == 3 for v in range(20)]


def diamonds(count):
    """A chain of squares: two ways through each, 2**count to its end."""
    lists = []
    for d in range(count):
        lists += [[3 * d + 1, 3 * d + 2], [3 * d + 3], [3 * d + 3]]
    return [*lists, []]


@pytest.mark.skipif(SIMULATED, reason="two thousand levels take the simulator too long")
def test_more_paths_than_floats_count(xp, to_numpy):
    found = to_numpy(betweenness(of_lists(xp, diamonds(1020)), normalized=False, sources=[0, 3060]))
    np.testing.assert_allclose(found[3:-1:3], 3060 / 2 * np.arange(3 * 1019, 0, -3))
    with pytest.raises(OverflowError, match="more shortest paths than a float64 can count"):
        betweenness(of_lists(xp, diamonds(1025)), sources=[0, 3075])


def test_bad_input(xp):
    G = undirected(xp, [[1], [0, 2], [1]])
    for k in (0, 4, -1):
        with pytest.raises(ValueError, match=f"number of vertices, 3, got {k}"):
            betweenness(G, k=k)
    with pytest.raises(ValueError, match="not both"):
        betweenness(G, k=1, sources=[0])
    with pytest.raises(ValueError, match="got none"):
        betweenness(G, sources=[])
    with pytest.raises(ValueError, match="distinct, got 2 twice"):
        betweenness(G, sources=[2, 0, 2])
    with pytest.raises(ValueError, match=r"sources\[0\] = 3"):
        betweenness(G, sources=[3])
    with pytest.raises(TypeError, match="k must be an integer, got 1.5"):
        betweenness(G, k=1.5)
    with pytest.raises(TypeError, match="Graph"):
        betweenness([[0, 1], [1, 0]])
    assert betweenness(of_lists(xp, [])).size == 0
