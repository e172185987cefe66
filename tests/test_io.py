"""Files of every kind: float16 goes out and comes back, and what is no file is named."""

import io

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
