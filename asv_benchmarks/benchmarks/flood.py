"""Right flood: forward fill."""

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr.primitives import right_flood


class RightFlood(Benchmark):
    param_names = ("valid", "backend")
    params = ([0.01, 0.5], BACKENDS)

    def prepare(self, share):
        x = self.on_device(data.values())
        valid = self.on_device(data.values("float32") < share)
        return lambda: right_flood(x, valid), 2 * x.nbytes + valid.nbytes


class RightFloodInSegments(Benchmark):
    param_names = ("segments", "backend")
    params = (data.SEGMENTS, BACKENDS)

    def prepare(self, segments):
        x, offsets = self.on_device(data.values()), self.on_device(data.offsets(segments))
        valid = self.on_device(data.values("float32") < 0.1)
        return lambda: right_flood(x, valid, offsets=offsets), 2 * x.nbytes + valid.nbytes + offsets.nbytes
