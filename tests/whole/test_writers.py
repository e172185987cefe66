"""Writers that are stopped, or fail, at any step: the old data or the new is whole, and what is not ours is untouched."""

import builtins
import errno
import io as python_io
import itertools
import json
import operator
import os
import shutil
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from spark_csr import Ragged, csr_array, io, load_npz, mmread, mmwrite, save_npz
from spark_csr._engine import store
from spark_csr._files import UNFINISHED
from spark_csr.gallery import poisson
from spark_csr.graph import Graph
from spark_csr.io import _block_formats

pytestmark = pytest.mark.usefixtures("cpu_only")

OLD, NEW = poisson((12,)), 3 * poisson((10,))


class Faults:
    """Lets a call that changes files of a folder fail.

    Only the `at`-th fails, as on a full disk, or all from it on, as after a process ended. Files elsewhere, such as kernels
    that are compiled meanwhile, do not count: a thread that `Turns` stopped there would hold the lock that the other waits for.
    """

    CHANGES = ("replace", "rename", "unlink", "remove", "mkdir", "rmdir", "truncate", "link", "symlink", "chmod")

    def __init__(self, monkeypatch, folder, at, dead):
        self.folder, self.at, self.dead, self.count = folder, at, dead, 0
        for name in self.CHANGES:
            monkeypatch.setattr(os, name, self.counted(getattr(os, name)))
        for module in (builtins, python_io):
            monkeypatch.setattr(module, "open", self.opening(python_io.open))

    @property
    def happened(self):
        return self.count > self.at

    def counts(self, path):
        """Whether a path, which may be relative to a folder that is open, or a descriptor of a file, is within the folder."""
        path = Path("." if isinstance(path, int) else os.fsdecode(path))
        return not path.is_absolute() or path.is_relative_to(self.folder)

    def step(self):
        self.count += 1
        if self.count - 1 == self.at or (self.dead and self.happened):
            raise OSError(errno.ENOSPC, "No space left on device")

    def counted(self, function):
        def call(path, *args, **options):
            if self.counts(path):
                self.step()
            return function(path, *args, **options)

        return call

    def opening(self, function):
        def call(file, mode="r", *args, **options):
            if not set(mode) & set("wxa+") or not self.counts(file):
                return function(file, mode, *args, **options)
            self.step()
            return Written(function(file, mode, *args, **options), self)

        return call


