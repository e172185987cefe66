"""`asv_benchmarks/gpu_run.py` goes on behind kernels that hang, crash or lose the device; so do the tests."""

import importlib
import json
import os
import pathlib
import subprocess
import sys
import time

import pytest

from spark_csr._array import SIMULATED

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "asv_benchmarks"

pytestmark = pytest.mark.skipif(SIMULATED, reason="no kernels")


@pytest.fixture
def gpu(monkeypatch):
    """A function that imports a module of the folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return lambda name: importlib.import_module(f"gpu.{name}")


ITEMS = """
import faulthandler, os, signal, sys, time
sys.path.insert(0, {folder!r})
faulthandler.register(signal.SIGUSR1)
from gpu import watch, work

def hang():
    time.sleep(60)

def lose():
    watch.device_is_lost = lambda: "an illegal memory access"

def fail():
    raise AssertionError("wrong")

def skip():
    raise NotImplementedError("not here")

items = {{"first": lambda: {{"fact": 1}}, "hangs": hang, "fails": fail, "ends": lambda: os._exit(5), "loses": lose}}
work.take([*items.items(), ("skips", skip), ("differs", lambda: {{"failed": "other bits", "fact": 2}}), ("last", lambda: None)])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="stacks are asked for by SIGUSR1")
def test_items_that_end_a_process_cost_only_themselves(gpu, tmp_path):
    watch, lines = gpu("watch"), []
    command = [sys.executable, "-c", ITEMS.format(folder=str(FOLDER))]
    work = watch.Work("stage", command, patience=5, folder=tmp_path)
    watch.watch([work], time.monotonic() + 60, lines.append)
    outcomes = {line["item"]: line["outcome"] for line in lines}
    assert outcomes == {
        "first": "passed",
        "hangs": "hung",
        "fails": "failed",
        "ends": "crashed",
        "loses": "lost the device",
        "skips": "skipped",
        "differs": "failed",
        "last": "passed",
    }
    by_name = {line["item"]: line for line in lines}
    assert by_name["first"]["fact"] == 1
    assert (by_name["differs"]["why"], by_name["differs"]["fact"]) == ("other bits", 2)
    assert "in hang" in by_name["hangs"]["why"]
    assert "exit status 5" in by_name["ends"]["why"]
    assert "illegal memory access" in by_name["loses"]["why"]


def test_what_is_left_at_the_deadline_is_named(gpu, tmp_path):
    watch, lines = gpu("watch"), []
    works = [watch.Work("stage", [sys.executable, "-c", "import time; time.sleep(60)"], folder=tmp_path) for _ in range(2)]
    watch.watch(works, time.monotonic() + 0.3, lines.append)
    assert [line["left_out"] for line in lines] == ["for time"] * 2
    assert all(work.process is None or work.process.poll() is not None for work in works)


def test_a_process_that_begins_nothing_is_not_started_again(gpu, tmp_path):
    watch, lines = gpu("watch"), []
    watch.watch([watch.Work("stage", [sys.executable, "-c", "1/0"], folder=tmp_path)], time.monotonic() + 30, lines.append)
    assert [line.get("outcome") for line in lines] == ["crashed", None]
    assert "ZeroDivisionError" in lines[0]["why"]


LOSES = """
import types
import conftest

def lost():
    raise RuntimeError("an illegal memory access")

conftest.CUPY = types.SimpleNamespace(cuda=types.SimpleNamespace(runtime=types.SimpleNamespace(deviceSynchronize=lambda: None)))
conftest.INTERPRETED = False

def test_first():
    pass

def test_that_loses():
    conftest.CUPY.cuda.runtime.deviceSynchronize = lost

def test_behind():
    pass
"""


def test_a_process_of_tests_ends_behind_a_lost_device(tmp_path):
    (tmp_path / "test_it.py").write_text(LOSES)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), str(ROOT)])}
    command = [sys.executable, "-m", "pytest", "-v", "-p", "conftest", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 77
    assert "test_that_loses lost the GPU, so this process ends: an illegal memory access" in done.stderr
    assert "test_behind" not in done.stdout


def test_tables_group_what_failed(gpu, tmp_path):
    lines = [{"stage": "tests", "item": f"t{k}", "outcome": "failed", "why": f"x\nE   at 0x{k}"} for k in range(4)]
    lines += [{"stage": "tests", "item": "p", "outcome": "passed", "why": ""}, {"stage": "tests", "took": 3.0}]
    assert gpu("tables").text(lines, tmp_path).splitlines() == [
        "tests: 4 failed, 1 passed, in 3 s",
        "  4 failed: at #",
        "      t0; t1; t2 ...",
    ]


CSV = """==PROF== connected
"ID","Kernel Name","Metric Name","Metric Value"
"0","spark_csr_kernel","smsp__inst_executed.sum","1,000"
"0","spark_csr_kernel","dram__bytes_read.sum","2,000,000"
"0","spark_csr_kernel","dram__bytes_write.sum","1,000,000"
"1","cupy_copy","smsp__inst_executed.sum","9"
"2","spark_csr_kernel","smsp__inst_executed.sum","500"
"""


def test_counters_are_held_against_those_that_are_kept(gpu, tmp_path, monkeypatch):
    counters = gpu("counters")
    (tmp_path / counters.LOG).write_text(CSV)
    kernels = {"m.k": {"warp_instructions": 500}}
    monkeypatch.setattr(counters.gpu_counts, "kept", lambda: {"row": {"kernels": kernels}})
    line = {"stage": "counters", "item": "row", "launched": ["m.k", "m.other"]}
    head, first, second = counters.text(tmp_path / counters.LOG, [line]).splitlines()
    assert "instructions" in head
    assert first.split()[:4] == ["row", "m.k", "1", "0.0"]
    assert "2.00x" in first
    assert "3.00" in first
    assert "2.00x" not in second
    assert "cannot be told apart" in counters.text(tmp_path / counters.LOG, [{**line, "launched": ["m.k"]}])


def test_files_of_tests_are_found_by_what_they_take(gpu):
    tests = gpu("tests")
    found = tests.parts(3)
    files = [file for part in found for file in part]
    assert len(found) == 7
    assert len(files) == len(set(files))
    assert {"tests/whole/test_devices_and_streams.py", "tests/test_cupy_rules.py"} < set(found[0])
    assert "tests/linalg/test_operators.py" in files
    assert "tests/test_mirror.py" not in files


@pytest.mark.slow
def test_a_dry_run_that_records_kernels(tmp_path):
    pytest.importorskip("numba_cuda", reason="needs numba-cuda: pip install 'numba-cuda[cu13]'")
    command = [sys.executable, str(FOLDER / "gpu_run.py"), "environment", "smoke", "--only", "^versions|first product"]
    command += ["--record", str(tmp_path / "record"), "--capabilities", "8.0,9.0", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert {line["item"]: line["outcome"] for line in lines if "item" in line} == {
        "versions": "passed",
        "first product": "passed",
    }
    assert "smoke: 1 passed" in (tmp_path / "tables.txt").read_text()
    kernels = [path.name.partition("-")[0] for path in (tmp_path / "record" / "kernels").iterdir()]
    assert kernels.count("reduce_rows") == 2
    assert "numba-cuda" in (tmp_path / "record" / "compilers.json").read_text()
