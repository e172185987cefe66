"""Coordinates to rows, and rows to columns, beside SciPy and CuPy."""

import functools

import numpy as np
import scipy.sparse as sp

from benchmarks import data
from benchmarks.common import BACKENDS, Benchmark, N, device
from spark_csr import csr_array
from spark_csr._cli import gpu

ROWS = N // 10
KINDS = ["coo", "csc"]


@functools.cache
def coordinates():
    """`(data, (row, col))` of ten entries a row, in any order."""
    rng = np.random.default_rng(0)
    return rng.random(N), tuple(rng.integers(0, ROWS, N, np.int32) for _ in range(2))


def ours(kind, on_device):
    if kind == "csc":
        A = csr_array(data.matrix("uniform")).T
        A = A if on_device is np.asarray else A.to_device("cuda")
        return A.tocsr
    values, places = coordinates()
    values, places = on_device(values), tuple(map(on_device, places))
    return lambda: csr_array((values, places), shape=(ROWS, ROWS))


def scipy(kind, on_device):
    if kind == "csc":
        return data.matrix("uniform").T.to_scipy().tocsr
    values, places = coordinates()

    def convert():
        S = sp.coo_array((values, places), shape=(ROWS, ROWS)).tocsr()
        S.sum_duplicates()

    return convert


def cupy(kind, on_device):
    device("cuda")
    if kind == "csc":
        return data.matrix("uniform").T.to_cupy().tocsr
    import cupyx.scipy.sparse as csp

    values, places = coordinates()
    values, places = on_device(values), tuple(map(on_device, places))
    return lambda: csp.coo_matrix((values, places), shape=(ROWS, ROWS)).tocsr()


PEERS = {"ours": ours, "scipy": scipy, "cupy": cupy}


class Conversion(Benchmark):
    """To CSR from another form. Bytes: two indices and a value read, one index and the value written, for each entry."""

    param_names = ("format", "backend")
    params = (KINDS, BACKENDS)

    def prepare(self, kind):
        on_device = np.asarray if self.device == "cpu" else gpu.cupy_module().asarray
        return ours(kind, on_device), 28 * N


class PeersConversion(Benchmark):
    """The same in other libraries; `cupy` runs where there is a GPU."""

    param_names = ("format", "library")
    params = (KINDS, list(PEERS))
    track_bandwidth = None

    def setup(self, *params):
        super().setup(*params, "cuda" if params[-1] == "cupy" else "cpu")

    def prepare(self, kind, library):
        on_device = gpu.cupy_module().asarray if library == "cupy" else np.asarray
        return PEERS[library](kind, on_device), 28 * N
