"""`python -m spark_csr info`."""

import pytest

from spark_csr._array import SIMULATED
from spark_csr._cli import main

pytestmark = [
    pytest.mark.skipif(SIMULATED, reason="runs on the cores"),
    pytest.mark.usefixtures("short_measurements"),
]


def test_info_says_what_runs(capsys):
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for word in (
        "spark_csr:",
        "python:",
        "numpy:",
        "scipy:",
        "numba:",
        "threads:",
        "read bandwidth:",
        "copy bandwidth:",
    ):
        assert word in out
