"""The tests that need a GPU: files in which a test takes the fixture `xp`, or has the mark `gpu`, for several processes."""

import pathlib
import re
import sys

from gpu import watch

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST = ("test_cupy_rules.py", "cuda/", "whole/test_tiles.py", "whole/test_devices_and_streams.py")
"""What tells most: run by the first process."""

SAMPLE = "tests/cuda/test_look_back.py", "tests/linalg/test_operators.py"
"""The files of a dry run."""


def files():
    """Return the files, and about how much there is to do in each."""
    found = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text()
        count = len(re.findall(r"def test_\w+\([^)]*\bxp\b|mark\.gpu", text))
        if count or path.name == "test_cupy_rules.py":
            found[path.relative_to(ROOT).as_posix()] = count + len(text) / 2000
    return found


def parts(processes):
    """Return lists of files: those of `FIRST`, then two of about equal weight for each process."""
    weights = files()
    first = [file for file in weights if file.removeprefix("tests/").startswith(FIRST)]
    found, loads = [[] for _ in range(2 * processes)], [0.0] * (2 * processes)
    for file in sorted(weights.keys() - set(first), key=weights.get, reverse=True):
        least = loads.index(min(loads))
        found[least].append(file)
        loads[least] += weights[file]
    return [part for part in (first, *found) if part]


def works(processes, dry, every, folder):
    """Return a work for each part. A dry run takes all files only if `every` is true, as does a record of kernels."""
    chosen = [[file] for file in SAMPLE] if dry and not every else parts(processes)
    names = "NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"
    environment = dict.fromkeys(names, "1") | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CUPY_ACCELERATORS": ""}
    marks = "not exhaustive and not slow" + ("" if dry else " and gpu")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "gpu.lines", "-p", "_hypothesis_pytestplugin", "-m", marks]
    command += ["-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib", "-o", "filterwarnings=default", "--rootdir"]
    command += [str(ROOT)]
    options = {"environment": environment, "ends": (0, 1, 5), "patience": 600 if dry else 60, "folder": folder}
    return [watch.Work("tests", [*command, *(str(ROOT / file) for file in part)], **options) for part in chosen]
