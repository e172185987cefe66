"""Every table of `asv_benchmarks` runs at a tiny size, and every library's results are ours."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from spark_csr._array import SIMULATED

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "asv_benchmarks"
FAMILIES = [
    "spmv",
    "spgemm",
    "matrix",
    "primitives",
    "ragged",
    "gpu",
    "graph",
    "networks",
    "backend",
    "segments",
    "directions",
    "constants",
    "busy",
    "everyday",
    "jobs",
]

pytestmark = pytest.mark.skipif(SIMULATED, reason="the tables are sized for compiled kernels")


def run(*command):
    """A script of the folder, in a process of its own."""
    search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": search, "SPARK_CSR_DATA": os.devnull, "PYTHONFAULTHANDLER": "1"}
    return subprocess.run([sys.executable, *command], cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=600)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_runs_and_its_results_agree(family, tmp_path):
    done = run("table.py", family, "--smoke", "--json", tmp_path / "table.json")
    assert done.returncode == 0, done.stderr[-4000:] + done.stdout
    written = json.loads((tmp_path / "table.json").read_text())
    assert {"processor", "cores", "memory_gib", "packages", "threads", "date"} <= written["machine"].keys()
    assert written["rows"]
    assert all(next(iter(row["seconds"])) == "ours" for row in written["rows"])


@pytest.mark.slow
def test_first_calls_are_written(tmp_path):
    done = run("first_calls.py", "--rounds", "1", "--only", "import", "--json", tmp_path / "calls.json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads((tmp_path / "calls.json").read_text())["rows"]
    assert row["cold"] > 0
    assert row["warm"] > 0
