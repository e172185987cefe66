"""Every family of kernels on arrays of several tiles of the GPU's real size, and of one element less or more than a tile."""

import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

from namespaces import CUPY
from spark_csr import Ragged, csr_array, graph, prune
from spark_csr import primitives as p
from spark_csr.graph import Graph

if CUPY is None:
    pytest.skip("needs CuPy, or its stand-in: SPARK_CSR_PTX=1", allow_module_level=True)

TILES = [1151, 1152, 1153, 2687, 2688, 2689, 5121, 6143, 6144, 6145, 9000]
"""Tiles hold 1,152 items of a matrix, 2,688 of a scan, 5,120 or 6,144 keys of a sort."""

sizes = pytest.mark.parametrize("n", TILES)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def same(to_numpy, found, expected):
    np.testing.assert_array_equal(to_numpy(found), expected)


def offsets_of(lengths):
    return np.concatenate([[0], np.cumsum(lengths)])


def of_scipy(xp, S):
    return csr_array(tuple(xp.asarray(x) for x in (S.data, S.indices, S.indptr)), shape=S.shape)


def power_law(n=700, most=4000):
    """Rows from one long one to many of one entry, in any order."""
    r = np.random.default_rng(3)
    lengths = np.minimum((most / np.arange(1, n + 1) ** 1.1).astype(int) + 1, n)
    r.shuffle(lengths)
    indices = np.concatenate([np.sort(r.choice(n, k, replace=False)) for k in lengths])
    return sp.csr_array((r.integers(1, 9, indices.size).astype(float), indices, offsets_of(lengths)), shape=(n, n))


def one_dense_row():
    """A row that several tiles cut, between short and empty ones."""
    above, below = (sp.random_array((k, 3000), density=0.0005, rng=k) for k in (300, 200))
    return sp.csr_array(sp.vstack([above, sp.csr_array(np.ones((1, 3000))), below]))


MATRICES = {
    "short rows": lambda: sp.csr_array(sp.random_array((1500, 900), density=0.004, rng=1)),
    "power law": power_law,
    "one dense row": one_dense_row,
    "empty rows": lambda: sp.csr_array(sp.random_array((9000, 300), density=0.0005, rng=2)),
}
matrices = pytest.mark.parametrize("name", MATRICES)


@sizes
def test_scans(xp, to_numpy, rng, n):
    x = rng.integers(-9, 9, n)
    same(to_numpy, p.inclusive_scan(xp.asarray(x)), np.cumsum(x))
    same(to_numpy, p.exclusive_scan(xp.asarray(x), reverse=True), np.cumsum(x[::-1])[::-1] - x)
    same(to_numpy, p.inclusive_scan(xp.asarray(x), "max"), np.maximum.accumulate(x))


