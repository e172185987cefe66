"""Matrices saved in blocks: whole, or by many processes; nothing half written is taken for a matrix."""

import asyncio
import errno
import json
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp

import dtypes
from spark_csr import csr_array
from spark_csr.gallery import poisson, rmat
from spark_csr.io import _block_formats, blocks, finish_blocks, open_blocks, save_block, save_blocks

DTYPES = ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.fixture(params=["npy", "zarr"])
def format(request):
    if request.param == "zarr":
        pytest.importorskip("zarr", minversion="3", reason="needs zarr: pip install 'zarr>=3'")
    return request.param


def dense(folder):
    return np.concatenate([block.toarray() for block in open_blocks(folder)])


@pytest.mark.parametrize("dtype", dtypes.each(DTYPES))
def test_every_dtype(tmp_path, format, dtype):
    A = csr_array(np.array([[0, 1, 2], [3, 0, 1], [0, 0, 2]]).astype(dtype))
    save_blocks(tmp_path, A, 2, format=format)
    found = open_blocks(tmp_path)
    assert found.dtype == found[0].dtype == A.dtype
    np.testing.assert_array_equal(dense(tmp_path), A.toarray())


def test_where_blocks_are_cut(tmp_path):
    A = rmat(7, 4)
    save_blocks(tmp_path / "a", A, [0, 3, 3, 128])
    assert open_blocks(tmp_path / "a").offsets.tolist() == [0, 3, 3, 128]
    save_blocks(tmp_path / "b", A)
    assert len(open_blocks(tmp_path / "b")) == 1
    blocks.BLOCK_BYTES, before = 1000, blocks.BLOCK_BYTES
    try:
        save_blocks(tmp_path / "c", A)
    finally:
        blocks.BLOCK_BYTES = before
    assert len(open_blocks(tmp_path / "c")) == -(-A.nbytes // 1000)
    save_blocks(tmp_path / "d", (A[i : i + 50] for i in range(0, 128, 50)))
    assert open_blocks(tmp_path / "d").offsets.tolist() == [0, 50, 100, 128]
    for name in "abcd":
        np.testing.assert_array_equal(dense(tmp_path / name), A.toarray())


def test_other_matrices(tmp_path, xp, to_numpy):
    A = poisson((4, 4))
    on_device = csr_array((xp.asarray(A.data), xp.asarray(A.indices), xp.asarray(A.indptr)), shape=A.shape)
    for name, matrix in {"device": on_device, "csc": A.tocsc(), "coo": A.tocoo(), "scipy": sp.csr_array(A.toarray())}.items():
        save_blocks(tmp_path / name, matrix, 3)
        np.testing.assert_array_equal(dense(tmp_path / name), A.toarray())


def test_wide_matrices_keep_their_columns(tmp_path, format):
    n = 2**40
    A = csr_array((np.ones(2), np.array([3, n - 1]), np.array([0, 1, 2])), shape=(2, n))
    save_blocks(tmp_path, A, 2, format=format)
    assert open_blocks(tmp_path).shape == (2, n)
    assert open_blocks(tmp_path)[1].indices.tolist() == [n - 1]


def test_the_name_says_the_format(tmp_path):
    pytest.importorskip("zarr", minversion="3")
    save_blocks(tmp_path / "a.zarr", poisson((8,)), 2)
    save_blocks(tmp_path / "a", poisson((8,)), 2)
    assert (tmp_path / "a.zarr" / "zarr.json").exists()
    assert (tmp_path / "a" / "blocks.json").exists()
    save_blocks(tmp_path / "b.zarr", poisson((100, 100)), 2)
    save_blocks(tmp_path / "c.zarr", poisson((100, 100)), 2, compressed=False)
    sizes = [
        sum(path.stat().st_size for path in (tmp_path / name).rglob("*") if path.is_file()) for name in ("b.zarr", "c.zarr")
    ]
    assert sizes[0] < sizes[1] / 3


def test_zarr_itself_reads_the_groups(tmp_path):
    zarr = pytest.importorskip("zarr", minversion="3")
    A = poisson((40,))
    save_blocks(tmp_path, A, 2, format="zarr")
    root = zarr.open_group(tmp_path, mode="r")
    assert sorted(root.group_keys()) == ["block-000000", "block-000001"]
    assert root.attrs["row_offsets"] == [0, 20, 40]
    group = root["block-000001"]
    found = sp.csr_array((group["data"][:], group["indices"][:], group["indptr"][:]), shape=group.attrs["shape"])
    np.testing.assert_array_equal(found.toarray(), A.toarray()[20:])
    assert group["indptr"].dtype == np.int64


def test_a_matrix_is_replaced_only_if_that_is_said(tmp_path):
    save_blocks(tmp_path, poisson((8,)), 4)
    with pytest.raises(FileExistsError, match="holds a matrix: use overwrite=True to replace it"):
        save_blocks(tmp_path, poisson((6,)), 2)
    assert open_blocks(tmp_path).shape == (8, 8)
    save_blocks(tmp_path, poisson((6,)), 2, overwrite=True)
    np.testing.assert_array_equal(dense(tmp_path), poisson((6,)).toarray())
    blocks = [os.path.basename(open_blocks(tmp_path).path(number)) for number in range(2)]
    assert sorted(os.listdir(tmp_path)) == [*blocks, "blocks.json"]
    save_block(tmp_path, 1, 7 * poisson((6,))[3:])  # a single block of the new matrix
    finish_blocks(tmp_path, 2)
    np.testing.assert_array_equal(dense(tmp_path)[3:], 7 * poisson((6,)).toarray()[3:])
    assert sorted(os.listdir(tmp_path)) == [*blocks, "blocks.json"]


@pytest.mark.parametrize("other", ["npy", "zarr"])
def test_a_matrix_is_made_of_what_it_replaces(tmp_path, format, other):
    """Of the same files, and in another format."""
    if other == "zarr":
        pytest.importorskip("zarr", minversion="3", reason="needs zarr: pip install 'zarr>=3'")
    A = poisson((20,))
    save_blocks(tmp_path, A, 4, format=format)
    for factor in (2, 4):
        save_blocks(tmp_path, (2 * block for block in open_blocks(tmp_path)), format=other, overwrite=True)
        np.testing.assert_array_equal(dense(tmp_path), factor * A.toarray())
    files = open_blocks(tmp_path)
    index = "blocks.json" if other == "npy" else "zarr.json"
    assert sorted(os.listdir(tmp_path)) == sorted([*(os.path.basename(files.path(i)) for i in range(4)), index])


def test_the_old_matrix_stays_if_the_new_one_raises(tmp_path, format):
    A = poisson((20,))
    save_blocks(tmp_path, A, 4, format=format)
    before = sorted(os.listdir(tmp_path))

    def failing():
        yield open_blocks(tmp_path)[0]
        raise ZeroDivisionError

    for given, error in ((failing(), ZeroDivisionError), (5, TypeError), ([A, poisson((9,))], ValueError)):
        with pytest.raises(error):
            save_blocks(tmp_path, given, format=format, overwrite=True)
        np.testing.assert_array_equal(dense(tmp_path), A.toarray())
        assert sorted(os.listdir(tmp_path)) == before
    with pytest.raises(ZeroDivisionError):
        save_blocks(tmp_path / "new", failing(), format=format)
    assert os.listdir(tmp_path / "new") == []


@pytest.mark.parametrize("inside", ["mine.txt", "data/c/mine.txt", "data/c/0/mine.txt"])
def test_folders_of_the_user_stay(tmp_path, format, inside):
    """Those whose names look like blocks, and files that were put into blocks."""
    token = "0" * 32
    for name in ("block-old", "block-7", f"block-000003-{token}", f".block-000000.{token}"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.txt").write_text("mine")
    save_blocks(tmp_path, poisson((8,)), 2, format=format)
    mine = tmp_path / "block-000001" / inside
    if mine.parent.is_file():
        mine.parent.unlink()
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine")
    save_blocks(tmp_path, poisson((6,)), 2, format=format, overwrite=True)
    np.testing.assert_array_equal(dense(tmp_path), poisson((6,)).toarray())
    assert mine.exists()
    assert len(list(tmp_path.rglob("mine.txt"))) == 5


@pytest.mark.parametrize("inside", ["mine.txt", None])
def test_what_has_the_name_of_a_block_is_not_replaced(tmp_path, format, inside):
    path = tmp_path / "block-000001"
    if inside:
        path.mkdir()
    (path / inside if inside else path).touch()
    for save, number in ((save_blocks, ()), (save_block, (1,))):
        with pytest.raises(FileExistsError, match="block-000001 is no block of this package, or is damaged: move it away"):
            save(tmp_path, *number, poisson((8,)), *[2][len(number) :], format=format)
        assert os.listdir(tmp_path) == ["block-000001"]


def test_what_is_not_ours_is_never_replaced(tmp_path):
    (tmp_path / "zarr.json").write_text(json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {}}))
    for overwrite in (False, True):
        with pytest.raises(FileExistsError, match=r"holds something else \(zarr.json\): choose another folder"):
            save_blocks(tmp_path, poisson((6,)), overwrite=overwrite)
    with pytest.raises(ValueError, match="this describes no blocks of a matrix, or it is damaged"):
        open_blocks(tmp_path)


