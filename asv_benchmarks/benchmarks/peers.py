"""Other libraries on the same matrices: each adapter returns the function to be timed, or says that it is not installed."""

import ctypes
import functools
import glob
import importlib
import os
import sys

import numba
import numpy as np

from benchmarks import data
from benchmarks.common import Benchmark, device
from benchmarks.spmm import COLUMNS
from spark_csr._cli import gpu
from spark_csr._cli.time_product import bytes_moved, make_operand


def ours(A, x):
    return lambda: A @ x


def scipy(A, x):
    S = A.to_scipy()
    return lambda: S @ x


@numba.njit(parallel=True)
def _plain(parts, indptr, indices, data, x, y):
    for part in numba.prange(parts.size - 1):
        for row in range(parts[part], parts[part + 1]):
            total = y.dtype.type(0)
            for p in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
                total += data[p] * x[np.uint64(indices[p])]
            y[row] = total


def plain(A, x):
    """What anybody writes with Numba: rows in sixteen parts of about equal work, one sum for each row."""
    if x.ndim != 1 or A.data.dtype != x.dtype or A.format != "csr":
        raise NotImplementedError("for rows and vectors of the matrix's dtype only")
    work = A.indptr.astype(np.int64) + np.arange(A.indptr.size)
    parts = np.searchsorted(work, np.linspace(0, work[-1], 17))
    parts[-1] = A.shape[0]

    def product():
        y = np.empty(A.shape[0], x.dtype)
        _plain(parts, A.indptr, A.indices, A.data, x, y)
        return y

    return product


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
    csr_matrix = importlib.import_module("scipy.sparse").csr_matrix
    if A.format == "csc":  # said so, the rows of `A.T` are read as they are
        S = csr_matrix(A.T.to_scipy())
        return lambda: product(x.T, S).T
    S = csr_matrix(A.to_scipy())
    return lambda: product(S, x)


class _Description(ctypes.Structure):
    """MKL's `matrix_descr`: a general matrix."""

    _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]


ROWS, COLUMNS_FIRST = 101, 102  # MKL's names of layouts: C order and Fortran order


def mkl_inspected(A, x):
    """MKL after `mkl_sparse_set_mv_hint` or `_mm_hint` and `mkl_sparse_optimize`, which may take as long as 100 products."""
    try:
        _mkl()
        library = ctypes.CDLL(os.environ["MKL_RT"])
    except (ImportError, OSError, RuntimeError, KeyError) as error:
        raise NotImplementedError(f"no MKL: {error}") from error
    letter, scalar = {"f4": ("s", ctypes.c_float), "f8": ("d", ctypes.c_double)}.get(x.dtype.str[1:], (None, None))
    if letter is None or A.data.dtype != x.dtype or A.indices.dtype != np.int32:
        raise NotImplementedError("for float32 and float64 and indices of four bytes only")
    way, stored = (10, A) if A.format == "csr" else (11, A.T)  # as it is; transposed
    indptr, handle, general = stored.indptr.astype(np.int32), ctypes.c_void_p(), _Description(20, 0, 0)
    at = [ctypes.c_void_p(array.ctypes.data) for array in (indptr, indptr[1:], stored.indices, stored.data)]
    sizes = ctypes.c_int(stored.shape[0]), ctypes.c_int(stored.shape[1])
    status = getattr(library, f"mkl_sparse_{letter}_create_csr")(ctypes.byref(handle), 0, *sizes, *at)
    multiply = getattr(library, f"mkl_sparse_{letter}_{'mv' if x.ndim == 1 else 'mm'}")
    order, pointer = "C" if x.flags.c_contiguous else "F", ctypes.c_void_p(x.ctypes.data)
    if x.ndim == 1:
        status |= library.mkl_sparse_set_mv_hint(handle, way, general, 1000)
        given, result = (pointer,), ()
    else:
        layout, size = (ROWS if order == "C" else COLUMNS_FIRST), x.shape[1]
        status |= library.mkl_sparse_set_mm_hint(handle, way, general, layout, size, 1000)
        given = layout, pointer, size, size if order == "C" else x.shape[0]
        result = (size if order == "C" else A.shape[0],)
    status |= library.mkl_sparse_optimize(handle)
    if status:
        raise NotImplementedError(f"MKL's inspector returned status {status}")
    one, zero, kept = scalar(1), scalar(0), (indptr, stored, A, x)

    def product():
        y = np.empty((kept[2].shape[0], *x.shape[1:]), x.dtype, order)
        multiply(way, one, handle, general, *given, zero, ctypes.c_void_p(y.ctypes.data), *result)
        return y

    return product


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
    if A.format != "csr":
        raise NotImplementedError("for rows only")
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


PEERS = {"ours": ours, "scipy": scipy, "plain": plain, "mkl": mkl, "graphblas": graphblas, "cupy": cupy}


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
        return PEERS[library](A, make_operand(A, self.columns)), bytes_moved(A, self.columns or 1)


class PeersSpMM(Peers):
    """The parameters of `spmm.SpMM` in double precision."""

    params = (["poisson", "uniform"], ["float64"], list(PEERS))
    columns = COLUMNS
