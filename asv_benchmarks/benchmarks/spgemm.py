"""`A @ A` for sparse matrices, on every library that is installed; and with a mask, as triangles are counted."""

import importlib

import numpy as np

from benchmarks import data, peers
from benchmarks.common import Benchmark, device
from spark_csr import gallery
from spark_csr._operations.product.spgemm import spgemm

SIDE, ROWS, SCALE = (60, 200_000, 15) if data.LARGE else (30, 20_000, 12)

MATRICES = {
    "poisson": lambda: gallery.poisson((SIDE,) * 3, np.float64),
    "uniform": lambda: gallery.uniform(ROWS, ROWS, 10, dtype=np.float64),
    "rmat": lambda: gallery.rmat(SCALE, dtype=np.float64),
    "small": lambda: gallery.uniform(1000, 1000, 10, dtype=np.float64),
    "tiny": lambda: gallery.uniform(10, 10, 3, dtype=np.float64),
}


def graph(A):
    """The pattern with ones for values: a product of matrices ignores its mask's values, an elementwise one does not."""
    return A._of(A._csr.with_data(np.ones_like(A.data)))


def ours(A, masked=False):
    csr = A._csr
    return lambda: spgemm(csr, csr, mask=csr if masked else None)


def scipy(A, masked=False):
    S = A.to_scipy()
    return (lambda: (S @ S).multiply(S)) if masked else (lambda: S @ S)


def mkl(A, masked=False):
    """Rows come unsorted."""
    try:
        product = peers._mkl()
    except (ImportError, OSError, RuntimeError) as error:
        raise NotImplementedError(f"no MKL: {error}") from error
    S = importlib.import_module("scipy.sparse").csr_matrix(A.to_scipy())
    return (lambda: product(S, S).multiply(S)) if masked else (lambda: product(S, S))


def graphblas(A, masked=False):
    try:
        gb = peers._graphblas()
    except ImportError as error:
        raise NotImplementedError(f"no GraphBLAS: {error}") from error
    M, plus_times = gb.io.from_scipy_sparse(A.to_scipy()), gb.semiring.plus_times
    return lambda: M.mxm(M, plus_times).new(mask=M.S if masked else None)


def cupy(A, masked=False):
    device("cuda")
    C = A.to_device("cuda").to_cupy()
    return (lambda: (C @ C).multiply(C)) if masked else (lambda: C @ C)


def ours_cuda(A, masked=False):
    device("cuda")
    return ours(A.to_device("cuda"), masked)


PEERS = {"ours": ours, "scipy": scipy, "mkl": mkl, "graphblas": graphblas, "ours_cuda": ours_cuda, "cupy": cupy}


class Matmul(Benchmark):
    """The square of a matrix, for one library after the other."""

    param_names = ("matrix", "library")
    params = (list(MATRICES), list(PEERS))
    masked = False
    track_bandwidth = None  # the products are the same for all: times can be compared as they are

    def setup(self, *params):
        super().setup(*params, "cuda" if params[-1] in ("cupy", "ours_cuda") else "cpu")

    def prepare(self, matrix, library):
        A = graph(MATRICES[matrix]())
        return PEERS[library](A, self.masked), A.nbytes


class MatmulMasked(Matmul):
    """The square of a graph where the graph has edges."""

    params = (["rmat"], list(PEERS))
    masked = True
