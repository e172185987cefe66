"""Memory that is refused, wherever it is asked for: MemoryError or the right result, and the right result from then on."""

import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).parents[1] / "failing_allocations.py"


@pytest.mark.slow
def test_each_allocation_of_an_array_may_fail(cpu_only):
    found = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    assert int(found.stdout.split()[-3]) > 300
