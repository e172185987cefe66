"""Files of MATLAB: round trips, SciPy at the other end, files by hand, and every way in which a file can be wrong."""

import io
import struct
import zlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from spark_csr import coo_array, csc_array, csr_array
from spark_csr._array import SIMULATED
from spark_csr.gallery import uniform
from spark_csr.io import open_hdf5, read_mat, write_mat

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")

A = uniform(12, 9, 3)
KINDS = {"real": A, "complex": A * (1 + 2j), "logical": A != 0, "empty": csr_array((4, 3)), "none": csr_array((0, 0))}


def load(file):
    """What SciPy reads; from SciPy 1.18 on it asks for the classes."""
    return scipy.io.loadmat(file, **({"spmatrix": False} if "spmatrix" in scipy.io.loadmat.__doc__ else {}))


@pytest.fixture(params=["5", "7.3"])
def format(request):
    if request.param == "7.3":
        pytest.importorskip("h5py", reason="needs h5py: pip install h5py")
    return request.param


@pytest.mark.parametrize("compressed", [False, True])
def test_round_trips(tmp_path, format, compressed):
    write_mat(tmp_path / "a", KINDS, format, compressed)
    for name, wanted in KINDS.items():
        found = read_mat(tmp_path / "a.mat", name)
        assert (found.format, found.dtype, found.shape) == ("csc", wanted.dtype, wanted.shape)
        assert np.array_equal(found.toarray(), wanted.toarray())


def test_parts_of_complex_numbers_stay_apart(format):
    data = np.empty(3, complex)
    data.real, data.imag = [1.5, -0.0, 2], [np.inf, 1, np.nan]
    file = io.BytesIO()
    write_mat(file, {"A": csc_array((data, np.arange(3), np.arange(4)), shape=(3, 3))}, format)
    found = read_mat(file, "A").data
    for part in ("real", "imag"):
        np.testing.assert_array_equal(getattr(found, part), getattr(data, part))
        assert (np.signbit(getattr(found, part)) == np.signbit(getattr(data, part))).all()


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("dtype", "?bHidFD")
def test_scipys_files_are_read(dtype, compressed):
    file, S = io.BytesIO(), uniform(12, 9, 3, dtype=dtype).to_scipy().tocsc()
    others = {"x": np.arange(100.0), "s": "text", "c": np.array([[1, "a"]], dtype=object), "B": sp.csc_array((2, 2))}
    scipy.io.savemat(file, {**others, "A": S}, do_compression=compressed)
    found = read_mat(file, "A")
    assert found.dtype == (bool if dtype == "?" else complex if dtype in "FD" else float)
    assert np.array_equal(found.toarray(), S.toarray())


def test_scipy_reads_what_is_written(tmp_path):
    write_mat(tmp_path / "a.mat", KINDS)
    theirs = load(tmp_path / "a.mat")
    for name, wanted in KINDS.items():
        assert np.array_equal(theirs[name].toarray(), wanted.toarray())


def test_files_of_version_4():
    file = io.BytesIO()
    scipy.io.savemat(file, {"x": np.eye(3), "A": A.to_scipy()}, format="4")
    assert np.array_equal(read_mat(file).toarray(), A.toarray())
    assert np.array_equal(read_mat(file, "A").toarray(), A.toarray())
    with pytest.raises(ValueError, match="it has no sparse matrix 'x', but none"):
        read_mat(file, "x")


def test_matrices_in_structs():
    """The SuiteSparse collection has a struct `Problem` with the matrix, and more matrices in another struct of it."""
    file = io.BytesIO()
    problem = {"title": "a grid", "A": A.to_scipy().tocsc(), "b": np.ones(3), "aux": {"G": sp.csc_array(np.eye(3))}}
    scipy.io.savemat(file, {"Problem": problem}, do_compression=True)
    assert np.array_equal(read_mat(file, "Problem.A").toarray(), A.toarray())
    assert np.array_equal(read_mat(file, "Problem.aux.G").toarray(), np.eye(3))
    with pytest.raises(ValueError, match=r"give the name of one of its 2 sparse matrices: Problem.A, Problem.aux.G"):
        read_mat(file)
    for name in ("Problem.b", "Problem", "A", "Problem.aux"):
        with pytest.raises(ValueError, match=f"it has no sparse matrix '{name}', but"):
            read_mat(file, name)


