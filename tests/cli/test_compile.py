"""`python -m spark_csr compile`: kernels before they are needed."""

import os
import subprocess
import sys

import numpy as np
import pytest

import dtypes
from spark_csr import gallery
from spark_csr._array import SIMULATED
from spark_csr._cli import main
from spark_csr._engine import store

if SIMULATED:
    pytest.skip("kernels are not compiled", allow_module_level=True)

from spark_csr._cli import calls
from spark_csr._cli import compile as command

PROGRAM = """
import numpy as np
from spark_csr._engine import store
from spark_csr import csr_array
from spark_csr.primitives import compact
before = len(store.files())
x = np.arange(100.0)
assert compact(x, x > 50).size == 49
print(before, len(store.files()))
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv(store.VARIABLE, str(tmp_path))
    store.folders.cache_clear()
    yield tmp_path
    store.folders.cache_clear()


@pytest.mark.slow
def test_what_it_compiled_is_found_by_other_processes(cache, monkeypatch, capsys):
    monkeypatch.setattr(command, "CALLS", {"compact": None})
    assert main(["compile", "--dtype", "float64", "--jobs", "2"]) == 0
    kernels = [file for file in store.files() if file.suffix == ".object"]
    assert kernels
    assert capsys.readouterr().out.startswith(f"compiled {len(kernels)} kernels in ")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    out = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True).stdout
    before, after = map(int, out.split())
    assert before == after > 0
    assert main(["compile", "--dtype", "float64", "--jobs", "1"]) == 0
    assert capsys.readouterr().out.startswith("compiled 0 kernels in ")


def test_kernels_that_were_used_are_copied(cache, monkeypatch, capsys, tmp_path_factory):
    """Those that are found too, and no others."""
    monkeypatch.setattr(store, "used", set())
    monkeypatch.setattr(command, "_operands", lambda *_: [None])
    monkeypatch.setattr(command, "_compile", lambda *_: command.call(("float64", "int32"), "A @ x"))
    monkeypatch.setattr(command, "CALLS", {"A @ x": lambda _: (store.read("old.object"), store.write("new.object", b"new"))})
    for name in ("old.object", "other.object"):
        store.write(name, b"old")
    store.used.clear()
    other = tmp_path_factory.mktemp("other")
    assert main(["compile", "--copy-to", str(other)]) == 0
    assert f"copied 2 files that were used to {other}" in capsys.readouterr().out
    monkeypatch.setenv(store.VARIABLE, str(other))
    store.folders.cache_clear()
    assert [file.name for file in store.files()] == ["new.object", "old.object"]
    assert (store.read("old.object"), store.read("new.object")) == (b"old", b"new")
    (other / "file").touch()
    assert main(["compile", "--copy-to", str(other / "file")]) == 2
    assert "takes no files: Not a directory" in capsys.readouterr().err


def test_what_is_called(monkeypatch):
    work = []
    monkeypatch.setattr(command, "_compile", lambda pieces, jobs, progress: work.append((pieces, jobs)))
    for options in ([], ["--everyday"], ["--all"], ["--dtype", "int64"], ["--all", "--dtype", "float32", "--dtype", "float64"]):
        assert main(["compile", *options, "--jobs", "3"]) == 0
    kinds = [{kind for kind, _ in pieces} for pieces, _ in work]
    assert kinds[0] == kinds[1] == set(command.EVERYDAY)
    assert kinds[2] == set(command.ALL)
    assert len(kinds[2]) == 12
    assert kinds[3] == {("int64", "int32")}
    assert kinds[4] == {(dtype, index) for dtype in ("float32", "float64") for index in ("int32", "int64")}
    assert {name for _, name in work[0][0]} == set(command.CALLS)
    assert {jobs for _, jobs in work} == {3}


@pytest.mark.parametrize("jobs", ["0", "-1", "two"])
def test_jobs(jobs, capsys):
    with pytest.raises(SystemExit):
        main(["compile", "--jobs", jobs])
    assert f"must be an integer of at least 1, got {jobs!r}" in capsys.readouterr().err


def test_no_folder(monkeypatch, capsys):
    monkeypatch.setattr(store, "writable", lambda: None)
    assert main(["compile"]) == 2
    assert "set SPARK_CSR_CACHE_DIR" in capsys.readouterr().err


@pytest.mark.slow
def test_every_call_runs():
    for name in command.CALLS:
        command.call(("float64", "int32"), name)


def test_only_new_kernels_are_counted(cache, monkeypatch, capsys):
    monkeypatch.setattr(command, "_compile", lambda *_: store.write("one.object", b"x"))
    for made in (1, 0):
        assert main(["compile", "--dtype", "float64"]) == 0
        assert capsys.readouterr().out.startswith(f"compiled {made} kernels in ")


@pytest.mark.parametrize(
    "name", dtypes.some(["A @ x", "csr_array((data, (i, j)))", "A[rows]", "sort", "Ragged"], ["A @ x", "A[rows]"])
)
def test_some_calls_run(name):
    given = calls.operands_of(gallery.uniform(40, 40, 4), np.dtype("float64"), np.dtype("int32"))
    calls.CALLS[name](given)
