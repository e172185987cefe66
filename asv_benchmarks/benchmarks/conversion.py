"""Coordinates to rows, and columns to rows."""

import numpy as np

from benchmarks import data
from benchmarks.common import Compared, N

ROWS = N // 10


class Conversion(Compared, operations=("COO to CSR",)):
    """Ten entries a row, in any order. Bytes: two indices and a value read, one index and the value written, for each entry."""

    def operands(self):
        rng = np.random.default_rng(0)
        return rng.random(N), *(rng.integers(0, ROWS, N, np.int32) for _ in range(2)), (ROWS, ROWS)

    def moved(self, *operands):
        return 28 * N


class FromColumns(Compared, operations=("tocsr",)):
    def operands(self):
        return (data.matrix("uniform").T,)

    def moved(self, A):
        return 24 * A.nnz