def test_files_of_matlab_7_3():
    h5py = pytest.importorskip("h5py", reason="needs h5py: pip install h5py")
    S, file = A.to_scipy().tocsc(), io.BytesIO()
    with h5py.File(file, "w", userblock_size=512) as made:
        for path in ("A", "Problem/A"):
            group = made.create_group(path)
            group["data"], group["ir"], group["jc"] = S.data, S.indices.astype("u8"), S.indptr.astype("u8")
            group.attrs["MATLAB_sparse"], group.attrs["MATLAB_class"] = np.uint64(12), np.bytes_("double")
        made["x"], made["#refs#/a"] = np.ones(3), np.ones(2)
        made["Problem/again"] = h5py.SoftLink("/A")
    file.seek(0)
    file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")
    for name in ("A", "Problem.A"):
        assert np.array_equal(read_mat(file, name).toarray(), A.toarray())
    assert np.array_equal(open_hdf5(file, "Problem/A").columns(2, 5).toarray(), A.toarray()[:, 2:5])
    with pytest.raises(ValueError, match=r"one of its 2 sparse matrices: A, Problem.A"):
        read_mat(file)
    with pytest.raises(ValueError, match="it has no sparse matrix 'x', but A, Problem.A"):
        read_mat(file, "x")
    with h5py.File(file, "r+") as made:
        made["A"].attrs["MATLAB_sparse"] = np.uint64(3)
    with pytest.raises(ValueError, match="indices"):
        read_mat(file, "A")


def test_groups_within_themselves_are_seen_once(tmp_path):
    h5py = pytest.importorskip("h5py", reason="needs h5py: pip install h5py")
    write_mat(tmp_path / "a.mat", {"A": A}, "7.3")
    with h5py.File(tmp_path / "a.mat", "r+") as file:
        for group in (file, *(file.create_group(name) for name in "stuvwxyz")):
            for name in map(str, range(20)):
                group[name] = file
        file["s/B"] = file["A"]
    with pytest.raises(ValueError, match=r"give the name of one of its 2 sparse matrices: A, .*B"):
        read_mat(tmp_path / "a.mat")
    assert np.array_equal(read_mat(tmp_path / "a.mat", "A").toarray(), A.toarray())


def test_matlab_knows_the_header(tmp_path):
    pytest.importorskip("h5py", reason="needs h5py: pip install h5py")
    write_mat(tmp_path / "a.mat", {"A": A}, "7.3")
    assert scipy.io.matlab.matfile_version(tmp_path / "a.mat") == (2, 0)
    with pytest.raises(NotImplementedError, match="HDF reader"):
        scipy.io.loadmat(tmp_path / "a.mat")


def test_entries_are_written_in_order_and_once(format):
    file, B = io.BytesIO(), coo_array(([1, 2, 4], ([3, 1, 3], [0, 0, 0])), shape=(4, 2))
    write_mat(file, {"B": B}, format)
    found = read_mat(file)
    assert (found.indices.tolist(), found.data.tolist()) == ([1, 3], [2, 5])
    assert B.nnz == 3


# The parts of a file of version 5, by hand.


def element(kind, content, small=False, order="<"):
    if small:
        return struct.pack(f"{order}HH", kind, len(content)) + content.ljust(4, b"\0")
    return struct.pack(f"{order}II", kind, len(content)) + content + b"\0" * (-len(content) % 8)


def sparse(order="<", flags=5, shape=(2, 3), rows=(0, 1, 9), offsets=(0, 1, 2, 2), data=(7, 8, 9), extra=b""):
    """A matrix whose last entry is room that MATLAB has reserved; its values are stored as bytes."""
    parts = element(6, struct.pack(f"{order}II", flags, 3), order=order)
    parts += element(5, struct.pack(f"{order}{len(shape)}i", *shape), order=order) + element(1, b"A", order == "<", order)
    for numbers in (rows, offsets):
        parts += element(5, struct.pack(f"{order}{len(numbers)}i", *numbers), order=order)
    return element(14, parts + element(2, bytes(data), len(data) < 5 and order == "<", order) + extra, order=order)


