"""Files of METIS and of the DIMACS challenge."""

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loops import both_ways, random_lists
from spark_csr import config
from spark_csr.graph import Graph

pytestmark = pytest.mark.usefixtures("cpu_only")


def write(path, text):
    path.write_text(text)
    return path


def lists_of(G):
    return [x.tolist() for x in np.split(G.matrix.indices, G.matrix.indptr[1:-1])] if G.n_vertices else []


class TestMetis:
    @pytest.mark.parametrize("flags, constraints", [("", 0), ("0", 0), ("1", 0), ("10", 1), ("011", 3), ("100", 0), ("111", 2)])
    def test_all_flags(self, tmp_path, flags, constraints):
        """Lists of a random graph; weights of edges are sums of their ends."""
        lists = [sorted(set(row) - {u}) for u, row in enumerate(both_ways(random_lists(40, 3)))]
        text = [f"{len(lists)} {sum(map(len, lists)) // 2} {flags}" + f" {constraints}" * (constraints > 1)]
        has_weights = flags[-1:] == "1"
        for u, row in enumerate(lists):
            before = [5] * ((len(flags) == 3 and flags[0] == "1") + constraints)
            after = [x for v in row for x in ((v + 1, u + v + 1) if has_weights else (v + 1,))]
            text.append(" ".join(map(str, before + after)))
        G = Graph.read(write(tmp_path / "a.graph", "% made by a test\n" + "\n".join(text) + "\n"))
        assert lists_of(G) == lists
        assert not G.directed
        assert G.names is None
        weights = [u + v + 1 if has_weights else 1 for u, row in enumerate(lists) for v in row]
        assert G.matrix.data.tolist() == weights

    def test_blank_lines_are_vertices_and_comments_are_not(self, tmp_path):
        G = Graph.read(write(tmp_path / "a.metis", "%\n4 1\n\n3\n% x\n2\n\n\n"))
        assert lists_of(G) == [[], [2], [1], []]
        assert Graph.read(write(tmp_path / "a.graph", "0 0\n")).n_vertices == 0
        (tmp_path / "b.graph.gz").write_bytes(gzip.compress(b"2 1\r\n2\r\n1\r\n"))
        assert lists_of(Graph.read(tmp_path / "b.graph.gz")) == [[1], [0]]

    def test_directed(self, tmp_path):
        path = write(tmp_path / "a.graph", "3 1\n2 3\n\n\n")
        with pytest.raises(ValueError, match=r"a.graph: .*0 -> 1 alone \(vertices from 0 on\); directed=True reads"):
            Graph.read(path)
        assert lists_of(Graph.read(path, directed=True)) == [[1, 2], [], []]

    @pytest.mark.parametrize(
        "text, message",
        [
            ("", "line 0 has 0 numbers and should have 2 to 4"),
            ("3\n", "line 1 has 1 numbers"),
            ("2 1 1 1 1\n2\n1\n", "line 1 has 5 numbers"),
            ("2 x\n2\n1\n", "line 1 has 'x' as the number of edges"),
            ("-2 1\n2\n1\n", "line 1 has '-2' as the number of vertices, which should be an integer of 0 or above"),
            (f"2 {10**30}\n2\n1\n", "as the number of edges"),
            ("2 1 12\n2\n1\n", "line 1 has the format '12', which should be three digits"),
            ("2 1 1000\n2\n1\n", "line 1 has the format '1000'"),
            ("% x\n3 1\n2\n1\n", "line 2 says that there are 3 vertices, and there are 2 lines"),
            ("2 1\n2\n1\n\n1\n", "line 1 says that there are 2 vertices, and line 5 is one more"),
            ("2 2\n2\n1\n", "line 1 says that there are 2 edges, and their ends are 2, not 4"),
            ("2 1\n2\n3\n", "line 3 has the vertex 3, and vertices are from 1 to 2"),
            ("2 1\n% x\n2\n0\n", "line 4 has the vertex 0"),
            ("2 1\n2\n-1\n", "line 3 has the vertex -1"),
            ("2 1\n2\n1.0\n", "line 3 has '1.0', which is no integer"),
            (f"2 1\n2\n{2**64}\n", "line 3 has '18446744073709551616', and integers must be within"),
            ("2 1 1\n2 5\n1\n", "line 3 has a neighbour without a weight"),
            ("2 1 10\n5 2\n\n", "line 3 has 0 numbers, and 1 must be before the neighbours"),
            ("2 1 11\n5 2 7\n5 3 7\n", "line 3 has the vertex 3"),
            ("2 1 1\n2 5\n1 6\n", "got 5 for 0 -> 1 and 6 for 1 -> 0"),
        ],
    )
    def test_what_is_wrong(self, tmp_path, text, message):
        with config(validate=False), pytest.raises(ValueError, match=f"a.graph: this is not a file of METIS.*{message}"):
            Graph.read(write(tmp_path / "a.graph", text))


