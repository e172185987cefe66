"""What happens to matrices in blocks when workers, disks and files fail: each test has processes of its own."""

import contextlib
import os
import shutil
import signal
import threading
import time

import numpy as np
import psutil
import pytest

from spark_csr import _version, csr_array, io
from spark_csr.gallery import poisson

pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')
pytest.importorskip("distributed", reason='needs Dask: pip install "dask[array,distributed]"')

pytest.importorskip("resource", reason="needs limits of processes, as POSIX has them")

import resource

import dask
import dask.array as da
from distributed import Client, LocalCluster

from spark_csr.interop.dask import from_coo, from_csr, from_delayed, open_blocks, save_blocks

pytestmark = [pytest.mark.usefixtures("cpu_only"), pytest.mark.slow]

MB = 2**20


@contextlib.contextmanager
def start(**options):
    """The client of a cluster of two processes."""
    defaults = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": "4GB"}
    with LocalCluster(**{**defaults, **options}, silence_logs=50) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def client():
    """Of a cluster whose workers no test loses."""
    with start() as client:
        yield client


def column_of_entries(which, number, count, n, dtype):
    """Make rows, columns or values of a chunk of entries, in any order, as if they were read from a file."""
    k = np.arange(count) + number * count
    rows = 7919 * k % n
    return {"row": rows, "column": (rows + 37 * (k // n % 40)) % n, "value": np.sqrt(k)}[which].astype(dtype)


def assembled(scratch, n, chunks, count, blocks, dtype="f8"):
    """A matrix whose tasks have keys of their own, so that nothing is found done."""
    arrays = [
        da.concatenate(
            [
                da.from_delayed(dask.delayed(column_of_entries, pure=False)(which, k, count, n, kind), (count,), kind)
                for k in range(chunks)
            ]
        )
        for which, kind in (("row", "i4"), ("column", "i4"), ("value", dtype))
    ]
    return from_coo(*arrays, shape=(n, n), blocks=blocks, scratch=scratch)


def kill_when_written(pid, folder, count):
    """Kill a process of this test as soon as a folder has so many pieces and blocks."""
    while len([*folder.glob("pieces-*/piece-??????"), *folder.glob("again/block-*")]) < count:
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A matrix that was assembled in this process."""
    folder = tmp_path_factory.mktemp("whole")
    with dask.config.set(scheduler="threads"):
        save_blocks(folder / "whole", assembled(folder, *SIZES))
    return io.open_blocks(folder / "whole")


SIZES = ROWS, PIECES, COUNT, BLOCKS = 30_000, 16, 100_000, 8


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_a_worker_lost_during_assembly_changes_no_bit(share, whole, tmp_path):
    with start() as client:
        pid = next(iter(client.run(os.getpid).values()))
        killer = threading.Thread(target=kill_when_written, args=(pid, tmp_path, share * (PIECES + BLOCKS)), daemon=True)
        killer.start()
        save_blocks(tmp_path / "again", assembled(tmp_path, *SIZES))
        assert not killer.is_alive()
    found = io.open_blocks(tmp_path / "again")
    assert whole.nnz == found.nnz == 40 * ROWS < PIECES * COUNT  # some are duplicates
    for a, b in zip(whole, found, strict=True):
        for x, y in zip((a.indptr, a.indices, a.data), (b.indptr, b.indices, b.data), strict=True):
            np.testing.assert_array_equal(x, y)
    assert [path.name for path in (tmp_path / "again").iterdir() if path.name.startswith(".")] == []


class Peaks(threading.Thread):
    """The largest resident memory of processes, looked at fifty times a second."""

    def __init__(self, pids):
        super().__init__(daemon=True)
        self.processes = [psutil.Process(pid) for pid in pids]
        self.largest, self.done = 0, threading.Event()

    def run(self):
        while not self.done.wait(0.02):
            with contextlib.suppress(psutil.NoSuchProcess):
                self.largest = max([self.largest, *(process.memory_info().rss for process in self.processes)])


@pytest.mark.skipif("SPARK_CSR_TEST_MEMORY" not in os.environ, reason="minutes on an idle machine: set SPARK_CSR_TEST_MEMORY=1")
def test_memory_limits_hold(tmp_path):
    """A matrix of four times the limits of both workers is assembled, and multiplied from its files."""
    limit, n, chunks, count = 320 * MB, 4_000_000, 276, 500_000
    small = assembled(tmp_path, 4000, 4, 5000, blocks=2, dtype="c16")  # kernels are compiled here: a compiler takes 100 MB
    with dask.config.set(scheduler="threads"):
        save_blocks(tmp_path / "small", small)
        (open_blocks(tmp_path / "small") @ da.ones(4000)).sum().compute()
    never_pause = {"distributed.worker.memory.pause": False}  # a paused worker would wait for ever
    with dask.config.set(never_pause), start(memory_limit=limit) as client:
        pids = client.run(os.getpid)
        watch = Peaks(pids.values())
        watch.start()
        save_blocks(tmp_path / "large", assembled(tmp_path, n, chunks, count, blocks=160, dtype="c16"))
        files = io.open_blocks(tmp_path / "large")
        assert 20 * files.nnz > 4 * 2 * limit
        assert watch.largest < 0.85 * limit
        watch.largest = 0
        A, ones = open_blocks(tmp_path / "large"), da.ones(n, chunks=n // 16)
        total = (A @ ones).sum().compute()
        np.testing.assert_allclose(total, sum(block.data.sum() for block in files))
        assert watch.largest < 0.85 * limit  # 150 MB of it are Python, NumPy and Dask
        watch.done.set()
        watch.join()
        assert client.run(os.getpid) == pids  # no worker was started again


def large_rows(megabytes):
    """Make rows of so many bytes."""
    ones = np.ones(megabytes * MB // 12)
    return csr_array((ones, np.zeros(ones.size, np.int32), np.array([0, ones.size])), shape=(1, 4), copy=True)


def test_a_block_that_no_worker_can_hold_is_named():
    A = from_delayed([dask.delayed(large_rows)(1), dask.delayed(large_rows)(1500)], [1, 1], 4)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        start(memory_limit=400 * MB),
        pytest.raises(MemoryError, match="block 1, of rows 1:2, was given up: 1 workers were lost while"),
    ):
        A.persist()


def test_a_worker_with_another_version_is_refused(client):
    def change(version):
        _version.__version__ = version

    other = min(client.nthreads())
    S = poisson((40, 40))
    client.run(change, "0.0.9", workers=[other])
    with pytest.raises(RuntimeError, match=r"has spark_csr 0\.0\.9, and the task comes from 0\.1\.0: install"):
        from_csr(S, 4).persist()
    client.run(change, _version.__version__, workers=[other])
    np.testing.assert_allclose((from_csr(S, 3).persist() @ np.ones(1600)).compute(), S @ np.ones(1600))


def allow(size):
    """Let files of this process have so many bytes at most, as if the disk were full then; None: as many as there were."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most if size is None else size, most))


def test_a_full_disk_is_named(client, tmp_path):
    A, B = assembled(tmp_path, 1000, 4, 10_000, 2), from_csr(poisson((100, 100)), 2)
    client.run(allow, 20_000)
    with pytest.raises(OSError, match=rf"chunk \d: 10000 entries were not written to {tmp_path}/pieces-.*: File too large"):
        save_blocks(tmp_path / "A", A)
    with pytest.raises(OSError, match=rf"block \d of {tmp_path}/B, 50\d\d rows and \d+ bytes, was not written: File too large"):
        save_blocks(tmp_path / "B", B)
    client.run(allow, None)
    for name, matrix in (("A", A), ("B", B)):
        with pytest.raises(FileNotFoundError, match="were not finished"):
            open_blocks(tmp_path / name)
        save_blocks(tmp_path / name, matrix)
        assert open_blocks(tmp_path / name).nnz == matrix.nnz > 0


def test_missing_and_damaged_blocks_are_named_with_their_rows(client, tmp_path):
    changes = {
        "is damaged: the checksum of data differs": lambda path, whole: path.write_bytes(whole[:-8] + bytes(8)),
        "is damaged: data.npy has": lambda path, whole: path.write_bytes(whole[:-8]),
        "lacks a file": lambda path, _: path.unlink(),
        "is missing": lambda path, _: shutil.rmtree(path.parent),
    }
    for number, (words, change) in enumerate(changes.items()):
        folder = tmp_path / str(number)
        io.save_blocks(folder, poisson((100, 100)), [0, 2000, 2000, 10_000])
        A = open_blocks(folder)
        path = folder / "block-000002" / "data.npy"
        change(path, path.read_bytes())
        with pytest.raises((ValueError, FileNotFoundError), match=f"block 2, of rows 2000:10000, {words}.* save it again with"):
            A.persist()
