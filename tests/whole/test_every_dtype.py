"""Kernels of a GPU in every dtype and width of index that they are launched with: products, scans, floods, sorts, graphs.

Kernels for the cores are compiled for fewer dtypes in tests, and once for all of them in the slow ones.
"""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from battery import as_dtype
from loops import of_lists
from namespaces import CUPY
from spark_csr import _array, csr_array, graph
from spark_csr import primitives as p
from spark_csr._operations.form.record import Csr

if CUPY is None:
    pytest.skip("needs CuPy, or its stand-in: SPARK_CSR_PTX=1", allow_module_level=True)

DTYPES = [pytest.param(dtype, id=str(dtype)) for dtype in _array.DTYPES]
SUMS = [np.dtype(char) for char in "qQefdFD"]
"""What scans and reductions of sums compute in."""

LONGEST = 40_000
"""A row that more than 32 tiles cut."""

PATTERNS = {
    "one lane": [1] * 40,
    "eight lanes": [8] * 40,
    "a warp": [32, 20, 33, 25] * 3,
    "tiles": [1, 0, 3000, 2],
    "many tiles": [2, LONGEST, 0, 1],
}
RINGS = {
    "min_plus": ("d", np.add, np.minimum),
    "max_plus": ("i", np.add, np.maximum),
    "max_times": ("f", np.multiply, np.maximum),
    "any_pair": ("q", lambda a, x: (a == a) & (x == x), np.maximum),
    "or_and": ("?", np.logical_and, np.logical_or),
}


def matrix(xp, lengths, dtype, index=np.int32):
    """Rows of so many entries of 0 and 1, mostly zeros in long ones, whose sums are small; and the same as SciPy's."""
    lengths = np.array(lengths)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    indices = np.concatenate([np.arange(k) for k in lengths])
    k = np.arange(indices.size)
    data = np.where(np.repeat(lengths > 1000, lengths), k % 397 == 0, k % 3).astype(float)
    shape = len(lengths), max(lengths)
    record = Csr(*(xp.asarray(x) for x in (indptr.astype(index), indices.astype(index), as_dtype(data, dtype))), shape)
    return csr_array._of(record), sp.csr_array((data, indices, indptr), shape=shape)


def cast(x, dtype):
    """Exact sums of products in the dtype that products have."""
    return x != 0 if dtype == bool else x.astype(dtype)


def complexly(data, dtype):
    """What `as_dtype` makes of small numbers."""
    return as_dtype(data, dtype).astype(np.complex128 if np.dtype(dtype).kind == "c" else np.float64)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_products(xp, to_numpy, dtype, pattern):
    A, S = matrix(xp, PATTERNS[pattern], dtype)
    S = sp.csr_array((complexly(S.data, dtype), S.indices, S.indptr), shape=S.shape)
    for B, T in ((A, S), (A.T, S.T)):
        x = np.arange(T.shape[1]) % 3 == 1
        np.testing.assert_array_equal(to_numpy(B @ xp.asarray(x.astype(dtype))), cast(T @ x.astype(float), dtype))
        if pattern in ("eight lanes", "tiles"):
            X = np.stack([x, ~x, x], axis=1)
            np.testing.assert_array_equal(to_numpy(B @ xp.asarray(X.astype(dtype))), cast(T @ X.astype(float), dtype))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("ring", RINGS)
def test_products_over_semirings(xp, to_numpy, ring, pattern):
    char, multiply, add = RINGS[ring]
    dtype = np.dtype(char)
    A, S = matrix(xp, PATTERNS[pattern], dtype)
    for B, T in ((A, S), (A.T, S.T.tocsr())):
        x = as_dtype(np.arange(T.shape[1]) % 7, dtype)
        products = multiply(as_dtype(T.data, dtype), x[T.indices])
        full = np.flatnonzero(np.diff(T.indptr))
        expected = add.reduceat(products, T.indptr[:-1][full])
        found = to_numpy(B.matmul(xp.asarray(x), semiring=ring))
        np.testing.assert_array_equal(found[full], expected)
        if pattern in ("eight lanes", "tiles"):
            found = to_numpy(B.matmul(xp.asarray(np.stack([x, x], axis=1)), semiring=ring))
            np.testing.assert_array_equal(found[full], np.stack([expected, expected], axis=1))


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_products_with_wide_indices(xp, to_numpy, dtype):
    for pattern in PATTERNS.values():
        A, S = matrix(xp, pattern, dtype, np.int64)
        for B, T in ((A, S), (A.T, S.T)):
            x = (np.arange(T.shape[1]) % 3 == 1).astype(dtype)
            np.testing.assert_array_equal(to_numpy(B @ xp.asarray(x)), T @ x)
            np.testing.assert_array_equal(to_numpy(B @ xp.asarray(x[:, None])), T @ x[:, None])


