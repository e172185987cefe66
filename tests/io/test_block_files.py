"""What is read of a matrix in blocks, and what happens if files are missing or damaged."""

import json
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import tracemalloc
import warnings
import zlib

import numpy as np
import pytest

from battery import BATTERY
from spark_csr import config, csr_array
from spark_csr.gallery import banded, poisson, rmat
from spark_csr.io import _block_formats, block_files, open_blocks, save_block, save_blocks

FORMATS = ["npy", "zarr"]
NAMES = ("indptr", "indices", "data")


@pytest.fixture(params=FORMATS)
def format(request):
    if request.param == "zarr":
        pytest.importorskip("zarr", minversion="3", reason="needs zarr: pip install 'zarr>=3'")
    return request.param


@pytest.fixture(autouse=True)
def forgetful(monkeypatch):
    """No block was compared with its sums yet."""
    monkeypatch.setattr(block_files, "_checked", set())


def matrix(name):
    indptr, indices, data, shape = BATTERY[name]
    return csr_array((data, indices, indptr), shape=shape)


@pytest.mark.parametrize("name", BATTERY)
def test_any_rows_of_any_matrix(tmp_path, format, name):
    A = matrix(name)
    save_blocks(tmp_path / "a", A, 3, format=format)
    files = open_blocks(tmp_path / "a")
    assert (files.shape, files.dtype, files.nnz, len(files)) == (A.shape, A.dtype, A.nnz, 3)
    dense = A.toarray()
    for i, block in enumerate(files):
        np.testing.assert_array_equal(block.toarray(), dense[files.offsets[i] : files.offsets[i + 1]])
        assert block.nnz == files.entries[i]
    m = A.shape[0]
    for start, stop in [(0, m), (0, m // 2), (m // 3, m), (m // 4, m - m // 4), (m, m)]:
        rows = files.rows(start, stop)
        np.testing.assert_array_equal(rows.toarray(), dense[start:stop])
        assert rows.dtype == A.dtype
        assert rows.shape == (stop - start, A.shape[1])


def test_entries_keep_order_duplicates_and_zeros(tmp_path, format):
    for name in ("unsorted", "duplicates", "explicit zeros"):
        A = matrix(name)
        save_blocks(tmp_path / name, A, 1, format=format)
        found = open_blocks(tmp_path / name)[0]
        for x, y in zip((found.indptr, found.indices, found.data), (A.indptr, A.indices, A.data), strict=True):
            np.testing.assert_array_equal(x, y)
            assert x.dtype == y.dtype


def test_files_of_numpy_are_mapped_and_products_are_right(tmp_path):
    A = rmat(8, 4)
    save_blocks(tmp_path, A, 2)
    block = open_blocks(tmp_path)[0]
    base = block.data
    while base.base is not None and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    x = np.arange(256.0)
    np.testing.assert_array_equal(np.concatenate([b @ x for b in open_blocks(tmp_path)]), A.to_scipy() @ x)
    np.testing.assert_array_equal((block.T @ x[: block.shape[0]]), A.to_scipy()[: block.shape[0]].T @ x[: block.shape[0]])


@pytest.mark.usefixtures("cpu_only")
def test_products_of_mapped_blocks_allocate_no_entries(tmp_path):
    A = banded(20_000, 30)
    save_blocks(tmp_path, A, 4)
    x = np.ones(20_000)
    wanted = A @ x
    sum(float((block @ x).sum()) for block in open_blocks(tmp_path))  # loads kernels
    tracemalloc.start()
    try:
        y = [block @ x for block in open_blocks(tmp_path)]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < A.nbytes / 4 / 2
    np.testing.assert_allclose(np.concatenate(y), wanted)


def test_a_block_that_is_read_twice_is_compared_once(tmp_path, monkeypatch):
    save_blocks(tmp_path, poisson((8,)), 2)
    sums = []
    crc32 = block_files.zlib.crc32
    monkeypatch.setattr(block_files.zlib, "crc32", lambda x: sums.append(x.size) or crc32(x))
    files = open_blocks(tmp_path)
    files[0], open_blocks(tmp_path)[0], pickle.loads(pickle.dumps(files))[0]
    assert len(sums) == 3
    with config(validate=False):
        files[1]
    assert len(sums) == 3
    save_block(tmp_path, 0, poisson((8,))[:4])
    os.utime(tmp_path / "block-000000", (1, 1))
    files[0]
    assert len(sums) > 3


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_bit_is_found(tmp_path, format, name):
    save_blocks(tmp_path, poisson((20,)), 2, format=format, compressed=False)
    files = [
        path for path in (tmp_path / "block-000001").rglob("*") if path.is_file() and name in str(path.relative_to(tmp_path))
    ]
    path = next(path for path in files if path.suffix != ".json")
    content = bytearray(path.read_bytes())
    content[-8] ^= 1
    path.write_bytes(content)
    blocks = open_blocks(tmp_path)
    assert blocks[0].nnz == 29
    with pytest.raises(ValueError, match=f"block 1, of rows 10:20, is damaged: the checksum of {name} differs.*save it again"):
        blocks[1]


@pytest.mark.parametrize("name", NAMES)
def test_truncated_and_missing_files_are_named_with_the_rows(tmp_path, name):
    save_blocks(tmp_path, poisson((20,)), 2)
    files = open_blocks(tmp_path)
    path = tmp_path / "block-000001" / f"{name}.npy"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match=rf"block 1, of rows 10:20, is damaged: {name}.npy has \d+ bytes and should have \d+"):
        files[1]
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"block 1, of rows 10:20, lacks a file: .*, 1, rows\)"):
        files[1]
    shutil.rmtree(path.parent)
    with pytest.raises(FileNotFoundError, match="block 1, of rows 10:20, is missing: save it again with save_block"):
        files.rows(5, 15)
    np.testing.assert_array_equal(files.rows(0, 10).toarray(), poisson((20,)).toarray()[:10])


