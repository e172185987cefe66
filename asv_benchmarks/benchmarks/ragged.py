"""Ragged arrays: a million values in lists of ten or so, and in lists of lists."""

import functools

import numpy as np

from benchmarks import data
from benchmarks.common import Compared
from spark_csr import Ragged

DEPTHS = {"depth": [2, 3]}


@functools.cache
def array(depth, n=data.N):
    """Lists of about ten values, in items of about four lists."""
    rng, levels, values = np.random.default_rng(0), [], data.values()
    for mean in (10, 4)[: depth - 1]:
        counts = rng.poisson(mean, n // mean)
        cuts = np.minimum(np.concatenate([[0], np.cumsum(counts)]), n)
        cuts[-1] = n
        levels.insert(0, cuts.astype(np.int32))
        n = cuts.size - 1
    return Ragged(values, *levels)


class Coordinates(Compared, operations=("ragged coordinates",), axes=DEPTHS):
    """Bytes: offsets, and one index for each value and axis."""

    def operands(self, depth):
        return (array(depth),)

    def moved(self, R):
        return sum(x.nbytes for x in R.offsets) + R.ndim * 4 * R.size


class Map(Coordinates, operations=("ragged map",)):
    """Bytes: offsets, values and result."""

    def moved(self, R):
        return sum(x.nbytes for x in R.offsets) + 2 * R.values.nbytes


class AddPerItem(Coordinates, operations=("ragged add per item",)):
    """A number for each item, added to all that it holds. Bytes: offsets, numbers, values and result."""

    def operands(self, depth):
        R = array(depth)
        return R, data.values(n=len(R))

    def moved(self, R, weights):
        return sum(x.nbytes for x in R.offsets) + weights.nbytes + 2 * R.values.nbytes
