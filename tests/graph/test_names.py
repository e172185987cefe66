"""Names of vertices: what keeps them, how they are looked up, and results by name."""

import copy
import importlib
import pickle
import sys

import numpy as np
import pytest

from loops import of_lists
from spark_csr.graph import Graph, bfs, path

NAMES = ["ann", "bob", "cleo"]


def named(xp, names=NAMES):
    return Graph(of_lists(xp, [[1], [2], []]).matrix, names=names)


def test_names_are_kept_by_what_has_the_same_vertices(xp):
    G = named(xp)
    same = (G.transpose, G.symmetrize("min"), G.to_device("cpu"), copy.deepcopy(G), pickle.loads(pickle.dumps(G)))
    for H in (*same, G._derive(G._csr)):
        assert H.names.tolist() == NAMES
        assert H.vertex("cleo") == 2
    assert G._derive(G._csr, vertices=xp.asarray([2, 0])).names.tolist() == ["cleo", "ann"]
    assert repr(G) == f"Graph(3 named vertices, 2 edges, directed, {G.device})"
    assert "&#x27;ann&#x27;, &#x27;bob&#x27;, &#x27;cleo&#x27;<" in G._repr_html_()
    with pytest.raises(ValueError, match="read-only"):
        G.names[0] = "dan"


def test_graph_without_names(xp):
    G = of_lists(xp, [[1], [2], []])
    assert G.names is None
    assert G.vertex(np.int64(2)) == 2
    assert G.vertices([2, 0]).tolist() == [2, 0]
    assert G.names_of(np.array([[2], [0]])).tolist() == [[2], [0]]
    assert dict(G.named(np.arange(3)).items()) == {0: 0, 1: 1, 2: 2}
    assert [name in G for name in (0, 2, 3, -1, "ann", [])] == [True, True, False, False, False, False]
    with pytest.raises(KeyError, match="no vertex has the name 3"):
        G.vertex(3)


def test_names_in_columns_of_other_libraries(cpu_only):
    arrow, pandas = pytest.importorskip("pyarrow"), pytest.importorskip("pandas")
    G = Graph.from_edges(["ann", "bob"], ["bob", "cleo"])
    for names in (arrow.chunked_array([["cleo"], ["ann"]]), arrow.array(["cleo", "ann"]), pandas.Series(["cleo", "ann"])):
        assert G.vertices(names).tolist() == [2, 0]


def test_names_to_vertices_and_back(xp, to_numpy):
    G = named(xp)
    assert [G.vertex(name) for name in NAMES] == [0, 1, 2]
    assert G.vertices(np.array(["cleo", "ann"])).tolist() == [2, 0]
    assert G.vertices([]).size == 0
    assert [name in G for name in ("bob", "dan", [])] == [True, False, False]
    distance, before = bfs(G, G.vertex("ann"))
    assert G.names_of(before).tolist() == [None, "ann", "bob"]
    assert G.names_of(distance[:0]).tolist() == []
    assert G.names_of(xp.asarray([[0], [2]])).tolist() == [["ann"], ["cleo"]]
    assert [names.tolist() for names in G.names_of(path(before, [2, 0]))] == [["ann", "bob", "cleo"], ["ann"]]


def test_integers_as_names(xp):
    G = named(xp, [30, 10, 20])
    assert G.names.dtype == np.int64
    assert G.vertex(np.int32(10)) == 1
    assert G.names_of(np.array([2, -1])).tolist() == [20, None]


def test_names_that_are_not_there(xp):
    G = named(xp)
    with pytest.raises(KeyError, match="no vertex has the name 'dan'"):
        G.vertex("dan")
    with pytest.raises(KeyError, match=r"'dan', which is names\[1\]"):
        G.vertices(["ann", "dan"])
    with pytest.raises(ValueError, match="below 3, got 3"):
        G.names_of(np.array([0, 3]))
    with pytest.raises(TypeError, match="must hold integers, got dtype float64"):
        G.names_of(np.array([0.5]))


@pytest.mark.parametrize(
    "names, error, message",
    [
        (["a", "b"], ValueError, "each of the 3 vertices, got 2"),
        (["a", "b", "a"], ValueError, r"got 'a' as names\[0\] and names\[2\]"),
        (["a", None, "b"], ValueError, r"names\[1\] is missing \(None\)"),
        (["a", [1], "b"], TypeError, r"got names\[1\] of type list"),
        ([[1, 2, 3]], TypeError, r"got names\[0\] of type list"),
        (np.zeros((3, 1), int), ValueError, r"one dimension, got shape \(3, 1\)"),
        ("abc", TypeError, "one column, got the text 'abc'"),
    ],
)
def test_bad_names(names, error, message):
    with pytest.raises(error, match=message):
        named(np, names)


class TestResultsByName:
    def test_series_and_table(self, xp):
        pandas = pytest.importorskip("pandas")
        G = named(xp)
        distance = bfs(G, 0)[0]
        series = G.named(distance)
        pandas.testing.assert_series_equal(
            series, pandas.Series(np.arange(3, dtype=np.int32), index=NAMES), check_index_type=False
        )
        table = G.named({"distance": distance, "before": G.names_of(bfs(G, 0)[1])})
        assert table.loc["cleo"].tolist() == [2, "bob"]
        assert G.named({}).index.tolist() == NAMES

    def test_names_that_are_tuples(self, xp):
        series = named(xp, [("a", 1), ("a", 2), ("b", 1)]).named(np.arange(3))
        assert list(series.items()) == [(("a", 1), 0), (("a", 2), 1), (("b", 1), 2)]

    def test_dict_without_pandas(self, xp, monkeypatch):
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(ImportError):
            importlib.import_module("pandas")
        G = named(xp)
        assert G.named(bfs(G, 0)[0]) == {"ann": 0, "bob": 1, "cleo": 2}
        assert G.named({"twice": np.array([0.0, 2, 4])}) == {"twice": {"ann": 0.0, "bob": 2.0, "cleo": 4.0}}

    def test_not_one_value_for_each_vertex(self, xp):
        with pytest.raises(ValueError, match=r"each of the 3 vertices, got shape \(2,\): names_of"):
            named(xp).named(np.arange(2))
        with pytest.raises(ValueError, match=r"rank must have .* got shape \(3, 2\)"):
            named(xp).named({"rank": np.zeros((3, 2))})


def test_names_of_masked_arrays_are_refused(xp):
    with pytest.raises(TypeError, match="vertices is a masked array"):
        named(xp).names_of(np.ma.masked_equal([0, 1], 1))
