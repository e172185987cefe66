"""Matrix Market files: round trips, SciPy at the other end, and every way in which a file can be wrong."""

import gzip
import io
import os
import re
import sys
import threading

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from spark_csr import csr_array, eye_array, mmread, mmwrite
from spark_csr._array import SIMULATED
from spark_csr.gallery import uniform
from spark_csr.io._errors import PACKINGS

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")

HEADER = "%%MatrixMarket matrix coordinate real general\n"


def same(A, B):
    """Array by array: nothing is compiled for it."""
    assert (A.shape, A.dtype, A.indptr.dtype, A.indices.dtype) == (B.shape, B.dtype, B.indptr.dtype, B.indices.dtype)
    assert all(np.array_equal(x, y) for x, y in zip((A.indptr, A.indices, A.data), (B.indptr, B.indices, B.data), strict=True))


PACKED = [("a.mtx.gz", "gzip"), ("a.MTX.BZ2", "bz2"), ("a.mtx.xz", "lzma"), ("a.mtx.zst", PACKINGS[".zst"])]


@pytest.mark.parametrize("name, library", PACKED)
@pytest.mark.parametrize("progress", [None, lambda *_: None], ids=["", "progress"])
def test_packed_files_are_unpacked(tmp_path, name, library, progress):
    library = pytest.importorskip(library, reason="needs Python 3.14 or: pip install backports.zstd")
    A = uniform(12, 9, 3)
    text = io.BytesIO()
    mmwrite(text, A)
    with library.open(tmp_path / name, "wb") as file:
        file.write(text.getvalue())
    same(mmread(tmp_path / name, progress=progress), A)


def test_a_library_that_unpacks_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, PACKINGS[".zst"], None)
    (tmp_path / "a.mtx.zst").touch()
    with pytest.raises(ImportError, match="pip install backports.zstd"):
        mmread(tmp_path / "a.mtx.zst")


@pytest.mark.parametrize("name", ["a.mtx", "a.mtx.gz"])
@pytest.mark.parametrize("dtype", ["int64", "float64", "complex128"])
def test_matrix_market_round_trip(tmp_path, name, dtype):
    A = uniform(12, 9, 3, dtype=dtype)
    text = io.BytesIO()
    mmwrite(text, A)
    (tmp_path / name).write_bytes(gzip.compress(text.getvalue()) if name.endswith("gz") else text.getvalue())
    same(mmread(tmp_path / name), A)
    same(mmread(str(tmp_path / name), spmatrix=False), A)


@pytest.mark.parametrize("dtype", "efFbBhHiIQ")
def test_matrix_market_takes_every_dtype(tmp_path, dtype):
    A = uniform(12, 9, 3, dtype=dtype)
    mmwrite(tmp_path / "a.mtx", A, comment="made by a test", precision=17)
    read = mmread(tmp_path / "a.mtx")
    same(read, A.astype(read.dtype))


@pytest.mark.parametrize("rows", [[[0, 1], [1, 0]], [[1, 1], [1, 0]], [[0, 1], [0, 0]], [[0, 1, 1]]])
@pytest.mark.parametrize("form", [csr_array, sp.coo_array, np.array])
def test_matrix_market_takes_bools(rows, form):
    file, dense = io.BytesIO(), np.array(rows, bool)
    mmwrite(file, form(dense))
    file.seek(0)
    np.testing.assert_array_equal(mmread(file).toarray(), dense)


def test_matrix_market_reaches_scipy(tmp_path):
    A = uniform(12, 9, 3)
    mmwrite(tmp_path / "a.mtx", A)
    assert np.array_equal(scipy.io.mmread(tmp_path / "a.mtx", spmatrix=False).toarray(), A.toarray())


