"""Matrices in HDF5 files: parts of them, all layouts, and every way in which a file can be wrong."""

import errno
import io
import os
import pickle

import numpy as np
import pytest

from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr.gallery import uniform
from spark_csr.io import _hdf5, hdf5, open_blocks, open_hdf5, read_h5ad, save_blocks, write_binsparse, write_h5ad, write_mat

h5py = pytest.importorskip("h5py", reason="needs h5py: pip install h5py")

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")

A = uniform(12, 9, 3)


def write(file, **parts):
    """Write a group X by hand, as AnnData has it, with some of its parts replaced, or left out for None."""
    arrays = {name: np.asarray(getattr(A, name)) for name in ("data", "indices", "indptr")}
    attributes = {"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": np.array(A.shape)}
    with h5py.File(file, "w") as made:
        group = made.create_group("X")
        for name, x in {**attributes, **parts}.items():
            if x is not None and name not in arrays:
                group.attrs[name] = x
        for name, x in {**arrays, **parts}.items():
            if x is not None and name in arrays:
                group[name] = x
    return file


def test_rows_are_read_alone(tmp_path):
    write(tmp_path / "a.h5ad")
    files = pickle.loads(pickle.dumps(open_hdf5(tmp_path / "a.h5ad", "X")))
    assert (files.format, files.shape, files.dtype, files.nnz) == ("csr", A.shape, A.dtype, A.nnz)
    for start, stop in ((0, 12), (3, 7), (5, 5), (12, 12), (0, 0)):
        found = files.rows(start, stop)
        assert (found.format, found.shape) == ("csr", (stop - start, 9))
        assert np.array_equal(found.toarray(), A.toarray()[start:stop])
    with pytest.raises(ValueError, match=r"^rows must lie within 0:12, got 3:13$"):
        files.rows(3, 13)
    with pytest.raises(ValueError, match=r"^the matrix is stored by rows: use A.rows"):
        files.columns(0, 1)


def test_only_the_rows_that_are_asked_for_are_read(tmp_path):
    """What is wrong in other rows is not seen."""
    indices = np.asarray(A.indices).copy()
    indices[-1] = 9
    write(tmp_path / "a.h5ad", indices=indices)
    files = open_hdf5(tmp_path / "a.h5ad", "X")
    assert np.array_equal(files.rows(0, 11).toarray(), A.toarray()[:11])
    with pytest.raises(ValueError, match=r"a\.h5ad.*indices"):
        files.rows(10, 12)


def test_columns_are_read_alone():
    file = io.BytesIO()
    write_binsparse(file, A.tocsc())
    files = open_hdf5(file)
    found = files.columns(2, 6)
    assert (files.format, found.format) == ("csc", "csc")
    assert np.array_equal(found.toarray(), A.toarray()[:, 2:6])
    with pytest.raises(ValueError, match="stored by columns: use A.columns"):
        list(files)


def test_blocks_of_rows_are_those_of_a_matrix(tmp_path, monkeypatch):
    monkeypatch.setattr(hdf5, "BLOCK_BYTES", 100)
    files = open_hdf5(write(tmp_path / "a.h5ad"), "X")
    blocks = list(files)
    assert len(blocks) > 4
    assert max(block.nnz for block in blocks) <= 100 // 16
    assert np.array_equal(np.concatenate([block.toarray() for block in blocks]), A.toarray())
    save_blocks(tmp_path / "blocks", files)
    assert np.array_equal(open_blocks(tmp_path / "blocks").rows(0, 12).toarray(), A.toarray())


def test_coordinates_have_no_rows():
    file = io.BytesIO()
    write_binsparse(file, A.tocoo())
    with pytest.raises(ValueError, match="use read_binsparse"):
        open_hdf5(file)


