"""Times on a GPU, with as much of CuPy as they take."""

import time

import pytest

from spark_csr._array import SIMULATED
from spark_csr._cli import gpu

pytestmark = [
    pytest.mark.skipif(SIMULATED, reason="runs on the cores"),
    pytest.mark.usefixtures("short_measurements"),
]


class FakeCuda:
    """As much of CuPy as the timing of a GPU calls, on the clock of the processor."""

    def __init__(self):
        self.launched = 0
        self.cuda = self
        self.Device = lambda *_: self

    def RawKernel(self, source, name):
        assert f"void {name}(" in source

        def launch(grid, block, arguments):
            self.launched += 1

        return launch

    class Event:
        def record(self):
            self.at = time.perf_counter()

        def synchronize(self):
            pass

    def get_elapsed_time(self, begin, end):
        return (end.at - begin.at) * 1e3

    def synchronize(self):
        pass


def test_gpu_timing_counts_calls(monkeypatch):
    fake = FakeCuda()
    monkeypatch.setattr(gpu, "cupy_module", lambda: fake)
    gpu._busy.cache_clear()
    calls = []
    seconds = gpu.kernel_time(lambda: calls.append(time.sleep(1e-4)), calls=5)
    assert seconds >= 1e-4
    assert fake.launched == 1
    assert len(calls) == 5 + 5  # to see how long queueing takes, timed
    assert gpu.calls_that_fit(lambda: time.sleep(0.02), seconds=0.1) in (2, 3, 4)
    assert gpu.calls_that_fit(lambda: time.sleep(0.02), seconds=0.001) == 1
    assert gpu.call_time(lambda: time.sleep(1e-4), calls=5) >= 1e-4
    assert gpu.time_rounds([lambda: None, lambda: None], rounds=3).shape == (3, 2)
    gpu._busy.cache_clear()