def test_matrix_market_symmetric_dense_and_duplicates():
    symmetric = "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 3\n2 1 4\n"
    assert np.array_equal(mmread(io.BytesIO(symmetric.encode())).toarray(), [[3, 4], [4, 0]])
    dense = "%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n2\n"
    assert mmread(io.BytesIO(dense.encode())).nnz == 2
    twice = HEADER + "1 2 2\n1 2 3\n1 2 4\n"
    assert np.array_equal(mmread(io.BytesIO(twice.encode())).toarray(), [[0, 7]])
    pattern = "%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n"
    assert np.array_equal(mmread(io.BytesIO(pattern.encode())).toarray(), [[0, 1]])


TWICE = {
    "bool": [True, True, True],
    "uint8": [200, 100, 7],  # their sums: 44, 7
    "int64": [2**62, 2**62, 7],
    "float16": [2048, 1, 7],
    "float32": [2.0**24, 1, 7],
}


@pytest.mark.parametrize("library", [None, sp])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
@pytest.mark.parametrize("dtype", TWICE)
def test_matrix_market_sums_entries_of_one_place(form, dtype, library):
    """In the dtype of the matrix, as `toarray`, and leaves the matrix as it is."""
    if form == "bsr" and (library is None or dtype == "float16"):
        return
    data, indices, indptr = np.array(TWICE[dtype], dtype), np.array([2, 2, 0]), np.array([0, 2, 3])
    A = csr_array((data, indices, indptr), shape=(2, 3))
    expected = A.toarray()
    if library is None:
        A = A.asformat(form)
    elif form == "bsr":
        A = A.to_scipy().tobsr((1, 1))
    else:
        A = A.asformat(form).to_scipy()
    before = A.data.copy()
    for precision in (None, 17):
        text = io.BytesIO()
        mmwrite(text, A, precision=precision)
        assert b"\n2 3 2\n" in text.getvalue()
        text.seek(0)
        assert np.array_equal(mmread(text).toarray(), expected)
    assert (A.format, A.nnz) == (form, 3)
    assert np.array_equal(A.data, before)


def test_matrix_market_of_complex_numbers_that_are_infinite():
    A = csr_array((np.array([complex(np.inf, 0.5), complex(-np.inf, -0.5)]), ([1, 0], [0, 1])), shape=(2, 2))
    file = io.BytesIO()
    mmwrite(file, A)
    file.seek(0)
    found = mmread(file).tocsr()
    assert found.data.imag.tolist() == A.data.imag.tolist()


def test_matrix_market_sees_symmetry_in_entries_of_one_place():
    text = io.BytesIO()
    mmwrite(text, csr_array((np.array([1.0, 1, 2]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2)))
    assert b"real symmetric" in text.getvalue()
    text.seek(0)
    assert mmread(text).toarray().tolist() == [[0, 2], [2, 0]]


@pytest.mark.parametrize("form", ["dia", "dok", "lil"])
def test_matrix_market_takes_scipys_other_formats(form):
    text = io.BytesIO()
    mmwrite(text, sp.eye_array(3).asformat(form))
    text.seek(0)
    assert np.array_equal(mmread(text).toarray(), np.eye(3))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello\n",
        "%%MatrixMarket matrix coordinate real\n",
        "%%MatrixMarket vector coordinate real general\n1 1 1\n",
        HEADER,
        HEADER + "3 3\n",
        HEADER + "3 3 2\n1 1 5\n",
        HEADER + "3 3 1\n4 1 5\n",
        HEADER + "3 3 1\n1 0 5\n",
        HEADER + "3 3 1\n1 1 five\n",
        HEADER + "3 3 1\n1 1\n",
        HEADER + "99999999999999999999 1 1\n1 1 1\n",
        HEADER + "1 1 1\n1 1 5.0\0\0\n",
    ],
)
def test_a_malformed_matrix_market_file_is_named(tmp_path, text):
    (tmp_path / "bad.mtx").write_text(text)
    with pytest.raises(ValueError, match="bad.mtx"):
        mmread(tmp_path / "bad.mtx")


class Sips(io.BytesIO):
    """A file of which every read returns a few bytes only."""

    def read(self, size=-1):
        return super().read(min(size, 5) if size > 0 else size)


