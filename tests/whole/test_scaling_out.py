"""The scripts that compare and predict products in blocks: they run, and what they predict is what is sent."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

from spark_csr.gallery import poisson
from spark_csr.partition import halo_plan, split

pytestmark = pytest.mark.usefixtures("cpu_only")

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "asv_benchmarks"


@pytest.fixture(scope="module")
def scale_out():
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("scale_out", FOLDER / "scale_out.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*command):
    """What a script prints, run in a process of its own."""
    search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": search}
    done = subprocess.run([sys.executable, *command], cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_shares_are_those_of_the_plan(scale_out):
    found = scale_out.shares(poisson((10, 40)), 4)
    plan = halo_plan(split(poisson((10, 40)), [0, 100, 200, 300, 400]))
    assert found.messages == len(plan.messages) == 6
    assert found.largest == pytest.approx(max(plan.received()) / 400, rel=0.05)
    assert found.mean == pytest.approx(plan.nbytes(1) / 4 / 400, rel=0.05)


def test_costs_of_the_web_graph(scale_out):
    """The figures that a study of it had worked out by hand, for 64 nodes and halos of 3 % of the vertices."""
    halo = scale_out.Shares(0.03, 0.03, 64 * 63, 1.0)
    ways = scale_out.predict(*scale_out.WEB, 64, halo)
    assert [round(cost.received / 1e9, 1) for cost in ways.values()] == [28.1, 0.9, 6.2]
    assert [round(cost.wire, 2) for cost in ways.values()] == [2.81, 0.09, 0.62]
    assert [cost.messages for cost in ways.values()] == [4032, 4032, 896]
    assert [cost.tasks for cost in ways.values()] == [64, 4096, 192]
    assert ways["halo"].product == pytest.approx(0.38, abs=0.01)
    assert len(scale_out.predict(*scale_out.WEB, 60, halo)) == 2  # no square


@pytest.mark.slow
@pytest.mark.parametrize("kind", [["--rmat", "12"], ["--poisson", "30"]])
def test_two_workers_send_what_is_predicted(kind):
    pytest.importorskip("distributed")
    said = run("scale_out.py", *kind, "--nodes", "4", "--check")
    assert "squares, 2 x 2" in said
    assert 0.9 < float(re.search(r"predicted [\d,]+: ([\d.]+)", said)[1]) <= 1.2


@pytest.mark.slow
def test_the_comparison_runs():
    """Messages and tasks are those of the plan at any size."""
    pytest.importorskip("distributed")
    said = run("compare_dask.py", "--side", "20", "--scale", "10", "--rounds", "2")
    assert all(float(ratio) <= 1.2 for ratio in re.findall(r"planned [\d,]+: ([\d.]+)", said))
    tasks, expected = re.search(r"and ([\d.]+) tasks an iteration, and one for all\s+3 P \+ messages are (\d+)", said).groups()
    assert float(tasks) == float(expected)
    assert said.count("one process, 2 threads") == 3
