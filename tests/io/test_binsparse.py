"""binsparse in files and in memory: round trips, files by hand as the specification has them, descriptors that are wrong."""

import io
import json

import numpy as np
import pytest

from spark_csr import coo_array, csc_array, csr_array
from spark_csr._array import SIMULATED
from spark_csr.gallery import uniform
from spark_csr.io import open_hdf5, read_binsparse, write_binsparse

h5py = pytest.importorskip("h5py", reason="needs h5py: pip install h5py")

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")

POINTERS, COLUMNS = np.array([0, 1, 3, 3, 5, 6], np.uint64), np.array([3, 1, 4, 1, 2, 3], np.uint64)
"""The example of the specification: a matrix of 5 rows and columns."""

DENSE = np.zeros((5, 5))
DENSE[[0, 1, 1, 3, 3, 4], [3, 1, 4, 1, 2, 3]] = 7


def write(descriptor, arrays, path="/"):
    """Write a file by hand."""
    file = io.BytesIO()
    with h5py.File(file, "w") as made:
        group = made.require_group(path)
        group.attrs["binsparse"] = descriptor if isinstance(descriptor, str) else json.dumps(descriptor)
        for name, x in arrays.items():
            group[name] = x
    return file


def example(**changes):
    """The descriptor of the example."""
    types = {"pointers_to_1": "uint64", "indices_1": "uint64", "values": "iso[int8]"}
    inner = {"version": "0.1", "format": "CSR", "shape": [5, 5], "number_of_stored_values": 6, "data_types": types}
    return {"binsparse": {**inner, **changes}, "author": "John Doe"}


ARRAYS = {"pointers_to_1": POINTERS, "indices_1": COLUMNS, "values": np.array([7], np.int8)}


@pytest.mark.parametrize("wrapped", [True, False])
def test_the_example_of_the_specification(wrapped):
    """binsparse-python writes what is in the key "binsparse" only."""
    file = write(example() if wrapped else example()["binsparse"], ARRAYS, "A")
    found = read_binsparse(file, "A")
    assert (found.format, found.dtype) == ("csr", np.int8)
    assert np.array_equal(found.toarray(), DENSE)
    assert np.array_equal(open_hdf5(file, "A").rows(1, 4).toarray(), DENSE[1:4])


@pytest.mark.parametrize(
    "format, form, names", [("CSC", "csc", None), ("COO", "coo", (0, 1)), ("COOR", "coo", (0, 1)), ("COOC", "coo", (1, 0))]
)
def test_other_formats(format, form, names):
    matrix = csr_array(DENSE).asformat(form)
    values = {"values": np.repeat([[1.0, 2.0]], 6, axis=0).ravel()}
    index = {"pointers_to_1": matrix.indptr, "indices_1": matrix.indices} if form == "csc" else {}
    if names:
        index = {f"indices_{number}": coordinate for number, coordinate in zip(names, matrix.coords, strict=True)}
    file = write(example(format=format, data_types={"values": "complex[float64]"}), {**index, **values})
    found = read_binsparse(file)
    assert (found.format, found.dtype) == (form, np.complex128)
    assert np.array_equal(found.toarray(), DENSE / 7 * (1 + 2j))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", "?bBhHiIqQfdFD")
def test_round_trips(form, dtype):
    A, file = uniform(12, 9, 3, dtype=dtype).asformat(form), io.BytesIO()
    write_binsparse(file, A, compression="gzip")
    found = read_binsparse(file)
    assert (found.format, found.dtype, found.nnz) == (form, A.dtype, A.nnz)
    assert np.array_equal(found.toarray(), A.toarray())
    if form != "coo":
        files = open_hdf5(file)
        part = files.rows(3, 8).toarray() if form == "csr" else files.columns(3, 8).toarray()
        assert np.array_equal(part, A.toarray()[3:8] if form == "csr" else A.toarray()[:, 3:8])


def test_a_vector_is_cvec():
    file, x = io.BytesIO(), csr_array(np.array([0, 1.5, 0, 2]))
    write_binsparse(file, x)
    found = read_binsparse(file)
    assert found.shape == (4,)
    assert np.array_equal(found.toarray(), x.toarray())


@pytest.mark.parametrize("form", [csr_array, csc_array, coo_array])
def test_entries_are_written_in_order_and_once(form, tmp_path):
    entries = [1.0, 2, 4, 8], ([1, 0, 0, 0], [0, 2, 1, 2])
    A = form(coo_array(entries, shape=(2, 3))) if form is coo_array else csr_array((entries[0][1:], [2, 1, 2], [0, 3, 3]))
    A = A if form is not csc_array else csr_array(([2.0, 4, 8], [1, 0, 1], [0, 3])).T
    wanted, kept = A.toarray(), A.nnz
    write_binsparse(tmp_path / "a.h5", A)
    assert A.nnz == kept
    with h5py.File(tmp_path / "a.h5", "r") as file:
        descriptor = json.loads(file.attrs["binsparse"])["binsparse"]
        arrays = {name: file[name][:] for name in file}
    assert descriptor["number_of_stored_values"] == np.count_nonzero(wanted) == arrays["values"].size
    assert {name: x.dtype.name for name, x in arrays.items()} == descriptor["data_types"]
    index = [arrays[name] for name in sorted(arrays) if name != "values"]
    if form is coo_array:
        assert (np.diff(np.ravel_multi_index(index, A.shape)) > 0).all()
    assert np.array_equal(read_binsparse(tmp_path / "a.h5").toarray(), wanted)