WRONG = {
    "a column too large": ({"indices": np.full(A.nnz, 9)}, "indices"),
    "a negative column": ({"indices": np.full(A.nnz, -1)}, "indices"),
    "offsets that decrease": ({"indptr": np.asarray(A.indptr)[::-1].copy()}, "offsets go from"),
    "offsets beyond the entries": ({"indptr": np.asarray(A.indptr) + 2**40 * (np.arange(13) == 12)}, "offsets go from"),
    "offsets that do not start at 0": ({"indptr": np.asarray(A.indptr) + (np.arange(13) == 0)}, None),
    "too few offsets": ({"indptr": np.asarray(A.indptr)[:-1]}, "indptr has 12 elements and should have 13"),
    "no offsets": ({"indptr": None}, "it has no indptr"),
    "offsets of floats": ({"indptr": np.asarray(A.indptr).astype(float)}, "indptr has dtype float64 and should hold integers"),
    "other lengths": ({"data": np.zeros(2)}, "data has 2 elements and should have"),
    "data of text": ({"data": np.array([b"x"] * A.nnz)}, "data"),
    "two axes": ({"data": np.zeros((A.nnz, 1))}, "data must have one axis"),
    "no shape": ({"shape": None}, "shape must be two integers"),
    "a negative shape": ({"shape": np.array([12, -9])}, "shape"),
    "a shape of floats": ({"shape": np.array([12.0, 9])}, "shape must be two integers"),
    "another type": ({"encoding-type": "array"}, "encoding-type 'array', which is no sparse matrix"),
    "a type that is a number": ({"encoding-type": 5}, "encoding-type"),
    "no type": ({"encoding-type": None}, "no sparse matrix of AnnData"),
}


@pytest.mark.parametrize("name", [name for name in WRONG if WRONG[name][1]])
def test_what_is_wrong_is_named_with_the_file(tmp_path, name):
    parts, words = WRONG[name]
    write(tmp_path / "a.h5ad", **parts)
    with pytest.raises((ValueError, TypeError), match=rf"a\.h5ad: .*{words}"):
        read_h5ad(tmp_path / "a.h5ad")


def test_rows_may_begin_behind_the_first_entry(tmp_path):
    """Offsets count from the first entry of the rows that are read: the whole matrix is a range of rows as others are."""
    write(tmp_path / "a.h5ad", **WRONG["offsets that do not start at 0"][0])
    assert read_h5ad(tmp_path / "a.h5ad").X.nnz == A.nnz - 1


def replace_by_link(group, name, folder):
    values = group[name][:]
    del group[name]
    group.file["elsewhere"] = values
    group[name] = h5py.SoftLink("/elsewhere")


def replace_by_external_link(group, name, folder):
    with h5py.File(folder / "other.h5", "w") as other:
        other["x"] = group[name][:]
    del group[name]
    group[name] = h5py.ExternalLink("other.h5", "/x")


def replace_by_external_file(group, name, folder):
    values = group[name][:]
    (folder / "raw.bin").write_bytes(values.tobytes())
    del group[name]
    group.create_dataset(name, values.shape, values.dtype, external=[(str(folder / "raw.bin"), 0, values.nbytes)])


def replace_by_virtual_dataset(group, name, folder):
    values = group[name][:]
    with h5py.File(folder / "other.h5", "w") as other:
        other["x"] = values
    layout = h5py.VirtualLayout(values.shape, values.dtype)
    layout[:] = h5py.VirtualSource(folder / "other.h5", "x", values.shape)
    del group[name]
    group.create_virtual_dataset(name, layout)


@pytest.mark.parametrize(
    "replace, words",
    [
        (replace_by_link, "links are not followed"),
        (replace_by_external_link, "links are not followed"),
        (replace_by_external_file, "lies in other files"),
        (replace_by_virtual_dataset, "lies in other files"),
    ],
)
def test_no_other_file_is_read(tmp_path, replace, words):
    write(tmp_path / "a.h5ad")
    with h5py.File(tmp_path / "a.h5ad", "r+") as file:
        replace(file["X"], "indices", tmp_path)
    with h5py.File(tmp_path / "a.h5ad", "r") as file:
        assert np.array_equal(file["X/indices"][:], A.indices)
    with pytest.raises(ValueError, match=rf"a\.h5ad: .*{words}"):
        read_h5ad(tmp_path / "a.h5ad")


