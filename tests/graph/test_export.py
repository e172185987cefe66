"""Tables of edges: as pandas has them, and in files that are read back."""

import gzip
import importlib
import importlib.util
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loops import of_lists
from spark_csr.graph import Graph

ENDS = ["ann", "bob", "ann", "bob"], ["bob", "cleo", "bob", "bob"]
on_the_host = pytest.mark.usefixtures("cpu_only")
needs_arrow = pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="needs pyarrow")
KINDS = [".csv", ".tsv", ".csv.gz", ".tsv.bz2", pytest.param(".parquet", marks=needs_arrow)]


def same(G, H):
    assert G.directed == H.directed
    assert G.names.tolist() == H.names.tolist()
    assert G.matrix.indptr.tolist() == H.matrix.indptr.tolist()
    assert G.matrix.indices.tolist() == H.matrix.indices.tolist()
    np.testing.assert_array_equal(G.matrix.data, H.matrix.data)


def test_table_of_pandas(xp):
    pandas = pytest.importorskip("pandas")
    G = Graph(of_lists(xp, [[1, 1], [2], [0]]).matrix, names=["ann", "bob", "cleo"])
    table = G.to_pandas()
    assert table.to_dict("list") == {
        "source": ["ann", "ann", "bob", "cleo"],
        "target": ["bob", "bob", "cleo", "ann"],
        "weight": [1.0, 2.0, 3.0, 4.0],
    }
    same(Graph.from_edges(table["source"], table["target"], table["weight"]), G.to_device("cpu"))
    numbers = of_lists(xp, [[1], []]).to_pandas()
    assert isinstance(numbers, pandas.DataFrame)
    assert numbers.to_numpy().tolist() == [[0, 1, 1.0]]


def test_edges_of_an_undirected_graph_are_there_once(xp):
    pytest.importorskip("pandas")
    G = Graph([[1, 5, 0], [5, 0, 7], [0, 7, 0]], directed=False)
    assert G.to_pandas().to_numpy().tolist() == [[0, 0, 1], [0, 1, 5], [1, 2, 7]]


def test_table_without_pandas(cpu_only, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        Graph([[0, 1], [0, 0]]).to_pandas()


@on_the_host
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("directed", [True, False])
def test_what_is_written_is_read(tmp_path, kind, directed):
    path = tmp_path / f"edges{kind}"
    weights = [0.1, -np.inf, 1e-300, 2.0] if directed else [0.1, 7.0, 0.1, 2.0]
    for source, target in (ENDS, ([5, 1, 5, 1], [1, 2**40, 1, 1])):
        G = Graph.from_edges(source, target, weights, directed=directed)
        G.write(path)
        same(Graph.read(path), G)
        G.write(str(path))  # over the file that is there
        same(Graph.read(path), G)
    assert [x.name for x in tmp_path.iterdir()] == [path.name]


@on_the_host
@pytest.mark.parametrize("kind", KINDS)
def test_no_edges_and_no_names(tmp_path, kind):
    Graph.from_edges([], []).write(tmp_path / f"a{kind}")
    assert Graph.read(tmp_path / f"a{kind}").n_vertices == 0
    of_lists(np, [[2], [], [0]]).write(tmp_path / f"a{kind}")
    assert Graph.read(tmp_path / f"a{kind}").names.tolist() == [0, 2]


@on_the_host
def test_other_dtypes_of_weights(tmp_path):
    for dtype in (bool, np.int8, np.float16, np.uint64):
        G = Graph.from_edges(*ENDS, np.array([1, 0, 1, 1], dtype))
        for kind in (".csv", ".parquet")[: 1 + (importlib.util.find_spec("pyarrow") is not None)]:
            G.write(tmp_path / f"a{kind}")
            assert Graph.read(tmp_path / f"a{kind}").matrix.data.tolist() == [1, 1, 1, 0]


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1, max_size=5)


@on_the_host
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(NAMES.filter(lambda name: name == name.strip()), min_size=2),
    kind=st.sampled_from([".csv", ".tsv"]),
)
def test_names_of_all_kinds(tmp_path, names, kind):
    G = Graph.from_edges(names[:-1], names[1:])
    G.write(tmp_path / f"a{kind}")
    H = Graph.read(tmp_path / f"a{kind}")
    assert sorted(map(str, H.names.tolist())) == G.names.tolist()
    assert H.n_edges == G.n_edges


@on_the_host
@pytest.mark.parametrize(
    "names, weight, path, error, message",
    [
        (["a", "b"], 1.0, "a.txt", ValueError, r"a.txt: a table of edges is .csv, .tsv"),
        (["a", "b"], 1.0, "a.parquet.gz", ValueError, "a table of edges is"),
        (["a", " b"], 1.0, "a.csv", ValueError, "a.csv: text cannot keep the name ' b'"),
        (["a", ""], 1.0, "a.csv", ValueError, "text cannot keep the name ''"),
        (["a", "b\nc"], 1.0, "a.tsv", ValueError, r"text cannot keep the name 'b\\nc'"),
        (["a", 1], 1.0, "a.csv", TypeError, "all integers or all strings, got int and str"),
        ([("a",), ("b",)], 1.0, "a.csv", TypeError, "all integers or all strings, got tuple"),
        (["a", "b"], 1j, "a.csv", TypeError, "real weights, got dtype complex128"),
        (["a", "b"], np.nan, "a.csv", ValueError, "weights must be numbers, got NaN for edge 0"),
    ],
)
def test_what_a_table_cannot_hold(tmp_path, names, weight, path, error, message):
    G = Graph(np.array([[0, weight], [0, 0]]), names=names)
    with pytest.raises(error, match=message):
        G.write(tmp_path / path)
    assert list(tmp_path.iterdir()) == []


@on_the_host
def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        Graph([[0, 1], [0, 0]]).write(tmp_path / "a.parquet")


@on_the_host
def test_text_is_plain(tmp_path):
    Graph.from_edges(["ann, a", "bob"], ["bob", 'the "c"'], [1, 2]).write(tmp_path / "a.csv.gz")
    assert (
        gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).decode()
        == 'source,target,weight\n"ann, a",bob,1\nbob,"the ""c""",2\n'
    )
