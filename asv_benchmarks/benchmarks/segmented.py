"""Reductions and scans of segments: short ones, one of everything, and a mixture."""

from benchmarks import data
from benchmarks.common import Compared


class SegmentedReduce(Compared, operations=("segmented_reduce",), axes={"segments": data.SEGMENTS}):
    def operands(self, segments):
        return data.values(), data.offsets(segments)

    def moved(self, x, offsets):
        return x.nbytes + offsets.nbytes + (offsets.size - 1) * x.itemsize


class SegmentedScan(SegmentedReduce, operations=("segmented_scan",)):
    def moved(self, x, offsets):
        return 2 * x.nbytes + offsets.nbytes
