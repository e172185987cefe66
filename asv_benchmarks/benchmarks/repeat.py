"""Runs written out and found again, beside NumPy and CuPy."""

import functools

import numpy as np

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr._cli import gpu
from spark_csr.primitives import repeat, run_length_encode

COUNTS = {"zero to three": 4, "zero to nineteen": 20, "zero to 500": 501}


@functools.cache
def counts(kind):
    """Random counts that make about N elements."""
    limit = COUNTS[kind]
    return np.random.default_rng(1).integers(0, limit, 2 * data.N // (limit - 1)).astype(np.int32)


class Runs(Benchmark):
    """Bytes: elements, counts, and what is written."""

    param_names = ("counts", "backend")
    params = (list(COUNTS), BACKENDS)

    def operands(self, kind):
        each = self.on_device(counts(kind))
        x = self.on_device(data.values("float64", each.size))
        return x, each, x.nbytes + each.nbytes + int(each.sum()) * x.itemsize

    def library(self):
        return np if self.device == "cpu" else gpu.cupy_module()


class Repeat(Runs):
    def prepare(self, kind):
        x, each, moved = self.operands(kind)
        return lambda: repeat(x, each), moved


class PeerRepeat(Runs):
    """NumPy's or CuPy's `repeat`; CuPy takes counts from the host only."""

    def prepare(self, kind):
        x, each, moved = self.operands(kind)
        each = each if self.device == "cpu" else counts(kind).tolist()
        return lambda: self.library().repeat(x, each), moved


class RunLengthEncode(Runs):
    def prepare(self, kind):
        x, each, moved = self.operands(kind)
        expanded = repeat(x, each)
        return lambda: run_length_encode(expanded), moved


class PeerRunLengthEncode(Runs):
    """Comparison of neighbours, `flatnonzero`, differences."""

    def prepare(self, kind):
        x, each, moved = self.operands(kind)
        expanded, xp = repeat(x, each), self.library()

        def encode():
            heads = xp.concatenate([xp.ones(1, bool), expanded[1:] != expanded[:-1]])
            starts = xp.flatnonzero(heads)
            return expanded[starts], xp.diff(xp.concatenate([starts, xp.asarray([expanded.size])]))

        return encode, moved
