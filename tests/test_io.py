"""Files in and out: round trips, SciPy at the other end, and every way in which a file can be wrong."""

import gzip
import io
import os
import threading

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from spark_csr import coo_array, csr_array, eye_array, load_npz, mmread, mmwrite, save_npz
from spark_csr._array import SIMULATED
from spark_csr.gallery import uniform

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")

HEADER = "%%MatrixMarket matrix coordinate real general\n"


def same(A, B):
    """Array by array: nothing is compiled for it."""
    assert (A.shape, A.dtype, A.indptr.dtype, A.indices.dtype) == (B.shape, B.dtype, B.indptr.dtype, B.indices.dtype)
    assert all(np.array_equal(x, y) for x, y in zip((A.indptr, A.indices, A.data), (B.indptr, B.indices, B.data), strict=True))


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("dtype", "?bBhHiIqQefdFD")
def test_npz_round_trip(tmp_path, dtype, compressed):
    A = uniform(12, 9, 3, dtype=dtype)
    save_npz(tmp_path / "a.npz", A, compressed=compressed)
    same(load_npz(tmp_path / "a.npz"), A)


def test_npz_reaches_scipy_and_comes_back(tmp_path):
    A = uniform(12, 9, 3)
    save_npz(str(tmp_path / "ours.npz"), A)
    same(csr_array(sp.load_npz(tmp_path / "ours.npz")), A)
    save_npz(tmp_path / "theirs.npz", A.to_scipy())
    same(load_npz(tmp_path / "theirs.npz"), A)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
def test_npz_of_every_scipy_format(tmp_path, form):
    A = uniform(12, 8, 3)
    sp.save_npz(tmp_path / "a.npz", A.to_scipy().asformat(form))
    loaded = load_npz(tmp_path / "a.npz")
    assert loaded.format == (form if form in ("csr", "csc", "coo") else "csr")
    assert np.array_equal(loaded.toarray(), A.toarray())


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("shape", [(12, 9), (0, 4), (4, 0)])
def test_npz_keeps_the_format(tmp_path, form, shape):
    A = csr_array(np.resize([0, 2, 0, 0, -1.5, 3, 0], shape)).asformat(form)
    save_npz(tmp_path / "a.npz", A)
    loaded = load_npz(tmp_path / "a.npz")
    assert (loaded.format, loaded.shape, loaded.dtype, loaded.nnz) == (form, A.shape, A.dtype, A.nnz)
    assert np.array_equal(loaded.toarray(), A.toarray())
    theirs = sp.load_npz(tmp_path / "a.npz")
    assert theirs.format == form
    assert np.array_equal(theirs.toarray(), A.toarray())


@pytest.mark.parametrize("form", [csr_array, coo_array])
@pytest.mark.parametrize("theirs", [False, True])
def test_npz_of_a_vector(tmp_path, form, theirs):
    x = form([0, 3.0, 0, 4])
    (sp.save_npz if theirs else save_npz)(tmp_path / "x.npz", x.to_scipy() if theirs else x)
    loaded = load_npz(tmp_path / "x.npz")
    assert (loaded.format, loaded.shape) == (x.format, (4,))
    assert loaded.toarray().tolist() == [0, 3, 0, 4]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("shape", [(3, 4), (0, 2), (7,)])
def test_float16_goes_out_and_comes_back(form, shape):
    if form == "csc" and len(shape) == 1:
        return
    A = csr_array(np.resize(np.array([0, 0.5, 0, -2, 60000], "e"), shape)).asformat(form)
    file, text = io.BytesIO(), io.BytesIO()
    save_npz(file, A)
    loaded = load_npz(file)
    assert (loaded.format, loaded.shape, loaded.dtype, loaded.nnz) == (form, shape, np.float16, A.nnz)
    assert np.array_equal(loaded.toarray(), A.toarray())
    if len(shape) == 2:
        mmwrite(text, A)
        text.seek(0)
        assert np.array_equal(mmread(text).toarray(), A.toarray())


