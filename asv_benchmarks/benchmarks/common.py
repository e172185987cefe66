"""What all benchmarks share: the backend axis, waiting for the device, the profile."""

import abc
import os

import numpy as np

import peers
from peers import device
from spark_csr._cli import gpu, measure

PROFILE = os.environ.get("SPARK_CSR_BENCH")
LARGE, SMOKE = PROFILE == "large", PROFILE == "smoke"
BACKENDS = ["cpu", "cuda"]
N = 1 << (25 if LARGE else 14 if SMOKE else 20)  # elements of the arrays that primitives work on


class Benchmark(abc.ABC):
    """Subclasses give `prepare(...)`, which returns the function to be timed and the bytes it must move.

    `params` end in the backend. asv times `time_call`; `track_bandwidth` beside it says GB/s, which is what can be compared
    with the machine.
    """

    def __init_subclass__(cls):
        if SMOKE:
            axes = zip(cls.param_names, cls.params, strict=True)
            cls.params = tuple(axis if name in ("operation", "library") else axis[:1] for name, axis in axes)

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


class Compared(Benchmark):
    """An operation of `peers`, by one library after the other: the last parameter.

    Subclasses name `operations`, of which the first parameter chooses where there are several, and `axes`, the parameters that
    follow. They have `operands(*params)`, and where the bandwidth is to be told `moved(*operands)`, the bytes that must move.
    """

    operations, axes, moved = (), {}, None

    def __init_subclass__(cls, operations=None, axes=None):
        cls.operations, cls.axes = operations or cls.operations, axes or cls.axes
        libraries = dict.fromkeys(x for name in cls.operations for x in peers.OPERATIONS[name])
        several = {"operation": list(cls.operations)} if len(cls.operations) > 1 else {}
        axes = {**several, **cls.axes, "library": sorted(libraries, key=lambda library: library not in peers.OURS)}
        cls.param_names, cls.params = tuple(axes), tuple(axes.values())
        if cls.moved is None:
            cls.track_bandwidth = None
        super().__init_subclass__()

    @abc.abstractmethod
    def operands(self, *params):
        """What the operation works on, as ours on the processor."""

    def setup(self, *params):
        self.library = params[-1]
        super().setup(*params[:-1], "cuda" if self.library in peers.ON_GPU else "cpu")

    def prepare(self, *params):
        operation = params[0] if len(self.operations) > 1 else self.operations[0]
        if self.library not in peers.OPERATIONS[operation]:
            raise NotImplementedError(f"{self.library} has no {operation}")
        operands = self.operands(*params)
        return peers.prepared(operation, self.library, *operands), self.moved(*operands) if self.moved else 0
