"""Prefix scans."""

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark, Compared
from spark_csr.primitives import exclusive_scan, inclusive_scan


class InclusiveScan(Compared, operations=("inclusive_scan",), axes={"dtype": data.DTYPES}):
    def operands(self, dtype):
        return (data.values(dtype),)

    def moved(self, x):
        return 2 * x.nbytes


class ScanOfMax(Benchmark):
    param_names = ("dtype", "backend")
    params = (data.DTYPES, BACKENDS)

    def prepare(self, dtype):
        x = self.on_device(data.values(dtype))
        return lambda: inclusive_scan(x, "max"), 2 * x.nbytes


class ExclusiveScan(Benchmark):
    def prepare(self):
        x = self.on_device(data.values())
        return lambda: exclusive_scan(x), 2 * x.nbytes