def test_what_is_no_hdf5_file_is_named(tmp_path):
    (tmp_path / "a.h5ad").write_text("text")
    with pytest.raises(ValueError, match=r"a\.h5ad: "):
        open_hdf5(tmp_path / "a.h5ad")
    with pytest.raises(FileNotFoundError, match=r"gone\.h5ad: no such file"):
        open_hdf5(tmp_path / "gone.h5ad")
    with pytest.raises(ValueError, match="this is a directory"):
        open_hdf5(tmp_path)
    write_h5ad(tmp_path / "a.h5ad", A)
    with pytest.raises(ValueError, match=r"it has no Y: / holds X, "):
        open_hdf5(tmp_path / "a.h5ad", "Y")
    with pytest.raises(ValueError, match=r"it has no X/data/x"):
        open_hdf5(tmp_path / "a.h5ad", "X/data/x")
    with pytest.raises(ValueError, match=r"/X/data is a dense array of shape"):
        open_hdf5(tmp_path / "a.h5ad", "X/data")
    with h5py.File(tmp_path / "b.h5", "w") as made:
        made.create_group(b"\xff\xfe")  # no text in UTF-8: such names are bytes
    with pytest.raises(ValueError, match=r"it has no Y: / holds b'\\xff\\xfe'"):
        open_hdf5(tmp_path / "b.h5", "Y")


def test_a_missing_library_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    for call in (lambda: open_hdf5(tmp_path / "a.h5"), lambda: write_h5ad(tmp_path / "a.h5ad", A)):
        with pytest.raises(ImportError, match="pip install h5py"):
            call()
    assert not list(tmp_path.iterdir())


def test_bytes_of_either_order(tmp_path):
    parts = {name: np.asarray(getattr(A, name)) for name in ("data", "indices", "indptr")}
    write(tmp_path / "a.h5ad", **{name: x.astype(x.dtype.newbyteorder(">")) for name, x in parts.items()})
    found = read_h5ad(tmp_path / "a.h5ad").X
    assert found.dtype == A.dtype
    assert np.array_equal((found @ np.arange(9.0)), A @ np.arange(9.0))


@pytest.mark.parametrize("dtype", "?bBhHiIqQefdFD")
def test_every_dtype(dtype):
    B, file = uniform(12, 9, 3, dtype=dtype), io.BytesIO()
    write_h5ad(file, B)
    found = read_h5ad(file).X
    assert found.dtype == B.dtype
    assert np.array_equal(found.toarray(), B.toarray())


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (4, 0), (3, 2)])
@pytest.mark.parametrize("form", ["csr", "csc"])
def test_empty_matrices(shape, form):
    file = io.BytesIO()
    write_h5ad(file, csr_array(shape).asformat(form), compression="gzip")
    found = read_h5ad(file).X
    assert (found.format, found.shape, found.nnz) == (form, shape, 0)


def write_mat_73(path, A):
    write_mat(path, {"A": A}, format="7.3")


def write_layers(path, A):
    write_h5ad(path, A, layers={"counts": A}, compression="gzip")


def write_in_blocks(path, A):
    write_h5ad(path, [A[:100], A[100:]], compression="lzf")


WRITERS = {
    "h5ad": (write_h5ad, "a.h5ad"),
    "layers": (write_layers, "a.h5ad"),
    "blocks": (write_in_blocks, "a.h5ad"),
    "binsparse": (write_binsparse, "a.h5"),
    "mat": (write_mat_73, "a.mat"),
}


@pytest.mark.parametrize("share", [0, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_grows_too_large_is_an_error_with_a_number(tmp_path, name, share):
    """HDF5 never meets a full disk: after that it crashes now and then, or h5py says so on stderr only."""
    resource = pytest.importorskip("resource", reason="limits of files are of Unix")
    write, file = WRITERS[name]
    path = tmp_path / file
    write(path, A)
    old, most = path.read_bytes(), uniform(3000, 300, 20)
    write(path, most)
    size = path.stat().st_size
    assert size < 3 * most.nbytes
    write(path, A)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(share * size), limits[1]))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            write(path, most)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.errno == errno.EFBIG
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == [file]


def test_room_that_was_not_needed_is_given_back(tmp_path):
    write_h5ad(tmp_path / "a.h5ad", A)
    assert (tmp_path / "a.h5ad").stat().st_size < _hdf5.ROOM / 4


def test_a_fault_of_the_system_is_an_error_with_a_number(tmp_path):
    """Where no room can be reserved, h5py raises a RuntimeError for some faults."""
    found = "Can't decrement id ref count (unable to extend file, errno = 28, error message = 'No space left on device')"
    with pytest.raises(OSError, match="No space left on device") as caught, _hdf5.create_file(tmp_path / "a.h5"):
        raise RuntimeError(found)
    assert caught.value.errno == errno.ENOSPC
    with pytest.raises(RuntimeError, match="another"), _hdf5.create_file(tmp_path / "a.h5"):
        raise RuntimeError("another")
