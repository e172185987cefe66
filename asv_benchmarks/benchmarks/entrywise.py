"""Users' functions of entries: of one matrix, and of two."""

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr import csr_array


def is_above(row, column, value):
    return column > row


def times_distance(row, column, value):
    return value * (row - column)


class OfEntries(Benchmark):
    param_names = ("matrix", "operation", "backend")
    params = (["poisson", "uniform"], ["select", "apply", "ewise_add", "ewise_mult"], BACKENDS)

    def prepare(self, matrix, operation):
        A = csr_array(data.matrix(matrix))
        B = A.T.tocsr()
        A, B = (csr_array(tuple(map(self.on_device, (M.data, M.indices, M.indptr))), shape=M.shape) for M in (A, B))
        argument = {"select": (is_above,), "apply": (times_distance,)}.get(operation, (B, "min"))
        return lambda: getattr(A, operation)(*argument), 2 * A.nbytes * (1 + operation.startswith("ewise"))
