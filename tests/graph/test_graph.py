"""Graphs: what is stored, reversed edges, edges both ways."""

import xml.etree.ElementTree

import numpy as np
import pytest
import scipy.sparse

from loops import GRAPHS, SEVEN, edges_of, of_lists
from spark_csr import Monoid, config, coo_array, csr_array
from spark_csr.graph import Graph

every_graph = pytest.mark.parametrize("lists", GRAPHS.values(), ids=GRAPHS)
pytestmark = pytest.mark.usefixtures("small_tiles")


@every_graph
def test_sizes_degrees_and_sources(xp, to_numpy, lists):
    G, edges = of_lists(xp, lists), edges_of(lists)
    assert (G.n_vertices, G.n_edges) == (len(lists), len(edges))
    assert to_numpy(G.sources()).tolist() == [u for u, _ in edges]
    assert to_numpy(G.degrees()).tolist() == [len(row) for row in lists]
    assert to_numpy(G.degrees("in")).tolist() == [sum(v == w for _, w in edges) for v in range(len(lists))]
    assert G.degrees("in").dtype == G.degrees().dtype == np.int32


def test_degrees_of_both_directions_and_by_weight(xp, to_numpy):
    G, lists = of_lists(xp, GRAPHS["random"]), GRAPHS["random"]
    out, entering = np.zeros(60), np.zeros(60)
    for e, (u, v) in enumerate(edges_of(lists)):
        out[u] += e + 1
        entering[v] += e + 1
    assert to_numpy(G.degrees("both")).tolist() == (to_numpy(G.degrees()) + to_numpy(G.degrees("in"))).tolist()
    for direction, expected in (("out", out), ("in", entering), ("both", out + entering)):
        assert to_numpy(G.degrees(direction, weighted=True)).tolist() == expected.tolist()


@every_graph
def test_transpose_reverses_every_edge_by_source(xp, to_numpy, lists):
    G, edges = of_lists(xp, lists), edges_of(lists)
    T = G.transpose
    order = sorted(range(len(edges)), key=lambda e: (edges[e][1], edges[e][0], e))
    assert to_numpy(T.edge_ids).tolist() == order
    assert to_numpy(T.matrix.indices).tolist() == [edges[e][0] for e in order]
    assert to_numpy(T.sources()).tolist() == [edges[e][1] for e in order]
    assert to_numpy(T.matrix.data).tolist() == [e + 1 for e in order]


def test_reversed_edges_are_found_once_and_weights_are_those_of_now(xp, to_numpy):
    G = of_lists(xp, GRAPHS["random"])
    ids = G.transpose.edge_ids
    G.matrix.data[:] = -1
    assert np.shares_memory(ids, G.transpose.edge_ids) if isinstance(ids, np.ndarray) else True
    assert set(to_numpy(G.transpose.matrix.data).tolist()) == {-1}


def test_a_graph_shares_the_arrays_of_its_matrix(xp):
    A = csr_array(xp.asarray([[0.0, 2], [3, 0]]))
    G = Graph(A)
    assert G.matrix.data is A.data
    A.sum_duplicates()
    A.indices = A.indices[::-1].copy()
    assert G.matrix.indices.tolist() == [1, 0]


def test_anything_that_a_matrix_is_made_of():
    for given in (np.eye(3), scipy.sparse.eye_array(3), scipy.sparse.coo_array(np.eye(3)), (np.ones(3), (range(3), range(3)))):
        assert Graph(given).n_edges == 3


@pytest.mark.parametrize("shape", [(2, 3), (0, 1)])
def test_not_square(shape):
    with pytest.raises(ValueError, match=rf"square matrix, got shape \({shape[0]}, {shape[1]}\)"):
        Graph(csr_array(shape))


class Table:
    columns = ("source", "target")