class Written:
    """A file whose writing may fail in the middle."""

    def __init__(self, file, faults):
        self.file, self.faults = file, faults

    def write(self, data):
        try:
            self.faults.step()
        except OSError:
            self.file.write(data[: len(data) // 2])
            raise
        return self.file.write(data)

    def close(self):
        failing = not self.file.closed
        self.file.close()
        if failing:
            self.faults.step()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __iter__(self):
        return iter(self.file)

    def __getattr__(self, name):
        return getattr(self.file, name)


class Turns(Faults):
    """Lets two threads take turns: the first stops before a step, then the second before a step of its own."""

    def __init__(self, monkeypatch, folder, stops, watch):
        self.stops, self.watch, self.steps, self.threads = stops, watch, [0, 0], [None, None]
        self.go, self.errors = [threading.Semaphore(1), threading.Semaphore(0)], [None, None]
        super().__init__(monkeypatch, folder, None, dead=False)

    def step(self):
        thread = threading.current_thread()
        if thread not in self.threads:  # one of Zarr's
            return
        me = self.threads.index(thread)
        if self.steps[me] == self.stops[me] and self.threads[1 - me] is not None:
            self.watch()
            self.go[1 - me].release()
            self.go[me].acquire()
        self.steps[me] += 1

    def opening(self, function):
        def call(file, mode="r", *args, **options):
            if set(mode) & set("wxa+") and self.counts(file):
                self.step()
            return function(file, mode, *args, **options)

        return call

    def run(self, *functions):
        def work(me):
            self.go[me].acquire()
            try:
                functions[me]()
            except Exception as error:
                self.errors[me] = error
            finally:
                self.threads[me] = None
                self.go[1 - me].release()

        started = self.threads[:] = [threading.Thread(target=work, args=(me,), daemon=True) for me in range(2)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join(60)
            assert not thread.is_alive()


class File:
    """A writer of one file."""

    def __init__(self, name, write, read):
        self.name, self._write, self._read = name, write, read

    def write(self, folder, matrix):
        self._write(folder / self.name, matrix)

    def read(self, folder):
        return self._read(folder / self.name)


def names_of(matrix):
    """Names of all vertices, in the order in which they are read."""
    return [f"{k:03}x" for k in range(matrix.shape[0])]


def as_lists(matrix):
    return Ragged(matrix.data, matrix.indptr)


def as_matrix(lists):
    """Not the columns: the values are enough to tell the matrices apart."""
    return csr_array((lists.values, np.zeros(lists.values.size, int), lists.offsets[0]))


class Blocks:
    """A matrix in a folder of blocks."""

    def __init__(self, format):
        self.format = format

    def write(self, folder, matrix):
        io.save_blocks(folder, matrix, 2, format=self.format, overwrite=True)

    def read(self, folder):
        return io.open_blocks(folder).rows(0, io.open_blocks(folder).shape[0])


class OtherFormat(Blocks):
    """A matrix in blocks that one of another format replaces."""

    def write(self, folder, matrix):
        io.save_blocks(folder, matrix, 2, format="npy" if matrix is OLD else "zarr", overwrite=True)


class OneBlock:
    """One block of a matrix, which is saved again; the other stays as it is."""

    def write(self, folder, matrix):
        if not (folder / "blocks.json").exists():
            io.save_blocks(folder, csr_array((4, 12)), [0, 2, 4])
        rows = matrix.toarray()[:2]
        io.save_block(folder, 1, csr_array(np.pad(rows, ((0, 0), (0, 12 - rows.shape[1])))))
        io.finish_blocks(folder, 2)

    def read(self, folder):
        assert io.open_blocks(folder)[0].nnz == 0
        return io.open_blocks(folder)[1]


class Kernels:
    """The cache of kernels, whose content is a matrix."""

    def write(self, folder, matrix):
        store.write("kernel", np.asarray(matrix.data).tobytes())

    def read(self, folder):
        return csr_array([np.frombuffer(store.read("kernel"))])


WRITERS = {
    "npz": File("a.npz", save_npz, load_npz),
    "Matrix Market": File("a.mtx", mmwrite, mmread),
    "ragged": File("a.npz", lambda path, A: io.save_ragged(path, as_lists(A)), lambda path: as_matrix(io.load_ragged(path))),
    "AnnData": File("a.h5ad", io.write_h5ad, lambda path: io.read_h5ad(path).X),
    "binsparse": File("a.h5", io.write_binsparse, io.read_binsparse),
    "MATLAB": File("a.mat", lambda path, A: io.write_mat(path, {"A": A}), io.read_mat),
    "MATLAB 7.3": File("a.mat", lambda path, A: io.write_mat(path, {"A": A}, "7.3"), io.read_mat),
    "svmlight": File("a.svm", lambda path, A: io.write_svmlight(path, A, np.ones(A.shape[0])), lambda p: io.read_svmlight(p).X),
    "blocks": Blocks("npy"),
    "blocks of zarr": Blocks("zarr"),
    "blocks of another format": OtherFormat(None),
    "one block": OneBlock(),
    "kernels": Kernels(),
    "edges": File("a.csv", lambda path, A: Graph(A, names=names_of(A)).write(path), lambda path: Graph.read(path).matrix),
}

FOLDERS = ("blocks", "blocks of zarr", "blocks of another format", "one block")
"""Writers of several files, of which some may stay."""


def same(A, B):
    return A.shape == B.shape and np.array_equal(A.toarray(), B.toarray())


@pytest.fixture
def stop(monkeypatch, tmp_path):
    """Call a function that fails at a step; return whether it came that far."""

    def call(function, at, dead):
        with monkeypatch.context() as patch:
            faults = Faults(patch, tmp_path, at, dead)
            try:
                function()
            except OSError:
                assert faults.happened
        return faults.happened

    return call


@pytest.fixture(params=[4, pytest.param(1, marks=pytest.mark.slow)], ids=["some steps", "every step"])
def steps(request):
    """The steps at which a writer is stopped; there are fewer."""
    return range(0, 10_000, request.param)


@pytest.mark.parametrize("dead", [False, True], ids=["full disk", "killed"])
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if "zarr" in name or "another" in name else ()) for name in WRITERS]
)
def test_the_old_or_the_new_is_whole(tmp_path, stop, steps, monkeypatch, name, dead):
    if "zarr" in name or "another" in name:
        pytest.importorskip("zarr", minversion="3", reason="needs zarr: pip install 'zarr>=3'")
    if name in ("AnnData", "binsparse", "MATLAB 7.3"):
        pytest.importorskip("h5py", reason="needs h5py: pip install h5py")
    writer, clean = WRITERS[name], None
    monkeypatch.setattr(store, "_warned", True)
    for at in steps:
        folder = tmp_path / str(at)
        folder.mkdir()
        (folder / "mine.txt").write_text("mine")
        if name == "kernels":
            monkeypatch.setattr(store, "folders", lambda folder=folder: (folder / "kernels",))
        writer.write(folder, OLD)
        old = writer.read(folder).copy()
        there = {path.relative_to(folder) for path in folder.rglob("*")}
        happened = stop(lambda folder=folder: writer.write(folder, NEW), at, dead)
        found = writer.read(folder)
        is_old = same(found, old)
        if not dead and is_old and name not in FOLDERS and happened:
            assert {path.relative_to(folder) for path in folder.rglob("*")} == there
        found = found.copy()
        writer.write(folder, NEW)
        new = writer.read(folder)
        assert is_old or same(found, new), at
        assert not same(old, new)
        assert (folder / "mine.txt").read_text() == "mine"
        left = sorted(path.name for path in folder.iterdir() if not UNFINISHED.fullmatch(path.name))
        left = [name.partition("-0")[0] for name in left]
        if not happened:
            break
        clean = clean or left
        assert left == clean
    assert at > 3


