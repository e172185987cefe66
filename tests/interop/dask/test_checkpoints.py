"""Checkpoints of solvers: whole, and believed in nothing."""

import contextlib
import errno
import json
import os
from functools import partial

import numpy as np
import pytest

from spark_csr.gallery import poisson

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

import dask

from spark_csr.interop.dask import checkpoints, from_csr
from spark_csr.interop.dask.linalg import cg, read_checkpoint

pytestmark = pytest.mark.usefixtures("cpu_only")

A, b = poisson((8, 8)), np.ones(64)


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def folder(tmp_path):
    cg(from_csr(A, 2), b, maxiter=4, checkpoint=tmp_path / "kept")
    return tmp_path / "kept"


def change(folder, **changes):
    about = folder / "checkpoint.json"
    about.write_text(json.dumps({**json.loads(about.read_text()), **changes}))


@pytest.mark.parametrize("files", [["../precious.txt"], ["/etc/passwd"], [".."]])
def test_no_file_that_is_named_is_read_or_removed(folder, files):
    precious = folder.parent / "precious.txt"
    precious.write_text("mine")
    change(folder, files=files)
    read_checkpoint(folder).compute()
    cg(from_csr(A, 2), b, maxiter=6, checkpoint=folder)
    assert precious.read_text() == "mine"
    assert len(list(folder.iterdir())) == 3


WRONG = {
    "run": ["../x", "0" * 31, 5, None, "g" * 32],
    "iteration": [-1, 1.5, "1", None, True],
    "lengths": [[], [32, -32], [32.0, 32], "32", None, 5],
}


@pytest.mark.parametrize("key", WRONG)
def test_a_wrong_description_is_one_clear_error(folder, key):
    right = json.loads((folder / "checkpoint.json").read_text())[key]
    for wrong in WRONG[key]:
        change(folder, **{key: wrong})
        with pytest.raises(ValueError, match="checkpoint.json: this describes no checkpoint, or it is damaged"):
            read_checkpoint(folder)
    change(folder, **{key: right})
    read_checkpoint(folder).compute()
    for text in ("", "[]", "[" * 100_000, "\x00"):
        (folder / "checkpoint.json").write_text(text)
        with pytest.raises(ValueError, match="checkpoint.json: this describes no checkpoint, or it is damaged"):
            read_checkpoint(folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("which", [0, 1])
def test_a_pipe_is_not_waited_for(folder, which):
    name = sorted(path.name for path in folder.iterdir())[which]  # checkpoint.json, and the vector's first part
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(ValueError, match=f"{name}.* is a pipe or a device"):
        read_checkpoint(folder).compute()


@pytest.mark.parametrize("x", [np.ones(3), np.ones(32, np.float32), np.ones((32, 1)), np.array([None] * 32)])
def test_a_part_that_does_not_fit_is_named(folder, x):
    _, file, _ = sorted(folder.iterdir())
    vector = read_checkpoint(folder)
    np.save(file, x)
    with pytest.raises(ValueError, match=f"{file.name} (holds|is damaged)"):
        vector.compute()


@pytest.mark.parametrize("text", ['{"epoch": 3}', "no JSON", ""])
def test_a_description_of_something_else_is_not_replaced(tmp_path, text):
    (tmp_path / "checkpoint.json").write_text(text)
    with pytest.raises(FileExistsError, match=rf"{tmp_path} holds something else \(checkpoint.json\): choose another folder"):
        cg(from_csr(A, 2), b, maxiter=4, checkpoint=tmp_path)
    assert [path.read_text() for path in tmp_path.iterdir()] == [text]


def test_of_two_runs_at_once_one_checkpoint_is_whole(tmp_path, monkeypatch):
    """The first run writes a checkpoint when the second has written its files, but not yet said that they are there."""
    calls, replace_file = [], checkpoints.replace_file

    def saver(*given, **options):
        save = checkpoints.saver(*given, **options)
        return lambda *states: calls.append(partial(save, *states)) or save(*states)

    @contextlib.contextmanager
    def replace(path):
        if str(path).endswith("checkpoint.json") and len(calls) > 1:
            calls.pop(0)()
        with replace_file(path) as file:
            yield file

    monkeypatch.setattr("spark_csr.interop.dask.linalg.saver", saver)
    for factor in (1, 5):
        cg(from_csr(A, 2), factor * b, maxiter=4, check_every=4, checkpoint=tmp_path)
    wanted = read_checkpoint(tmp_path).compute()
    monkeypatch.setattr(checkpoints, "replace_file", replace)
    assert len(calls) == 2
    calls[1]()
    np.testing.assert_array_equal(read_checkpoint(tmp_path).compute(), wanted)


def test_a_full_disk_is_named(tmp_path):
    resource = pytest.importorskip("resource", reason="limits of files are of Unix")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    matrix = from_csr(A, [2, 62])
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, limits[1]))
    try:
        with pytest.raises(
            OSError,
            match=rf"block 1 of the checkpoint, rows 2:64 and 496 bytes, was not written to {tmp_path}/new/x-.*: File",
        ) as caught:
            cg(matrix, b, maxiter=4, checkpoint=tmp_path / "new")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.errno == errno.EFBIG
    assert os.listdir(tmp_path / "new") == []  # also not what another task wrote
    cg(matrix, b, maxiter=4, checkpoint=tmp_path / "new")
    assert read_checkpoint(tmp_path / "new").compute().size == 64


def test_a_description_that_is_not_written_is_named(tmp_path, monkeypatch):
    class Full:
        def write(self, _):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    replace_file = checkpoints.replace_file

    def replace(path):
        return contextlib.nullcontext(Full()) if str(path).endswith("checkpoint.json") else replace_file(path)

    monkeypatch.setattr(checkpoints, "replace_file", replace)
    with pytest.raises(OSError, match=rf"was not written to {tmp_path}/checkpoint.json: No space left") as caught:
        cg(from_csr(A, 2), b, maxiter=4, checkpoint=tmp_path)
    assert caught.value.errno == errno.ENOSPC


def test_files_of_the_user_stay(folder):
    for name in ("x-3-0.npy", "mine.npy", "checkpoint.json.part"):
        (folder / name).write_text("mine")
    cg(from_csr(A, 2), b, maxiter=6, checkpoint=folder)
    assert sorted(path.name for path in folder.iterdir() if path.read_bytes() == b"mine") == [
        "checkpoint.json.part", "mine.npy", "x-3-0.npy"
    ]  # fmt: skip


def test_a_run_that_is_lost_leaves_the_checkpoint_of_the_one_before(folder, monkeypatch):
    """Both have the same iteration: files of one name would hold parts of both."""
    before = read_checkpoint(folder).compute()
    write, written = checkpoints.write_array, []

    def fail(file, x):
        if written:
            raise OSError(28, "No space left on device")
        written.append((file, write(file, x)))

    monkeypatch.setattr(checkpoints, "write_array", fail)
    with pytest.raises(OSError, match="No space left"):
        cg(from_csr(A, 2), 5 * b, maxiter=4, checkpoint=folder)
    np.testing.assert_array_equal(read_checkpoint(folder).compute(), before)
    monkeypatch.undo()
    cg(from_csr(A, 2), b, maxiter=6, checkpoint=folder)
    assert len(list(folder.iterdir())) == 3