@pytest.mark.parametrize(
    "given, error, message",
    [
        (Table(), TypeError, r"got a Table, which is a table of edges: use Graph.from_edges\(table\['source'\]"),
        ((["a", "b"], ["b", "c"]), TypeError, r"got a tuple of two columns: use Graph.from_edges\(source, target\)"),
        ((np.array([0, 1]), np.array([1, 2])), TypeError, r"got a tuple of two columns"),
        (np.array([[0, 1, 2], [1, 2, 0]]), ValueError, r"got shape \(2, 3\): Graph.from_edges\(\*A\)"),
    ],
)
def test_edges_that_are_no_matrix(given, error, message):
    with pytest.raises(error, match=message):
        Graph(given)


class TestUndirected:
    def test_both_ways(self, xp):
        G = Graph(csr_array(xp.asarray([[1.0, 2, 0], [2, 0, 5], [0, 5, 0]])), directed=False)
        assert not G.directed
        assert repr(G) == f"Graph(3 vertices, 5 edges, undirected, {G.device})"
        assert not G.transpose.directed

    def test_in_any_order_and_more_than_once(self, xp):
        G = of_lists(xp, [[2, 1, 1], [0, 0], [0]], [5, 3, 4, 3, 4, 5])
        Graph(G.matrix, directed=False)

    @pytest.mark.parametrize(
        "dense, edge",
        [
            ([[0, 1, 0], [0, 0, 0], [0, 1, 0]], "0 -> 1"),
            ([[0, 0], [1, 0]], "1 -> 0"),
            ([[0, 0, 0], [0, 0, 1], [1, 1, 0]], "2 -> 0"),
        ],
    )
    def test_one_way_only(self, xp, dense, edge):
        with pytest.raises(ValueError, match=rf"{edge} alone.*symmetrize"):
            Graph(csr_array(xp.asarray(dense)), directed=False)

    def test_the_first_edge_without_a_reverse_where_degrees_agree(self, xp):
        with pytest.raises(ValueError, match="0 -> 1 alone"):
            of_lists(xp, [[1], [2], [0]]) and Graph(of_lists(xp, [[1], [2], [0]]).matrix, directed=False)

    def test_two_weights(self, xp):
        A = csr_array(xp.asarray([[0, 7, 0], [7, 0, 2], [0, 3, 0]]))
        with pytest.raises(ValueError, match="got 2 for 1 -> 2 and 3 for 2 -> 1"):
            Graph(A, directed=False)
        with config(validate=False):
            Graph(A, directed=False)

    def test_missing_weights_are_equal(self, xp):
        Graph(csr_array(xp.asarray([[0, np.nan], [np.nan, 0]])), directed=False)


def larger_of(a, b):
    return a if a > b else b


class TestSymmetrize:
    def test_an_edge_of_an_undirected_graph_counts_once(self, xp, to_numpy):
        G = Graph(of_lists(xp, [[0, 1, 1], [0, 0]], np.array([9.0, 5, 7, 5, 7])).matrix, directed=False)
        for combine, expected in (("sum", 12), ("prod", 35), ("max", 7), ("first", 5)):
            once = G.symmetrize(combine)
            for H in (once, once.symmetrize(combine)):
                assert to_numpy(H.matrix.toarray()).tolist() == [[9, expected], [expected, 0]]

    @every_graph
    def test_every_edge_both_ways_once(self, xp, to_numpy, lists):
        edges = edges_of(lists)
        both = {}
        for e, (u, v) in enumerate(edges):
            for place in {(u, v), (v, u)}:
                both.setdefault(place, []).append(e + 1.0)
        G = of_lists(xp, lists).symmetrize("sum")
        assert list(zip(to_numpy(G.sources()).tolist(), to_numpy(G.matrix.indices).tolist(), strict=True)) == sorted(both)
        assert to_numpy(G.matrix.data).tolist() == [sum(both[place]) for place in sorted(both)]
        Graph(G.matrix, directed=False)

    def test_equal_weights_stay(self, xp, to_numpy):
        G = of_lists(xp, [[1, 1], [0, 2], []], [3, 3, 3, np.nan]).symmetrize()
        assert to_numpy(G.matrix.data).tolist()[:2] == [3, 3]
        assert to_numpy(G.matrix.indices).tolist() == [1, 0, 2, 1]

    def test_different_weights_are_named(self, xp):
        G = of_lists(xp, [[1], [0, 2], [1]], [3, 3, 4, 5])
        with pytest.raises(ValueError, match="edges between 1 and 2 differ in weight.*combine"):
            G.symmetrize()
        assert float(G.symmetrize("min").matrix.data[-1]) == 4
        assert float(G.symmetrize(Monoid(larger_of, 0)).matrix.data[-1]) == 5

    def test_both_directions_have_the_same_sum(self, xp):
        G = of_lists(xp, [[1, 1], [0]], [1e16, 1.0, -1e16]).symmetrize("sum")  # another order of additions gives 1 and not 0
        Graph(G.matrix, directed=False)

    def test_first_edge(self, xp, to_numpy):
        G = of_lists(xp, [[1, 1], [0, 2], [1]], [3, 4, 5, 6, 7]).symmetrize("first")
        assert to_numpy(G.matrix.data).tolist() == [3, 3, 6, 6]

    def test_names_in_the_message(self, xp):
        G = Graph(of_lists(xp, [[1], [0]], [3, 4]).matrix, names=["ann", "bob"])
        with pytest.raises(ValueError, match="edges between 'ann' and 'bob' differ in weight"):
            G.symmetrize()

    def test_unknown_monoid(self, xp):
        with pytest.raises(ValueError, match="average"):
            of_lists(xp, [[0]]).symmetrize("average")


