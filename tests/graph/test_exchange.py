"""Graphs from files, and to and from networkx."""

import bz2
import gzip

import numpy as np
import pytest

from loops import edges_of, of_lists
from spark_csr import csr_array, mmwrite, save_npz
from spark_csr.graph import Graph

nx = pytest.importorskip("networkx")
pytestmark = pytest.mark.usefixtures("cpu_only")

LISTS = [[1, 1, 2], [], [2, 0], []]


def edges(G):
    return list(zip(G.sources().tolist(), G.matrix.indices.tolist(), strict=True))


def test_lines_are_edges_from_first_to_second(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("# a comment\n% another\n0 1\n\n0,1\n2 2 \n0\t2\n2 0\n")
    G = Graph.read(path, n_vertices=4)
    assert sorted(edges(G)) == sorted(edges_of(LISTS))
    assert G.n_vertices == 4
    assert G.directed
    assert Graph.read(path).n_vertices == 3
    assert Graph.read(path, directed=False).n_edges == 5
    for opener, name in ((gzip, "e.txt.gz"), (bz2, "e.bz2")):
        with opener.open(tmp_path / name, "wb") as file:
            file.write(path.read_bytes())
        assert edges(Graph.read(tmp_path / name)) == edges(G)


def test_weights_and_vertices_from_one(tmp_path):
    path = tmp_path / "edges.tsv"
    path.write_text("1 2 0.5\n3 1 7\n")
    G = Graph.read(str(path), one_based=True)
    assert edges(G) == [(0, 1), (2, 0)]
    assert G.matrix.data.tolist() == [0.5, 7]
    (tmp_path / "none.txt").write_text("# nothing\n")
    assert Graph.read(tmp_path / "none.txt").n_vertices == 0


@pytest.mark.parametrize(
    "text, message",
    [
        ("0 1\n2 x\n", "not a list of edges"),
        ("0 1\n2\n", "not a list of edges"),
        ("0\n1\n", "got 1 numbers"),
        ("0 1 2 3\n", "got 4 numbers"),
        ("0 1.5\n", "must be integers"),
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


def test_vertices_beyond_the_number_given(tmp_path):
    (tmp_path / "few.txt").write_text("0 5\n")
    with pytest.raises(ValueError, match=r"\[0, 5\)"):
        Graph.read(tmp_path / "few.txt", n_vertices=5)
    with pytest.raises(FileNotFoundError):
        Graph.read(tmp_path / "missing.txt")


def test_matrix_files(tmp_path):
    G = of_lists(np, [[1], [0, 2], []])
    mmwrite(tmp_path / "a.mtx", G.matrix)
    save_npz(tmp_path / "a.npz", G.matrix)
    for name in ("a.mtx", "a.npz"):
        assert edges(Graph.read(tmp_path / name)) == edges(G)
    with pytest.raises(ValueError, match="differ in weight"):
        Graph.read(tmp_path / "a.npz", directed=False)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_networkx_there_and_back(kind):
    graph = kind()
    graph.add_nodes_from("abcde")
    graph.add_weighted_edges_from([("a", "c", 2.0), ("c", "a", 2.0), ("b", "b", 5.0), ("a", "c", 2.0), ("e", "d", 1.5)])
    graph.add_edge("d", "a")
    G = Graph.from_networkx(graph)
    assert G.n_vertices == 5
    assert G.directed == graph.is_directed()
    Graph(G.matrix, directed=G.directed)
    back = G.to_networkx()
    assert nx.utils.graphs_equal(Graph.from_networkx(back).to_networkx(), back)
    assert G.n_edges == graph.size() * (1 if G.directed else 2) - (0 if G.directed else 1)
    weights = sorted(w for _, _, w in back.edges(data="weight"))
    assert weights == sorted(w for _, _, w in graph.edges(data="weight", default=1))
    assert Graph.from_networkx(graph, weight=None).matrix.data.tolist() == [1] * G.n_edges


def test_networkx_graph_without_edges():
    assert Graph.from_networkx(nx.path_graph(1)).to_networkx().number_of_nodes() == 1


def test_unsorted_columns_make_no_multigraph():
    G = Graph(csr_array((np.array([5, 7]), np.array([2, 1]), np.array([0, 2, 2, 2]))))
    back = G.to_networkx()
    assert type(back) is nx.DiGraph
    assert sorted(back.edges(data="weight")) == [(0, 1, 7), (0, 2, 5)]
