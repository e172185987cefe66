"""Folders of blocks that workers read and write."""

import errno
import os
import threading
import time

import numpy as np
import pytest

from spark_csr import io, random_array
from spark_csr.gallery import poisson

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')

import dask

from spark_csr.interop.dask import files, from_csr, from_delayed, open_blocks, pagerank, save_blocks

pytestmark = pytest.mark.usefixtures("cpu_only")

S = random_array((60, 40), density=0.1, rng=0)


@pytest.fixture(autouse=True)
def synchronous():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("format", ["npy", "zarr"])
def test_there_and_back(format, tmp_path):
    if format == "zarr":
        pytest.importorskip("zarr")
    A = from_csr(S, [20, 0, 40])
    save_blocks(tmp_path / "new", A, format=format)
    np.testing.assert_array_equal(io.open_blocks(tmp_path / "new").rows(0, 60).toarray(), S.toarray())
    back = open_blocks(tmp_path / "new")
    assert (back.chunks, back.dtype) == (((20, 0, 40), (13, 13, 14)), A.dtype)
    np.testing.assert_array_equal(back.compute().toarray(), S.toarray())
    assert open_blocks(tmp_path / "new", columns=[1, 39]).chunks[1] == (1, 39)


def test_products_read_what_they_need(tmp_path):
    M = poisson((12, 12))
    io.save_blocks(tmp_path, M, 4)
    A = open_blocks(tmp_path)
    assert A.chunks[0] == A.chunks[1]
    x = np.random.default_rng(0).random(144)
    np.testing.assert_allclose((A @ x).compute(), M @ x)
    expected = pagerank(from_csr(M * M, A.chunks[0])).compute()
    np.testing.assert_array_equal(pagerank(A * A).compute(), expected)


def test_a_matrix_is_replaced_only_if_that_is_said(tmp_path):
    save_blocks(tmp_path / "A", from_csr(S, 3))
    with pytest.raises(FileExistsError, match="holds a matrix: use overwrite=True to replace it"):
        save_blocks(tmp_path / "A", from_csr(S, 2))
    before = open_blocks(tmp_path / "A")
    save_blocks(tmp_path / "A", before * 2, overwrite=True)  # it reads what it replaces
    after = open_blocks(tmp_path / "A")
    assert before.name != after.name
    np.testing.assert_array_equal(after.compute().toarray(), 2 * S.toarray())
    assert [path.name for path in tmp_path.iterdir()] == ["A"]


def test_a_missing_block_is_named(tmp_path):
    io.save_blocks(tmp_path, S, 3)
    saved = io.open_blocks(tmp_path)
    A = open_blocks(tmp_path)
    (next(path for path in (tmp_path / saved.path(1)).rglob("*") if path.name.startswith("data"))).unlink()
    with pytest.raises(OSError, match="block 1"):
        A.compute()
    with pytest.raises(FileNotFoundError, match="no such folder"):
        open_blocks(tmp_path / "none")


def test_what_a_lost_client_leaves_is_no_matrix(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("the client is lost")

    monkeypatch.setattr("spark_csr.io.blocks.describe_blocks", fail)
    with pytest.raises(RuntimeError, match="lost"):
        save_blocks(tmp_path, from_csr(S, 3))
    with pytest.raises(FileNotFoundError, match="were not finished"):
        open_blocks(tmp_path)


@pytest.mark.parametrize("format", ["npy", "zarr"])
def test_a_block_that_fails_is_raised_when_the_others_have_ended(format, tmp_path, monkeypatch):
    """A task that still writes leaves nothing behind, as it would if the folder were cleaned before it ended."""
    if format == "zarr":
        pytest.importorskip("zarr", "3", reason="needs zarr: pip install 'zarr>=3'")
    ended, write = [], files.write_block

    def write_slowly(folder, number, *rest):
        if number == 0:
            raise OSError(errno.ENOSPC, "block 0 was not written: the disk is full")
        time.sleep(0.2)
        write(folder, number, *rest)
        ended.append(number)

    monkeypatch.setattr(files, "write_block", write_slowly)
    with dask.config.set(scheduler="threads", num_workers=3), pytest.raises(OSError, match="the disk is full") as caught:
        save_blocks(tmp_path, from_csr(S, 3), format=format)
    assert caught.value.errno == errno.ENOSPC
    assert sorted(ended) == [1, 2]
    assert list(tmp_path.iterdir()) == []


def test_a_block_that_is_written_after_another_task_has_failed_is_removed(tmp_path, monkeypatch):
    ended, write, begun = threading.Event(), files.write_block, threading.Event()

    def write_slowly(*arguments):
        begun.set()
        while os.listdir(tmp_path):  # the claim goes first
            time.sleep(0.01)
        write(*arguments)

    def fail():
        begun.wait(10)
        raise RuntimeError("a block was not made")

    remove = files.remove_late_block

    def remove_late_block(*arguments):
        assert [path.name[:5] for path in tmp_path.iterdir()] == ["block"]
        remove(*arguments)
        ended.set()

    monkeypatch.setattr(files, "write_block", write_slowly)
    monkeypatch.setattr(files, "remove_late_block", remove_late_block)
    A = from_delayed([dask.delayed(S[:30]), dask.delayed(fail)()], [30, 30], S.shape[1], S.dtype)
    with dask.config.set(scheduler="threads", num_workers=2), pytest.raises(RuntimeError, match="was not made"):
        save_blocks(tmp_path, A)
    assert ended.wait(10)
    assert list(tmp_path.iterdir()) == []
