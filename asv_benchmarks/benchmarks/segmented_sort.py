"""Sorting segments on their own: short ones, longer ones, one of everything."""

import numpy as np

from benchmarks import data
from benchmarks.common import BACKENDS, LARGE, Benchmark, Compared, N
from spark_csr.primitives import segmented_topk

MEANS = [8, 100, 10_000, N] if LARGE else [8, 10_000, N]


def offsets(mean):
    """Cuts of N elements at random places, `mean` apart on average."""
    cuts = np.random.default_rng(0).integers(0, N, N // mean - 1)
    return np.concatenate([[0], np.sort(cuts), [N]]).astype(np.int32)


class SegmentedSort(Compared, operations=("segmented_sort", "segmented_argsort"), axes={"mean": MEANS}):
    def operands(self, operation, mean):
        return data.values(), offsets(mean)

    def moved(self, x, cuts):
        return 2 * x.nbytes + cuts.nbytes


class SegmentedTopK(Benchmark):
    param_names = ("mean", "backend")
    params = (MEANS, BACKENDS)

    def prepare(self, mean):
        x, cuts = self.on_device(data.values()), self.on_device(offsets(mean))
        return lambda: segmented_topk(x, cuts, 4), x.nbytes + cuts.nbytes
