"""Matrices entry by entry, beside SciPy: sums, products and comparisons of two, with numbers and with dense arrays."""

import operator

import numpy as np

from benchmarks import data
from benchmarks.common import Benchmark
from benchmarks.peers import device
from spark_csr._cli import gpu

OPERATIONS = {
    "add": operator.add,
    "sub": operator.sub,
    "multiply": operator.mul,
    "maximum": lambda A, B: A.maximum(B),
    "lt": operator.lt,
}


def ours(A):
    return A


def scipy(A):
    return A.to_scipy()


def cupy(A):
    device("cuda")
    return A.to_device("cuda").to_cupy()


LIBRARIES = {"ours": ours, "scipy": scipy, "cupy": cupy}


class Arithmetic(Benchmark):
    """Two matrices of one shape: of different patterns (`A` and its reflection), or of one (`A` and `A`)."""

    param_names = ("matrix", "pattern", "operation", "library")
    params = (["poisson", "uniform"], ["other", "same"], list(OPERATIONS), list(LIBRARIES))
    track_bandwidth = None  # the bytes are the same for all: times can be compared as they are

    def setup(self, *params):
        super().setup(*params, "cuda" if params[-1] == "cupy" else "cpu")

    def prepare(self, matrix, pattern, operation, library):
        A = data.matrix(matrix)
        B = A if pattern == "same" else A.T.tocsr() * 0.5
        function, left, right = OPERATIONS[operation], LIBRARIES[library](A), LIBRARIES[library](B)
        return lambda: function(left, right), 2 * (A.nbytes + B.nbytes)


class ArithmeticWithDense(Arithmetic):
    """A number, a row of a dense array, and a function of every entry."""

    param_names = ("matrix", "operation", "library")
    params = (["uniform"], ["times 2", "times row", "sin"], list(LIBRARIES))

    def prepare(self, matrix, operation, library):
        A = data.matrix(matrix)
        row = np.random.default_rng(0).random(A.shape[1])
        row = row if library != "cupy" else gpu.cupy_module().asarray(row)
        M = LIBRARIES[library](A)
        calls = {"times 2": lambda: M * 2, "times row": lambda: M.multiply(row), "sin": M.sin}
        return calls[operation], 2 * A.nbytes
