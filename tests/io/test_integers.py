"""Lines of integers, read in pieces of all sizes."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_csr.io import _integers
from spark_csr.io._integers import read_lines

pytestmark = pytest.mark.usefixtures("cpu_only")

LINES = st.lists(st.lists(st.integers(-(2**63) + 1, 2**63 - 2), max_size=4) | st.just("% a comment"), max_size=12)


@pytest.fixture(params=[1, 7, 1 << 24], autouse=True)
def piece(request, monkeypatch):
    monkeypatch.setattr(_integers, "PIECE", request.param)


def test_lines_of_integers(piece):
    @given(LINES, st.booleans())
    def check(lines, ends):
        text = "\n".join(line if isinstance(line, str) else " ".join(map(str, line)) for line in lines) + "\n" * ends
        found = read_lines(io.BytesIO(text.encode()), 10, b"%")
        kept = [(number, line) for number, line in enumerate(lines, 11) if not isinstance(line, str)]
        if not ends and kept and kept[-1] == (10 + len(lines), []):
            kept.pop()  # without an end, a blank line is none
        assert found.values.tolist() == [x for _, line in kept for x in line]
        assert found.counts.tolist() == [len(line) for _, line in kept]
        assert found.numbers.tolist() == [number for number, _ in kept]
        assert [found.where(k) for k in range(found.values.size)] == [f"line {n}" for n, line in kept for _ in line]

    check()


def test_marks(piece):
    found = read_lines(io.BytesIO(b"a 1 2\n\na\t3\nc x\na -4"), 1, b"c", b"a")
    assert found.values.tolist() == [1, 2, 3, -4]
    assert found.counts.tolist() == [2, 0, 1, 1]
    assert [found.where(k) for k in range(4)] == ["line 2", "line 2", "line 4", "line 6"]
    for text in (b"a 1\nb 2\n", b"a 1\n 2\n", b"a 1\na2\n"):
        with pytest.raises(ValueError, match="line 2 is .* and should begin with 'a'"):
            read_lines(io.BytesIO(text), 0, b"c", b"a")


WORDS = ["x", "1.5", "1e3", "-", "+", "0x1", "1_0", "--1", "1-2", "\x00", "1\x00", str(2**63), str(-(2**64)), "9" * 5000, "é"]


@pytest.mark.parametrize("word", WORDS)
def test_words_that_are_no_integers(piece, word):
    with pytest.raises(ValueError, match=r"line 4 has .*, (which is no integer|and integers must be within)|digits nor blanks"):
        read_lines(io.BytesIO(f"1 2\n% x\n\n7 {word}\n5\n".encode()), 0, b"%")


def test_floats(piece):
    found = read_lines(io.BytesIO(b"1 2.5\n\nnan -inf 1e400\n"), 0, b"", dtype=np.float64)
    np.testing.assert_array_equal(found.values, [1, 2.5, np.nan, -np.inf, np.inf])
    assert found.counts.tolist() == [2, 0, 3]
    with pytest.raises(ValueError, match="line 1 has '1_0'"):
        read_lines(io.BytesIO(b"1 1_0\n"), 0, b"", dtype=np.float64)
