"""`A @ X` with 32 columns."""

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr._cli.time_product import bytes_moved, make_operand

COLUMNS = 32


class SpMM(Benchmark):
    param_names = ("matrix", "dtype", "backend")
    params = (["poisson", "uniform"], data.DTYPES, BACKENDS)

    def prepare(self, matrix, dtype):
        A = data.matrix(matrix, dtype)
        x = self.on_device(make_operand(A, COLUMNS))
        moved, A = bytes_moved(A, COLUMNS), A.to_device(self.device)
        return lambda: A @ x, moved
