"""Tables of edges with names, in text and in parquet files."""

import gzip
import importlib
import importlib.util
import re

import pytest

from spark_csr.graph import Graph

pytestmark = pytest.mark.usefixtures("cpu_only")

TABLE = "source,target,weight\nbob,ann,5\nann,cleo,0.5\n"


@pytest.fixture(params=["pyarrow", "csv"])
def reader(request, monkeypatch):
    """Which library reads text: pyarrow, or Python's own where that is missing."""
    if importlib.util.find_spec("pyarrow") is None and request.param == "pyarrow":
        pytest.skip("needs pyarrow")
    if request.param == "csv":
        monkeypatch.setattr("spark_csr.graph.tables._has_arrow", lambda: False)
    return request.param


def write(tmp_path, text, name="edges.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def rows(G):
    names = G.names
    return [
        tuple(x)
        for x in zip(names[G.sources()].tolist(), names[G.matrix.indices].tolist(), G.matrix.data.tolist(), strict=True)
    ]


EDGES = [("ann", "cleo", 0.5), ("bob", "ann", 5.0)]


@pytest.mark.parametrize(
    "text, options",
    [
        (TABLE, {}),
        (TABLE, {"header": True}),
        (TABLE, {"columns": ["source", "target", "weight"]}),
        (TABLE, {"columns": [0, 1, 2], "header": True}),
        (TABLE.replace(",", "\t"), {}),
        (TABLE.replace(",", ";"), {}),
        (TABLE.replace(",", "|"), {}),
        (TABLE.replace(",", "  "), {}),
        (TABLE.replace("\n", "\r\n"), {}),
        (TABLE.rstrip(), {}),
        ("\ufeff" + TABLE, {}),
        ('# one, two\n\n% "three\n' + TABLE, {}),
        (TABLE.replace("bob", '"bob"').replace("source", '"source"'), {}),
        ("when,weight,target,source\nMon,5,ann,bob\nTue,0.5,cleo,ann\n", {}),
        ("when,hours,to,of\nMon,5,ann,bob\nTue,0.5,cleo,ann\n", {"columns": ("of", "to", "hours")}),
        ("when,hours,to,of\nMon,5,ann,bob\nTue,0.5,cleo,ann\n", {"columns": (3, 2, 1), "header": True}),
        ("of,to,hours\nbob,ann,5\nann,cleo,0.5\n", {"header": True}),
        ("bob,ann,5\nann,cleo,0.5\n", {"header": False}),
        ("5,bob,ann\n0.5,ann,cleo\n", {"columns": [1, 2, 0]}),
        ("source, target, weight\nbob, ann, 5\nann , cleo, 0.5 \n", {}),
        ('source, target, weight\n bob, "ann" , 5\n"ann", cleo, "0.5"\n', {}),
        ("source;target;weight\nbob ;\tann; 5\n ann;cleo ;0.5\t\n", {}),
        ("source\t target\tweight \nbob\t ann\t 5\nann \tcleo\t0.5\n", {}),
        ("Source,Target,Type,Id,Label,Weight\nbob,ann,Directed,0,,5\nann,cleo,Directed,1,x,0.5\n", {}),
        ("bob ann {'weight': 5}\nann cleo {'color': 'red, 7', 'weight': 0.5}\n", {"header": False}),
        ("bob,ann,{'weight': 5}\nann,cleo,{'weight': 0.5}\n", {"header": False}),
        ("bob ann {'weight': 5}\nann cleo {'weight': 0.5}\n", {}),
        ("bob ann {'weight': 5}\nann cleo {'weight': 0.5}", {}),
        ("bob ann {'weight': 5}\r\nann cleo {'weight': 0.5}\r\n", {}),
        ("bob ann {'weight': 5}\nann cleo {'weight': 0.5, 'color': 'red'}\n", {}),
        ("bob ann 5\nann cleo 0.5\n", {}),
        ("bob\tann\t5\nann\tcleo\t0.5\n", {}),
        ("of,to,hours\nbob,ann,5\nann,cleo,0.5\n", {}),
        ("from;to;hours\nbob;ann;5\nann;cleo;0.5\n", {}),
        ("when,weight,dst,src\nMon,5,ann,bob\nTue,0.5,cleo,ann\n", {}),
    ],
)
def test_tables(tmp_path, reader, text, options):
    G = Graph.read(write(tmp_path, text), **options)
    assert rows(G) == EDGES
    assert G.directed


def test_who_is_directed_by_what_gephi_writes(tmp_path, reader):
    head = '"Source";"Target";"Type";"Id";"Label";"Weight"\n'
    path = write(tmp_path, head + "bob;ann;Undirected;0;;5\nann;cleo;Undirected;1;x;0.5\n")
    G = Graph.read(path)
    assert not G.directed
    assert rows(G) == [("ann", "bob", 5.0), ("ann", "cleo", 0.5), ("bob", "ann", 5.0), ("cleo", "ann", 0.5)]
    assert rows(Graph.read(path, directed=True)) == EDGES
    assert Graph.read(path, columns=["Source", "Target"]).directed
    assert Graph.read(write(tmp_path, "source,target,type\nann,bob,friend\nann,cleo,Undirected\n")).directed


def test_first_lines_that_name_columns(tmp_path, reader):
    assert Graph.read(write(tmp_path, "person friend\n7 9\n9 8\n")).names.tolist() == [7, 8, 9]
    assert Graph.read(write(tmp_path, "FromNodeId\tToNodeId\n7\t9\n")).names.tolist() == [7, 9]
    assert Graph.read(write(tmp_path, "1 2 5\n2 0 7\n")).names is None
    for text in ("ann bob\nbob cleo\n", "ann 5\nbob 7\n", "ann bob 5 7\nbob cleo 7 5\n"):  # which may be either
        with pytest.raises(ValueError, match="header="):
            Graph.read(write(tmp_path, text))


def test_names_between_blanks_of_all_kinds(tmp_path, reader):
    for text in ("a b 1\nb  c 2\n", "a b 1\n b c 2\n", "a b 1\nb\tc 2\n", "a b 1\nb c 2 \n", "a b 1\nb\x85c 2\n"):
        assert Graph.read(write(tmp_path, text)).names.tolist() == ["a", "b", "c"]
    assert Graph.read(write(tmp_path, '"a b" 1\nb "c 2\n')).names.tolist() == ['"a', '"c', "b", 'b"']


def test_blanks_around_fields_do_not_count(tmp_path, reader):
    G = Graph.read(write(tmp_path, 'source, target\n1, 2\n2, "3"\n3, 1\n'))
    assert rows(G) == [(1, 2, 1.0), (2, 3, 1.0), (3, 1, 1.0)]
    G = Graph.read(write(tmp_path, 'source, target\n"Doe, ann", "b ""c"\n x y ,{z}\n'))
    assert G.names.tolist() == ["Doe, ann", 'b "c', "x y", "{z}"]


def test_fields_with_delimiters(tmp_path, reader):
    G = Graph.read(write(tmp_path, 'source,target\n"Doe, ann","the ""b"""\nNA,nan\n'))
    assert G.names.tolist() == ["Doe, ann", "NA", "nan", 'the "b"']
    assert G.matrix.data.tolist() == [1.0, 1.0]


def test_names_that_look_like_attributes(tmp_path, reader):
    G = Graph.read(write(tmp_path, 'source|target\n"a""b"|{}\nc|{\'weight\': 2}\n'))
    assert G.names.tolist() == ['a"b', "c", "{'weight': 2}", "{}"]


def test_compressed(tmp_path, reader):
    assert rows(Graph.read(write(tmp_path, gzip.compress(TABLE.encode()), "edges.csv.gz"))) == EDGES


def test_integers_as_names(tmp_path, reader):
    assert Graph.read(write(tmp_path, "source,target\n10,9\n9,-3\n")).names.tolist() == [-3, 9, 10]
    assert Graph.read(write(tmp_path, "source,target\n10,9\n9,007\n")).names.tolist() == ["007", "10", "9"]


def test_parallel_and_undirected_edges(tmp_path, reader):
    path = write(tmp_path, TABLE + "ann,bob,2\nbob,ann,1\n")
    assert Graph.read(path).n_edges == 4
    assert rows(Graph.read(path, combine="sum")) == [("ann", "bob", 2.0), ("ann", "cleo", 0.5), ("bob", "ann", 6.0)]
    G = Graph.read(path, directed=False, combine="max")
    assert not G.directed
    assert rows(G) == [("ann", "bob", 5.0), ("ann", "cleo", 0.5), ("bob", "ann", 5.0), ("cleo", "ann", 0.5)]


def test_no_rows(tmp_path, reader):
    for text in ("source,target\n", "source,target"):
        assert Graph.read(write(tmp_path, text)).n_vertices == 0
    assert Graph.read(write(tmp_path, ""), header=True).n_vertices == 0


@pytest.mark.parametrize(
    "text, options, error, message",
    [
        (TABLE, {"columns": ["from", "target"]}, ValueError, "edges.csv.*no column 'from': .*'source', 'target', 'weight'"),
        (TABLE, {"columns": [0, 3], "header": False}, ValueError, "no column 3: the file has 3 columns without names"),
        (TABLE, {"columns": ["source"]}, ValueError, "columns must be those of the source, the target"),
        (TABLE, {"columns": "source"}, ValueError, "columns must be those of the source, the target"),
        (TABLE + "ann,bob,\n", {}, ValueError, r"edges.csv: weight\[2\] is missing"),
        (TABLE + ",bob,1\n", {}, ValueError, r"edges.csv: source\[2\] is missing"),
        (TABLE + "ann,bob,x\n", {}, ValueError, "edges.csv: this is not a table of edges.*x"),
        (TABLE + "ann,bob\n", {}, ValueError, "edges.csv: this is not a table of edges"),
        (TABLE + "ann,bob,1_0\n", {}, ValueError, "row 4 has the weight '1_0', which is no number"),
        (TABLE.replace(",", ", ") + "ann, bob, 0x1\n", {}, ValueError, "row 4 has the weight '0x1', which is no number"),
        (TABLE + "ann, ,1\n", {}, ValueError, r"edges.csv: target\[2\] is missing"),
        (
            "a b {'weight': 'x'}\n",
            {"header": False},
            ValueError,
            "\"a b {'weight': 'x'}\" must end with a dict that has a number",
        ),
        (TABLE, {"n_vertices": 5}, ValueError, "for lists of numbers, and this is a table"),
        ("ann bob\n", {}, ValueError, "header="),
        ("alone\n", {"header": True}, ValueError, "no column 1"),
        ("p,q,n\n", {"columns": [0, 1, 2]}, ValueError, "edges.csv.*weight 'n': .* give header=True"),
        (
            "Source,Target,Type\nann,bob,Directed\nann,cleo,undirected\n",
            {},
            ValueError,
            "edges.csv: its column Type has directed and undirected edges: say which they are",
        ),
        ("Source Target Type Weight\na b x 5\na c  7\n", {}, ValueError, "row 3 has 3 columns, and the first has 4"),
        ("from to w y\na c  5\n", {}, ValueError, "row 2 has 3 columns, and the first has 4"),
        ("s x y t\na  b c\n", {"columns": ["s", "t"]}, ValueError, "row 2 has 3 columns, and the first has 4"),
        ("from to n\nann bob 3\n", {"header": False}, ValueError, "edges.csv.*weight 'n': .* give header=True"),
    ],
)
def test_what_is_no_table(tmp_path, reader, text, options, error, message):
    with pytest.raises(error, match=message):
        Graph.read(write(tmp_path, text), **options)


def test_parquet_columns_of_one_name(tmp_path):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    names = ["source", "source", "target"]
    parquet.write_table(pa.table([pa.array([1, 2])] * 3, names=names), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet: .*2 columns are called 'source'"):
        Graph.read(tmp_path / "a.parquet", columns=[0, 2])


def test_missing_file(tmp_path):
    for options in ({}, {"header": True}):
        with pytest.raises(FileNotFoundError, match="no such file"):
            Graph.read(tmp_path / "none.csv", **options)


class TestParquet:
    @pytest.fixture
    def parquet(self, tmp_path):
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        path = tmp_path / "edges.parquet"
        columns = {"when": [1, 2], "weight": [5, 0.5], "target": ["ann", "cleo"], "source": ["bob", "ann"]}
        parquet.write_table(arrow.table(columns), path)
        return path

    def test_columns(self, parquet):
        assert rows(Graph.read(parquet)) == EDGES
        assert rows(Graph.read(parquet, columns=[3, 2])) == [("ann", "cleo", 1.0), ("bob", "ann", 1.0)]
        assert Graph.read(parquet, columns=["when", "when"]).names.tolist() == [1, 2]
        with pytest.raises(ValueError, match="no column 'to': the file has columns 'when', 'weight'"):
            Graph.read(parquet, columns=["source", "to"])

    def test_damaged(self, parquet):
        parquet.write_bytes(parquet.read_bytes()[:50])
        with pytest.raises(ValueError, match="edges.parquet: this is not a parquet file of edges"):
            Graph.read(parquet)
        with pytest.raises(FileNotFoundError, match="no such file"):
            Graph.read(parquet.parent / "none.parquet")

    @pytest.mark.parametrize("progress", [None, lambda done, total: None])
    def test_values_that_are_not_valid(self, parquet, progress):
        import pyarrow as pa
        from pyarrow.parquet import write_table

        numbers = pa.array([1, 2])
        text = pa.Array.from_buffers(pa.string(), 2, pa.array([b"\xff", b"b"]).buffers())
        past = [pa.array([2**62, 1], pa.timestamp("us")), pa.array([2**30, 1], pa.date32())]
        for bad in (text, text.dictionary_encode(), *past, past[0].dictionary_encode(), pa.array([{"a": past[1][0]}] * 2)):
            for names in (["source", "target", "weight"], ["target", "weight", "source"], ["weight", "source", "target"]):
                write_table(pa.Table.from_arrays([bad, numbers, numbers], names=names), parquet)
                with pytest.raises((TypeError, ValueError), match=f"^{re.escape(str(parquet))}: .*{names[0]}"):
                    Graph.read(parquet, progress=progress)

    def test_errors_of_any_kind_name_the_file(self, parquet, monkeypatch):
        for kind, raised in ((ArithmeticError, ValueError), (NotImplementedError, ValueError), (MemoryError, MemoryError)):

            def fail(*_, kind=kind):
                raise kind("it is so")

            monkeypatch.setattr("spark_csr.graph.exchange.factorize", fail)
            with pytest.raises(raised, match=f"^{re.escape(str(parquet))}: it is so"):
                Graph.read(parquet)

    @pytest.mark.parametrize("progress", [None, lambda done, total: None])
    def test_names_with_a_dot(self, parquet, progress):
        import pyarrow as pa
        from pyarrow.parquet import write_table

        write_table(pa.table({"a": [{"b": 7}, {"b": 8}], "a.b": [5, 6], "target": [1, 2]}), parquet)
        assert Graph.read(parquet, columns=["a.b", "target"], progress=progress).names.tolist() == [1, 2, 5, 6]

    def test_without_pyarrow(self, parquet, monkeypatch):
        monkeypatch.setitem(importlib.sys.modules, "pyarrow.parquet", None)
        with pytest.raises(ImportError, match="pip install pyarrow"):
            Graph.read(parquet)


def test_attributes_are_looked_for_in_one_pass(tmp_path):
    """A regular expression may look again from each brace."""
    path = tmp_path / "a.txt"
    path.write_text("1 2" + ' {"' * 30_000 + ":" * 30_000 + "\n")
    with pytest.raises(ValueError, match=r"a\.txt"):
        Graph.read(path)
    path.write_text("1 2" + ' {"' * 30_000 + ":" * 30_000 + "}\n")
    with pytest.raises(ValueError, match="must end with a dict"):
        Graph.read(path)
    path.write_text("1 2 {'weight': 3}  \n2 1 {}\n")
    assert Graph.read(path).matrix.data.tolist() == [3, 1]