@sizes
def test_segments(xp, to_numpy, rng, n):
    lengths = np.concatenate([rng.integers(0, 9, n // 8), [n], [0, 0, 1], rng.integers(0, 200, 9)])
    offsets = offsets_of(lengths)
    x = rng.integers(-9, 9, offsets[-1])
    parts = [x[a:b] for a, b in itertools.pairwise(offsets)]
    given = xp.asarray(x), xp.asarray(offsets)
    same(to_numpy, p.segmented_reduce(*given), [part.sum() for part in parts])
    same(to_numpy, p.segmented_scan(*given), np.concatenate([np.cumsum(part) for part in parts]))
    backwards = [np.cumsum(part[::-1])[::-1] - part for part in parts]
    same(to_numpy, p.segmented_scan(*given, reverse=True, exclusive=True), np.concatenate(backwards))
    same(to_numpy, p.segment_ids(given[1]), np.repeat(np.arange(lengths.size), lengths))
    same(to_numpy, p.repeat(xp.arange(lengths.size), xp.asarray(lengths)), np.repeat(np.arange(lengths.size), lengths))
    same(to_numpy, p.segmented_sort(*given), np.concatenate([np.sort(part) for part in parts]))


@sizes
def test_floods(xp, to_numpy, rng, n):
    x, valid = rng.integers(1, 100, n), rng.random(n) < 0.01
    at = np.maximum.accumulate(np.where(valid, np.arange(n), -1))
    same(to_numpy, p.right_flood(xp.asarray(x), xp.asarray(valid)), np.where(at < 0, 0, x[at]))
    near = (at >= 0) & (np.arange(n) - at <= 50)
    same(to_numpy, p.right_flood(xp.asarray(x), xp.asarray(valid), limit=50), np.where(near, x[at], 0))


@sizes
@pytest.mark.parametrize("share", [0, 0.02, 0.5, 1])
def test_selection(xp, to_numpy, rng, n, share):
    x, mask = rng.random(n), rng.random(n) < share
    same(to_numpy, p.compact(xp.asarray(x), xp.asarray(mask)), x[mask])
    same(to_numpy, p.partition(xp.asarray(x), xp.asarray(mask))[0], np.concatenate([x[mask], x[~mask]]))


@sizes
def test_sorts(xp, to_numpy, rng, n):
    x, keys = rng.standard_normal(n), rng.integers(0, 300, n)
    for algorithm in ("radix", "merge", "bitonic"):
        same(to_numpy, p.sort(xp.asarray(x), algorithm=algorithm), np.sort(x))
    for algorithm in ("radix", "merge"):
        same(to_numpy, p.argsort(xp.asarray(keys), algorithm=algorithm), np.argsort(keys, kind="stable"))
    left, right = np.sort(keys[: n // 3]), np.sort(keys[n // 3 :])
    same(to_numpy, p.merge(xp.asarray(left), xp.asarray(right)), np.sort(keys))


def test_odd_even_sort(xp, to_numpy, rng):
    x = rng.integers(0, 50, 1100)
    same(to_numpy, p.sort(xp.asarray(x), algorithm="odd_even"), np.sort(x))


@matrices
def test_products_with_dense(xp, to_numpy, rng, name):
    S = MATRICES[name]()
    A, x, X = of_scipy(xp, S), rng.random(S.shape[1]), rng.random((S.shape[1], 5))
    y, Y = rng.random(S.shape[0]), rng.random((S.shape[0], 3))
    for found, expected in (
        (A @ xp.asarray(x), S @ x),
        (A @ xp.asarray(X), S @ X),
        (A.T @ xp.asarray(y), S.T @ y),
        (A.T @ xp.asarray(Y), S.T @ Y),
    ):
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-12)


@matrices
def test_sparse_products_and_conversions(xp, to_numpy, name):
    S = MATRICES[name]()
    S = sp.csr_array(S[:300, :300]) if name == "power law" else S
    A = of_scipy(xp, S)
    for found, expected in ((A @ A.T, S @ S.T), (A.T.tocsr(), S.T.tocsr()), (A + A[::-1], S + S[::-1])):
        found, expected = found.to_device("cpu").to_scipy().tocsr(), sp.csr_array(expected)
        expected.sort_indices()
        same(to_numpy, found.indptr, expected.indptr)
        same(to_numpy, found.indices, expected.indices)
        np.testing.assert_allclose(found.data, expected.data, rtol=1e-12)


@sizes
def test_coordinates(xp, to_numpy, rng, n):
    i, j, values = rng.integers(0, 300, n), rng.integers(0, 200, n), rng.integers(1, 9, n)
    A = csr_array((xp.asarray(values), (xp.asarray(i), xp.asarray(j))), shape=(300, 200))
    same(to_numpy, A.toarray(), sp.coo_array((values, (i, j)), shape=(300, 200)).toarray())


def test_pruning(xp, to_numpy):
    S = power_law()
    A, kept = of_scipy(xp, S), S.copy()
    kept.data[abs(kept.data) <= 4] = 0
    kept.eliminate_zeros()
    pruned = prune(A, 4)
    same(to_numpy, pruned.indices, kept.indices)
    same(to_numpy, pruned.data, kept.data)
    lengths = np.minimum(np.diff(S.indptr), 3)
    same(to_numpy, prune(A, topk=3).indptr, offsets_of(lengths))
    same(to_numpy, A[:, 5:300:2].toarray(), S.toarray()[:, 5:300:2])
    same(to_numpy, A[[600, 3, 3, 0]].toarray(), S.toarray()[[600, 3, 3, 0]])
    same(to_numpy, A.max(axis=1).toarray(), S.max(axis=1).toarray())


def test_softmax_and_pairs(xp, to_numpy, rng):
    lengths = np.concatenate([rng.integers(0, 30, 200), [3000]])
    offsets = offsets_of(lengths)
    x = rng.standard_normal(offsets[-1])
    raised = [np.exp(x[a:b] - x[a:b].max(initial=-np.inf)) for a, b in itertools.pairwise(offsets)]
    expected = np.concatenate([part / part.sum() for part in raised])
    np.testing.assert_allclose(to_numpy(Ragged(xp.asarray(x), xp.asarray(offsets)).softmax().values), expected, rtol=1e-12)
    left, right = offsets_of(rng.integers(0, 9, 400)), offsets_of(rng.integers(0, 9, 400))
    _, a, b = p.cartesian_product(xp.asarray(left), xp.asarray(right))
    pairs = [(i, j) for k in range(400) for i in range(left[k], left[k + 1]) for j in range(right[k], right[k + 1])]
    same(to_numpy, xp.stack([a, b], axis=1), pairs)


@pytest.fixture(scope="module")
def network():
    """A symmetric graph of 900 vertices with some hubs, its weights whole numbers."""
    r = np.random.default_rng(2)
    a, b = r.integers(0, 900, 4500), (900 * r.random(4500) ** 2).astype(int)
    S = sp.coo_array((np.ones(4500), (a, b)), shape=(900, 900)).tocsr()
    S = sp.csr_array(((S + S.T) != 0).astype(float))
    S.setdiag(0)
    S.eliminate_zeros()
    rows, columns = S.nonzero()
    S.data = (rows * columns) % 7 + 1.0
    return S


def test_graphs(xp, to_numpy, network):
    G, N = Graph(of_scipy(xp, network), directed=False), nx.from_scipy_sparse_array(network)
    far = csgraph.dijkstra(network, indices=3)
    np.testing.assert_array_equal(to_numpy(graph.sssp(G, 3)[0]), far)
    steps = csgraph.dijkstra(network, indices=3, unweighted=True)
    for direction in ("push", "pull"):
        found = to_numpy(graph.bfs(G, 3, direction=direction)[0]).astype(float)
        np.testing.assert_array_equal(np.where(found < 0, np.inf, found), steps)
    assert graph.connected_components(G)[0] == csgraph.connected_components(network)[0]
    assert graph.triangle_count(G) == sum(nx.triangles(N).values()) // 3
    core = nx.core_number(N)
    np.testing.assert_array_equal(to_numpy(graph.core_number(G)), [core[v] for v in range(900)])
    colors = to_numpy(graph.color(G))
    rows, columns = network.nonzero()
    assert (colors[rows] != colors[columns]).all()
    tree = graph.minimum_spanning_tree(G)
    assert float(tree.sum()) == csgraph.minimum_spanning_tree(network).sum()
    np.testing.assert_allclose(float(graph.pagerank(G, tol=1e-10).sum()), 1, rtol=1e-6)
