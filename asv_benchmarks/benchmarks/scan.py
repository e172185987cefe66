"""Prefix scans."""

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr.primitives import exclusive_scan, inclusive_scan


class InclusiveScan(Benchmark):
    param_names = ("dtype", "op", "backend")
    params = (data.DTYPES, ["sum", "max"], BACKENDS)

    def prepare(self, dtype, op):
        x = self.on_device(data.values(dtype))
        return lambda: inclusive_scan(x, op), 2 * x.nbytes


class ExclusiveScan(Benchmark):
    def prepare(self):
        x = self.on_device(data.values())
        return lambda: exclusive_scan(x), 2 * x.nbytes
