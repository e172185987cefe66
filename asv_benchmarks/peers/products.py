"""Products: `A @ x` and `A @ X`, where `A` may be transposed, and `A @ A`, also masked by itself."""

import ctypes
import functools
import glob
import importlib
import operator
import os
import sys

import numpy as np
import scipy.sparse as sp

from peers import calls, peer

calls("A @ x", ours=operator.matmul, scipy=operator.matmul)
calls("A.matmul(x, semiring)", ours=lambda A, x, ring: A.matmul(x, semiring=ring))


def _masked(A, masked):
    """The mask of other libraries counts with its values: let these be ones."""
    return (A @ A).multiply(A) if masked else A @ A


calls("A @ A", ours=lambda A, masked: A.matmul(A, mask=A) if masked else A @ A, scipy=_masked, cupy=_masked)


@functools.cache
def _mkl():
    """The function of MKL that multiplies."""
    if "MKL_RT" not in os.environ:  # its loader looks into system folders only
        found = sorted(glob.glob(os.path.join(sys.prefix, "lib", "libmkl_rt.so.*")))
        if found:
            os.environ["MKL_RT"] = found[-1]
    try:
        return importlib.import_module("sparse_dot_mkl").dot_product_mkl
    except (ImportError, OSError, RuntimeError) as error:
        raise NotImplementedError(f"no MKL: {error}") from error


@peer("A @ x", "mkl")
def mkl(A, x):
    """Its Python package takes matrices, not arrays, of SciPy's."""
    product = _mkl()
    if A.format == "csc":  # said so, the rows of `A.T` are read as they are
        S = sp.csr_matrix(A.T.to_scipy())
        return lambda: product(x.T, S).T
    S = sp.csr_matrix(A.to_scipy())
    return lambda: product(S, x)


@peer("A @ A", "mkl")
def mkl_square(A, masked):
    """Rows come unsorted."""
    product, S = _mkl(), sp.csr_matrix(A.to_scipy())
    return (lambda: product(S, S).multiply(S)) if masked else (lambda: product(S, S))


class _Description(ctypes.Structure):
    """MKL's `matrix_descr`: a general matrix."""

    _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]


ROWS, COLUMNS_FIRST = 101, 102  # MKL's names of layouts: C order and Fortran order


@peer("A @ x", "mkl, inspected")
def mkl_inspected(A, x):
    """MKL after `mkl_sparse_set_mv_hint` or `_mm_hint` and `mkl_sparse_optimize`, which may take as long as 100 products."""
    _mkl()
    try:
        library = ctypes.CDLL(os.environ["MKL_RT"])
    except (OSError, KeyError) as error:
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
def graphblas():
    """GraphBLAS itself, told to compute when it is called."""
    module = importlib.import_module("graphblas")
    module.init("suitesparse", blocking=True)
    return module


@peer("A @ x", "graphblas")
def graphblas_product(A, x):
    """Of rows only."""
    gb = graphblas()
    if A.format != "csr" or x.ndim != 1:
        raise NotImplementedError("for rows and vectors only: the gigabytes that it hands back slow down whoever comes next")
    M, plus_times = gb.io.from_scipy_sparse(A.to_scipy()), gb.semiring.plus_times
    v = gb.Vector.from_dense(x)
    return lambda: M.mxv(v, plus_times).new()


@peer("A @ A", "graphblas")
def graphblas_square(A, masked):
    gb = graphblas()
    M, plus_times = gb.io.from_scipy_sparse(A.to_scipy()), gb.semiring.plus_times
    return lambda: M.mxm(M, plus_times).new(mask=M.S if masked else None)
