"""Files of rows, in Matrix Market's and SciPy's formats, are blocks."""

import itertools

import numpy as np
import pytest
import scipy.sparse

from spark_csr import csr_array, load_npz, mmwrite, random_array, save_npz

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

import dask

from spark_csr.interop.dask import from_files

pytestmark = pytest.mark.usefixtures("cpu_only")

S = random_array((60, 40), density=0.1, rng=0)
OFFSETS = [0, 20, 20, 60]
FIELDS = {"f": "real", "i": "integer", "c": "complex"}


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


def write(folder, kind, matrix=S):
    for i, (start, stop) in enumerate(itertools.pairwise(OFFSETS)):
        rows = matrix[start:stop]
        if kind == "npz":
            save_npz(folder / f"rows-{i}.npz", rows if i else rows.tocsc())  # the format of each does not matter
        else:
            mmwrite(folder / f"rows-{i}.mtx", rows, field=FIELDS[matrix.dtype.kind])


@pytest.mark.parametrize("dtype", ["f8", "i8", "c16"])
@pytest.mark.parametrize("kind", ["npz", "mtx"])
def test_files_are_blocks(kind, dtype, tmp_path):
    matrix = (100 * S).astype(dtype)
    write(tmp_path, kind, matrix)
    for files in (tmp_path, tmp_path / f"rows-*.{kind}", sorted(tmp_path.iterdir())):
        A = from_files(files)
        assert (A.chunks, A.dtype) == (((20, 0, 40), (13, 13, 14)), matrix.dtype)
        np.testing.assert_array_equal(A.compute().toarray(), matrix.toarray())
        assert A.compute().dtype == dtype
    assert from_files(tmp_path, columns=[1, 39]).chunks[1] == (1, 39)


def test_files_that_do_not_fit(tmp_path):
    with pytest.raises(FileNotFoundError, match="there are no files that end with .mtx, .mtx.gz, .mtx.bz2, .npz"):
        from_files(tmp_path)
    write(tmp_path, "npz")
    save_npz(tmp_path / "rows-3.npz", S[:, :7])
    with pytest.raises(ValueError, match=r"numbers of columns differ: 40 in .*rows-0\.npz, 7 in .*rows-3\.npz"):
        from_files(tmp_path)
    scipy.sparse.save_npz(tmp_path / "rows-3.npz", S.astype("f4").to_scipy())
    assert from_files(tmp_path).compute().dtype == np.float64  # float64 and float32
    (tmp_path / "rows-3.npz").write_text("no archive")
    with pytest.raises(ValueError, match=r"rows-3\.npz: this is not a sparse matrix in \.npz format, or it is damaged"):
        from_files(tmp_path)
    with pytest.raises(ValueError, match=r"edges\.csv must end with .mtx"):
        from_files([tmp_path / "edges.csv"])


@pytest.mark.parametrize("shape", [[-3, 40], [3.5, 40], [2**63, 40], ["3", "40"], [[3, 40]], [3, 40, 1], True, None])
def test_a_shape_that_is_none_is_named(tmp_path, shape):
    """By the function that reads the headers, and by that which reads the matrix, with the same words."""
    path = tmp_path / "rows-0.npz"
    save_npz(path, S[:3])
    with np.load(path) as found:
        arrays = {name: x for name, x in found.items() if name != "shape"}
    np.savez(path, **arrays, **({} if shape is None else {"shape": np.array(shape)}))
    for read in (from_files, load_npz):
        with pytest.raises(ValueError, match=r"rows-0\.npz.*shape"):
            read(path)


@pytest.mark.parametrize("width", [2**53 + 1, 2**60 + 1, 2**63 - 1])
def test_chunks_of_very_many_columns_have_all_of_them(tmp_path, width):
    for i in range(3):
        save_npz(tmp_path / f"rows-{i}.npz", csr_array((2, width)))
    assert sum(from_files(tmp_path).chunks[1]) == width


def test_a_damaged_file_is_named_when_it_is_read(tmp_path):
    write(tmp_path, "mtx")
    A = from_files(tmp_path)
    text = (tmp_path / "rows-2.mtx").read_text()
    (tmp_path / "rows-2.mtx").write_text(text[: len(text) // 2])
    with pytest.raises(ValueError, match=r"rows-2\.mtx: this is not a Matrix Market file, or it is damaged"):
        A.compute()
