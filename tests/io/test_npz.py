"""Matrices in .npz files: round trips, SciPy at the other end, and every way in which a file can be wrong."""

import io

import numpy as np
import pytest
import scipy.sparse as sp

from spark_csr import Ragged, coo_array, csr_array, load_npz, save_npz
from spark_csr._array import SIMULATED
from spark_csr.gallery import uniform
from spark_csr.io import load_ragged, save_ragged

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
        ("bsr", {"indptr": [0, 3, 1, 0], "data": np.ones((3, 1, 1))}),
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


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("dtype", ["f8", "c16", "U1", "O"])
def test_index_arrays_of_no_integers_are_refused(tmp_path, form, dtype):
    """SciPy makes integers of them: of 0.5 it makes 0, and of NaN the least integer."""
    A = uniform(6, 4, 2).to_scipy().asformat(form)
    sp.save_npz(tmp_path / "a.npz", A)
    with np.load(tmp_path / "a.npz") as found:
        arrays = dict(found)
    for name in {"coo": ["row", "col"], "dia": ["offsets"]}.get(form, ["indices", "indptr"]):
        np.savez(tmp_path / "b.npz", **{**arrays, name: arrays[name].astype(dtype)})
        with pytest.raises(ValueError, match=rf"b\.npz: .*({name} must hold integers, got dtype|allow_pickle)"):
            load_npz(tmp_path / "b.npz")


EXTREMES = [-(2**63), 1 - 2**63, -(2**31), -7, -6, 4, 5, 2**31, 2**62, 2**63 - 1]


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (2**40, 5), (3, 2**62), (0, 3), (3, 0)])
@pytest.mark.parametrize("width", [0, 2, 9])
def test_diagonals_anywhere(tmp_path, shape, width):
    """Those outside of the matrix are left out, as SciPy does where offsets are small."""
    offsets = np.array([*EXTREMES, 0, -1, 2])
    data = np.arange(1.0, offsets.size * width + 1).reshape(offsets.size, width)
    data[:, 1:2] = 0
    if shape[0] == 2**40:  # too many offsets of rows: as for any matrix of so many rows
        shape = (2**20, 5)
    np.savez(tmp_path / "a.npz", format=b"dia", shape=np.array(shape), data=data, offsets=offsets)
    found = load_npz(tmp_path / "a.npz").tocoo()
    wanted = {
        (j - offset, j): data[i, j]
        for i, offset in enumerate(offsets.tolist())
        for j in range(min(width, shape[1]))
        if 0 <= j - offset < shape[0] and data[i, j]
    }
    assert dict(zip(zip(*(x.tolist() for x in found.coords), strict=True), found.data.tolist(), strict=True)) == wanted
    assert found.shape == shape


@pytest.mark.parametrize(
    "wrong",
    [
        {"offsets": [0, 0, 1]},
        {"offsets": [0, 1]},
        {"offsets": [[0], [1], [2]]},
        {"data": np.ones(3)},
        {"shape": [3]},
        {"shape": [3, -3]},
        {"format": b"dok"},
        {"format": np.zeros((2, 2))},
    ],
)
def test_diagonals_that_are_none(tmp_path, wrong):
    arrays = {"format": b"dia", "shape": [3, 3], "data": np.ones((3, 3)), "offsets": [-1, 0, 1], **wrong}
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ValueError, match="a.npz"):
        load_npz(tmp_path / "a.npz")


@pytest.mark.parametrize("shape", [(5, 6), (6, 7), (7, 6)])
def test_blocks_that_do_not_fill_the_matrix_are_refused(tmp_path, shape):
    """Also without a file. SciPy leaves the offsets of the last rows as they were in the memory."""
    A = sp.bsr_array(np.kron(np.eye(3), np.ones((2, 2))), blocksize=(2, 2))
    arrays = {"data": A.data, "indices": A.indices, "indptr": A.indptr[: shape[0] // 2 + 1]}
    arrays |= {"indices": A.indices[: arrays["indptr"][-1]], "data": A.data[: arrays["indptr"][-1]]}
    np.savez(tmp_path / "a.npz", format=b"bsr", shape=shape, **arrays)
    with pytest.raises(ValueError, match=r"a\.npz: .*must consist of whole blocks, got shape"):
        load_npz(tmp_path / "a.npz")
    with pytest.raises(ValueError, match="must consist of whole blocks, got shape"):
        csr_array(sp.bsr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape))


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


def test_how_numpy_prints_arrays_does_not_matter(tmp_path, monkeypatch):
    """NumPy prints '...' for an array whose address it noted when a signal ended the printing of another one."""
    save_npz(tmp_path / "A.npz", csr_array([[1, 0]]))
    save_ragged(tmp_path / "R.npz", Ragged.from_lists([[1], []]))
    monkeypatch.setattr(np._core.arrayprint, "_guarded_repr_or_str", lambda x: "...")
    assert str(np.array("csr")) == "..."
    assert load_npz(tmp_path / "A.npz").format == "csr"
    assert load_ragged(tmp_path / "R.npz").to_lists() == [[1], []]


def test_numbers_of_open_files_are_no_files():
    for read in (load_npz, load_ragged):
        with pytest.raises(TypeError, match="file must be a path or a file object, got 5 of type int"):
            read(5)
