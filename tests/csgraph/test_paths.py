"""`csgraph.dijkstra` and `csgraph.shortest_path` are SciPy's, bit by bit, whichever package computes."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph as theirs

import spark_csr
from spark_csr import csgraph

pytestmark = pytest.mark.usefixtures("cpu_only")


@pytest.fixture(params=[0, 10_000])
def few(monkeypatch, request):
    """The number of edges up to which SciPy computes."""
    monkeypatch.setattr("spark_csr.csgraph.operands.FEW", request.param)
    return request.param


def graphs(form, dtype=float):
    """The same graph for both packages: with stored zeros, and in coordinates with duplicates."""
    S = sp.random_array((60, 60), density=0.05, rng=2).asformat(form)
    S.data = (S.data * 9).astype(dtype)
    if form == "coo":
        rows, columns = S.coords
        S = sp.coo_array((np.append(S.data, S.data), (np.append(rows, rows), np.append(columns, columns))), S.shape)
    return getattr(spark_csr, f"{form}_array")(S), S


def assert_same(ours, expected):
    assert (ours.shape, ours.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize("form, dtype", [("csr", float), ("csr", np.float32), ("csr", bool), ("csc", np.int64), ("coo", float)])
def test_distances(few, form, dtype):
    A, S = graphs(form, dtype)
    for directed, unweighted, indices in itertools.product((True, False), (True, False), (None, 3, [1, -1, 1], [[0, 2]])):
        for limit, min_only in ((np.inf, False), (4.0, True), (0, False)):
            options = {"directed": directed, "unweighted": unweighted, "indices": indices, "limit": limit, "min_only": min_only}
            assert_same(csgraph.dijkstra(A, **options), theirs.dijkstra(S, **options))
        options = {"directed": directed, "unweighted": unweighted, "indices": indices}
        assert_same(csgraph.shortest_path(A, **options), theirs.shortest_path(S, **options))
    assert (A.data.dtype, A.nnz) == (S.data.dtype, S.nnz)


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("dtype", [float, np.float32, np.int8, bool, np.uint16])
def test_edges_that_are_stored_twice(few, form, dtype):
    """SciPy casts the graph to float64, and sums duplicates then, but takes a graph of float64 as it is."""
    data, indices, indptr = np.array([100, 100, 1, 1, 3]).astype(dtype), np.array([1, 1, 2, 2, 0]), np.array([0, 2, 4, 5])
    S = getattr(sp, f"{form}_array")((data, indices, indptr))
    A = getattr(spark_csr, f"{form}_array")(S)
    for options in ({}, {"directed": False}, {"unweighted": True}, {"indices": [0, 1], "min_only": True}):
        assert_same(csgraph.dijkstra(A, **options), theirs.dijkstra(S.copy(), **options))
        options.pop("min_only", None)
        assert_same(csgraph.shortest_path(A, **options), theirs.shortest_path(S.copy(), **options))
    assert A.nnz == 5


@pytest.mark.parametrize("method", ["auto", "FW", "D", "BF", "J"])
def test_methods(few, method):
    A, S = graphs("csr")
    assert_same(csgraph.shortest_path(A, method), theirs.shortest_path(S, method))
    options = {"method": method, "return_predecessors": True}
    for ours, expected in zip(csgraph.shortest_path(A, **options), theirs.shortest_path(S, **options), strict=True):
        assert_same(ours, expected)


def test_predecessors_are_scipys(few):
    A, S = graphs("csr", np.int64)  # many paths are equally long
    options = {"indices": [4, 2], "min_only": True, "return_predecessors": True}
    for ours, expected in zip(csgraph.dijkstra(A, **options), theirs.dijkstra(S, **options), strict=True):
        assert_same(ours, expected)


def test_lengths_below_zero(few):
    A, S = spark_csr.csr_array([[0, -1.0, 4], [0, 0, 2], [0, 0, 0]]), sp.csr_array([[0, -1.0, 4], [0, 0, 2], [0, 0, 0]])
    assert_same(csgraph.shortest_path(A), theirs.shortest_path(S))
    with pytest.warns(UserWarning, match="negative weights"):
        csgraph.dijkstra(A)
    with pytest.raises(theirs.NegativeCycleError):
        csgraph.shortest_path(spark_csr.csr_array([[0, -1.0], [0.5, 0]]))


@pytest.mark.filterwarnings("ignore:Graph has negative weights:UserWarning")
@pytest.mark.parametrize(
    "form", [spark_csr.csr_array, spark_csr.coo_array, sp.csr_array, sp.lil_array, np.asarray, np.ndarray.tolist]
)
def test_cycles_below_zero(few, form):
    """SciPy's `dijkstra` goes round them until the memory is full."""
    dense = np.array([[0, 1, 0], [0, 0, -3.0], [1, 0, 0]])
    graph = form(dense)
    for directed in (True, False):
        with pytest.raises(csgraph.NegativeCycleError):
            csgraph.dijkstra(graph, directed, indices=0)
        with pytest.raises(csgraph.NegativeCycleError):
            csgraph.shortest_path(graph, "D", directed, indices=0)
    assert csgraph.dijkstra(graph, unweighted=True, indices=0).tolist() == [0, 1, 2]


