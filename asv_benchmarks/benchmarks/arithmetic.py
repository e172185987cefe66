"""Matrices entry by entry: sums, products and comparisons of two, with numbers and with dense arrays."""

import numpy as np

from benchmarks import data
from benchmarks.common import Compared


class Arithmetic(
    Compared,
    operations=("A + B", "A - B", "A.multiply(B)", "A.maximum(B)", "A < B"),
    axes={"matrix": ["poisson", "uniform"], "pattern": ["other", "same"]},
):
    """Two matrices of one shape: of different patterns (`A` and its reflection), or of one (`A` and `A`)."""

    def operands(self, operation, matrix, pattern):
        A = data.matrix(matrix)
        return A, A if pattern == "same" else A.T.tocsr() * 0.5

    def moved(self, A, B):
        return 2 * (A.nbytes + B.nbytes)


class OfOne(Compared, operations=("A * 2", "A * dense row", "sin")):
    """A number, a row of a dense array, and a function of every entry."""

    def operands(self, operation):
        A = data.matrix("uniform")
        return (A, np.random.default_rng(0).random(A.shape[1])) if operation == "A * dense row" else (A,)

    def moved(self, A, *row):
        return 2 * A.nbytes