def read_each_way(tmp_path, text):
    """What is read of a text by name, from a stream, and in many reads: values, or the exception."""
    (tmp_path / "a.mtx").write_text(text)
    for source in (tmp_path / "a.mtx", io.BytesIO(text.encode()), Sips(text.encode())):
        try:
            yield mmread(source).toarray().ravel().tolist()
        except ValueError as error:
            yield str(error)


FORTRAN = {"-2.0d-1": -0.2, "1.5D2": 150, "1D+2": 100, ".5d0": 0.5, "5.": 5, "1E5": 1e5, "-inf": -np.inf, "007": 7}


def test_exponents_of_fortran_are_read(tmp_path):
    lines = "".join(f"1 {k} {value} % d\n\n" for k, value in enumerate(FORTRAN, 1))
    text = f"{HEADER}% double d\n\n1 {len(FORTRAN)} {len(FORTRAN)}\n{lines}".removesuffix("\n")
    assert list(read_each_way(tmp_path, text)) == [list(FORTRAN.values())] * 3
    dense = "%%MatrixMarket matrix array complex general\n1 2\n1d1 -2D0\n3 4e0\n"
    assert list(read_each_way(tmp_path, dense)) == [[10 - 2j, 3 + 4j]] * 3


@pytest.mark.parametrize(
    "value",
    [
        "1.5+00",
        "0x1p3",
        "1_000",
        "1.5.2",
        "1e5e3",
        "1e5.2",
        "1e",
        "1e+",
        "1-2",
        "1,5",
        "1.5f",
        "nan(7)",
        "infinity1",
        "5/7",
        "1d2d",
    ],
)
def test_the_beginning_of_a_number_is_no_number(tmp_path, value):
    """SciPy reads what it understands of it."""
    for field, line, what in (
        ("real", value, "a row, a column and a real number"),
        ("complex", f"2 {value}", "a row, a column and two real numbers"),
        ("integer", value, "a row, a column and an integer"),
        ("pattern", value, "a row and a column"),
    ):
        text = f"%%MatrixMarket matrix coordinate {field} general\n% a comment\n2 2 2\n1 1 \n1 2 {line}\n"
        text = text.replace("1 1 \n", f"1 1 {'' if field == 'pattern' else '3 4' if field == 'complex' else '3'}\n")
        for found in read_each_way(tmp_path, text):
            assert f"line 5 must hold {what}, got '1 2 {line}'" in found


@pytest.mark.parametrize("value", ["1.5", "1e2", "1d2", "7 7"])
def test_what_is_no_integer_is_refused(tmp_path, value):
    for head in ("coordinate integer general\n1 1 1\n1 1 ", "array integer general\n1 1\n"):
        for found in read_each_way(tmp_path, f"%%MatrixMarket matrix {head}{value}\n"):
            assert "line 3 must hold" in found
            assert f"an integer, got '{'1 1 ' * head.startswith('c')}{value}'" in found


@pytest.mark.parametrize(
    "head, values, message",
    [
        ("general\n0 2", 0, "0 rows and 2 columns has no values"),
        ("general\n0 0", 1, "0 rows and 0 columns has no values"),
        ("general\n2 3", 7, "has 6 values in the file, but there are more"),
        ("symmetric\n3 3", 7, "has 6 values in the file, but there are more"),
        ("Skew-Symmetric\n3 3", 4, "has 3 values in the file, but there are more"),
        ("skew-symmetric\n1 1", 400, "has 0 values in the file, but there are more"),
        ("symmetric\n2 300", 45150, "a symmetric matrix must be square, got 2 rows and 300 columns"),
        ("hermitian\n300 2", 599, "a hermitian matrix must be square"),
        ("general\n+2 2", 4, r"must be two whole numbers, got '\+2 2'"),
    ],
)
def test_a_dense_matrix_has_as_many_values_as_its_sizes_say(tmp_path, head, values, message):
    """SciPy's parser divides by zero, or writes past the end."""
    text = f"%%MatrixMarket matrix array real {head}\n% a comment\n" + "1\n\n" * values
    for found in read_each_way(tmp_path, text):
        assert re.search(message, found)