def test_a_missing_group_is_named_with_the_rows(tmp_path):
    pytest.importorskip("zarr", minversion="3")
    save_blocks(tmp_path, poisson((20,)), 2, format="zarr")
    shutil.rmtree(tmp_path / "block-000000" / "indices")
    with pytest.raises(FileNotFoundError, match="block 0, of rows 0:10, lacks a file"):
        open_blocks(tmp_path)[0]
    shutil.rmtree(tmp_path / "block-000000")
    with pytest.raises(FileNotFoundError, match="block 0, of rows 0:10, is missing"):
        open_blocks(tmp_path)[0]


def test_a_missing_chunk_of_zarr_is_no_zeros(tmp_path):
    pytest.importorskip("zarr", minversion="3.2", reason="older ones fill in what is missing")
    A = csr_array((np.zeros(300), (np.arange(300), np.arange(300))))
    save_blocks(tmp_path, A, 1, format="zarr")
    blocks = open_blocks(tmp_path)
    assert not blocks[0].data.any()
    (tmp_path / "block-000000" / "data" / "c" / "0").unlink()
    for read in (lambda: open_blocks(tmp_path).rows(0, 10), lambda: blocks[0]):
        with pytest.raises(ValueError, match="block 0, of rows 0:300, is damaged: 1 chunk.* not found"):
            read().data.any()


@pytest.mark.parametrize("read", [lambda files: files.rows(2, 90), lambda files: files[0]])
def test_a_block_that_is_replaced_while_it_is_read_is_of_one_piece(tmp_path, format, monkeypatch, read):
    def version(k):
        return csr_array((np.full(100, float(k)), np.full(100, k), np.arange(101)), shape=(100, 50))

    save_blocks(tmp_path, version(0), 1, format=format)
    files, kind, versions = open_blocks(tmp_path), _block_formats.FORMATS[format], iter(range(1, 4))

    class Replaced(dict):
        """The arrays of a block, which is replaced when the second of them is asked for."""

        def __getitem__(self, name):
            if name == "data" and (k := next(versions, None)):
                save_block(tmp_path, 0, version(k), format=format)
                return original(files.path(0))["data"]
            return super().__getitem__(name)

        def items(self):
            return [(name, self[name]) for name in self]

    original = kind.arrays
    monkeypatch.setattr(kind, "arrays", staticmethod(lambda folder: Replaced(original(folder))))
    found = read(files)
    assert set(found.indices) == set(found.data) == {3}
    monkeypatch.setattr(block_files, "TRIES", 2)
    versions = iter(range(4, 50))
    with pytest.raises(OSError, match="is replaced by other processes again and again"):
        read(files)


def test_a_block_of_another_matrix_is_damage(tmp_path):
    save_blocks(tmp_path / "a", poisson((20,)), 2)
    save_blocks(tmp_path / "b", poisson((30,)), 2)
    save_blocks(tmp_path / "c", poisson((20,)).astype(np.float32), 2)
    save_blocks(tmp_path / "d", csr_array((np.ones(29), np.arange(29) % 21, np.r_[[0] * 20, 29]), shape=(20, 21)), [0, 10, 20])
    wrong = {
        "b": "indptr has shape .* and should have 11 elements",
        "c": "data has dtype float32 and should have float64",
        "d": r"its shape is \(10, 21\) and should be \(10, 20\)",
    }
    for other, words in wrong.items():
        shutil.rmtree(tmp_path / "a" / "block-000001")
        shutil.copytree(tmp_path / other / "block-000001", tmp_path / "a" / "block-000001")
        with pytest.raises(ValueError, match=f"block 1, of rows 10:20, is damaged: {words}"):
            open_blocks(tmp_path / "a")[1]


