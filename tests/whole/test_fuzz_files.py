"""Files of strangers, by the script that changes them: see `fuzz_files`."""

import json
import re
import warnings

import pytest

import fuzz_files
from spark_csr import config
from spark_csr._array import SIMULATED

pytestmark = pytest.mark.skipif(SIMULATED, reason="kernels are Python, which checks bounds itself")


@pytest.mark.slow
def test_files_of_strangers(capsys):
    assert fuzz_files.main(["--seconds", "30", "--seed", "1000"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("kind", ["ended", "silent", "wrong"])
def test_faults_are_reported(monkeypatch, capsys, tmp_path, kind):
    """The child of another script stands for one whose reader crashes, hangs, or returns what no reader may."""
    script = tmp_path / "child.py"
    what = {
        "ended": "import os; os.kill(os.getpid(), 9)",
        "silent": "import time; time.sleep(60)",
        "wrong": "print('end WRONG IndexError: 5', flush=True)",
    }
    script.write_text(f"import sys\nif sys.argv[3] != '0': sys.exit()\nprint('begin 0', flush=True)\n{what[kind]}\n")
    monkeypatch.setattr(fuzz_files, "__file__", str(script))
    monkeypatch.setattr(fuzz_files, "PATIENCE", 1)
    assert fuzz_files.main(["--kind", "npz", "--cases", "1"]) == 1
    assert "FAULT --kind npz --seed 0 --cases 1: " in capsys.readouterr().out


def read_case(file, folder):
    kind, gives = fuzz_files.unpack_case(file, folder)
    if kind in fuzz_files.NEEDS:
        pytest.importorskip(fuzz_files.NEEDS[kind], reason=f"needs {fuzz_files.NEEDS[kind]}")
    with config(validate=False), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gives, fuzz_files.read_case(fuzz_files.KINDS[kind], folder)


@pytest.mark.parametrize("file", sorted(fuzz_files.CASES.glob("*.json")), ids=lambda file: file.stem)
def test_kept_cases(tmp_path, file):
    gives, found = read_case(file, tmp_path / "case")
    assert re.match(gives, found, re.DOTALL), found


def test_a_case_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(fuzz_files, "CASES", tmp_path)
    assert not fuzz_files.main(["--kind", "npz", "--seed", "5", "--keep", "name"])
    assert json.loads((tmp_path / "name.json").read_text())["kind"] == "npz"
    assert read_case(tmp_path / "name.json", tmp_path / "case")[1].partition(":")[0] in ("ValueError", "TypeError", "valid")
    assert [path.name for path in (tmp_path / "case").iterdir()] == ["a.npz"]


def test_kept_cases_are_small():
    assert sum(file.stat().st_size for file in fuzz_files.CASES.iterdir()) < 60_000
