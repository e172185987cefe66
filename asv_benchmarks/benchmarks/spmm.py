"""`A @ X` with 32 columns."""

from benchmarks import data
from benchmarks.common import Compared
from spark_csr._cli.time_product import bytes_moved, make_operand

COLUMNS = 32


class SpMM(Compared, operations=("A @ x",), axes={"matrix": ["poisson", "uniform"], "dtype": data.DTYPES}):
    def operands(self, matrix, dtype):
        A = data.matrix(matrix, dtype)
        return A, make_operand(A, COLUMNS)

    def moved(self, A, X):
        return bytes_moved(A, COLUMNS)