class TestDimacs:
    @settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(-(2**62), 2**62))), st.randoms())
    def test_arcs(self, tmp_path, arcs, random):
        lines = [f"a {u} {v} {w}" for u, v, w in arcs]
        for at in sorted((random.randrange(len(lines) + 1) for _ in range(3)), reverse=True):
            lines.insert(at, random.choice(["c a comment", "c", "", "a", "  "][:3]))
        text = "c first\np sp 9 " + "\n".join([str(len(arcs)), *lines]) + random.choice(["", "\n"])
        G = Graph.read(write(tmp_path / "a.gr", text))
        assert G.directed
        found = zip(G.sources().tolist(), G.matrix.indices.tolist(), G.matrix.data.tolist(), strict=True)
        assert list(found) == sorted(((u - 1, v - 1, w) for u, v, w in arcs), key=lambda arc: arc[:2])
        assert G.n_vertices == 9

    @pytest.mark.parametrize(
        "text, message",
        [
            ("", "line 0 is '' and should be 'p sp <vertices> <arcs>'"),
            ("c x\na 1 2 3\n", "line 2 is 'a 1 2 3' and should be 'p sp"),
            ("p tw 3 2\n1 2\n", "line 1 is 'p tw 3 2'"),
            ("p sp 3 -2\n", "line 1 has '-2' as the number of arcs"),
            ("p sp 3 2\na 1 2 5\n", "line 1 says that there are 2 arcs, and there are 1"),
            ("p sp 3 2\na 1 2 5\nc x\na 4 1 7\n", "line 4 has the vertex 4, and vertices are from 1 to 3"),
            ("p sp 3 2\na 1 2 5\na 1 0 7\n", "line 3 has the vertex 0"),
            ("p sp 3 2\na 1 2 5\na 1 2\n", "line 3 has 2 numbers and should have 3"),
            ("p sp 3 1\na\n", "line 2 is 'a' and should begin with 'a'|has 0 numbers|there are 0"),
            ("p sp 3 2\na 1 2 5\nb 1 2 3\n", "line 3 is 'b 1 2 3' and should begin with 'a'"),
            ("p sp 3 2\na 1 2 5\na1 2 3\n", "line 3 is 'a1 2 3' and should begin with 'a'"),
            ("p sp 3 2\na 1 2 5\nc x\na 1 2 0.5\n", "line 4 has '0.5', which is no integer"),
            (f"p sp 3 1\na 1 2 {2**63}\n", "line 2 has '9223372036854775808', and integers must be within"),
            ("p sp 3 1\na 1 2 3\0\n", "line 2 has"),
        ],
    )
    def test_what_is_wrong(self, tmp_path, text, message):
        with config(validate=False), pytest.raises(ValueError, match=f"(?s)a.gr: this is not a .gr file.*({message})"):
            Graph.read(write(tmp_path / "a.gr", text))

    def test_more_vertices_than_memory(self, tmp_path):
        with pytest.raises(MemoryError, match="a.gr"):
            Graph.read(write(tmp_path / "a.gr", f"p sp {2**50} 0\n"))