def test_some_rows_of_a_damaged_block_are_checked(tmp_path):
    save_blocks(tmp_path, poisson((20,)), 1)
    path = tmp_path / "block-000000" / "indices.npy"
    indices = np.load(path)
    indices[-1] = 50
    np.save(path, indices)
    assert open_blocks(tmp_path).rows(0, 5).nnz == 14
    with pytest.raises(ValueError, match="block 0, of rows 0:20, is damaged: .*50"):
        open_blocks(tmp_path).rows(15, 20)


WRONG = {
    "a column beyond the matrix": (
        "indices",
        lambda x: x.__setitem__(3, 2**30),
        r"indices must lie in \[0, 20\), got .* = 1073741824",
    ),
    "a column below 0": ("indices", lambda x: x.__setitem__(3, -5), r"indices must lie in \[0, 20\), got .* = -5"),
    "rows that end before they begin": ("indptr", lambda x: x.__setitem__(3, 2), "indptr must not decrease"),
    "rows beyond the entries": ("indptr", lambda x: x.__setitem__(-1, 2**40), "1099511627776"),
    "a first row that begins late": ("indptr", lambda x: x.__setitem__(0, 1), "indptr must start at 0"),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("validate", [True, False])
def test_arrays_of_a_stranger_are_refused_whatever_the_sums_say(tmp_path, wrong, validate):
    """Whoever wrote the arrays wrote their sums. `config.validate` is about arrays that a caller passes."""
    name, change, words = WRONG[wrong]
    save_blocks(tmp_path, poisson((20,)), 1)
    path = tmp_path / "block-000000"
    x = np.load(path / f"{name}.npy")
    change(x)
    np.save(path / f"{name}.npy", x)
    about = json.loads((path / "block.json").read_text())
    about["crc32"][name] = zlib.crc32(x)
    (path / "block.json").write_text(json.dumps(about))
    for _ in range(2):
        with config(validate=validate), pytest.raises(ValueError, match=f"block 0, of rows 0:20, is damaged: .*{words}"):
            open_blocks(tmp_path)[0]
    if wrong != "a first row that begins late":
        with config(validate=validate), pytest.raises(ValueError, match="block 0, of rows 0:20, is damaged"):
            open_blocks(tmp_path).rows(0, 3) if wrong != "rows beyond the entries" else open_blocks(tmp_path).rows(3, 20)


def test_a_block_too_large_for_memory_is_named(tmp_path):
    zarr = pytest.importorskip("zarr", minversion="3")
    save_blocks(tmp_path, poisson((20,)), 1, format="zarr")
    size = 2**45
    for name in ("indices", "data"):
        change_json(tmp_path / "block-000000" / name / "zarr.json", lambda about: about.update(shape=[size]))
    change_json(tmp_path / "zarr.json", lambda about: about["attributes"].update(nnz=[size]))
    indptr = tmp_path / "block-000000" / "indptr"
    shutil.rmtree(indptr)
    zarr.create_array(str(indptr), data=np.array([0] + 20 * [size]))
    for read in (lambda blocks: blocks[0], lambda blocks: blocks.rows(0, 3)):
        with pytest.raises(MemoryError, match=r"block 0, of rows 0:20, does not fit into memory: .* save_block\("):
            read(open_blocks(tmp_path))


def change_json(path, change):
    about = json.loads(path.read_text())
    change(about)
    path.write_text(json.dumps(about))


DESCRIPTIONS = {
    "shape": [[20], [20, -1], [20, 2.5], [20, 2**63], "20", None, [True, 20]],
    "row_offsets": [[0, 30, 20], [1, 10, 20], [0, 10, 19], [0, 20], [], [0, None, 20]],
    "nnz": [[29], [29, -29], [29, "29"], 58],
    "dtype": ["O", "V8", "float63", [["a", "f8"]], None, ">f8"],
    "suffix": ["/../other", "-0123", 5, None],
    "version": [None, "1", [], 1.5],
    "encoding-type": [None, "other"],
}


@pytest.mark.parametrize("key", DESCRIPTIONS)
def test_a_wrong_description_is_one_clear_error(tmp_path, format, key):
    save_blocks(tmp_path, poisson((20,)), 2, format=format)
    path = tmp_path / ("blocks.json" if format == "npy" else "zarr.json")
    for wrong in DESCRIPTIONS[key]:
        found = json.loads(path.read_text())
        (found if format == "npy" else found["attributes"])[key] = wrong
        (tmp_path / "changed").mkdir(exist_ok=True)
        (tmp_path / "changed" / path.name).write_text(json.dumps(found))
        with pytest.raises(ValueError, match=f"{path.name}: this describes no blocks of a matrix, or it is damaged"):
            open_blocks(tmp_path / "changed")


@pytest.mark.parametrize("text", ["", "[]", "[" * 100_000, "{}", '{"attributes": 5}', "\x00", "\udcff"])
def test_descriptions_that_are_none(tmp_path, format, text):
    for name in ("blocks.json", "block-000000/block.json") if format == "npy" else ("zarr.json", "block-000000/zarr.json"):
        folder = tmp_path / name.replace("/", "-")
        save_blocks(folder, poisson((20,)), 2, format=format)
        (folder / name).write_bytes(text.encode(errors="surrogateescape"))
        with pytest.raises(ValueError, match=r"or it is damaged|is damaged: "):
            open_blocks(folder)[0]


class Touch:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_groups_of_another_version_of_zarr_are_not_read(tmp_path):
    """Version 2 has a codec that unpickles."""
    pytest.importorskip("zarr", minversion="3")
    save_blocks(tmp_path, poisson((20,)), 1, format="zarr")
    block = tmp_path / "block-000000"
    shutil.rmtree(block)
    about = {"zarr_format": 2, "compressor": {"id": "pickle", "protocol": 5}, "fill_value": 0, "filters": None, "order": "C"}
    for name, dtype, size in zip(NAMES, ("<i8", "<i4", "<f8"), (21, 58, 58), strict=True):
        (block / name).mkdir(parents=True)
        (block / name / ".zarray").write_text(json.dumps({**about, "dtype": dtype, "shape": [size], "chunks": [size]}))
        (block / name / "0").write_bytes(pickle.dumps(Touch(tmp_path / "ran")))
    (block / ".zgroup").write_text(json.dumps({"zarr_format": 2}))
    with pytest.raises(FileNotFoundError, match="block 0, of rows 0:20"):
        open_blocks(tmp_path)[0]
    assert not (tmp_path / "ran").exists()


def test_files_are_not_multiplied(tmp_path):
    """No block is read, and the message says what to write."""
    save_blocks(tmp_path, poisson((20,)), 2)
    files, x = open_blocks(tmp_path), np.ones(20)
    for path in tmp_path.glob("block-*/data.npy"):
        path.unlink()
    with pytest.raises(TypeError, match=r"use np.concatenate\(\[block @ x for block in files\]\)"):
        files @ x
    with pytest.raises(TypeError, match="unsupported operand"):
        x @ files


def test_rows_and_blocks_that_there_are_not(tmp_path):
    save_blocks(tmp_path, poisson((20,)), 2)
    files = open_blocks(tmp_path)
    with pytest.raises(ValueError, match="rows must lie within 0:20, got 5:21"):
        files.rows(5, 21)
    with pytest.raises(IndexError, match="there are 2 blocks, got 2"):
        files[2]
    for key in (slice(0, 1), 1.0):
        with pytest.raises(TypeError, match=rf"must be an integer, got {re.escape(repr(key))}: rows\(start, stop\) reads"):
            files[key]
    assert files[-1].shape == (10, 20)
    assert repr(files).startswith("<BlockFiles of 2 blocks: shape (20, 20), dtype float64, 58 entries, in ")


def test_another_process_reads_what_was_pickled(tmp_path):
    save_blocks(tmp_path / "a", poisson((20,)), 2)
    (tmp_path / "files").write_bytes(pickle.dumps(open_blocks(tmp_path / "a")))
    code = f"import pickle; print(sum(b.nnz for b in pickle.load(open({str(tmp_path / 'files')!r}, 'rb'))))"
    root = str(pathlib.Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": root})
    assert done.stdout.strip() == "58", done.stderr


def test_anndata_finds_its_attributes(tmp_path):
    pytest.importorskip("zarr", minversion="3")
    save_blocks(tmp_path, poisson((20,)), 2, format="zarr")
    attributes = json.loads((tmp_path / "block-000001" / "zarr.json").read_text())["attributes"]
    assert attributes["encoding-type"] == "csr_matrix"
    assert attributes["encoding-version"] == "0.1.0"
    assert attributes["shape"] == [10, 20]


def test_anndata_reads_a_block(tmp_path):
    zarr = pytest.importorskip("zarr", minversion="3")
    save_blocks(tmp_path, poisson((20,)), 2, format="zarr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own
        anndata = pytest.importorskip("anndata", reason="needs anndata: pip install anndata")
        found = anndata.io.sparse_dataset(zarr.open_group(tmp_path / "block-000001", mode="r")).to_memory()
    np.testing.assert_array_equal(found.toarray(), poisson((20,)).toarray()[10:])
