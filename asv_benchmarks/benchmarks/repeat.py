"""Runs written out and found again."""

import functools

import numpy as np

from benchmarks import data
from benchmarks.common import Compared

COUNTS = {"zero to three": 4, "zero to nineteen": 20, "zero to 500": 501}


@functools.cache
def runs(kind):
    """Values, and random counts that make about N elements of them."""
    limit = COUNTS[kind]
    counts = np.random.default_rng(1).integers(0, limit, 2 * data.N // (limit - 1)).astype(np.int32)
    return data.values("float64", counts.size), counts


class Repeat(Compared, operations=("repeat",), axes={"counts": list(COUNTS)}):
    """Bytes: elements, counts, and what is written."""

    def operands(self, kind):
        return runs(kind)

    def moved(self, x, each):
        return x.nbytes + each.nbytes + int(each.sum()) * x.itemsize


class RunLengthEncode(Compared, operations=("run_length_encode",), axes={"counts": list(COUNTS)}):
    def operands(self, kind):
        return (np.repeat(*runs(kind)),)

    def moved(self, x):
        return x.nbytes
