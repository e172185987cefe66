"""Lists of numbers: many lines at once, and line by line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_csr.graph import Graph, lists

pytestmark = pytest.mark.usefixtures("cpu_only")

WORDS = ["0", "1", "17", "-3", "2.5", "1e3", "nan", "inf", "x", "1_0", "9" * 20, "+5", ".5", "0x1", "-", "{}", "{'weight': 2}"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join) | st.sampled_from(["# x", "1,2", "1 2 # x", "%"]))


@given(TEXTS)
def test_at_once_as_line_by_line(lines):
    text = "\n".join(lines).encode()
    found = lists._read_at_once(text)
    if found is not None:
        np.testing.assert_array_equal(found.astype(float), lists._read_by_lines(text))


def test_what_is_read_at_once():
    for text in (b"0 1\n2 3\n", b"0 1 .5\n1 2 3", b"0,1 # x\n\n%\n 1\t2\r\n", b"0 1 {'weight': 5}\n1 2 {}\n", b"0 1 {}"):
        assert lists._read_at_once(text) is not None
    for text in (b"", b"0 1\n2\n", b"0 x\n", b"0 1 {'weight': 5, 'x': 1}\n", b"0 1 {'weight': 5\n}\n"):
        assert lists._read_at_once(text) is None


@pytest.mark.parametrize("text", ["0 1\n1 2\n", "# x\n0 1\n1 2\n", "0 1 {'weight': 1, 'x': 2}\n1 2 {}\n"])
def test_a_mark_of_utf8_at_the_beginning(tmp_path, text):
    """Tables of edges may begin with one, too: editors of Windows write it."""
    file = tmp_path / "edges.txt"
    file.write_text(text, encoding="utf-8-sig")
    assert Graph.read(file).matrix.toarray().tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
