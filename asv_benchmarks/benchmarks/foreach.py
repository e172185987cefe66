"""`for_each`: how close a loop body comes to a copy of memory, and what one call costs."""

from numba import njit

from benchmarks import data
from benchmarks.common import Benchmark
from spark_csr.primitives import for_each


@njit
def _copy(i, x, out):
    out[i] = x[i]


class ForEach(Benchmark):
    def prepare(self):
        x = self.on_device(data.values())
        out = x.copy()
        return lambda: for_each(x.size, _copy, x, out), 2 * x.nbytes


class ForEachOfFew(Benchmark):
    def prepare(self):
        x = self.on_device(data.values(n=16))
        out = x.copy()
        return lambda: for_each(x.size, _copy, x, out), 2 * x.nbytes
