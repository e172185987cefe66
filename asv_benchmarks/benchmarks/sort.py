"""Sorting."""

import functools

import numpy as np

from benchmarks.common import Benchmark, Compared, N
from spark_csr.primitives import sort, sort_by_key

KEYS = ["int32", "int64", "float64", "int32 below 1000"]


@functools.cache
def keys(kind, n=N):
    """Random numbers of all magnitudes, or of a small range."""
    rng = np.random.default_rng(0)
    if kind == "float64":
        return rng.standard_normal(n)
    if kind == "int32 below 1000":
        return rng.integers(0, 1000, n).astype(np.int32)
    info = np.iinfo(kind)
    return rng.integers(info.min, info.max, n, np.dtype(kind))


class Sort(Compared, operations=("sort", "argsort"), axes={"keys": KEYS}):
    def operands(self, operation, kind):
        return (keys(kind),)

    def moved(self, x):
        return 2 * x.nbytes


class SortByKey(Benchmark):
    def prepare(self):
        x = self.on_device(keys("int32"))
        values = self.on_device(keys("float64"))
        return lambda: sort_by_key(x, values), 2 * (x.nbytes + values.nbytes)


class SmallSort(Benchmark):
    """A hundred elements: what a call costs."""

    def prepare(self):
        x = self.on_device(keys("int64", 100))
        return lambda: sort(x), 2 * x.nbytes
