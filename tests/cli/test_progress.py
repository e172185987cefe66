"""The bar that shows how far it is."""

import io

import pytest

from spark_csr._array import SIMULATED
from spark_csr._cli import progress

pytestmark = pytest.mark.skipif(SIMULATED, reason="runs on the cores")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_on_a_terminal():
    stream = Terminal()
    with progress.Progress(2, stream) as bar:
        bar.say("working")
        bar.tick()
        bar.tick()
    assert " 50 % working" in stream.getvalue()
    assert "100 % working" in stream.getvalue()
    assert stream.getvalue().endswith("\r\033[K")
