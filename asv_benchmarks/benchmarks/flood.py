"""Right flood: forward fill."""

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark, Compared
from spark_csr.primitives import right_flood


class RightFlood(Compared, operations=("right_flood",), axes={"valid": [0.01, 0.5]}):
    def operands(self, share):
        return data.values(), data.values("float32") < share

    def moved(self, x, valid):
        return 2 * x.nbytes + valid.nbytes


class RightFloodInSegments(Benchmark):
    param_names = ("segments", "backend")
    params = (data.SEGMENTS, BACKENDS)

    def prepare(self, segments):
        x, offsets = self.on_device(data.values()), self.on_device(data.offsets(segments))
        valid = self.on_device(data.values("float32") < 0.1)
        return lambda: right_flood(x, valid, offsets=offsets), 2 * x.nbytes + valid.nbytes + offsets.nbytes