def pairs_of_steps(stride, counts):
    """Yield the steps at which two writers are stopped, within a list of how many steps each was seen to make."""
    for pair in itertools.product(range(0, 1000, stride), repeat=2):
        if all(map(operator.le, pair, counts)):
            yield pair


@pytest.mark.parametrize("before", ["nothing", "a matrix", "what a writer left", "two descriptions"])
@pytest.mark.parametrize(
    "formats, stride",
    [
        (("npy", "npy"), 9),
        pytest.param(("npy", "npy"), 4, marks=pytest.mark.slow),
        pytest.param(("npy", "zarr"), 8, marks=pytest.mark.slow),
        pytest.param(("zarr", "npy"), 8, marks=pytest.mark.slow),
        pytest.param(("zarr", "zarr"), 11, marks=pytest.mark.slow),
    ],
)
def test_of_two_writers_at_once_one_matrix_is_whole(tmp_path, monkeypatch, stop, before, formats, stride):
    if "zarr" in formats:
        pytest.importorskip("zarr", minversion="3", reason="needs zarr: pip install 'zarr>=3'")
    matrices, counts, folder = (2 * OLD, NEW), [0, 0], tmp_path / "matrix"
    there = [*matrices] if before == "nothing" else [OLD, *matrices]

    def save(matrix, format="npy"):
        io.save_blocks(folder, matrix, 2, format=format, overwrite=True)

    def find():
        files = io.open_blocks(folder)
        return [same(files.rows(0, files.shape[0]), matrix) for matrix in there].index(True)

    for pair in pairs_of_steps(stride, counts):
        shutil.rmtree(folder, ignore_errors=True)
        if before != "nothing":
            save(OLD)
        if before == "what a writer left":
            stop(lambda: save(5 * OLD), 6 + sum(pair) % 12, dead=True)
        if before == "two descriptions":
            about = {"encoding-type": "spark_csr blocks", "suffix": f"-{32 * '1'}"}
            (folder / "zarr.json").write_text(json.dumps({"attributes": about}))
        with monkeypatch.context() as patch:
            turns = Turns(patch, tmp_path, pair, find if before != "nothing" and formats[0] == formats[1] else int)
            turns.run(*(partial(save, *given) for given in zip(matrices, formats, strict=True)))
        counts[:] = map(max, counts, turns.steps)
        assert turns.errors[find() - len(there)] is None, pair
        assert all("another process has saved a matrix" in str(error) for error in turns.errors if error is not None)
        save(OLD)
        assert len(os.listdir(folder)) == 3
    assert 20 < min(counts) < 1000


