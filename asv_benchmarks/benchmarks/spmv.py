"""`A @ x`, `A.T @ x`, and `A @ x` over another semiring."""

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr._cli.time_product import bytes_moved, make_operand


class SpMV(Benchmark):
    param_names = ("matrix", "dtype", "backend")
    params = (data.NAMES, data.DTYPES, BACKENDS)

    def prepare(self, matrix, dtype):
        A = data.matrix(matrix, dtype)
        x = self.on_device(make_operand(A))
        moved, A = bytes_moved(A), A.to_device(self.device)
        return lambda: A @ x, moved


class Transposed(Benchmark):
    param_names = ("matrix", "backend")
    params = (["poisson", "rmat"], BACKENDS)

    def prepare(self, matrix):
        A = data.matrix(matrix)
        x = self.on_device(make_operand(A))
        moved, A = bytes_moved(A), A.to_device(self.device)
        return lambda: A.T @ x, moved


class MinPlus(Benchmark):
    param_names = ("matrix", "backend")
    params = (["rmat"], BACKENDS)

    def prepare(self, matrix):
        A = data.matrix(matrix)
        x = self.on_device(make_operand(A))
        moved, A = bytes_moved(A), A.to_device(self.device)
        return lambda: A.matmul(x, semiring="min_plus"), moved