def test_blocks_by_many_processes_in_any_order(tmp_path, format):
    A = poisson((30,))
    for number in (2, 0, 1, 1):
        save_block(tmp_path, number, A[10 * number : 10 * number + 10], format=format)
    with pytest.raises(FileNotFoundError, match="holds no blocks of a matrix, or they were not finished: see finish_blocks"):
        open_blocks(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"block 3 of 4 is missing: save it with save_block\(folder, 3, rows\)"):
        finish_blocks(tmp_path, 4, format=format)
    finish_blocks(tmp_path, 3, format=format)
    np.testing.assert_array_equal(dense(tmp_path), A.toarray())
    finish_blocks(tmp_path, 3, format=format)


def test_a_block_that_is_saved_again_is_replaced_as_a_whole(tmp_path, format):
    A = poisson((20,))
    save_block(tmp_path, 0, 7 * A[:10], format=format)
    save_block(tmp_path, 0, A[:10], format=format)
    save_block(tmp_path, 1, A[10:], format=format)
    finish_blocks(tmp_path, 2, format=format)
    np.testing.assert_array_equal(dense(tmp_path), A.toarray())
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


def test_what_a_process_left_that_was_ended_is_no_block(tmp_path):
    A = poisson((20,))
    save_block(tmp_path, 0, A)
    (tmp_path / f".block-000001.{32 * '0'}").mkdir()
    (tmp_path / f".block-000001.{32 * '0'}" / "indptr.npy").write_bytes(b"half")
    finish_blocks(tmp_path, 1)
    assert sorted(os.listdir(tmp_path)) == ["block-000000", "blocks.json"]


