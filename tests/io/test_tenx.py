"""Files of 10x Genomics, written by hand as Cell Ranger writes them."""

import os

import numpy as np
import pytest

from spark_csr._array import SIMULATED
from spark_csr.gallery import uniform
from spark_csr.io import open_hdf5, read_10x_h5

h5py = pytest.importorskip("h5py", reason="needs h5py: pip install h5py")

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")

A = uniform(12, 9, 3, dtype=np.int32)
"""Cells and genes; in the file, the transpose by columns."""

BARCODES = [f"AAAC{i:04}-1" for i in range(12)]
IDS = [f"ENSG{j}" for j in range(9)]


def write(path, groups=("matrix",), features=IDS, barcodes=BARCODES, old=False):
    by_columns = A.to_scipy().T.tocsc()
    with h5py.File(path, "w") as file:
        for name in groups:
            group = file.create_group(name)
            for part in ("data", "indices", "indptr"):
                group.create_dataset(part, data=getattr(by_columns, part), compression="gzip")
            group["shape"] = np.array(by_columns.shape, np.int32)
            group["barcodes"] = np.array(barcodes, "S")
            if old:
                group["genes"], group["gene_names"] = np.array(features, "S"), np.array(features, "S")
            else:
                for part in ("id", "name", "feature_type"):
                    group[f"features/{part}"] = np.array(features, "S")
                group["features/_all_tag_keys"] = np.array([b"genome"])
    return path


@pytest.mark.parametrize("old", [False, True])
def test_cells_are_rows(tmp_path, old):
    X, barcodes, features = read_10x_h5(write(tmp_path / "a.h5", groups=["GRCh38" if old else "matrix"], old=old))
    assert (X.format, X.dtype) == ("csr", np.int32)
    assert np.array_equal(X.toarray(), A.toarray())
    assert barcodes.tolist() == BARCODES
    assert {name: x.tolist() for name, x in features.items()} == dict.fromkeys(features, IDS)
    assert list(features) == (["id", "name"] if old else ["id", "name", "feature_type"])


def test_a_genome_is_chosen(tmp_path):
    write(tmp_path / "a.h5", groups=["hg19", "mm10"], old=True)
    assert read_10x_h5(tmp_path / "a.h5", "mm10").X.nnz == A.nnz
    for genome in (None, "dm6"):
        with pytest.raises(ValueError, match=r"a\.h5: .*choose one of hg19, mm10"):
            read_10x_h5(tmp_path / "a.h5", genome)


def test_rows_are_cells(tmp_path):
    files = open_hdf5(write(tmp_path / "a.h5"), "matrix")
    assert np.array_equal(files.rows(4, 7).toarray(), A.toarray()[4:7])


def test_scanpys_and_anndatas_way(tmp_path):
    """AnnData's own reader of such files is scanpy's: here it is SciPy that makes the matrix."""
    import scipy.sparse as sp

    with h5py.File(write(tmp_path / "a.h5"), "r") as file:
        group = file["matrix"]
        theirs = sp.csc_array(tuple(group[name][:] for name in ("data", "indices", "indptr")), shape=tuple(group["shape"][:]))
    assert np.array_equal(read_10x_h5(tmp_path / "a.h5").X.toarray(), theirs.T.toarray())


@pytest.mark.parametrize(
    "options, words",
    [
        ({"barcodes": BARCODES[1:]}, "there are 11 barcodes, and should be 12"),
        ({"features": IDS[1:]}, "there are 8 id of features, and should be 9"),
    ],
)
def test_names_that_do_not_fit_are_refused(tmp_path, options, words):
    with pytest.raises(ValueError, match=rf"a\.h5: .*{words}"):
        read_10x_h5(write(tmp_path / "a.h5", **options))


@pytest.mark.parametrize("part, value", [("shape", [9, 2**40]), ("shape", [9]), ("barcodes", [1, 2]), ("indptr", [0, 1])])
def test_parts_that_do_not_fit_are_refused(tmp_path, part, value):
    write(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        del file["matrix"][part]
        file["matrix"][part] = np.array(value)
    with pytest.raises(ValueError, match=rf"a\.h5: .*({part}|indptr)"):
        read_10x_h5(tmp_path / "a.h5")


def test_names_are_counted_before_they_are_read(tmp_path, monkeypatch):
    write(tmp_path / "a.h5", features=IDS[1:])
    monkeypatch.setattr(h5py.Dataset, "asstr", None)
    with pytest.raises(ValueError, match="there are 8 id of features, and should be 9"):
        read_10x_h5(tmp_path / "a.h5")


def test_a_file_that_a_link_names_is_not_opened(tmp_path):
    write(tmp_path / "a.h5")
    os.mkfifo(tmp_path / "pipe")  # who opens it waits for ever
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        del file["matrix"]["features"]
        file["matrix"]["features"] = h5py.ExternalLink(str(tmp_path / "pipe"), "/data")
    with pytest.raises(ValueError, match=r"a\.h5: .*features is a link to another place or file"):
        read_10x_h5(tmp_path / "a.h5")


def test_another_file_is_refused(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["matrix/x"] = np.zeros(3)
    with pytest.raises(ValueError, match=r"a\.h5: .*holds no sparse matrix"):
        read_10x_h5(tmp_path / "a.h5")
