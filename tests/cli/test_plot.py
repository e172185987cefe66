"""Pictures of results."""

import os

import pytest

from spark_csr._array import SIMULATED
from spark_csr._cli import plot
from spark_csr._cli.time_product import Result

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")


def test_plot_names_a_file_that_cannot_be_written(tmp_path):
    pytest.importorskip("matplotlib")
    found = [Result("a", 1, 1, 1, "float64", "cpu", 1.0, 1e9, 0.5, "SciPy", 2.0, True)]
    os.mkdir(tmp_path / "taken.png")
    with pytest.raises(Exception, match="taken.png"):
        plot.draw(found, 1e9, str(tmp_path / "taken.png"))