FOLDS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "any": np.logical_or, "all": np.logical_and}
KINDS = [("sum", dtype) for dtype in SUMS]
KINDS += [("prod", np.dtype(float)), ("min", np.dtype(np.float32)), ("max", np.dtype(np.int32))]
KINDS += [("any", np.dtype(bool)), ("all", np.dtype(bool))]


def scanned(x, op, exclusive, reverse, identity):
    """A scan by NumPy, element after element."""
    x = x[::-1] if reverse else x
    y = FOLDS[op].accumulate(x) if x.size else x
    if exclusive:
        y = np.concatenate([[identity], y])[: x.size].astype(x.dtype)
    return y[::-1] if reverse else y


@pytest.mark.parametrize("op, dtype", KINDS, ids=str)
def test_scans_and_reductions(xp, to_numpy, op, dtype):
    n, offsets = 2500, np.array([0, 3, 3, 2400, 2500])
    few = np.arange(n) % 617 == 5  # so that nothing is rounded
    x = as_dtype(np.where(few, 2.0, 1.0 if op in ("prod", "all", "min") else 0.0), dtype)
    identity = {"sum": 0, "prod": 1, "any": False, "all": True, "min": np.inf, "max": np.iinfo(np.int32).min}[op]
    on_device, device_offsets = xp.asarray(x), xp.asarray(offsets)
    for reverse in (False, True):
        found = p.inclusive_scan(on_device, op, reverse=reverse)
        np.testing.assert_array_equal(to_numpy(found), scanned(x, op, False, reverse, identity))
        for exclusive in (False, True):
            if exclusive:
                found = p.exclusive_scan(on_device, op, reverse=reverse)
                np.testing.assert_array_equal(to_numpy(found), scanned(x, op, True, reverse, identity))
            found = p.segmented_scan(on_device, device_offsets, op=op, exclusive=exclusive, reverse=reverse)
            parts = [scanned(part, op, exclusive, reverse, identity) for part in np.split(x, offsets[1:-1])]
            np.testing.assert_array_equal(to_numpy(found), np.concatenate(parts))
    found = p.segmented_reduce(on_device, xp.asarray(np.array([0, 3, 2400, n])), op)
    np.testing.assert_array_equal(to_numpy(found), FOLDS[op].reduceat(x, [0, 3, 2400]))


@pytest.mark.parametrize("dtype", [np.dtype(char) for char in "bhifD"], ids=str)
def test_floods(xp, to_numpy, dtype):
    """They move values of one, two, four, eight and sixteen bytes."""
    n, offsets = 2500, np.array([0, 3, 3, 2400, 2500])
    x, valid = as_dtype(np.arange(n) % 5, dtype), np.arange(n) % 7 == 3
    position = np.where(valid, np.arange(n), -1)
    for limits in (None, offsets):
        starts = np.zeros(n, int) if limits is None else np.repeat(offsets[:-1], np.diff(offsets))
        last = np.maximum.accumulate(position)
        expected = np.where(last >= starts, x[last], dtype.type(0))
        given = {} if limits is None else {"offsets": xp.asarray(limits)}
        found = p.right_flood(xp.asarray(x), xp.asarray(valid), **given)
        np.testing.assert_array_equal(to_numpy(found), expected)
        np.testing.assert_array_equal(
            to_numpy(p.right_flood(xp.asarray(x), xp.asarray(valid), return_index=True, **given)[0]), expected
        )
        backwards = {} if limits is None else {"offsets": xp.asarray(n - limits[::-1])}
        found = p.left_flood(xp.asarray(x[::-1].copy()), xp.asarray(valid[::-1].copy()), **backwards)
        np.testing.assert_array_equal(to_numpy(found), expected[::-1])


