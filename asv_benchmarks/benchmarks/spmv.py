"""`A @ x`, `A.T @ x`, and `A @ x` over another semiring."""

from benchmarks import data
from benchmarks.common import Compared
from spark_csr._cli.time_product import bytes_moved, make_operand


class SpMV(Compared, operations=("A @ x",), axes={"matrix": data.NAMES, "dtype": data.DTYPES}):
    def operands(self, matrix, dtype):
        A = data.matrix(matrix, dtype)
        return A, make_operand(A)

    def moved(self, A, *operands):
        return bytes_moved(A)


class Transposed(SpMV, axes={"matrix": ["poisson", "rmat"]}):
    def operands(self, matrix):
        A = data.matrix(matrix)
        return A.T, make_operand(A)


class MinPlus(SpMV, operations=("A.matmul(x, semiring)",), axes={"matrix": ["rmat"]}):
    def operands(self, matrix):
        A = data.matrix(matrix)
        return A, make_operand(A), "min_plus"
