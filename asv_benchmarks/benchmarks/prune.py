"""Entries that are not zero, or the largest of every row; beside SciPy's `eliminate_zeros`."""

import functools

import numpy as np

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr import csr_array, prune


@functools.cache
def halved():
    """A uniform matrix, half of whose entries are zero."""
    A = data.matrix("uniform")
    values = A.data * (np.random.default_rng(0).random(A.nnz) < 0.5)
    return csr_array((values, A.indices, A.indptr), shape=A.shape)


class Prune(Benchmark):
    """Bytes: values and columns read, half of both written."""

    param_names = ("condition", "backend")
    params = (["nonzero", "top 4"], BACKENDS)

    def prepare(self, condition):
        A = halved().to_device(self.device)
        moved = A.nnz * 18
        if condition == "nonzero":
            return lambda: prune(A), moved
        return lambda: prune(A, topk=4), moved


class PeersPrune(Benchmark):
    """Into a new matrix, and in place: what is timed there is a copy and its `eliminate_zeros`, and the copy alone."""

    param_names = ("library",)
    params = (["ours", "ours and a copy", "our copy", "scipy and a copy", "scipy's copy"],)
    track_bandwidth = None

    def setup(self, *params):
        super().setup(*params, "cpu")

    def prepare(self, library):
        A = halved()
        S = A.to_scipy()
        calls = {"ours": lambda: prune(A), "our copy": A.copy, "scipy's copy": S.copy}
        calls |= {"ours and a copy": lambda: A.copy().eliminate_zeros(), "scipy and a copy": lambda: S.copy().eliminate_zeros()}
        return calls[library], A.nnz * 18
