"""Memory that is refused, wherever it is asked for: MemoryError or the right result, and the right result from then on."""

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).parents[1] / "failing_allocations.py"


@pytest.mark.slow
def test_each_allocation_of_an_array_may_fail(cpu_only, tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path)}  # kernels go there where the chosen folder could not be asked for
    found = subprocess.run([sys.executable, str(PROGRAM)], env=environment, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    assert int(found.stdout.split()[-3]) > 300