def test_npz_of_a_transpose(tmp_path):
    A = uniform(12, 9, 3)
    save_npz(tmp_path / "t.npz", A.T)
    same(load_npz(tmp_path / "t.npz").T, A)


def test_npz_of_nothing_sparse():
    with pytest.raises(TypeError, match="matrix must be a sparse matrix, got ndarray"):
        save_npz(io.BytesIO(), np.eye(3))


@pytest.mark.parametrize("load, name", [(load_npz, "gone.npz"), (mmread, "gone.mtx"), (mmread, "gone.mtx.gz")])
def test_a_missing_file_is_named(tmp_path, load, name):
    with pytest.raises(FileNotFoundError, match=name):
        load(tmp_path / name)


@pytest.mark.parametrize("load", [load_npz, mmread])
def test_a_directory_is_named(tmp_path, load):
    with pytest.raises(ValueError, match=tmp_path.name):
        load(tmp_path)


@pytest.mark.parametrize("keep", [0, 1, 100, 300, -30, -1])
def test_a_truncated_npz_is_named(tmp_path, keep):
    save_npz(tmp_path / "a.npz", uniform(50, 50, 5))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "a.npz").read_bytes()[:keep])
    with pytest.raises(ValueError, match="cut.npz"):
        load_npz(tmp_path / "cut.npz")


def test_an_npz_of_something_else_is_named(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.arange(3))
    with pytest.raises(ValueError, match="other.npz"):
        load_npz(tmp_path / "other.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(ValueError, match="text.npz"):
        load_npz(tmp_path / "text.npz")


@pytest.mark.parametrize(
    "form, wrong",
    [
        ("csr", {"indices": [0, 7, 1]}),
        ("csr", {"indices": [0, -1, 1]}),
        ("csr", {"indptr": [0, 3, 1, 3]}),
        ("csr", {"data": [1.0, 2.0]}),
        ("csc", {"indices": [0, 1_000_000, 1]}),
        ("csc", {"indptr": [0, 900_000, 1, 3]}),
        ("bsr", {"indices": [0, 1_000_000, 1], "data": np.ones((3, 1, 1))}),
        ("coo", {"row": [0, 9, 1], "col": [0, 1, 2]}),
        ("coo", {"row": [0, 1], "col": [0, 1, 2]}),
        ("coo", {"row": [0, 1, 2]}),
        ("coo", {"row": [0, -1, 1], "col": [0, 1, 2], "data": np.ones(3, "e")}),
        ("coo", {"row": [0, 1, 2], "col": [0, 1, 2], "data": np.ones((3, 1), "e")}),
        ("coo", {"coords": [[0, 1, 2], [0, 1, 2], [0, 0, 0]]}),
    ],
)
def test_hostile_indices_in_an_npz_are_refused(tmp_path, form, wrong):
    arrays = {"indices": [0, 1, 2], "indptr": [0, 1, 2, 3], "data": [1.0, 2.0, 3.0], **wrong}
    np.savez(tmp_path / "bad.npz", format=form.encode(), shape=(3, 3), **{k: np.asarray(v) for k, v in arrays.items()})
    with pytest.raises(ValueError, match="bad.npz"):
        load_npz(tmp_path / "bad.npz")


def test_an_unsupported_dtype_is_named(tmp_path):
    np.savez(
        tmp_path / "long.npz",
        format=b"csr",
        shape=(1, 1),
        indices=np.zeros(1, np.int32),
        indptr=np.array([0, 1]),
        data=np.ones(1, "datetime64[s]"),
    )
    with pytest.raises((TypeError, ValueError), match="long.npz"):
        load_npz(tmp_path / "long.npz")


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


def test_matrix_market_reaches_scipy(tmp_path):
    A = uniform(12, 9, 3)
    mmwrite(tmp_path / "a.mtx", A)
    assert np.array_equal(scipy.io.mmread(tmp_path / "a.mtx").toarray(), A.toarray())


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