class Foreign:
    """An object of another library that has the protocol, and nothing else of a matrix."""

    def __init__(self, descriptor, arrays):
        self.descriptor, self.arrays = descriptor, arrays

    def __binsparse_descriptor__(self):
        return self.descriptor

    def __binsparse__(self):
        return self.arrays


@pytest.mark.parametrize("kind", [csr_array, csc_array, coo_array])
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", ["f8", "D", "?"])
def test_matrices_are_made_of_the_protocol(kind, form, dtype):
    A = uniform(6, 4, 2, dtype=dtype).asformat(form)
    found = kind(Foreign(A.__binsparse_descriptor__(), A.__binsparse__()))
    assert (type(found), found.dtype, found.shape) == (kind, A.dtype, A.shape)
    assert np.array_equal(found.toarray(), A.toarray())


@pytest.mark.parametrize("arrange", [lambda x: x.astype(">f8"), lambda x: np.repeat(x, 2)[::2], lambda x: x.astype("f4")])
def test_complex_values_however_they_are_stored(arrange):
    A = uniform(6, 4, 2, dtype="D")
    arrays = A.__binsparse__()
    found = csr_array(Foreign(A.__binsparse_descriptor__(), arrays | {"values": arrange(arrays["values"])}))
    np.testing.assert_allclose(found.toarray(), A.toarray(), rtol=1e-6)
    with pytest.raises(ValueError, match="float32 or float64, got dtype float16"):
        csr_array(Foreign(A.__binsparse_descriptor__(), arrays | {"values": arrays["values"].astype("f2")}))


def test_the_protocol_shares_arrays():
    A = uniform(6, 4, 2)
    arrays = A.__binsparse__()
    assert np.shares_memory(arrays["values"], A.data)
    assert np.shares_memory(csr_array(Foreign(A.__binsparse_descriptor__(), arrays)).data, A.data)
    assert csr_array(Foreign(example(), ARRAYS)).sum() == 42


WRONG = [
    ({"version": "1.0"}, "version of binsparse is '1.0'"),
    ({"format": "DMAT"}, "format of binsparse is 'DMAT', and only CSR"),
    ({"format": ["CSR"]}, "format of binsparse"),
    ({"shape": [5]}, "shape of CSR must be 2 integers"),
    ({"shape": [5, 5.0]}, "shape of CSR must be 2 integers"),
    ({"shape": [5, -5]}, "shape must not be negative"),
    ({"shape": [5, 4]}, "indices"),
    ({"shape": [4, 5]}, "pointers_to_1 has 6 elements and should have 5|indptr"),
    ({"number_of_stored_values": 5}, "5"),
    ({"number_of_stored_values": -1}, "integer from 0 on"),
    ({"data_types": {"values": "iso[int4]"}}, "the data type of the values is"),
    ({"data_types": {"values": "int8"}}, "values must be 6 numbers"),
    ({"data_types": {"values": "complex[int8]"}}, "complex values are made of floats"),
    ({"data_types": {"values": "iso[complex[float32]]"}}, "values must be 2 numbers"),
    ({"data_types": {"values": "iso[int8"}}, "the data type of the values is"),
    ({"data_types": 5}, "the data type of the values is"),
    ({"fill": True}, "fill value"),
    ({"structure": "symmetric_lower"}, "structure is 'symmetric_lower'"),
]


@pytest.mark.parametrize("changes, words", WRONG)
def test_wrong_descriptors_are_refused(changes, words):
    with pytest.raises(ValueError, match=rf"file object: .*({words})"):
        read_binsparse(write(example(**changes), ARRAYS))
    with pytest.raises(ValueError, match=words if "pointers" not in words else "indptr"):
        csr_array(Foreign(example(**changes), ARRAYS))


@pytest.mark.parametrize("text", ["[1]", "{}", "x", "[" * 100_000, '{"binsparse": 5}'])
def test_what_is_no_descriptor_is_refused(text):
    file = write("{}", ARRAYS)
    with h5py.File(file, "r+") as opened:
        opened.attrs.create("binsparse", text[:60_000])
    with pytest.raises(ValueError, match="descriptor|format of binsparse|Expecting"):
        read_binsparse(file)


def test_missing_parts_are_named():
    arrays = {name: x for name, x in ARRAYS.items() if name != "indices_1"}
    with pytest.raises(ValueError, match="it has no indices_1"):
        read_binsparse(write(example(), arrays))
    with pytest.raises(ValueError, match="no array 'indices_1'"):
        csr_array(Foreign(example(), arrays))
    with pytest.raises(ValueError, match="has no attribute binsparse"):
        read_binsparse(write(example(), ARRAYS, "A"))


def test_what_the_format_does_not_have(tmp_path):
    with pytest.raises(TypeError, match=r"no float16: use A.astype\('float32'\)"):
        write_binsparse(tmp_path / "a.h5", csr_array(np.eye(2, dtype=np.float16)))
    with pytest.raises(TypeError, match="must be a sparse matrix, got ndarray"):
        write_binsparse(tmp_path / "a.h5", np.eye(2))
    assert not list(tmp_path.iterdir())
