"""Spanning trees: those of Kruskal, edge by edge, and as heavy as SciPy's."""

import importlib

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

from battery import FINITE, build
from loops import GRAPHS, SQUARE, edges_of, of_lists
from spark_csr._config import config
from spark_csr.graph import Graph, minimum_spanning_tree

pytestmark = pytest.mark.usefixtures("small_tiles")


def kruskal(ends, weights, n):
    """The ids of the tree's edges; of equal weights the first id."""
    sets, taken = list(range(n)), []
    for e in sorted(range(len(ends)), key=lambda e: (weights[e], e)):
        u, v = (sets[x] for x in ends[e])
        if u != v:
            sets = [u if x == v else x for x in sets]
            taken.append(e)
    return sorted(taken)


def check(to_numpy, G):
    csr = G.to_device("cpu")._csr
    sources = np.repeat(np.arange(csr.shape[0]), np.diff(csr.indptr))
    ends = list(zip(sources.tolist(), csr.indices.tolist(), strict=True))
    taken = kruskal(ends, csr.data.tolist(), csr.shape[0])
    tree = minimum_spanning_tree(G)
    assert (tree.shape, tree.dtype) == (csr.shape, np.float64)
    assert to_numpy(tree.indices).tolist() == csr.indices[taken].tolist()
    assert to_numpy(tree.data).tolist() == csr.data[taken].tolist()
    assert np.diff(to_numpy(tree.indptr)).tolist() == np.bincount(sources[taken], minlength=csr.shape[0]).tolist()


@pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("weights", ["few", "equal", "descending"])
def test_as_kruskal(xp, to_numpy, lists, weights):
    m = len(edges_of(lists))
    chosen = {"few": np.resize([3.0, -1, 2, 3, 0, -0.0, np.inf, -np.inf], m), "equal": np.ones(m), "descending": -np.arange(m)}
    check(to_numpy, of_lists(xp, lists, chosen[weights].astype(float)))


@pytest.mark.parametrize("name", [name for name in SQUARE if name in FINITE])
def test_battery(xp, to_numpy, name):
    check(to_numpy, Graph(build(xp, name)))


LISTS = st.integers(1, 15).flatmap(lambda n: st.lists(st.lists(st.integers(0, n - 1), max_size=4), min_size=n, max_size=n))


@given(lists=LISTS, weights=st.lists(st.sampled_from([-2.0, 0.0, 1.0, 1.5]), min_size=1, max_size=9))
@settings(max_examples=25)
def test_random_graphs(xp, to_numpy, lists, weights):
    check(to_numpy, of_lists(xp, lists, np.resize(weights, len(edges_of(lists)))))


def test_long_paths(xp, to_numpy):
    n = 120
    for weights in (np.arange(n - 1.0), -np.arange(n - 1.0), np.random.default_rng(0).permutation(n - 1) * 1.0):
        G = of_lists(xp, [[u + 1] if u + 1 < n else [] for u in range(n)], weights)
        assert to_numpy(minimum_spanning_tree(G).data).tolist() == weights.tolist()


@pytest.mark.parametrize("dtype", ["int32", "float16", "bool"])
def test_weights_are_compared_as_float64(xp, dtype):
    tree = minimum_spanning_tree(of_lists(xp, [[1, 2, 1], [2], []], np.array([1, 0, 0, 1], dtype)))
    assert tree.toarray().tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert (tree.dtype, tree.indices.tolist()) == (np.float64, [2, 1])


def test_zeros_stay_which_scipy_drops(xp):
    A = sp.csr_array(([0.0, 2, 1], ([0, 0, 1], [1, 2, 2])), shape=(3, 3))
    assert minimum_spanning_tree(of_lists(xp, [[1, 2], [2], []], [0.0, 2, 1])).nnz == 2
    assert csgraph.minimum_spanning_tree(A).nnz == 1


def test_as_heavy_as_scipys(real_matrix_file, cpu_only):
    matrix = sp.csr_array(sp.load_npz(real_matrix_file).tocsr())
    if matrix.shape[0] == matrix.shape[1]:
        matrix.data = np.random.default_rng(0).random(matrix.nnz) + 1
        ours, theirs = minimum_spanning_tree(Graph(matrix)), csgraph.minimum_spanning_tree(matrix)
        assert ours.nnz == theirs.nnz
        assert np.isclose(ours.sum(), theirs.sum(), rtol=1e-12)
        assert ours.nnz == matrix.shape[0] - csgraph.connected_components(matrix)[0]


def test_host_reads_and_rounds(xp, monkeypatch):
    module, rounds = importlib.import_module("spark_csr.graph.algorithms.minimum_spanning_tree"), []
    whole = module.filter
    monkeypatch.setattr(module, "filter", lambda *args: rounds.append(1) or whole(*args))
    minimum_spanning_tree(of_lists(xp, [[(u + 1) % 64, (u + 9) % 64] for u in range(64)], np.arange(128.0) % 37))
    assert len(rounds) <= 2 * 6 + 1


def test_refused(xp):
    G = of_lists(xp, [[1, 0], [0]], np.array([1, np.nan, 2]))
    with pytest.raises(ValueError, match="must not be NaN, got nan for 0 -> 0"):
        minimum_spanning_tree(G)
    with config(validate=False):
        assert minimum_spanning_tree(G).data.tolist() == [1]
    with pytest.raises(TypeError, match="weights must be real, got dtype complex128"):
        minimum_spanning_tree(Graph(xp.asarray([[1j]])))
    with pytest.raises(TypeError, match="must be a Graph"):
        minimum_spanning_tree(np.eye(2))
