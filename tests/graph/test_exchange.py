"""Graphs from files, and to and from networkx."""

import bz2
import gzip
import importlib
import importlib.util
import lzma
import re

import numpy as np
import pytest
import scipy.sparse as sp

from loops import edges_of, of_lists
from spark_csr import csr_array, mmwrite, save_npz
from spark_csr.graph import Graph

nx = pytest.importorskip("networkx")
on_the_host = pytest.mark.usefixtures("cpu_only")

LISTS = [[1, 1, 2], [], [2, 0], []]


def edges(G):
    return list(zip(G.sources().tolist(), G.matrix.indices.tolist(), strict=True))


@on_the_host
def test_lines_are_edges_from_first_to_second(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("# a comment\n% another\n0 1\n\n0,1\n2 2 \n0\t2\n2 0\n")
    G = Graph.read(path, n_vertices=4)
    assert sorted(edges(G)) == sorted(edges_of(LISTS))
    assert G.n_vertices == 4
    assert G.directed
    assert Graph.read(path).n_vertices == 3
    assert Graph.read(path, directed=False).n_edges == 5
    for opener, name in ((gzip, "e.txt.gz"), (bz2, "e.bz2"), (lzma, "e.xz")):
        with opener.open(tmp_path / name, "wb") as file:
            file.write(path.read_bytes())
        assert edges(Graph.read(tmp_path / name)) == edges(G)


@on_the_host
def test_weights_and_vertices_from_one(tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_text("1 2 0.5\n3 1 7\n")
    G = Graph.read(str(path), one_based=True)
    assert edges(G) == [(0, 1), (2, 0)]
    assert G.matrix.data.tolist() == [0.5, 7]
    (tmp_path / "none.txt").write_text("# nothing\n")
    assert Graph.read(tmp_path / "none.txt").n_vertices == 0


@on_the_host
@pytest.mark.parametrize(
    "text, message",
    [
        ("0 1\n2 x\n", "not a list of edges"),
        ("0 1\n2\n", "not a list of edges"),
        ("0\n1\n", "got 1 numbers"),
        ("0 1 2 3\n", "got 4 numbers"),
        ("0 1.5\n", "must be integers"),
        ("0 nan\n", "must be integers, got nan"),
        ("0 -1\n", "0 or above"),
        ("0 nan\n", "integers"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_lines_that_are_no_edges(tmp_path, text, message):
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        Graph.read(path)


@on_the_host
def test_vertices_beyond_the_number_given(tmp_path):
    (tmp_path / "few.txt").write_text("0 5\n")
    with pytest.raises(ValueError, match=r"\[0, 5\)"):
        Graph.read(tmp_path / "few.txt", n_vertices=5)
    with pytest.raises(FileNotFoundError):
        Graph.read(tmp_path / "missing.txt")
    for n, error, message in ((-1, ValueError, "0 or above, got -1"), ("3", TypeError, "an integer, got '3'")):
        with pytest.raises(error, match=f"n_vertices must be {message}"):
            Graph.read(tmp_path / "few.txt", n_vertices=n)
        with pytest.raises(error, match="n_vertices must be"):
            Graph.from_edges([], [], n_vertices=n)


@on_the_host
def test_matrix_files(tmp_path):
    G = of_lists(np, [[1], [0, 2], []])
    mmwrite(tmp_path / "a.mtx", G.matrix)
    save_npz(tmp_path / "a.npz", G.matrix)
    for name in ("a.mtx", "a.npz"):
        assert edges(Graph.read(tmp_path / name)) == edges(G)
    with pytest.raises(ValueError, match=r"a\.npz: .*differ in weight"):
        Graph.read(tmp_path / "a.npz", directed=False)


SOURCE, TARGET, WEIGHT = ["b", "a", "a", "b", "a"], ["a", "c", "b", "a", "a"], [5.0, 7, 2, 3, 1]


@on_the_host
def test_files_of_matrices_that_are_no_graphs_are_named(tmp_path):
    path = tmp_path / "a.npz"
    sp.save_npz(path, sp.csr_array((4, 1)))
    with pytest.raises(ValueError, match=r"a\.npz: a graph needs a square matrix, got shape \(4, 1\)"):
        Graph.read(path)


class TestFromEdges:
    def test_parallel_edges_are_kept(self):
        G = Graph.from_edges(SOURCE, TARGET, WEIGHT)
        assert G.names.tolist() == ["a", "b", "c"]
        assert edges(G) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 0)]
        assert G.matrix.data.tolist() == [1, 2, 7, 5, 3]
        assert Graph.from_edges(SOURCE, TARGET).matrix.data.tolist() == [1.0] * 5

    @pytest.mark.parametrize("combine, weight", [("sum", 8), ("min", 3), ("max", 5), ("first", 5)])
    def test_parallel_edges_are_combined(self, combine, weight):
        G = Graph.from_edges(SOURCE, TARGET, WEIGHT, combine=combine)
        assert edges(G) == [(0, 0), (0, 1), (0, 2), (1, 0)]
        assert G.matrix.data.tolist() == [1, 2, 7, weight]
        assert Graph.from_edges(SOURCE, TARGET, combine="sum").matrix.data.tolist() == [1, 1, 1, 2]

    @pytest.mark.parametrize("combine, weight", [("sum", 10), ("min", 2), ("max", 5), ("first", 5)])
    def test_undirected(self, combine, weight):
        G = Graph.from_edges(SOURCE, TARGET, WEIGHT, directed=False, combine=combine)
        assert not G.directed
        assert edges(G) == [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
        assert G.matrix.data.tolist() == [1, weight, 7, weight, 7]

    def test_undirected_edges_of_one_weight_become_one(self):
        G = Graph.from_edges(SOURCE, TARGET, directed=False)
        assert edges(G) == [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
        with pytest.raises(ValueError, match="between 'a' and 'b' differ in weight"):
            Graph.from_edges(SOURCE, TARGET, WEIGHT, directed=False)

    def test_names_in_an_order_of_their_own(self):
        G = Graph.from_edges(SOURCE, TARGET, WEIGHT, names=["d", "c", "b", "a"])
        assert G.names.tolist() == ["d", "c", "b", "a"]
        assert edges(G) == [(2, 3), (2, 3), (3, 1), (3, 2), (3, 3)]
        with pytest.raises(ValueError, match=r"not 'b', which is source\[0\]"):
            Graph.from_edges(SOURCE, TARGET, names=["a", "c"])
        with pytest.raises(ValueError, match=r"'a' as names\[0\] and names\[2\]"):
            Graph.from_edges(SOURCE, TARGET, names=["a", "b", "a"])

    def test_numbers_of_vertices(self):
        G = Graph.from_edges([0, 2], [2, 0], n_vertices=4)
        assert (G.names, G.n_vertices) == (None, 4)
        assert Graph.from_edges([], [], n_vertices=4).n_edges == 0
        with pytest.raises(ValueError, match=r"source must lie in \[0, 2\), got source\[1\] = 2"):
            Graph.from_edges([0, 2], [1, 0], n_vertices=2)
        with pytest.raises(TypeError, match="target must hold integers if n_vertices is given"):
            Graph.from_edges([0], ["a"], n_vertices=2)
        with pytest.raises(ValueError, match="names or n_vertices, not both"):
            Graph.from_edges([0], [1], names=[0, 1], n_vertices=2)

    def test_no_edges(self):
        for options in ({}, {"directed": False}, {"combine": "sum"}):
            G = Graph.from_edges([], [], [], **options)
            assert (G.n_vertices, G.n_edges, G.names.size) == (0, 0, 0)
        assert Graph.from_edges([], [], names=["a"]).n_vertices == 1

    def test_lengths(self):
        with pytest.raises(ValueError, match="source, target and weight must have equal length, got 5, 5 and 4"):
            Graph.from_edges(SOURCE, TARGET, WEIGHT[1:])
        with pytest.raises(ValueError, match="source and target must have equal length, got 5 and 4"):
            Graph.from_edges(SOURCE, TARGET[1:])

    def test_every_library_gives_the_same_graph(self):
        expected = Graph.from_edges(SOURCE, TARGET, WEIGHT)
        for module, column in (("pandas", "Series"), ("polars", "Series"), ("pyarrow", "array"), ("numpy", "array")):
            if importlib.util.find_spec(module):
                make = getattr(importlib.import_module(module), column)
                G = Graph.from_edges(make(SOURCE), make(TARGET), make(WEIGHT))
                assert edges(G) == edges(expected)
                assert G.names.tolist() == expected.names.tolist()
                assert G.matrix.data.tolist() == expected.matrix.data.tolist()


def test_edges_on_a_device(xp, to_numpy):
    columns = [xp.asarray(x) for x in ([30, 10, 30], [10, 20, 10], [0.5, 1, 2])]
    G = Graph.from_edges(*columns)
    assert G.device == csr_array(xp.eye(1)).device
    assert G.names.tolist() == [10, 20, 30]
    assert to_numpy(G.matrix.indices).tolist() == [1, 0, 0]
    G = Graph.from_edges(*columns, directed=False, combine="sum")
    assert to_numpy(G.matrix.data).tolist() == [1, 2.5, 1, 2.5]


@on_the_host
def test_attributes_that_networkx_writes(tmp_path):
    path = tmp_path / "edges.txt"
    nx.write_edgelist(nx.Graph([(0, 1, {"weight": 2}), (1, 3, {"name": "a, # b"}), (3, 0, {})]), path)
    G = Graph.read(path, directed=False)
    H = nx.read_edgelist(path, nodetype=int, comments="!")
    assert nx.utils.graphs_equal(nx.Graph(G.to_networkx().edges), nx.Graph(H.edges))
    assert G.matrix.toarray().tolist() == [[0, 2, 0, 1], [2, 0, 0, 1], [0, 0, 0, 0], [1, 1, 0, 0]]


@on_the_host
def test_lists_that_say_what_is_wrong(tmp_path):
    (tmp_path / "edges.txt").write_text("1 2\n2 0\n")
    with pytest.raises(ValueError, match="edge 1 is 2 -> 0, and one_based=True has no vertex 0"):
        Graph.read(tmp_path / "edges.txt", one_based=True)
    (tmp_path / "edges.txt").write_text(f"{2**45} 2\n")
    with pytest.raises(MemoryError, match="header=False reads vertices as names, which may be any numbers"):
        Graph.read(tmp_path / "edges.txt")
    assert Graph.read(tmp_path / "edges.txt", header=False).names.tolist() == [2, 2**45]
    (tmp_path / "ring.graph").write_text("4 4\n2 4\n1 3\n2 4\n1 3\n")
    with pytest.raises(ValueError, match="ring.graph: n_vertices and one_based .*, and this says how many vertices there are"):
        Graph.read(tmp_path / "ring.graph", one_based=True)


@on_the_host
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_networkx_there_and_back(kind):
    graph = kind()
    graph.add_nodes_from("abcde")
    graph.add_weighted_edges_from([("a", "c", 2.0), ("c", "a", 2.0), ("b", "b", 5.0), ("a", "c", 2.0), ("e", "d", 1.5)])
    graph.add_edge("d", "a")
    G = Graph.from_networkx(graph)
    assert G.names.tolist() == list(graph)
    assert G.directed == graph.is_directed()
    Graph(G.matrix, directed=G.directed)
    back = G.to_networkx()
    assert list(back) == list(graph)
    assert nx.utils.graphs_equal(Graph.from_networkx(back).to_networkx(), back)
    assert G.n_edges == graph.size() * (1 if G.directed else 2) - (0 if G.directed else 1)
    weights = sorted(w for _, _, w in back.edges(data="weight"))
    assert weights == sorted(w for _, _, w in graph.edges(data="weight", default=1))
    assert Graph.from_networkx(graph, weight=None).matrix.data.tolist() == [1] * G.n_edges


@on_the_host
@pytest.mark.parametrize("bad", [None, "2", [1]])
def test_networkx_weight_that_is_no_number(bad):
    for kind in (nx.Graph, nx.MultiDiGraph):
        graph = kind([(0, 1, {"w": 2}), (0, "b", {"w": bad})])
        with pytest.raises(
            TypeError, match=re.escape(f"weights must be numbers, got 'w' = {bad!r} for 0 -> 'b': give weight=")
        ):
            Graph.from_networkx(graph, weight="w")
        assert Graph.from_networkx(graph).n_edges == 2 + 2 * (kind is nx.Graph)


@on_the_host
def test_networkx_nodes_of_all_kinds():
    for nodes in ([("a", 1), ("b", 2)], [3, 1], ["x", 3, 0.5], [True, "y"]):
        G = Graph.from_networkx(nx.path_graph(nodes))
        assert list(G.to_networkx()) == nodes
        assert [G.vertex(node) for node in nodes] == list(range(len(nodes)))
    assert G.transpose.to_networkx().edges == nx.path_graph([True, "y"]).edges
    assert list(Graph([[0, 1], [0, 0]]).to_networkx()) == [0, 1]


@on_the_host
def test_networkx_graph_without_edges():
    assert Graph.from_networkx(nx.path_graph(1)).to_networkx().number_of_nodes() == 1


@on_the_host
def test_unsorted_columns_make_no_multigraph():
    G = Graph(csr_array((np.array([5, 7]), np.array([2, 1]), np.array([0, 2, 2, 2]))))
    back = G.to_networkx()
    assert type(back) is nx.DiGraph
    assert sorted(back.edges(data="weight")) == [(0, 1, 7), (0, 2, 5)]