@pytest.mark.parametrize("stage", range(3))
def test_a_block_that_is_cleared_away_while_it_is_written_is_an_error(tmp_path, format, monkeypatch, stage):
    """`finish_blocks` removes what was not finished; Zarr would make its folders again."""
    save_block(tmp_path, 0, poisson((9,)), format=format)
    owner, name = (_block_formats, "write_array") if format == "npy" else (pytest.importorskip("zarr"), "create_array")
    calls, write = [], getattr(owner, name)

    def write_and_clear(*args, **options):
        if len(calls) == stage:
            finish_blocks(tmp_path, 1, format=format)
        calls.append(1)
        return write(*args, **options)

    with monkeypatch.context() as context:
        context.setattr(owner, name, write_and_clear)
        with pytest.raises(OSError, match=r"block 0 of .* was not written"):
            save_block(tmp_path, 0, poisson((9,)), format=format)
    assert open_blocks(tmp_path)[0].shape == (9, 9)
    save_block(tmp_path, 0, poisson((9,)), format=format)
    assert open_blocks(tmp_path)[0].shape == (9, 9)


def test_processes_that_write_one_block_leave_a_whole_one(tmp_path):
    code = (
        "import sys\nfrom spark_csr.gallery import poisson\nfrom spark_csr.io import save_block\n"
        "A = poisson((50,))\nfor _ in range(20): save_block(sys.argv[1], 0, A)\n"
    )
    search = os.pathsep.join(sys.path)
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], env={**os.environ, "PYTHONPATH": search})
        for _ in range(3)
    ]
    assert [process.wait(120) for process in running] == [0, 0, 0]
    finish_blocks(tmp_path, 1)
    np.testing.assert_array_equal(dense(tmp_path), poisson((50,)).toarray())
    assert sorted(os.listdir(tmp_path)) == ["block-000000", "blocks.json"]


def test_a_block_that_is_replaced_while_it_is_looked_at_is_a_block(tmp_path, monkeypatch):
    looked, holds_block = [], blocks.holds_block

    def replace_and_look(path):
        looked.append(path)
        if len(looked) > 1:
            return holds_block(path)
        os.rename(path, tmp_path / "away")  # another process is between its two renames
        found = holds_block(path)
        os.rename(tmp_path / "away", path)
        return found

    save_block(tmp_path, 0, poisson((3,)))
    with monkeypatch.context() as context:
        context.setattr(blocks, "holds_block", replace_and_look)
        save_block(tmp_path, 0, poisson((9,)))
    finish_blocks(tmp_path, 1)
    assert (len(looked), open_blocks(tmp_path)[0].shape) == (2, (9, 9))


