"""Selection by a mask: random ones of three densities, beside boolean indexing."""

import functools

import numpy as np
from numba import njit

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr.primitives import compact, map_where, partition

DTYPES = ["int32", "float64"]
DENSITIES = [0.02, 0.5, 0.98]


@functools.cache
def mask(density):
    return np.random.default_rng(1).random(data.N) < density


@njit
def square(v):
    return v * v


class Selection(Benchmark):
    """Bytes: the mask, `x`, and what is kept."""

    param_names = ("dtype", "density", "backend")
    params = (DTYPES, DENSITIES, BACKENDS)

    def operands(self, dtype, density):
        x, chosen = self.on_device(data.values(dtype)), self.on_device(mask(density))
        return x, chosen, chosen.nbytes + x.nbytes + int(chosen.sum()) * x.itemsize


class Compact(Selection):
    def prepare(self, dtype, density):
        x, chosen, moved = self.operands(dtype, density)
        return lambda: compact(x, chosen), moved


class BooleanIndexing(Selection):
    """The peer, NumPy's or CuPy's."""

    def prepare(self, dtype, density):
        x, chosen, moved = self.operands(dtype, density)
        return lambda: x[chosen], moved


class Partition(Selection):
    def prepare(self, dtype, density):
        x, chosen, _ = self.operands(dtype, density)
        return lambda: partition(x, chosen), chosen.nbytes + 2 * x.nbytes


class MapWhere(Selection):
    def prepare(self, dtype, density):
        x, chosen, moved = self.operands(dtype, density)
        return lambda: map_where(square, x, chosen), moved
