"""The text of a table."""

import pytest

from spark_csr._array import SIMULATED
from spark_csr._cli import table

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")


@pytest.mark.parametrize(
    "seconds, text", [(2.5, "2.50 s"), (0.0123, "12.3 ms"), (0.123, "123 ms"), (4.2e-6, "4.20 us"), (5e-9, "5.00 ns")]
)
def test_duration(seconds, text):
    assert table.format_duration(seconds) == text
