"""Cartesian products and combinations of segments, beside NumPy's vectorised form and awkward-array."""

import functools
import importlib

import numpy as np

from benchmarks.common import BACKENDS, LARGE, Benchmark
from spark_csr.primitives import cartesian_product, combinations

SIZES = {"long": (5000, 100) if LARGE else (200, 100), "short": (1_000_000, 3) if LARGE else (100_000, 3)}
"""Segments, and elements of each on average. The first of the large ones gives 50 million pairs: the product of collision
events that the GPU prototypes of awkward-array were measured with in 2018."""


@functools.cache
def counts(size, factor=0):
    segments, mean = SIZES[size]
    return np.random.default_rng(factor).poisson(mean, segments)


def offsets(size, factor=0):
    return np.concatenate([[0], np.cumsum(counts(size, factor))]).astype(np.int32)


def pairs(size):
    return int((counts(size, 0) * counts(size, 1)).sum())


class CartesianProduct(Benchmark):
    param_names = ("segments", "backend")
    params = (list(SIZES), BACKENDS)

    def prepare(self, segments):
        first, second = (self.on_device(offsets(segments, factor)) for factor in range(2))
        return lambda: cartesian_product(first, second), 8 * pairs(segments)


class Combinations(Benchmark):
    param_names = ("segments", "n", "backend")
    params = (list(SIZES), [2, 3], BACKENDS)

    def prepare(self, segments, n):
        cuts = self.on_device(offsets(segments))
        total = combinations(cuts, n)[1].size
        return lambda: combinations(cuts, n), 4 * n * total


def _ours(size):
    first, second = offsets(size, 0), offsets(size, 1)
    return lambda: cartesian_product(first, second)


def _numpy(size):
    """With the parent of every pair, as products are written without a kernel."""
    first, second = offsets(size, 0), offsets(size, 1)

    def call():
        counts_second = np.diff(second)
        sizes = np.diff(first) * counts_second
        out_offsets = np.concatenate([[0], np.cumsum(sizes)])
        parents = np.repeat(np.arange(sizes.size), sizes)
        row, column = np.divmod(np.arange(out_offsets[-1]) - out_offsets[parents], counts_second[parents])
        return out_offsets, first[parents] + row, second[parents] + column

    return call


def _awkward(size):
    try:
        ak = importlib.import_module("awkward")
    except ImportError as error:
        raise NotImplementedError(f"no awkward: {error}") from error
    first, second = (ak.unflatten(np.arange(counts(size, f).sum()), counts(size, f)) for f in range(2))
    return lambda: ak.argcartesian([first, second])


LIBRARIES = {"ours": _ours, "numpy": _numpy, "awkward": _awkward}


class PeersProduct(Benchmark):
    """The parameters of `CartesianProduct` on the processor, for one library after the other."""

    param_names = ("segments", "library")
    params = (list(SIZES), list(LIBRARIES))
    track_bandwidth = None  # the bytes are the same for all: times can be compared as they are

    def setup(self, *params):
        super().setup(*params, "cpu")

    def prepare(self, segments, library):
        return LIBRARIES[library](segments), 8 * pairs(segments)
