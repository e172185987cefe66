"""Files of every kind: float16 goes out and comes back, and what is no file is named."""

import errno
import io
import os

import numpy as np
import pytest

from spark_csr import csr_array, load_npz, mmread, mmwrite, save_npz
from spark_csr._array import SIMULATED

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")


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


@pytest.mark.parametrize("load, name", [(load_npz, "gone.npz"), (mmread, "gone.mtx"), (mmread, "gone.mtx.gz")])
def test_a_missing_file_is_named(tmp_path, load, name):
    with pytest.raises(FileNotFoundError, match=name):
        load(tmp_path / name)


@pytest.mark.parametrize("load", [load_npz, mmread])
def test_a_directory_is_named(tmp_path, load):
    with pytest.raises(ValueError, match=tmp_path.name):
        load(tmp_path)


@pytest.mark.parametrize("number, kind", [("ENOMEM", MemoryError), ("EIO", OSError)])
def test_a_file_that_cannot_be_read_now_is_not_called_damaged(number, kind):
    class Broken(io.BytesIO):
        name = "that.file"

        def read(self, size=-1):
            raise OSError(getattr(errno, number), os.strerror(getattr(errno, number)))

    with pytest.raises(kind, match=f"that.file cannot be read now: {os.strerror(getattr(errno, number))}"):
        mmread(Broken())


@pytest.mark.parametrize("load, save, name", [(load_npz, save_npz, "a.npz"), (mmread, mmwrite, "a.mtx")], ids=["npz", "mtx"])
def test_too_many_open_files_are_no_damage(tmp_path, load, save, name):
    resource = pytest.importorskip("resource", reason="limits of files are of Unix")
    save(tmp_path / name, csr_array(np.eye(2)))
    load(tmp_path / name)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
    try:
        with pytest.raises(OSError, match=rf"{name} cannot be read now: {os.strerror(errno.EMFILE)}"):
            load(tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