def test_dense_matrices_of_every_symmetry(tmp_path):
    for head, values, expected in (
        ("symmetric", 3, [1, 2, 2, 3]),
        ("skew-symmetric", 1, [0, -1, 1, 0]),
        ("general", 4, [1, 3, 2, 4]),
    ):
        lines = "".join(f"{1 + k}\n% no value\n" for k in range(values))
        text = f"%%MatrixMarket matrix array real {head}\n2 2\n{lines}".removesuffix("% no value\n")
        text = text.replace("% no value\n", "\n")
        assert list(read_each_way(tmp_path, text)) == [expected] * 3


def test_a_line_without_end_is_refused():
    with pytest.raises(ValueError, match="line 3 has more than 1048576 bytes, so this is not a Matrix Market file"):
        mmread(io.BytesIO(f"{HEADER}1 1 1\n1 1 {'1' * (1 << 21)}\n".encode()))


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b"not gzip at all", lambda b: b[:20] + b"x" + b[21:]])
def test_a_damaged_gzip_file_is_named(tmp_path, damage):
    text = io.BytesIO()
    mmwrite(text, uniform(30, 30, 4))
    (tmp_path / "bad.mtx.gz").write_bytes(damage(gzip.compress(text.getvalue())))
    with pytest.raises(ValueError, match="bad.mtx.gz"):
        mmread(tmp_path / "bad.mtx.gz")


def test_a_text_stream_is_a_source():
    assert mmread(io.StringIO(HEADER + "1 1 1\n1 1 5\n")).toarray() == 5


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(
    "text, error", [("1 1 1\n1 1 5\n", None), ("1 1 1\n1 1 five\n", "pipe.mtx"), ("1 1\0", "pipe.mtx.*NUL")]
)
def test_a_named_pipe_is_read_once(tmp_path, text, error):
    """A second reading would wait for ever: the writer has gone."""
    pipe = tmp_path / "pipe.mtx"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(HEADER + text,), daemon=True)
    writer.start()
    if error is None:
        assert mmread(pipe).toarray() == 5
    else:
        with pytest.raises(ValueError, match=error):
            mmread(pipe)
    writer.join(60)
    assert not writer.is_alive()


def test_more_entries_than_memory_holds(tmp_path):
    (tmp_path / "huge.mtx").write_text(HEADER + "3 3 99999999999999\n1 1 1\n")
    with pytest.raises((MemoryError, ValueError), match="huge.mtx"):
        mmread(tmp_path / "huge.mtx")


@pytest.mark.parametrize("precision", [0, 19])
def test_precision_out_of_range(precision):
    with pytest.raises(ValueError, match="precision must be 1 to 18"):
        mmwrite(io.BytesIO(), uniform(3, 3, 1), precision=precision)


@pytest.mark.parametrize("end", ["", " ", "\t", "x", "e", "%", "l"])
@pytest.mark.parametrize("by_name", [False, True])
def test_the_last_line_may_lack_its_end(tmp_path, end, by_name):
    """SciPy's parser reads past the end of some of these."""
    text = b"%%MatrixMarket matrix coordinate real general\n2 3 1\n2 3 3" + end.encode()
    source = tmp_path / "a.mtx" if by_name else io.BytesIO(text)
    if by_name:
        source.write_bytes(text)
    try:
        found = mmread(source).toarray().tolist()
    except ValueError:
        assert end not in ("", " ", "\t")
    else:
        assert found == [[0, 0, 0], [0, 0, 3]]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("n", [3, 100_000])
def test_a_full_disk_is_an_error(tmp_path, n):
    (tmp_path / "full.mtx").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        mmwrite(tmp_path / "full.mtx", eye_array(n))
    with pytest.raises(OSError, match="No space left"):
        mmwrite(tmp_path / "full", eye_array(n))
