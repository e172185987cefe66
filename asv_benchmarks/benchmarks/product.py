"""Cartesian products and combinations of segments."""

import numpy as np

from benchmarks.common import BACKENDS, LARGE, Benchmark, Compared
from spark_csr.primitives import combinations

SIZES = {"long": (5000, 100) if LARGE else (200, 100), "short": (1_000_000, 3) if LARGE else (100_000, 3)}
"""Segments, and elements of each on average. The first of the large ones gives 50 million pairs: the product of collision
events that the GPU prototypes of awkward-array were measured with in 2018."""


def offsets(size, factor=0):
    segments, mean = SIZES[size]
    return np.concatenate([[0], np.cumsum(np.random.default_rng(factor).poisson(mean, segments))]).astype(np.int32)


class CartesianProduct(Compared, operations=("cartesian_product",), axes={"segments": list(SIZES)}):
    def operands(self, segments):
        return offsets(segments, 0), offsets(segments, 1)

    def moved(self, first, second):
        return 8 * int((np.diff(first) * np.diff(second)).sum())


class Combinations(Benchmark):
    param_names = ("segments", "n", "backend")
    params = (list(SIZES), [2, 3], BACKENDS)

    def prepare(self, segments, n):
        cuts = self.on_device(offsets(segments))
        total = combinations(cuts, n)[1].size
        return lambda: combinations(cuts, n), 4 * n * total
