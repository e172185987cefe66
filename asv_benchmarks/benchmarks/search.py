"""Which segment does each item belong to?"""

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr.primitives import load_balance_search, segment_ids


class SegmentIds(Benchmark):
    param_names = ("segments", "backend")
    params = (data.SEGMENTS, BACKENDS)

    def prepare(self, segments):
        offsets = self.on_device(data.offsets(segments))
        return lambda: segment_ids(offsets), offsets.nbytes + 4 * data.N


class LoadBalanceSearch(Benchmark):
    param_names = ("segments", "backend")
    params = (data.SEGMENTS, BACKENDS)

    def prepare(self, segments):
        offsets = self.on_device(data.offsets(segments))
        return lambda: load_balance_search(offsets), offsets.nbytes + 8 * data.N