def test_a_full_disk_names_the_block_and_leaves_nothing(tmp_path, monkeypatch):
    write = _block_formats.write_array

    def full(file, x):
        if file.name.endswith("data.npy"):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(file, x)

    monkeypatch.setattr(_block_formats, "write_array", full)
    with pytest.raises(OSError, match=r"block 3 of .*, 20 rows and \d+ bytes, was not written: No space left") as caught:
        save_block(tmp_path, 3, poisson((20,)))
    assert caught.value.errno == errno.ENOSPC
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("size", [0, 100, 1000])
@pytest.mark.parametrize("format", ["npy", "zarr"])
def test_a_file_that_grows_too_large_is_an_error_with_a_number(format, size, tmp_path):
    resource = pytest.importorskip("resource", reason="limits of files are of Unix")
    if format == "zarr":
        pytest.importorskip("zarr", "3", reason="needs zarr: pip install 'zarr>=3'")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        with pytest.raises(
            OSError, match=r"block 3 of .*, 900 rows and \d+ bytes, was not written: .*File too large"
        ) as caught:
            save_block(tmp_path, 3, poisson((30, 30)), format=format, compressed=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.errno == errno.EFBIG
    assert os.listdir(tmp_path) == []


def test_chunks_of_zarr_are_not_written_after_one_has_failed(tmp_path, monkeypatch):
    storage = pytest.importorskip("zarr.storage", reason="needs zarr: pip install 'zarr>=3'")
    store, begun = storage.LocalStore.set, []

    async def fail(self, key, value):
        if self.root.name == "data" and key.startswith("c/"):
            begun.append(key)
            if key.endswith("/0"):
                raise OSError(errno.ENOSPC, "No space left on device")
        await store(self, key, value)

    monkeypatch.setattr(_block_formats, "CHUNK", 100)
    monkeypatch.setattr(storage.LocalStore, "set", fail)
    with pytest.raises(OSError, match="was not written: No space left"):
        save_block(tmp_path, 0, poisson((30, 30)), format="zarr")
    assert [key[-1] for key in begun] == ["0"]
    assert os.listdir(tmp_path) == []


def test_zarr_writes_nothing_more_when_a_description_has_failed(tmp_path, monkeypatch):
    """It writes those of an array and of its group at once, and would make the folder again that was removed."""
    storage = pytest.importorskip("zarr.storage", reason="needs zarr: pip install 'zarr>=3'")
    store, store_if_new = storage.LocalStore.set, storage.LocalStore.set_if_not_exists
    late = threading.Event()

    async def fail(self, key, value):
        if (self.root / key).match("indices/zarr.json"):
            raise OSError(errno.ENOSPC, "No space left on device")
        await store(self, key, value)

    async def wait(self, key, value):
        await asyncio.sleep(0.1)
        await store_if_new(self, key, value)
        late.set()

    monkeypatch.setattr(storage.LocalStore, "set", fail)
    monkeypatch.setattr(storage.LocalStore, "set_if_not_exists", wait)
    with pytest.raises(OSError, match="was not written: No space left"):
        save_block(tmp_path, 0, poisson((30, 30)), format="zarr")
    assert not late.wait(0.4)
    assert os.listdir(tmp_path) == []


def test_what_is_refused(tmp_path, monkeypatch):
    A = poisson((8,))
    with pytest.raises(ValueError, match="format must be 'npy' or 'zarr', got 'hdf5'"):
        save_blocks(tmp_path, A, format="hdf5")
    with pytest.raises(TypeError, match="A must be a sparse matrix or an iterable of these, got int"):
        save_blocks(tmp_path, 5)
    with pytest.raises(TypeError, match="block 0 must be a sparse matrix, got ndarray"):
        save_blocks(tmp_path, np.ones((2, 2)))
    with pytest.raises(ValueError, match="number must be 0 or more, got -1"):
        save_block(tmp_path, -1, A)
    with pytest.raises(ValueError, match="blocks must begin at 0 and end at 8, got 0 and 7"):
        save_blocks(tmp_path, A, [0, 7])
    with pytest.raises(ValueError, match="a matrix must have at least one block, got 0"):
        save_blocks(tmp_path, [])
    with pytest.raises(ValueError, match="columns differ: 8 in block 0, 9 in block 1"):
        save_blocks(tmp_path, [A, poisson((9,))])
    with pytest.raises(ValueError, match="dtype differ: float64 in block 0, float32 in block 1"):
        save_blocks(tmp_path, [A, A.astype(np.float32)])
    with pytest.raises(FileNotFoundError, match="nowhere: no such folder"):
        open_blocks(tmp_path / "nowhere")
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(ImportError, match="needs zarr 3: install it with: pip install 'zarr>=3', or use format='npy'"):
        save_blocks(tmp_path / "x.zarr", A)


def test_a_damaged_or_later_description(tmp_path):
    save_blocks(tmp_path, poisson((8,)), 2)
    path = tmp_path / "blocks.json"
    description = json.loads(path.read_text())
    path.write_text(json.dumps({**description, "version": 2}))
    with pytest.raises(ValueError, match="it has version 2, and this spark_csr reads 1: install a later one"):
        open_blocks(tmp_path)
    path.write_text(path.read_text()[:-9])
    with pytest.raises(ValueError, match="blocks.json: this describes no blocks of a matrix, or it is damaged: JSON"):
        open_blocks(tmp_path)


WRONG = {
    "shape": [[10, -20], [10.0, 20], [10, 2**70], [10], "10, 20", None, [2**63 - 1, 20]],
    "nnz": [-29, 29.0, 2**63, "29", None, [29], True],
    "dtype": ["O", None, 5, ["f8"]],
    "crc32": [None, [], 5],
}


@pytest.mark.parametrize("key", WRONG)
def test_a_wrong_description_of_a_block_is_named(tmp_path, format, key):
    """As it was written, and without the part."""
    for number in range(2):
        save_block(tmp_path, number, poisson((20,))[10 * number : 10 * number + 10], format=format)
    path = tmp_path / "block-000001" / ("block.json" if format == "npy" else "zarr.json")
    right = path.read_text()
    for wrong in [*WRONG[key], WRONG]:
        about = json.loads(right)
        attributes = about if format == "npy" else about["attributes"]
        attributes.pop(key) if wrong is WRONG else attributes.update({key: wrong})
        path.write_text(json.dumps(about))
        words = re.escape("None" if wrong is WRONG else str(wrong if wrong != [2**63 - 1, 20] else 2**63 + 9))
        with pytest.raises(ValueError, match=f"{tmp_path}: .*(block 1 of 2.*{path.name}|2 blocks make no matrix).*{words}"):
            finish_blocks(tmp_path, 2, format=format)
    path.write_text(right)
    finish_blocks(tmp_path, 2, format=format)


@pytest.mark.parametrize("part", ["data/thesis.txt", "data.npy", "data.npy/mine", "zarr.json/mine"])
@pytest.mark.parametrize("number", [0, 7])
def test_files_of_the_user_with_names_of_parts_stay(tmp_path, part, number):
    """Of the first block, and of one that no matrix has; also where a matrix is replaced."""
    mine = tmp_path / f"block-00000{number}" / part
    if number:
        save_blocks(tmp_path, poisson((8,)), 2)
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    if number:
        save_blocks(tmp_path, poisson((8,)), 2, overwrite=True)
    else:
        with pytest.raises(FileExistsError, match="is no block of this package"):
            save_blocks(tmp_path, poisson((8,)), 2)
    assert mine.read_text() == "mine"


def test_a_description_of_something_else_is_not_replaced(tmp_path):
    save_block(tmp_path, 0, poisson((8,)))
    (tmp_path / "blocks.json").write_text('{"my": "blocks"}')
    with pytest.raises(FileExistsError, match="something else"):
        finish_blocks(tmp_path, 1)
    assert (tmp_path / "blocks.json").read_text() == '{"my": "blocks"}'


def test_a_block_that_was_moved_away_is_kept_until_the_new_matrix_is_described(tmp_path, monkeypatch):
    """A process ended while it replaced block 0; then the disk is full while the whole matrix is replaced."""
    save_blocks(tmp_path, poisson((8,)), 2)
    hexadecimal = "0" * 32
    (tmp_path / "block-000000").rename(tmp_path / f".block-000000.{hexadecimal}.old")

    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_block_formats.FORMATS["npy"], "write_index", fail)
    with pytest.raises(OSError, match="No space left"):
        save_blocks(tmp_path, 2 * poisson((8,)), 2, overwrite=True)
    assert (open_blocks(tmp_path)[0].toarray() == poisson((8,))[:4].toarray()).all()


