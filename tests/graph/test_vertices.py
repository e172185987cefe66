"""Vertices that are given by name, to everything that takes vertices."""

import datetime
import importlib

import numpy as np
import pytest

from loops import of_lists
from spark_csr.graph import (
    Frontier,
    Graph,
    betweenness,
    bfs,
    closeness_centrality,
    k_hop,
    path,
    personalized_pagerank,
    random_walk,
    sample_neighbors,
    segmented_intersection,
    sssp,
)
from spark_csr.graph.vertices import read_vertices

LISTS = [[1, 2], [2, 0], [3], [], [0, 1]]
NAMES = ["ann", "bob", "cleo", "dan", "eve"]


def named(xp, names=NAMES):
    return Graph(of_lists(xp, LISTS).matrix, names=names)


TAKE_SEVERAL = {
    "bfs": lambda G, v: bfs(G, v)[0],
    "sssp": lambda G, v: sssp(G, v, return_predecessors=False),
    "sssp, target": lambda G, v: sssp(G, 4, v, return_predecessors=False),
    "k_hop": lambda G, v: k_hop(G, v, 1)[0],
    "random_walk": lambda G, v: random_walk(G, v, 3),
    "sample_neighbors": lambda G, v: sample_neighbors(G, v, [2]).vertices,
    "personalized_pagerank": personalized_pagerank,
    "betweenness": lambda G, v: betweenness(G, sources=v),
    "closeness_centrality": closeness_centrality,
    "Frontier.of": lambda G, v: Frontier.of(G, v).items,
    "subgraph": lambda G, v: G.subgraph(v).matrix.toarray(),
    "path": lambda G, v: path(bfs(G, 4)[1], v, G).values,
    "segmented_intersection": lambda G, v: segmented_intersection(G, v, v)[1],
}


@pytest.mark.parametrize("call", TAKE_SEVERAL.values(), ids=TAKE_SEVERAL)
def test_names_are_as_good_as_numbers(xp, to_numpy, call):
    G = named(xp)
    expected = to_numpy(call(G, xp.asarray([1, 3])))
    for given in (["bob", "dan"], ("bob", "dan"), ["bob", 3], [np.int64(1), "dan"], np.array(["bob", "dan"]), G.names[[1, 3]]):
        np.testing.assert_array_equal(to_numpy(call(G, given)), expected)
    with pytest.raises(KeyError, match=r"no vertex has the name 'don', which is \w+\[1\]: did you mean 'dan'\?"):
        call(G, ["bob", "don"])


def test_one_name(xp, to_numpy):
    G = named(xp)
    for call in (TAKE_SEVERAL["bfs"], TAKE_SEVERAL["sssp"], TAKE_SEVERAL["k_hop"], closeness_centrality, personalized_pagerank):
        np.testing.assert_array_equal(to_numpy(call(G, "bob")), to_numpy(call(G, 1)))
    assert G.neighbors("bob").tolist() == [2, 0]
    assert G.neighbors("cleo", "in").tolist() == [0, 1]
    assert G.names_of(path(bfs(G, "eve")[1], "dan", G)).tolist() == ["eve", "ann", "cleo", "dan"]
    with pytest.raises(KeyError, match="no vertex has the name 'bo': did you mean 'bob'"):
        G.neighbors("bo")


def test_columns_of_other_libraries(cpu_only):
    G = named(np)
    for module, make in (
        ("pandas", lambda m: m.Series(["bob", "dan"], index=[7, 9])),
        ("pandas", lambda m: m.Index(["bob", "dan"])),
        ("pandas", lambda m: m.Series(["bob", "dan"], dtype="category")),
        ("pandas", lambda m: m.Series(["bob", "dan"], dtype="string")),
        ("pandas", lambda m: m.Series([1, 3])),
        ("pyarrow", lambda m: m.array(["bob", "dan"])),
        ("pyarrow", lambda m: m.chunked_array([["bob"], ["dan"]])),
        ("polars", lambda m: m.Series(["bob", "dan"])),
        ("numpy", lambda m: m.array(["bob", "dan"], m.dtypes.StringDType())),
    ):
        if importlib.util.find_spec(module):
            assert read_vertices(G, make(importlib.import_module(module)), "source").tolist() == [1, 3]