@pytest.mark.parametrize("options", [{"indices": 60}, {"indices": [-61]}, {"limit": -1}])
def test_refusals_are_scipys(few, options):
    with pytest.raises(ValueError, match=r"indices out of range|limit must be >= 0"):
        csgraph.dijkstra(graphs("csr")[0], **options)


def test_negative_cycles_of_complex_numbers():
    """SciPy drops imaginary parts, and its `dijkstra` does not end."""
    S = sp.csr_array(np.array([[0, -1 + 0j], [-1, 0]]))
    with pytest.warns(np.exceptions.ComplexWarning), pytest.raises(csgraph.NegativeCycleError):
        csgraph.dijkstra(S, indices=0)


def every_second(graph):
    return np.repeat(graph, 2, axis=1)[:, ::2]


def masked(graph):
    return np.ma.masked_equal(graph, 0)


@pytest.mark.parametrize("name", ["floyd_warshall", "shortest_path", "dijkstra", "bellman_ford", "johnson"])
@pytest.mark.parametrize("form", [np.asfortranarray, np.ndarray.tolist, every_second, masked])
def test_dense_graphs_in_any_order(name, form):
    """SciPy's method of Floyd and Warshall returns one that is not in C order as it is."""
    graph = np.array([[0.0, 7, 2, 0], [0, 0, 0, 0], [4, 1, 0, 6], [0, 7, 0, 0]])
    expected = [[0, 3, 2, 8], [np.inf, 0, np.inf, np.inf], [4, 1, 0, 6], [np.inf, 7, np.inf, 0]]
    given = form(graph)
    np.testing.assert_array_equal(getattr(csgraph, name)(given), expected)
    np.testing.assert_array_equal(given, graph)
    assert csgraph.connected_components(given)[0] == 1


@pytest.mark.parametrize("order, is_overwritten", [("C", True), ("F", False)])
def test_only_an_array_in_c_order_is_overwritten(order, is_overwritten):
    graph = np.array([[0.0, 7, 2], [0, 0, 0], [4, 1, 0]], order=order)
    found = csgraph.floyd_warshall(graph, overwrite=True)
    assert found.tolist() == [[0, 3, 2], [np.inf, 0, np.inf], [4, 1, 0]]
    assert np.shares_memory(found, graph) == is_overwritten


def test_masked_vertices_are_refused():
    for function in (csgraph.dijkstra, csgraph.shortest_path):
        with pytest.raises(TypeError, match="indices is a masked array"):
            function(spark_csr.csr_array(np.ones((3, 3))), indices=np.ma.masked_equal([0, 1], 1))
