"""Reductions and scans of segments: short ones, one of everything, and a mixture."""

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr.primitives import segmented_reduce, segmented_scan


class SegmentedReduce(Benchmark):
    param_names = ("segments", "backend")
    params = (data.SEGMENTS, BACKENDS)

    def prepare(self, segments):
        x, offsets = self.on_device(data.values()), self.on_device(data.offsets(segments))
        return lambda: segmented_reduce(x, offsets), x.nbytes + offsets.nbytes + (offsets.size - 1) * x.itemsize


class SegmentedScan(Benchmark):
    param_names = ("segments", "backend")
    params = (data.SEGMENTS, BACKENDS)

    def prepare(self, segments):
        x, offsets = self.on_device(data.values()), self.on_device(data.offsets(segments))
        return lambda: segmented_scan(x, offsets), 2 * x.nbytes + offsets.nbytes