@pytest.mark.parametrize("attributes", [{}, {"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": [4, 8]}])
@pytest.mark.parametrize("number", [0, 7])
def test_groups_of_the_user_with_names_and_arrays_of_blocks_stay(tmp_path, attributes, number):
    """As AnnData writes them: of the first block, and of one that no matrix has; also where a matrix is replaced."""
    zarr = pytest.importorskip("zarr", minversion="3", reason="needs zarr: pip install 'zarr>=3'")
    if number:
        save_blocks(tmp_path, poisson((8,)), 2, format="zarr")
    mine = zarr.create_group(store=str(tmp_path / f"block-00000{number}"), attributes=attributes)
    for name in ("indptr", "indices", "data"):
        mine.create_array(name, shape=(3,), dtype="f8")[:] = 7
    if number:
        save_blocks(tmp_path, poisson((8,)), 2, format="zarr", overwrite=True)
    else:
        for save, given in ((save_blocks, (poisson((8,)), 2)), (save_block, (0, poisson((8,))))):
            with pytest.raises(FileExistsError, match="is no block of this package"):
                save(tmp_path, *given, format="zarr")
    found = zarr.open_group(tmp_path / f"block-00000{number}", mode="r")
    assert [found[name][:].tolist() for name in ("indptr", "indices", "data")] == [[7.0] * 3] * 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("name", ["blocks.json", "block-000000/block.json", "block-000000/indices.npy"])
