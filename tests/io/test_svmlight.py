"""Text files of svmlight: round trips, scikit-learn at the other end, a reader of eight lines, wrong lines, parts of files."""

import bz2
import gzip
import io
import lzma
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_csr import Ragged, coo_array, csr_array
from spark_csr._array import SIMULATED
from spark_csr.gallery import uniform
from spark_csr.io import read_svmlight, svmlight, write_svmlight

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")

A = uniform(12, 9, 3)
TEXT = b"""# made by hand
1 1:0.5 3:2   # the first: 7:8
-1.5e0\tqid:3 2:1 \r

+2 qid:4  9:-.5
0
"""


@pytest.fixture(params=["pyarrow", "NumPy"])
def parser(request, monkeypatch):
    """Numbers are parsed by either library."""
    if request.param == "NumPy":
        monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    else:
        pytest.importorskip("pyarrow.csv", reason="needs pyarrow: pip install pyarrow")


@pytest.mark.usefixtures("parser")
def test_a_file_by_hand():
    X, y, query_id = read_svmlight(io.BytesIO(TEXT))
    assert (X.shape, X.dtype, query_id) == ((4, 9), np.float64, None)
    assert (X.indptr.tolist(), X.indices.tolist(), X.data.tolist()) == ([0, 2, 3, 4, 4], [0, 2, 1, 8], [0.5, 2, 1, -0.5])
    assert y.tolist() == [1, -1.5, 2, 0]