class TestWhatAnIntegerIs:
    """Always the number of a vertex, so what one algorithm returns can be given to the next."""

    def test_names_are_integers(self, xp, to_numpy):
        G = named(xp, [30, 10, 0, 4, 2])
        for given in (0, np.int32(0), [0], (0,), np.array([0])):
            assert to_numpy(read_vertices(G, given, "source")).tolist() == [0]
        assert to_numpy(bfs(G, G.vertex(0))[0]).tolist() == to_numpy(bfs(G, 2)[0]).tolist()
        with pytest.raises(ValueError, match=r"source\[0\] = 30: integers are numbers of vertices, and G.vertex\(name\)"):
            bfs(G, 30)
        with pytest.raises(ValueError, match=r"vertex must lie in \[0, 5\), got 30: integers are numbers"):
            G.neighbors(30)
        with pytest.raises(KeyError, match=r"no vertex has the name '30': did you mean G.vertex\(30\)\?"):
            bfs(G, "30")

    def test_among_names_of_several_types(self, xp, to_numpy):
        G = named(xp, [1, "1", 0, "b", (0, 1)])
        assert to_numpy(read_vertices(G, [1, "1", 0, "b"], "source")).tolist() == [1, 1, 0, 3]
        assert G.vertices([1, "1", (0, 1)]).tolist() == [0, 1, 4]
        with pytest.raises(ValueError, match=r"source must lie in \[0, 5\), got source\[1\] = 5"):
            bfs(G, ["b", 5])
        with pytest.raises(ValueError, match="got source.0. = -1"):
            bfs(G, [-1, "b"])

    def test_floats_are_no_names(self, xp):
        with pytest.raises(TypeError, match="source must hold integers, got dtype float64"):
            bfs(named(xp, [3, 1, 2, 0, 4]), [1.0, 2.0])


def test_names_that_are_tuples_or_other_objects(xp, to_numpy):
    G = named(xp, [(0, 0), (0, 1), "a", datetime.date(2026, 1, 1), frozenset([7])])
    for given, expected in (((0, 1), [1]), ([(0, 0), (0, 1)], [0, 1]), ((2, 3), [2, 3]), (datetime.date(2026, 1, 1), [3])):
        assert to_numpy(read_vertices(G, given, "source")).tolist() == expected
    assert to_numpy(read_vertices(G, frozenset([7]), "source")).tolist() == [4]
    assert to_numpy(path(bfs(G, (0, 0))[1], (0, 1), G)).tolist() == [0, 1]


@pytest.mark.parametrize(
    "given, error, message",
    [
        ("Ann", KeyError, "no vertex has the name 'Ann': did you mean 'ann'"),
        (" ann", KeyError, "did you mean 'ann'"),
        (b"ann", KeyError, r"no vertex has the name b'ann': did you mean G.vertex\('ann'\)"),
        ("zzzzz", KeyError, "no vertex has the name 'zzzzz': G.names has the names"),
        ({"ann", "bob"}, TypeError, "source must be a name or a list of names, got a set, which has no order"),
        ([["ann"], "bob"], TypeError, r"source must hold names of vertices, got \['ann'\], which is no name"),
        ([[0, 1]], TypeError, r"got \[0, 1\], which is no name"),
        (0.5, TypeError, "source must hold integers, got dtype float64"),
        (5, ValueError, r"source must lie in \[0, 5\), got source\[0\] = 5$"),
        (["ann", 2**70], ValueError, r"got source\[1\] = 1180591620717411303424"),
    ],
)
def test_what_is_no_vertex(given, error, message, cpu_only):
    with pytest.raises(error, match=message):
        bfs(named(np), given)


def test_graph_without_names(cpu_only):
    G = of_lists(np, LISTS)
    with pytest.raises(TypeError, match="source must hold numbers, got 'ann': names need a graph that has names"):
        bfs(G, "ann")
    with pytest.raises(TypeError, match="target must hold numbers, got 'ann'"):
        path([-1, 0], "ann")
    with pytest.raises(ValueError, match="predecessors must be one for each of the 5 vertices of G, got 2"):
        path([-1, 0], 0, G)
    assert G._lookup() is not None
    assert G._places is None


def test_suggestions_among_many_names_take_little_time(cpu_only):
    n = 200_000
    names = [f"vertex number {k}" for k in range(n)]
    G = Graph.from_edges([0], [1], n_vertices=n)._derive(Graph.from_edges([0], [1], n_vertices=n)._csr)
    G._names = np.array(names, object)
    with pytest.raises(KeyError, match="did you mean 'vertex number "):
        G.vertex("vertex number 1O")


def test_no_vertices(xp):
    G = Graph.from_edges([], [])
    for given in ([], (), np.array([], object)):
        assert read_vertices(G, given, "source").size == 0
    with pytest.raises(KeyError, match="no vertex has the name 'ann'"):
        bfs(G, "ann")
