"""Reductions, named as SciPy's own benchmarks of them."""

from benchmarks import data
from benchmarks.common import Compared
from peers.matrices import REDUCTIONS


class Reduction(Compared, operations=REDUCTIONS, axes={"matrix": ["uniform", "rmat"], "axis": [None, 0, 1]}):
    """`A.method(axis)` of the matrices of `data`. SciPy's `argmax` loops over rows in Python."""

    def operands(self, operation, matrix, axis):
        return data.matrix(matrix), axis
