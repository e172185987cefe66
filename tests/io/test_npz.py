"""Matrices in .npz files: round trips, SciPy at the other end, and every way in which a file can be wrong."""

import io

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import coo_array, csr_array, load_npz, save_npz
from spark_csr._array import SIMULATED
from spark_csr.gallery import uniform

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")


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


def test_npz_of_a_transpose(tmp_path):
    A = uniform(12, 9, 3)
    save_npz(tmp_path / "t.npz", A.T)
    same(load_npz(tmp_path / "t.npz").T, A)


def test_npz_of_nothing_sparse():
    with pytest.raises(TypeError, match="matrix must be a sparse matrix, got ndarray"):
        save_npz(io.BytesIO(), np.eye(3))


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