@pytest.mark.parametrize("dtype", [np.dtype(char) for char in "?bBhHiIqQfd"], ids=str)
def test_sorts(xp, to_numpy, dtype):
    n, offsets = 4500, np.array([0, 10, 10, 700, 4500])
    x = as_dtype(np.arange(n) * 7919 % 251, dtype)
    for algorithm in ("auto", "merge"):
        np.testing.assert_array_equal(to_numpy(p.sort(xp.asarray(x), algorithm=algorithm)), np.sort(x))
        np.testing.assert_array_equal(to_numpy(p.argsort(xp.asarray(x), algorithm=algorithm)), np.argsort(x, kind="stable"))
    for descending in (False, True):
        parts = [np.sort(part)[::-1] if descending else np.sort(part) for part in np.split(x, offsets[1:-1])]
        found = p.segmented_sort(xp.asarray(x), xp.asarray(offsets), descending=descending)
        np.testing.assert_array_equal(to_numpy(found), np.concatenate(parts))
    parts = zip(offsets[:-1], np.split(x, offsets[1:-1]), strict=True)
    parts = [start + np.argsort(part, kind="stable") for start, part in parts]
    np.testing.assert_array_equal(to_numpy(p.segmented_argsort(xp.asarray(x), xp.asarray(offsets))), np.concatenate(parts))
    values = p.segmented_reduce(xp.asarray(x), xp.asarray(np.array([0, 10, 700, n])), "max", return_index=True)
    expected = [start + np.argmax(part) for start, part in zip([0, 10, 700], np.split(x, [10, 700]), strict=True)]
    assert to_numpy(values[1]).tolist() == expected


def test_graphs_with_wide_indices(xp, to_numpy):
    """The algorithms on a small undirected graph whose index arrays have 64 bits, as those of more than 2^31 edges."""
    N = nx.gnm_random_graph(60, 150, seed=4)
    lists = [sorted(N[v]) for v in N]
    G = graph.Graph(of_lists(xp, lists, np.ones(300), np.int64).matrix, directed=False)
    assert G.matrix.indices.dtype == np.int64
    distances = nx.single_source_shortest_path_length(N, 0)
    for direction in ("push", "pull", "auto"):
        found = to_numpy(graph.bfs(G, 0, direction=direction)[0])
        assert all(found[v] == d for v, d in distances.items())
    assert all(to_numpy(graph.sssp(G, 0)[0])[v] == d for v, d in distances.items())
    assert graph.connected_components(G)[0] == nx.number_connected_components(N)
    forward = of_lists(xp, [[w for w in row if w > v] for v, row in enumerate(lists)], None, np.int64)
    assert graph.connected_components(forward, connection="strong")[0] == 60
    np.testing.assert_allclose(to_numpy(graph.pagerank(G)), list(nx.pagerank(N).values()), rtol=1e-4)
    assert to_numpy(graph.core_number(G)).tolist() == list(nx.core_number(N).values())
    np.testing.assert_array_equal(to_numpy(graph.triangles(G)), list(nx.triangles(N).values()))
    colors = to_numpy(graph.color(G))
    assert all(colors[u] != colors[v] for u, v in N.edges)
    np.testing.assert_allclose(to_numpy(graph.betweenness(G)), list(nx.betweenness_centrality(N).values()), rtol=1e-6)
    assert graph.minimum_spanning_tree(G).nnz == 60 - nx.number_connected_components(N)
    graph.label_propagation(G)
    graph.random_walk(G, xp.asarray(np.arange(5)), 4, seed=1)
    assert to_numpy(graph.k_core(G, 3)).size == len(nx.k_core(N, 3))
    for weighted in (False, True):
        found = to_numpy(graph.closeness_centrality(G, weighted=weighted))
        np.testing.assert_allclose(found, list(nx.closeness_centrality(N).values()), rtol=1e-6)
    found = to_numpy(graph.betweenness(G, weighted=True))
    np.testing.assert_allclose(found, list(nx.betweenness_centrality(N).values()), rtol=1e-6)
    order = to_numpy(graph.topological_sort(forward)).tolist()
    assert all(order.index(u) < order.index(v) for u, v in N.edges)
    assert graph.sample_neighbors(G, 0, [-1, -1]).offsets[1] == 1
    for find in (graph.louvain_communities, graph.leiden_communities):
        assert graph.modularity(G, find(G)) > 0.3
    nodes = [5, 3, 20, 21]
    assert graph.Graph(G.matrix).subgraph(nodes).n_edges == 2 * N.subgraph(nodes).number_of_edges()
