"""Files of strangers, by the script that changes them: see `fuzz_files`."""

import pytest

import fuzz_files
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
