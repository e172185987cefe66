"""Other libraries on the same matrices: each adapter returns the function to be timed, or says that it is not installed."""

import functools
import glob
import importlib
import os
import sys

import numpy as np

from benchmarks import data
from benchmarks.common import Benchmark, device
from benchmarks.spmm import COLUMNS
from spark_csr.cli import gpu
from spark_csr.cli.product import bytes_moved, operand


def ours(A, x):
    return lambda: A @ x


def scipy(A, x):
    S = A.to_scipy()
    return lambda: S @ x


@functools.cache
def _mkl():
    if "MKL_RT" not in os.environ:  # its loader looks into system folders only
        found = sorted(glob.glob(os.path.join(sys.prefix, "lib", "libmkl_rt.so.*")))
        if found:
            os.environ["MKL_RT"] = found[-1]
    return importlib.import_module("sparse_dot_mkl").dot_product_mkl


def mkl(A, x):
    try:
        product = _mkl()
    except (ImportError, OSError, RuntimeError) as error:
        raise NotImplementedError(f"no MKL: {error}") from error
    S = importlib.import_module("scipy.sparse").csr_matrix(A.to_scipy())
    return lambda: product(S, x)


@functools.cache
def _graphblas():
    graphblas = importlib.import_module("graphblas")
    graphblas.init("suitesparse", blocking=True)
    return graphblas


def graphblas(A, x):
    try:
        gb = _graphblas()
    except ImportError as error:
        raise NotImplementedError(f"no GraphBLAS: {error}") from error
    M, plus_times = gb.io.from_scipy_sparse(A.to_scipy()), gb.semiring.plus_times
    if x.ndim == 1:
        v = gb.Vector.from_dense(x)
        return lambda: M.mxv(v, plus_times).new()
    X = gb.Matrix.from_dense(x)
    return lambda: M.mxm(X, plus_times).new()


def cupy(A, x):
    device("cuda")
    C, x = A.to_device("cuda").to_cupy(), gpu.cupy_module().asarray(x)
    return lambda: C @ x


def as_numpy(y):
    """A peer's result as a NumPy array."""
    for method in ("to_dense", "get"):
        if hasattr(y, method):
            return getattr(y, method)() if method == "get" else y.to_dense(fill_value=0)
    return np.asarray(y)


PEERS = {"ours": ours, "scipy": scipy, "mkl": mkl, "graphblas": graphblas, "cupy": cupy}


class Peers(Benchmark):
    """The parameters of `spmv.SpMV`, for one library after the other."""

    param_names = ("matrix", "dtype", "library")
    params = (data.NAMES, data.DTYPES, list(PEERS))
    columns = None
    track_bandwidth = None  # the bytes are the same for all: times can be compared as they are

    def setup(self, *params):
        super().setup(*params, "cuda" if params[-1] == "cupy" else "cpu")

    def prepare(self, matrix, dtype, library):
        A = data.matrix(matrix, dtype)
        return PEERS[library](A, operand(A, self.columns)), bytes_moved(A, self.columns or 1)


class PeersSpMM(Peers):
    """The parameters of `spmm.SpMM` in double precision."""

    params = (["poisson", "uniform"], ["float64"], list(PEERS))
    columns = COLUMNS
