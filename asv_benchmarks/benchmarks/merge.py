"""Merging two sorted arrays, beside what NumPy's users write: concatenate, then a stable sort."""

import numpy as np

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark, Compared, N
from spark_csr import config
from spark_csr.primitives import is_bitonic, merge

DTYPES = ["int32", "float64"]


def halves(dtype):
    """Two sorted arrays of N / 2 elements."""
    x = (data.values() * 2**30).astype(dtype)
    return np.sort(x[: N // 2]), np.sort(x[N // 2 :])


class Merge(Compared, operations=("merge",), axes={"dtype": DTYPES}):
    """Ours reads the operands once more to see that they ascend."""

    def operands(self, dtype):
        return halves(dtype)

    def moved(self, a, b):
        return 2 * (a.nbytes + b.nbytes)


class MergeUnchecked(Benchmark):
    param_names = ("dtype", "backend")
    params = (DTYPES, BACKENDS)

    def prepare(self, dtype):
        a, b = map(self.on_device, halves(dtype))

        def call():
            with config(validate=False):
                return merge(a, b)

        return call, 2 * (a.nbytes + b.nbytes)


class MergeWithPositions(Benchmark):
    def prepare(self):
        a, b = map(self.on_device, halves("int32"))
        return lambda: merge(a, b, return_index=True), 2 * (a.nbytes + b.nbytes) + 4 * N


class IsBitonic(Benchmark):
    def prepare(self):
        x = self.on_device(np.sort(data.values()))
        return lambda: is_bitonic(x), x.nbytes