def read_by_hand(text):
    """Labels, and pairs of a column and a value, of each line."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    found = [
        (
            line[0],
            [word.split(":") for word in line[1:] if not word.startswith("qid")],
            [word[4:] for word in line if "qid" in word],
        )
        for line in lines
        if line
    ]
    return [float(x) for x, _, _ in found], [[(int(i), float(v)) for i, v in pairs] for _, pairs, _ in found]


number = st.one_of(st.floats(width=64), st.integers(-(2**60), 2**60), st.floats(width=32)).map(repr)
pairs = st.dictionaries(st.integers(0, 2**53 - 1), number, max_size=4).map(lambda x: sorted(x.items()))
line = st.tuples(number, st.sampled_from(["", " qid:7"]), pairs, st.sampled_from(["", " ", "\t # 1:2 qid:3", "\r"]))


@given(st.lists(line, max_size=6), st.sampled_from(["\n", "\n\n", "\n#\n"]), st.sampled_from([3, 50, 1 << 20]), st.booleans())
def test_any_file(lines, newline, piece, with_arrow):
    text = newline.join(f"{y}{qid}{''.join(f' {i}:{v}' for i, v in row)}{end}" for y, qid, row, end in lines)
    labels, rows = read_by_hand(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(svmlight, "PIECE", piece)
        if not with_arrow:
            patch.setitem(sys.modules, "pyarrow.csv", None)
        X, y, _ = read_svmlight(io.BytesIO(text.encode()), zero_based=True)
    assert np.array_equal(y, labels, equal_nan=True)
    assert X.indptr.tolist() == [0, *np.cumsum([len(row) for row in rows]).tolist()]
    assert X.indices.tolist() == [i for row in rows for i, _ in row]
    assert np.array_equal(X.data, [v for row in rows for _, v in row], equal_nan=True)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("dtype", "?bHiQefd")
def test_round_trips(tmp_path, zero_based, dtype):
    B, y, query = uniform(12, 9, 3, dtype=dtype), np.arange(12) / 3, np.arange(12) // 3
    write_svmlight(tmp_path / "a.svm", B, y, zero_based=zero_based, query_id=query, comment="two\nlines")
    assert (tmp_path / "a.svm").read_text().startswith("# two\n# lines\n0.0 qid:0 ")
    X, labels, query_id = read_svmlight(tmp_path / "a.svm", n_features=9, zero_based=zero_based, query_id=True)
    assert np.array_equal(X.toarray().astype(dtype), B.toarray())
    assert np.array_equal(labels, y)
    assert np.array_equal(query_id, query)
    if dtype in "efd":
        narrow = read_svmlight(tmp_path / "a.svm", n_features=9, zero_based=zero_based, dtype=dtype).X
        assert narrow.dtype == B.dtype
        assert np.array_equal(narrow.data, B.data)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("dtype", "efd")
def test_zeros_keep_their_signs(tmp_path, dtype):
    data = np.array([-0.0, 1, 0], dtype)
    write_svmlight(tmp_path / "a.svm", csr_array((data, (range(3), range(3)))), data)
    X, y, _ = read_svmlight(tmp_path / "a.svm", zero_based=True)
    for found in (X.data, y):
        assert np.signbit(found).tolist() == [True, False, False]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("ragged", [True, False])
def test_any_number_of_labels(ragged):
    lists = [[1, 2], [], [3.5]] * 4
    file, labels = io.BytesIO(), Ragged.from_lists(lists) if ragged else lists
    write_svmlight(file, A, labels, multilabel=True, query_id=range(12))
    file.seek(0)
    X, y, query_id = read_svmlight(file, multilabel=True, n_features=9, zero_based=True, query_id=True)
    assert y.to_lists() == lists
    assert query_id.tolist() == list(range(12))
    assert np.array_equal(X.toarray(), A.toarray())
    X, y, _ = read_svmlight(io.BytesIO(b"1:2 3:4\n1,2 1:1\n 5:1 # a:b\n\n2,3\n"), multilabel=True)
    assert y.to_lists() == [[], [1, 2], [], [2, 3]]
    assert X.toarray().tolist() == [[2, 0, 4, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]


def test_a_row_that_would_be_a_blank_line():
    B, lists = csr_array([[0, 1], [0, 0], [2, 0]]), [[1], [], [2, 3]]
    with pytest.raises(ValueError, match="row 1 has neither labels nor entries"):
        write_svmlight(io.BytesIO(), B, lists, multilabel=True)
    file = io.BytesIO()
    write_svmlight(file, B, lists, multilabel=True, query_id=[0, 0, 0])
    file.seek(0)
    X, y, _ = read_svmlight(file, multilabel=True)
    assert (X.shape, y.to_lists()) == ((3, 2), lists)


def test_scikit_learn_at_the_other_end(tmp_path):
    datasets = pytest.importorskip("sklearn.datasets", reason="needs scikit-learn: pip install scikit-learn")
    y = np.arange(12) % 3
    write_svmlight(tmp_path / "ours.svm", A, y, zero_based=False, query_id=y, comment="ours")
    theirs, labels, query = datasets.load_svmlight_file(tmp_path / "ours.svm", n_features=9, query_id=True)
    assert np.array_equal(theirs.toarray(), A.toarray())
    assert np.array_equal(labels, y)
    assert np.array_equal(query, y)
    for zero_based in (True, False):
        datasets.dump_svmlight_file(
            A.to_scipy(), y, str(tmp_path / "theirs.svm"), zero_based=zero_based, query_id=y, comment="theirs"
        )
        for choice in ("auto", zero_based):
            wanted, labels = datasets.load_svmlight_file(tmp_path / "theirs.svm", zero_based=choice)
            X, found, _ = read_svmlight(tmp_path / "theirs.svm", zero_based=choice)
            assert X.shape == wanted.shape
            assert np.array_equal(X.toarray(), wanted.toarray())
            assert np.array_equal(found, labels)
    lists = [[1], [], [0, 2]] * 4
    write_svmlight(tmp_path / "ours.svm", A, lists, multilabel=True)
    theirs, labels = datasets.load_svmlight_file(tmp_path / "ours.svm", multilabel=True, n_features=9, zero_based=True)
    assert [list(x) for x in labels] == lists
    assert np.array_equal(theirs.toarray(), A.toarray())


@pytest.mark.parametrize("length", [1, 7, 30, 64, 10_000])
def test_parts_have_every_line_once(tmp_path, length):
    write_svmlight(tmp_path / "a.svm", A, range(12), comment="a line")
    size = (tmp_path / "a.svm").stat().st_size
    options = {"n_features": 9, "zero_based": True}
    parts = [read_svmlight(tmp_path / "a.svm", offset=at, length=length, **options) for at in range(0, size, length)]
    assert np.concatenate([part.y for part in parts]).tolist() == list(range(12))
    assert np.array_equal(np.concatenate([part.X.toarray() for part in parts]), A.toarray())


def test_parts_are_those_of_scikit_learn(tmp_path):
    datasets = pytest.importorskip("sklearn.datasets", reason="needs scikit-learn: pip install scikit-learn")
    write_svmlight(tmp_path / "a.svm", A, range(12))
    size = (tmp_path / "a.svm").stat().st_size
    for offset in (0, size // 2):
        options = {"n_features": 9, "zero_based": True, "offset": offset, "length": size // 2}
        assert np.array_equal(
            read_svmlight(tmp_path / "a.svm", **options).y, datasets.load_svmlight_file(tmp_path / "a.svm", **options)[1]
        )


@pytest.mark.parametrize("suffix, pack", [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_packed_files(tmp_path, suffix, pack):
    (tmp_path / f"a.svm{suffix}").write_bytes(pack(TEXT))
    assert read_svmlight(tmp_path / f"a.svm{suffix}").y.tolist() == [1, -1.5, 2, 0]


def test_progress_is_told(tmp_path):
    (tmp_path / "a.svm").write_bytes(TEXT)
    told = []
    read_svmlight(tmp_path / "a.svm", progress=lambda *x: told.append(x))
    assert told[-1] == (len(TEXT), len(TEXT))


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    "text, words",
    [
        (b"1 1:2\n1 1:x\n", r"line 2 must hold a label and pairs such as 3:0.5, got '1 1:x'"),
        (b"#\n\n1:2 3:4\n", "line 3 must hold a label"),
        (b"1 1:2:3\n", "line 1 must"),
        (b"1 1 2:3\n", "line 1 must"),
        (b"1 -1:3\n", "line 1 must"),
        (b"1 1.5:3\n", "line 1 must"),
        (b"1,2 1:3\n", "line 1 must"),
        (b"1 1:3 qid:2\n", "line 1 must"),
        (b"1 qid:2.5 1:3\n", "line 1 must"),
        (b"1 1: 3\n", "line 1 must"),
        (b"1 1:3\0\n", "line 1 must"),
        (b"1 1:0x10\n", "line 1 must"),
        (b"1 1:1_0\n", "line 1 must"),
        (b"\xff\n", "line 1 must"),
        (b"1 2:1\n1 2:1 2:5\n", "the indices of line 2 must ascend, got 2 after 2"),
        (b"1 3:1 2:5\n", "the indices of line 1 must ascend, got 2 after 3"),
        (b"1 2:1\n1 9007199254740992:1\n", r"line 2 has an index of 2\*\*53 or more"),
    ],
)
def test_lines_that_are_wrong_are_named(tmp_path, text, words):
    (tmp_path / "a.svm").write_bytes(text)
    with pytest.raises(ValueError, match=rf"a\.svm: .*{words}"):
        read_svmlight(tmp_path / "a.svm")


def test_lines_are_counted_in_all_pieces(monkeypatch):
    monkeypatch.setattr(svmlight, "PIECE", 10)
    with pytest.raises(ValueError, match="line 31 must"):
        read_svmlight(io.BytesIO(b"1 1:2\n#\n\n" * 10 + b"x"))
    with pytest.raises(ValueError, match="line 31 must ascend"):
        read_svmlight(io.BytesIO(b"1 1:2\n#\n\n" * 10 + b"1 2:2 1:1"))


def test_queries_of_every_line():
    with pytest.raises(ValueError, match="line 2 has no qid: use query_id=False"):
        read_svmlight(io.BytesIO(TEXT), query_id=True)
    with pytest.raises(ValueError, match=r"line 1 has a qid of 2\*\*53 or more"):
        read_svmlight(io.BytesIO(b"1 qid:9007199254740993 1:1\n"), query_id=True)


def test_columns_are_bounded():
    with pytest.raises(ValueError, match="n_features is 8, but the file has the index 9"):
        read_svmlight(io.BytesIO(TEXT), n_features=8)
    with pytest.raises(ValueError, match="it has the index 0"):
        read_svmlight(io.BytesIO(b"1 0:1\n"), zero_based=False)
    assert read_svmlight(io.BytesIO(b"1 0:1\n")).X.shape == (1, 1)
    assert read_svmlight(io.BytesIO(b"1 1:1\n"), zero_based=True).X.shape == (1, 2)
    assert read_svmlight(io.BytesIO(b"")).X.shape == (0, 0)
    assert read_svmlight(io.BytesIO(b"#\n"), n_features=3).X.shape == (0, 3)


@pytest.mark.parametrize(
    "error, words, options",
    [
        (ValueError, "zero_based must be", {"zero_based": "yes"}),
        (ValueError, "offset must be 0 or more", {"offset": -1}),
        (ValueError, "give n_features and zero_based", {"offset": 5}),
        (ValueError, "give n_features and zero_based", {"length": 5, "n_features": 3}),
        (TypeError, "dtype must be a float", {"dtype": int}),
    ],
)
def test_wrong_options(error, words, options):
    with pytest.raises(error, match=words):
        read_svmlight(io.BytesIO(TEXT), **options)


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"gone\.svm: no such file"):
        read_svmlight(tmp_path / "gone.svm")


def test_wrong_arguments(tmp_path):
    path, y = tmp_path / "a.svm", np.zeros(12)
    for error, words, call in (
        (TypeError, "X must be a sparse matrix", lambda: write_svmlight(path, np.eye(3), y)),
        (ValueError, "two dimensions", lambda: write_svmlight(path, csr_array([1.0]), [1])),
        (TypeError, "no complex numbers", lambda: write_svmlight(path, 1j * A, y)),
        (ValueError, r"y must have 12 numbers, one for each row, got shape \(9,\)", lambda: write_svmlight(path, A, y[:9])),
        (TypeError, "y must be real numbers", lambda: write_svmlight(path, A, y * 1j)),
        (ValueError, "query_id must have 12", lambda: write_svmlight(path, A, y, query_id=[1])),
        (ValueError, "y must have 12 lists", lambda: write_svmlight(path, A, [[1]], multilabel=True)),
    ):
        with pytest.raises(error, match=words):
            call()
    assert not list(tmp_path.iterdir())


def test_entries_are_written_in_order_and_once():
    file, B = io.BytesIO(), coo_array(([1.5, 2, 4, 0], ([0, 0, 0, 1], [2, 1, 2, 0])), shape=(2, 3))
    write_svmlight(file, B, [-0.0, 1e300])
    assert file.getvalue() == b"-0.0 1:2.0 2:5.5\n1e+300 0:0.0\n"


@pytest.mark.parametrize("queries", [[1.5, 2], [1, -1], [2.0**53, 1], [np.nan, 1]])
def test_numbers_of_queries_that_no_reader_takes_are_refused(queries):
    with pytest.raises(ValueError, match=r"query_id must hold whole numbers of 0 and above, below 2\*\*53, got query_id\["):
        write_svmlight(io.BytesIO(), csr_array(np.eye(2)), [0, 1], query_id=queries)
