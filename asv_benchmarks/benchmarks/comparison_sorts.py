"""The comparison sorts as kernels, beside NumPy's stable sort. Each run sorts a fresh copy, on both sides."""

import numpy as np

from benchmarks.common import BACKENDS, Benchmark, N
from spark_csr._dispatch import backend_of

SIZES = {"merge_sort": N, "bitonic_sort": N, "odd_even_sort": 1 << 14}
KEYS = ["uint32", "uint64"]


def keys(n, dtype):
    return np.random.default_rng(0).integers(0, np.iinfo(dtype).max, n, dtype=dtype)


class ComparisonSort(Benchmark):
    param_names = ("sort", "dtype", "payload", "backend")
    params = (list(SIZES), KEYS, [False, True], BACKENDS)

    def prepare(self, sort, dtype, payload):
        x = self.on_device(keys(SIZES[sort], dtype))
        order = self.on_device(np.arange(x.size, dtype=np.int32)) if payload else None
        kernel = getattr(backend_of(x), sort)
        moved = 2 * (x.nbytes + (order.nbytes if payload else 0))
        return lambda: kernel(x.copy(), order.copy() if payload else None), moved


class StableSortOfNumPy(Benchmark):
    param_names = ("dtype", "payload", "backend")
    params = (KEYS, [False, True], ["cpu"])

    def prepare(self, dtype, payload):
        x = keys(N, dtype)
        function = np.argsort if payload else np.sort
        return lambda: function(x, kind="stable"), 2 * x.nbytes