def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path, name):
    save_blocks(tmp_path, poisson((5,)), 1)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises((ValueError, FileNotFoundError), match=re.escape(str(tmp_path))):
        open_blocks(tmp_path)[0]
    if name == "blocks.json":
        with pytest.raises(FileExistsError, match="holds something else"):
            save_blocks(tmp_path, poisson((5,)), overwrite=True)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda folder: save_block(folder, 1.5, poisson((5,))), "number must be an integer, got 1.5"),
        (lambda folder: save_block(folder, True, poisson((5,))), "number must be an integer, got True"),
        (lambda folder: save_blocks(folder, poisson((5,)), "3"), "blocks must be an integer or offsets, got '3'"),
        (lambda folder: save_blocks(folder, poisson((5,)), 1.5), "blocks must be an integer or offsets, got 1.5"),
    ],
)
def test_numbers_that_are_none(tmp_path, call, message):
    with pytest.raises(TypeError, match=message):
        call(tmp_path)
    assert not list(tmp_path.glob("block*"))


@pytest.mark.parametrize(
    "number, kind",
    [(errno.ENOMEM, MemoryError), (errno.EMFILE, OSError), (errno.EIO, OSError)],
    ids=["memory", "files", "disk"],
)
def test_a_block_that_cannot_be_read_now_is_not_called_damaged(tmp_path, monkeypatch, number, kind):
    save_blocks(tmp_path, poisson((8,)), 2)
    files = open_blocks(tmp_path)

    def fail(*args, **options):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as context:
        context.setattr(_block_formats, "map_array", fail)
        with pytest.raises(kind, match=f"block 1, of rows 4:8, cannot be read now: {os.strerror(number)}"):
            files[1]
    with monkeypatch.context() as context:
        context.setattr(_block_formats, "open_plain", fail)
        with pytest.raises(kind, match=f"blocks.json cannot be read now: {os.strerror(number)}"):
            open_blocks(tmp_path)
    assert files[1].shape == (4, 8)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EMFILE, errno.EIO])
def test_a_block_is_not_saved_under_another_name_where_the_description_cannot_be_read(tmp_path, monkeypatch, number, format):
    save_blocks(tmp_path, poisson((8,)), 2, format=format)
    save_blocks(tmp_path, poisson((8,)), 2, format=format, overwrite=True)  # its blocks have a suffix
    there = sorted(os.listdir(tmp_path))

    read = _block_formats.open_plain

    def fail(path, *args, **options):
        if os.path.dirname(path) == str(tmp_path):
            raise OSError(number, os.strerror(number))
        return read(path, *args, **options)

    with monkeypatch.context() as context:
        context.setattr(_block_formats, "open_plain", fail)
        with pytest.raises(OSError, match=os.strerror(number)):
            save_block(tmp_path, 1, 2 * poisson((8,))[4:], format=format)
    assert sorted(os.listdir(tmp_path)) == there
    save_block(tmp_path, 1, 2 * poisson((8,))[4:], format=format)
    assert sorted(os.listdir(tmp_path)) == there
    assert open_blocks(tmp_path)[1].max() == 4
