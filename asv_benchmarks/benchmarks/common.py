"""What all benchmarks share: the backend axis, waiting for the device, the profile."""

import abc
import importlib.util
import os

import numpy as np

from spark_csr._cli import gpu, measure

PROFILE = os.environ.get("SPARK_CSR_BENCH")
LARGE, SMOKE = PROFILE == "large", PROFILE == "smoke"
BACKENDS = ["cpu", "cuda"]
N = 1 << 25 if LARGE else 1 << 20  # elements of the arrays that primitives work on


class Benchmark(abc.ABC):
    """Subclasses give `prepare(...)`, which returns the function to be timed and the bytes it must move.

    `params` end in the backend. asv times `time_call`; `track_bandwidth` beside it says GB/s, which is what can be compared
    with the machine.
    """

    def __init_subclass__(cls):
        if SMOKE:
            axes = zip(cls.param_names, cls.params, strict=True)
            cls.params = tuple(axis if name == "library" else axis[:1] for name, axis in axes)

    timeout = 300
    param_names = ("backend",)
    params = (BACKENDS,)

    def setup(self, *params):
        self.device = device(params[-1])
        self.call, self.bytes = self.prepare(*params[:-1])
        self.call()  # compiles
        self.wait()

    @abc.abstractmethod
    def prepare(self, *params):
        """The function to be timed, and the bytes it must move."""

    def on_device(self, x):
        """An array on the device of this run."""
        return x if self.device == "cpu" else gpu.cupy_module().asarray(x)

    def wait(self):
        """Until the device is done."""
        if self.device != "cpu":
            gpu.synchronize()

    def time_call(self, *params):
        self.call()
        self.wait()

    def track_bandwidth(self, *params):
        if self.device == "cpu":
            seconds = measure.time_rounds([self.call], rounds=3, block=0.01)
        else:
            seconds = gpu.time_rounds([self.call], rounds=3)
        return self.bytes / float(np.median(seconds)) / 1e9

    track_bandwidth.unit = "GB/s"


def device(backend):
    """The backend's name where it can run here; NotImplementedError, which asv takes for "skip", where it cannot."""
    if backend == "cpu":
        return backend
    if importlib.util.find_spec("cupy") is None:
        raise NotImplementedError("no CuPy")
    try:
        if gpu.cupy_module().cuda.runtime.getDeviceCount() > 0:
            return backend
    except Exception as error:  # a driver that is missing or too old answers in many ways
        raise NotImplementedError(f"no CUDA device: {error}") from error
    raise NotImplementedError("no CUDA device")
