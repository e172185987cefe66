"""Selection by a mask: random ones of three densities."""

import functools

import numpy as np
from numba import njit

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark, Compared
from spark_csr.primitives import map_where, partition

DTYPES = ["int32", "float64"]
DENSITIES = [0.02, 0.5, 0.98]


@functools.cache
def mask(density):
    return np.random.default_rng(1).random(data.N) < density


@njit
def square(v):
    return v * v


def moved(x, chosen):
    """The mask, `x`, and what is kept."""
    return chosen.nbytes + x.nbytes + int(chosen.sum()) * x.itemsize


class Compact(Compared, operations=("compact",), axes={"dtype": DTYPES, "density": DENSITIES}):
    def operands(self, dtype, density):
        return data.values(dtype), mask(density)

    def moved(self, x, chosen):
        return moved(x, chosen)


class Partition(Benchmark):
    param_names = ("dtype", "density", "backend")
    params = (DTYPES, DENSITIES, BACKENDS)

    def prepare(self, dtype, density):
        x, chosen = self.on_device(data.values(dtype)), self.on_device(mask(density))
        return lambda: partition(x, chosen), chosen.nbytes + 2 * x.nbytes


class MapWhere(Partition):
    def prepare(self, dtype, density):
        x, chosen = self.on_device(data.values(dtype)), self.on_device(mask(density))
        return lambda: map_where(square, x, chosen), moved(x, chosen)