@pytest.mark.parametrize("weight, dtype", [(True, bool), (100, np.int8), (200, np.uint8), (2.0, np.float32)])
def test_degrees_count_each_of_several_edges(xp, to_numpy, weight, dtype):
    """In a dtype in which they do not wrap; two True of one position are two edges."""
    G = of_lists(xp, [[1, 1, 2], [2], []], np.full(4, weight, dtype))
    for direction, counts in (("out", [3, 1, 0]), ("in", [0, 2, 2])):
        found = to_numpy(G.degrees(direction, weighted=True))
        assert found.tolist() == [weight * count for count in counts]
        assert found.dtype == np.sum(np.zeros(1, dtype)).dtype


def test_direction_of_degrees(xp):
    with pytest.raises(ValueError, match="'out', 'in' or 'both', got 'up'"):
        of_lists(xp, [[0]]).degrees("up")


def test_to_device(xp):
    G = of_lists(xp, [[0]])
    assert G.to_device(G.device) is G


def test_degrees_are_differences_of_offsets(xp):
    assert of_lists(xp, SEVEN).degrees().tolist() == [3, 3, 3, 2, 3, 1, 0]


def test_every_edge_has_its_source(xp):
    assert of_lists(xp, SEVEN).sources().tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5]


def test_half_a_matrix_is_no_undirected_graph(xp):
    half = of_lists(xp, [[1, 2], [2], []], [1, 1, 1])
    with pytest.raises(ValueError, match="stores every edge both ways, got 0 -> 1 alone"):
        Graph(half.matrix, directed=False)
    assert half.symmetrize().n_edges == 6


def test_html(xp):
    G = Graph(xp.asarray([[0, 5, 0], [0, 0, 7], [0, 0, 0]]))
    html = G._repr_html_()
    xml.etree.ElementTree.fromstring(html)
    for word in ("Graph", "directed", "int64", "0.667 on average, 1 at most", "<svg", G.device):
        assert word in html
    assert "<svg" not in Graph((0, 0))._repr_html_()


@pytest.mark.parametrize(
    "weights, fits", [([2, 4, 4, 2], True), ([2, 4, 2, 4], True), ([2, 4, 4, 3], False), ([2, 2, 2, 4], False)]
)
def test_parallel_edges_have_their_reverses_in_any_order(xp, weights, fits):
    A = coo_array((xp.asarray(weights), (xp.asarray([0, 0, 1, 1]), xp.asarray([1, 1, 0, 0]))), shape=(2, 2))
    if fits:
        assert Graph(A, directed=False).n_edges == 4
    else:
        with pytest.raises(ValueError, match="one weight for both ways, got . for 0 -> 1 and . for 1 -> 0"):
            Graph(A, directed=False)