def mat(content, order="<"):
    return io.BytesIO(b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack(f"{order}HH", 0x0100, 0x4D49) + content)


def compressed(content):
    packed = zlib.compress(content)
    return struct.pack("<II", 15, len(packed)) + packed


@pytest.mark.parametrize(
    "content, order",
    [(sparse(), "<"), (compressed(sparse()), "<"), (sparse(">"), ">")],
    ids=["plain", "compressed", "other order"],
)
def test_files_by_hand(content, order):
    found = read_mat(mat(content, order))
    assert (found.dtype, found.nnz) == (float, 2)
    assert repr(found.dtype) == "dtype('float64')"
    assert np.array_equal(found.toarray(), [[7, 0, 0], [0, 8, 0]])
    theirs = load(mat(content, order))["A"] if order == "<" else found
    assert np.array_equal(theirs.toarray(), found.toarray())


@pytest.mark.parametrize(
    "content, words",
    [
        (sparse(rows=(0, 2, 9)), "indices"),
        (sparse(rows=(-1, 0, 0)), "indices"),
        (sparse(offsets=(0, 2, 1, 2)), "indptr must not decrease"),
        (sparse(offsets=(0, 1, 2, 4)), "there are 3 entries and should be 4"),
        (sparse(offsets=(0, 1, 2, -1)), "indptr"),
        (sparse(offsets=(0, 1, 2)), "indptr must have 4 entries"),
        (sparse(offsets=()), "indptr must have 4 entries"),
        (sparse(shape=(2, 3, 1)), "two dimensions"),
        (sparse(shape=(2, -3)), "negative"),
        (sparse(flags=5 | 0x0800), "ends within an element"),
        (sparse(flags=5 | 0x0800, extra=element(2, b"\1")), "3 real and 1 imaginary"),
        (sparse()[:-9], "a variable of"),
        (compressed(sparse())[:-9], "a variable of"),
        (struct.pack("<II", 14, 2**31) + sparse(), "a variable of 2147483648 bytes ends"),
        (element(14, element(6, b"\5\0\0\0")), "ends within an element"),
        (element(14, element(9, b"12345678")), "numbers should"),
        (element(14, struct.pack("<HH", 6, 9)), "a small element has 9 bytes|within an element"),
        (struct.pack("<II", 15, 8) + b"12345678", "incorrect header check"),
    ],
)
def test_what_is_wrong_is_named(content, words):
    with pytest.raises(ValueError, match=rf"the file object: .*({words})"):
        read_mat(mat(content))


def test_what_is_no_file_of_matlab(tmp_path):
    for content in (b"", b"text", bytes(200), b"x" * 200):
        (tmp_path / "a.mat").write_bytes(content)
        with pytest.raises(ValueError, match=r"a\.mat: "):
            read_mat(tmp_path / "a.mat")
    with pytest.raises(FileNotFoundError, match=r"gone\.mat: no such file"):
        read_mat(tmp_path / "gone.mat")


@pytest.mark.parametrize(
    "error, words, mdict, options",
    [
        (ValueError, "format must be '5' or '7.3'", {"A": A}, {"format": "4"}),
        (ValueError, "at least one matrix", {}, {}),
        (TypeError, "mdict must be a dict from names to matrices, got csr_array", A, {}),
        (ValueError, "got '1x'", {"1x": A}, {}),
        (ValueError, "got 'a.b'", {"a.b": A}, {}),
        (TypeError, "A must be a sparse matrix, got ndarray", {"A": np.eye(3)}, {}),
        (ValueError, "two dimensions", {"A": csr_array([1.0, 0])}, {}),
        (ValueError, r"integers beyond 2\*\*53", {"A": csr_array([[2**60, 0]])}, {}),
        (ValueError, r"A has shape \(2, 2147483648\), .*use format='7.3'", {"A": csr_array((2, 2**31))}, {}),
    ],
)
def test_wrong_arguments(tmp_path, error, words, mdict, options):
    with pytest.raises(error, match=words):
        write_mat(tmp_path / "a.mat", mdict, **options)
    assert not list(tmp_path.iterdir())
