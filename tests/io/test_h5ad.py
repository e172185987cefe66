"""Files of AnnData: round trips, AnnData at the other end, names."""

import io

import numpy as np
import pytest

from spark_csr import csr_array
from spark_csr._array import SIMULATED
from spark_csr.gallery import uniform
from spark_csr.io import open_hdf5, read_h5ad, write_h5ad

h5py = pytest.importorskip("h5py", reason="needs h5py: pip install h5py")

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")

A = uniform(12, 9, 3)
CELLS, GENES = [f"cell {i}" for i in range(12)], [f"Gén{j}" for j in range(9)]


def test_round_trip_of_all_matrices(tmp_path):
    graph, other = uniform(12, 12, 2), uniform(9, 9, 2)
    parts = {"layers": {"c": A.tocsc()}, "obsp": {"near": graph.tocoo()}, "varp": {"v": other}}
    write_h5ad(tmp_path / "a", A, obs_names=CELLS, var_names=np.array(GENES), compression="gzip", **parts)
    for key, form, wanted in (
        ("X", "csr", A),
        ("layers/c", "csc", A),
        ("obsp/near", "csr", graph),
        ("varp/v", "csr", other),
    ):
        X, obs_names, var_names = read_h5ad(tmp_path / "a.h5ad", key)
        assert X.format == form
        assert np.array_equal(X.toarray(), wanted.toarray())
        assert (obs_names.tolist(), var_names.tolist()) == (CELLS, GENES)


@pytest.mark.filterwarnings("ignore")
def test_anndata_reads_what_is_written(tmp_path):
    anndata = pytest.importorskip("anndata", reason="needs anndata: pip install anndata")
    near = csr_array(np.eye(12))
    write_h5ad(tmp_path / "a.h5ad", A, obs_names=CELLS, layers={"c": A.tocsc()}, obsp={"near": near}, compression="lzf")
    found = anndata.read_h5ad(tmp_path / "a.h5ad")
    assert np.array_equal(found.X.toarray(), A.toarray())
    assert (found.layers["c"].format, found.obsp["near"].nnz) == ("csc", 12)
    assert found.obs_names.tolist() == CELLS
    assert found.var_names.tolist() == [str(j) for j in range(9)]
    backed = anndata.read_h5ad(tmp_path / "a.h5ad", backed="r")
    assert np.array_equal(backed.X[2:5].toarray(), A.toarray()[2:5])
    backed.file.close()


@pytest.mark.filterwarnings("ignore")
def test_what_anndata_writes_is_read(tmp_path):
    anndata = pytest.importorskip("anndata", reason="needs anndata: pip install anndata")
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"n": range(12)}, index=CELLS)
    found = anndata.AnnData(A.to_scipy(), obs=table, var=pandas.DataFrame(index=GENES))
    found.layers["c"] = A.to_scipy().tocsc()
    found.raw = found
    found[:, :4].copy().write_h5ad(tmp_path / "a.h5ad", compression="gzip")
    X, obs_names, var_names = read_h5ad(tmp_path / "a.h5ad")
    assert np.array_equal(X.toarray(), A.toarray()[:, :4])
    assert (obs_names.tolist(), var_names.tolist()) == (CELLS, GENES[:4])
    assert read_h5ad(tmp_path / "a.h5ad", "layers/c").X.format == "csc"
    raw = read_h5ad(tmp_path / "a.h5ad", "raw/X")
    assert np.array_equal(raw.X.toarray(), A.toarray())
    assert raw.var_names.tolist() == GENES
    assert np.array_equal(open_hdf5(tmp_path / "a.h5ad", "X").rows(3, 5).toarray(), A.toarray()[3:5, :4])


def with_names(change):
    """Write a file whose table of observations is changed."""
    file = io.BytesIO()
    write_h5ad(file, A, obs_names=CELLS)
    with h5py.File(file, "r+") as opened:
        change(opened["obs"])
    return file


def as_integers(table):
    del table["_index"]
    table["_index"] = np.arange(12)