@pytest.mark.parametrize("at", range(0, 30, 3))
def test_of_two_writers_at_once_that_replace_nothing_one_is_refused_or_last(tmp_path, monkeypatch, at):
    with monkeypatch.context() as patch:
        turns = Turns(patch, tmp_path, (at, 1000), lambda: None)
        turns.run(*(lambda matrix=matrix: io.save_blocks(tmp_path, matrix, 2) for matrix in (OLD, NEW)))
    found = io.open_blocks(tmp_path).rows(0, io.open_blocks(tmp_path).shape[0])
    assert [error is None for error in turns.errors] == [same(found, OLD), same(found, NEW)]
    assert all(isinstance(error, FileExistsError) for error in turns.errors if error is not None)


@pytest.mark.parametrize("dead", [False, True], ids=["full disk", "killed"])
def test_a_cache_that_is_cleared_in_part_is_valid(tmp_path, stop, steps, monkeypatch, dead):
    for at in steps:
        folder = tmp_path / str(at) / "kernels"
        monkeypatch.setattr(store, "folders", lambda folder=folder: (folder,))
        for name in "abc":
            store.write(name, name.encode())
        (folder / "mine.txt").write_text("mine")
        happened = stop(store.clear, at, dead)
        assert {store.read(name) for name in "abc"} <= {b"a", b"b", b"c", None}
        assert (folder / "mine.txt").read_text() == "mine"
        if not happened:
            break
    assert at > 2


@pytest.mark.parametrize("dead", [False, True], ids=["full disk", "killed"])
def test_kernels_that_are_copied_are_whole(tmp_path, stop, steps, monkeypatch, dead):
    for at in steps:
        folder, other = tmp_path / str(at) / "kernels", tmp_path / f"other {at}"
        monkeypatch.setattr(store, "folders", lambda folder=folder: (folder,))
        for name in "abc":
            store.write(name, name.encode())
        store.copy_to(other, "a")
        happened = stop(lambda other=other: store.copy_to(other, "abc"), at, dead)
        monkeypatch.setattr(store, "folders", lambda other=other: (other / "kernels",))
        assert store.read("a") == b"a"
        assert {store.read(name) for name in "bc"} <= {b"b", b"c", None}
        if not happened:
            break
    assert at > 5


@pytest.mark.parametrize("dead", [False, True], ids=["full disk", "killed"])
def test_checkpoints_are_whole(tmp_path, stop, steps, dead):
    pytest.importorskip("dask.array", reason='needs Dask: pip install "dask[array,distributed]"')
    import dask

    from spark_csr.interop.dask import from_csr, linalg

    A, b = from_csr(poisson((16,)), 2), np.ones(16)

    def solve(folder, b):
        linalg.cg(A, b, maxiter=2, check_every=2, checkpoint=folder)

    with dask.config.set(scheduler="synchronous"):
        solve(tmp_path / "new", 2 * b)
        new = linalg.read_checkpoint(tmp_path / "new").compute()
        for at in steps:
            folder = tmp_path / str(at)
            solve(folder, b)
            old = linalg.read_checkpoint(folder).compute()
            happened = stop(lambda folder=folder: solve(folder, 2 * b), at, dead)
            found = linalg.read_checkpoint(folder).compute()
            assert np.array_equal(found, old) or np.array_equal(found, new)
            solve(folder, 2 * b)
            assert len(list(folder.iterdir())) == 3
            if not happened:
                break
    assert at > 8


@pytest.mark.parametrize("dead", [False, True], ids=["full disk", "killed"])
def test_parquet_files_are_whole(tmp_path, stop, steps, dead):
    pytest.importorskip("pyarrow.parquet", reason="needs pyarrow: pip install pyarrow")
    from spark_csr.interop.arrow import read_parquet, write_parquet

    for at in steps:
        path = tmp_path / f"{at}.parquet"
        write_parquet(path, {"x": np.arange(3)})
        happened = stop(lambda path=path: write_parquet(path, {"x": np.arange(5)}), at, dead)
        assert read_parquet(path)["x"].size in ((3, 5) if happened else (5,))
        if not happened:
            break
    assert at > 3


def test_blocks_know_their_parts(tmp_path):
    """A folder that holds a file of another name is not removed."""
    io.save_blocks(tmp_path, OLD, 2)
    path = io.open_blocks(tmp_path).path(0)
    assert _block_formats.holds_block(path)
    (tmp_path / "block-000000" / "mine.txt").touch()
    assert not _block_formats.holds_block(path)
