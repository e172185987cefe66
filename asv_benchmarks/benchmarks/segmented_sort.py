"""Sorting segments on their own: short ones, longer ones, one of everything; beside NumPy's lexsort of (x, segment)."""

import numpy as np

from benchmarks import data
from benchmarks.common import BACKENDS, LARGE, Benchmark, N
from spark_csr.primitives import segment_ids, segmented_argsort, segmented_sort, segmented_topk

MEANS = [8, 100, 10_000, N] if LARGE else [8, 10_000, N]


def offsets(mean):
    """Cuts of N elements at random places, `mean` apart on average."""
    cuts = np.random.default_rng(0).integers(0, N, N // mean - 1)
    return np.concatenate([[0], np.sort(cuts), [N]]).astype(np.int32)


class SegmentedSort(Benchmark):
    param_names = ("mean", "backend")
    params = (MEANS, BACKENDS)

    def prepare(self, mean):
        x, cuts = self.on_device(data.values()), self.on_device(offsets(mean))
        return lambda: segmented_sort(x, cuts), 2 * x.nbytes + cuts.nbytes


class SegmentedArgsort(Benchmark):
    param_names = ("mean", "backend")
    params = (MEANS, BACKENDS)

    def prepare(self, mean):
        x, cuts = self.on_device(data.values()), self.on_device(offsets(mean))
        return lambda: segmented_argsort(x, cuts), x.nbytes + 4 * N + cuts.nbytes


class SegmentedTopK(Benchmark):
    param_names = ("mean", "backend")
    params = (MEANS, BACKENDS)

    def prepare(self, mean):
        x, cuts = self.on_device(data.values()), self.on_device(offsets(mean))
        return lambda: segmented_topk(x, cuts, 4), x.nbytes + cuts.nbytes


class Lexsort(Benchmark):
    """NumPy, by segment and value: what `segmented_argsort` is compared with. Of one segment: NumPy's stable argsort."""

    param_names = ("mean", "backend")
    params = (MEANS, ["cpu"])

    def prepare(self, mean):
        x, ids = data.values(), segment_ids(offsets(mean))
        peer = (lambda: np.argsort(x, kind="stable")) if mean == N else (lambda: np.lexsort((x, ids)))
        return peer, x.nbytes + 4 * N
