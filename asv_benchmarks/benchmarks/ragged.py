"""Ragged arrays, beside awkward-array and NumPy: a million values in lists of ten or so, and in lists of lists."""

import functools
import importlib

import numpy as np

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark
from spark_csr import Ragged

DEPTHS = [2, 3]


@functools.cache
def offsets(depth, n=data.N):
    """Offsets of lists of about ten values, in items of about four lists."""
    rng, levels = np.random.default_rng(0), []
    for mean in (10, 4)[: depth - 1]:
        counts = rng.poisson(mean, n // mean)
        cuts = np.minimum(np.concatenate([[0], np.cumsum(counts)]), n)
        cuts[-1] = n
        levels.insert(0, cuts.astype(np.int32))
        n = cuts.size - 1
    return levels


def as_awkward(R):
    """The same array in awkward's hands, sharing the buffers."""
    try:
        ak = importlib.import_module("awkward")
    except ImportError as error:
        raise NotImplementedError("no awkward") from error
    content = ak.contents.NumpyArray(R.values)
    for level in reversed(R.offsets):
        content = ak.contents.ListOffsetArray(ak.index.Index(level), content)
    return ak, ak.Array(content)


class OfDepth(Benchmark):
    param_names = ("depth", "backend")
    params = (DEPTHS, BACKENDS)

    def array(self, depth):
        return Ragged(self.on_device(data.values()), *(self.on_device(x) for x in offsets(depth)))


class Peers(Benchmark):
    """On the cores, one library after the other: subclasses have a method for each, which returns the function to be timed."""

    param_names = ("depth", "library")
    params = (DEPTHS, ["ours", "numpy", "awkward"])
    track_bandwidth = None  # the bytes are the same for all: times can be compared as they are

    def setup(self, *params):
        super().setup(*params, "cpu")

    def prepare(self, depth, library):
        return getattr(self, library)(Ragged(data.values(), *offsets(depth))), 0


class Coordinates(OfDepth):
    """Bytes: offsets, and one index for each value and axis."""

    def prepare(self, depth):
        R = self.array(depth)
        return R.coordinates, sum(x.nbytes for x in R.offsets) + depth * 4 * R.size


class PeersCoordinates(Peers):
    """NumPy's `repeat` and `arange`; awkward's `local_index`, broadcast to all values."""

    def ours(self, R):
        return R.coordinates

    def numpy(self, R):
        return lambda: numpy_coordinates(R)

    def awkward(self, R):
        ak, A = as_awkward(R)
        return lambda: ak.broadcast_arrays(*(ak.local_index(A, axis) for axis in range(R.ndim)))


def numpy_coordinates(R):
    """The coordinates of every value, in a few lines of NumPy."""
    places = (np.arange(len(R), dtype=np.int32),)
    for level in R.offsets:
        counts = np.diff(level)
        rank = np.arange(level[-1], dtype=np.int32) - np.repeat(level[:-1], counts)
        places = (*(np.repeat(x, counts) for x in places), rank)
    return places


def of_two(value, i, j):
    return 2 * value + i - j


def of_three(value, i, j, k):
    return 2 * value + i - j + k


FUNCTIONS = {2: of_two, 3: of_three}


class Map(OfDepth):
    """Bytes: offsets, values and result."""

    def prepare(self, depth):
        R = self.array(depth)
        return lambda: R.map(FUNCTIONS[depth]), sum(x.nbytes for x in R.offsets) + 2 * R.values.nbytes


class PeersMap(Peers):
    """The same function of whole arrays."""

    def ours(self, R):
        return lambda: R.map(FUNCTIONS[R.ndim])

    def numpy(self, R):
        return lambda: FUNCTIONS[R.ndim](R.values, *numpy_coordinates(R))

    def awkward(self, R):
        ak, A = as_awkward(R)
        return lambda: FUNCTIONS[R.ndim](A, *(ak.local_index(A, axis) for axis in range(R.ndim)))


class AddPerItem(OfDepth):
    """A number for each item, added to all that it holds. Bytes: offsets, numbers, values and result."""

    def prepare(self, depth):
        R = self.array(depth)
        weights = self.on_device(data.values(n=len(R)))
        return lambda: R + weights, sum(x.nbytes for x in R.offsets) + weights.nbytes + 2 * R.values.nbytes


class PeersAddPerItem(Peers):
    def ours(self, R):
        weights = data.values(n=len(R))
        return lambda: R + weights

    def numpy(self, R):
        weights, inner = data.values(n=len(R)), R.offsets[0] if R.ndim == 2 else R.offsets[1][R.offsets[0]]
        return lambda: R.values + np.repeat(weights, np.diff(inner))

    def awkward(self, R):
        ak, A = as_awkward(R)
        weights = ak.Array(data.values(n=len(R)))
        return lambda: A + weights
