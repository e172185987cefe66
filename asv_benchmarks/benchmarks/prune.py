"""Entries that are not zero, or the largest of every row."""

import functools

import numpy as np

from benchmarks import data
from benchmarks.common import Compared
from spark_csr import csr_array


@functools.cache
def halved():
    """A uniform matrix, half of whose entries are zero."""
    A = data.matrix("uniform")
    values = A.data * (np.random.default_rng(0).random(A.nnz) < 0.5)
    return csr_array((values, A.indices, A.indptr), shape=A.shape)


class Prune(Compared, operations=("prune", "prune, top 4")):
    """Bytes: values and columns read, half of both written."""

    def operands(self, operation):
        return (halved(), 0) if operation == "prune" else (halved(),)

    def moved(self, A, *threshold):
        return A.nnz * 18


class InPlace(Compared, operations=("eliminate_zeros", "copy")):
    """A copy and its `eliminate_zeros`, and the copy alone."""

    def operands(self, operation):
        return (halved(),)
