"""Sorting, beside NumPy's stable sort and CuPy's."""

import functools

import numpy as np

from benchmarks.common import BACKENDS, LARGE, Benchmark, N
from spark_csr._cli import gpu
from spark_csr.primitives import argsort, sort, sort_by_key

KEYS = ["int32", "int64", "float64", "int32 below 1000"]


@functools.cache
def keys(kind, n=N):
    """Random numbers of all magnitudes, or of a small range."""
    rng = np.random.default_rng(0)
    if kind == "float64":
        return rng.standard_normal(n)
    if kind == "int32 below 1000":
        return rng.integers(0, 1000, n).astype(np.int32)
    info = np.iinfo(kind)
    return rng.integers(info.min, info.max, n, np.dtype(kind))


class Sort(Benchmark):
    param_names = ("keys", "backend")
    params = (KEYS, BACKENDS)

    def prepare(self, kind):
        x = self.on_device(keys(kind))
        return lambda: sort(x), 2 * x.nbytes


class ArgSort(Benchmark):
    param_names = ("keys", "backend")
    params = (KEYS, BACKENDS)

    def prepare(self, kind):
        x = self.on_device(keys(kind))
        return lambda: argsort(x), x.nbytes + 4 * x.size


class SortByKey(Benchmark):
    def prepare(self):
        x = self.on_device(keys("int32"))
        values = self.on_device(keys("float64"))
        return lambda: sort_by_key(x, values), 2 * (x.nbytes + values.nbytes)


class SmallSort(Benchmark):
    """A hundred elements: what a call costs."""

    def prepare(self):
        x = self.on_device(keys("int64", 100))
        return lambda: sort(x), 2 * x.nbytes


PEERS = {
    ("sort", "ours"): sort,
    ("sort", "numpy"): lambda x: np.sort(x, kind="stable"),
    ("sort", "numpy, not stable"): np.sort,
    ("sort", "cupy"): lambda x: gpu.cupy_module().sort(x),
    ("argsort", "ours"): argsort,
    ("argsort", "numpy"): lambda x: np.argsort(x, kind="stable"),
    ("argsort", "numpy, not stable"): np.argsort,
    ("argsort", "cupy"): lambda x: gpu.cupy_module().argsort(x),
}


class PeersSort(Benchmark):
    """The same keys in other libraries; `cupy` runs where there is a GPU."""

    param_names = ("function", "keys", "library")
    params = (["sort", "argsort"], KEYS if LARGE else KEYS[:2], ["ours", "numpy", "numpy, not stable", "cupy"])
    track_bandwidth = None

    def setup(self, *params):
        super().setup(*params, "cuda" if params[-1] == "cupy" else "cpu")

    def prepare(self, function, kind, library):
        x = self.on_device(keys(kind))
        call = PEERS[function, library]
        return lambda: call(x), 2 * x.nbytes