def as_missing(table):
    del table["_index"]
    group = table.create_group("_index")
    group["values"], group["mask"] = CELLS, np.arange(12) == 3


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda table: table.attrs.__setitem__("_index", 5), "_index of /obs must be a string"),
        (lambda table: table.attrs.__setitem__("_index", "gone"), "it has no gone"),
        (
            lambda table: table.__setitem__("cells", CELLS[:-1]) or table.attrs.__setitem__("_index", "cells"),
            "there are 11 names of obs",
        ),
        (as_missing, "names of obs are missing"),
    ],
)
def test_wrong_names_are_refused(change, words):
    with pytest.raises(ValueError, match=words):
        read_h5ad(with_names(change))


@pytest.mark.parametrize("change", [as_integers, lambda table: table.attrs.__delitem__("_index")])
def test_names_that_are_no_strings_are_left_out(change):
    found = read_h5ad(with_names(change))
    assert found.obs_names is None
    assert found.var_names.size == 9


def test_wrong_arguments(tmp_path):
    for error, words, call in (
        (TypeError, "block 0 of X must be a sparse matrix, got ndarray", lambda: write_h5ad(tmp_path / "a", np.eye(3))),
        (TypeError, "X must be a sparse matrix or an iterable of these, got int", lambda: write_h5ad(tmp_path / "a", 5)),
        (ValueError, "X has no blocks", lambda: write_h5ad(tmp_path / "a", [])),
        (ValueError, "blocks of X must have equal columns and dtypes", lambda: write_h5ad(tmp_path / "a", [A, A[:, 1:]])),
        (ValueError, "blocks of X must have equal columns and dtypes", lambda: write_h5ad(tmp_path / "a", [A, A.astype("f")])),
        (ValueError, "two dimensions", lambda: write_h5ad(tmp_path / "a", csr_array([1.0, 2]))),
        (
            ValueError,
            r"layers\['c'\] must have shape \(12, 9\), got \(9, 12\)",
            lambda: write_h5ad(tmp_path / "a", A, layers={"c": A.T}),
        ),
        (TypeError, r"obsp\['c'\] must be a sparse", lambda: write_h5ad(tmp_path / "a", A, obsp={"c": np.eye(12)})),
        (ValueError, "obs_names must be 12 names, got 9", lambda: write_h5ad(tmp_path / "a", A, obs_names=GENES)),
        (TypeError, "obs_names must be strings, got 0", lambda: write_h5ad(tmp_path / "a", A, obs_names=range(12))),
        (TypeError, "obs_names must be strings, got None", lambda: write_h5ad(tmp_path / "a", A, obs_names=[None] * 12)),
        (TypeError, "obs_names must be a list of strings", lambda: write_h5ad(tmp_path / "a", A, obs_names="x" * 12)),
        (ValueError, "not empty or '.', got 'a/b'", lambda: write_h5ad(tmp_path / "a", A, layers={"a/b": A})),
        (ValueError, "not empty or '.', got 'a.x00b'", lambda: write_h5ad(tmp_path / "a", A, layers={"a\0b": A})),
        (ValueError, "not empty or '.', got '.'", lambda: write_h5ad(tmp_path / "a", A, layers={".": A})),
        (ValueError, "not empty or '.', got 1", lambda: write_h5ad(tmp_path / "a", A, layers={1: A})),
    ):
        with pytest.raises(error, match=words):
            call()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("compression", [None, "gzip"])
def test_blocks_of_rows_are_written_one_by_one(tmp_path, compression):
    """Rows that begin behind the first entry, empty blocks, and a matrix that is read from another file meanwhile."""
    cut = csr_array((np.asarray(A.data)[:7], np.asarray(A.indices)[:7], np.asarray(A.indptr)[:3]), shape=(2, 9))
    blocks = (block for block in (A[:0], cut, A[2:2], A[2:11].tocsc(), A[11:].to_scipy()))
    write_h5ad(tmp_path / "a.h5ad", blocks, obs_names=CELLS, layers={"c": A}, compression=compression)
    write_h5ad(tmp_path / "b.h5ad", open_hdf5(tmp_path / "a.h5ad", "X"))
    for name in "ab":
        found = read_h5ad(tmp_path / f"{name}.h5ad")
        assert (found.X.dtype, found.obs_names.size) == (A.dtype, 12)
        assert np.array_equal(found.X.toarray(), A.toarray())
