"""Functions of every item of segments, and of the items that pass a test."""

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr.primitives import transform_compact, transform_segments


def scaled(index, segment, rank, x, of_segment):
    return x[index] * of_segment[segment]


def is_below(index, x, bound):
    return x[index] < bound


def square(destination, source, x, bound):
    return x[source] * x[source]


class TransformSegments(Benchmark):
    param_names = ("segments", "backend")
    params = (data.SEGMENTS, BACKENDS)

    def prepare(self, segments):
        offsets = data.offsets(segments)
        arrays = [self.on_device(x) for x in (offsets, data.values(), data.values(n=offsets.size - 1))]
        return lambda: transform_segments(arrays[0], scaled, *arrays[1:]), sum(x.nbytes for x in arrays) + arrays[1].nbytes


class TransformCompact(Benchmark):
    param_names = ("density", "backend")
    params = ([0.02, 0.5, 0.98], BACKENDS)

    def prepare(self, density):
        x = self.on_device(data.values())
        moved = (1 + 2 * density) * x.nbytes + 2 * x.size
        return lambda: transform_compact(x.size, is_below, square, x, density), moved
