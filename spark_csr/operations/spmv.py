"""`A @ x`: gather, pairwise multiply, segmented sum, in one pass over the matrix."""

import numpy as np

from spark_csr import ops
from spark_csr._array import namespace_of
from spark_csr._dispatch import backend_of
from spark_csr.operations.record import tiles


def spmv(csr, x, ring=ops.PLUS_TIMES, out=None):
    """`y[i] = add over the entries of row i of multiply(data, x[column])`.

    `x` has one entry per column and lives where the matrix does; `out`, if given, is a contiguous array of the result's
    dtype. Cost: one pass over the matrix; on a GPU one launch, or two where a row may be cut. After the first product the
    host's work is one look-up and the launch.
    """
    key = ring, csr.data.dtype.char, x.dtype.char
    product = csr.plans.get(key)
    if product is None:
        product = csr.plans.setdefault(key, _prepared(csr, ring, x.dtype))
    return product(csr.data, x, out)


def _prepared(csr, ring, x_dtype):
    """A function of `(data, x, out)` that holds everything the pattern and the dtypes decide."""
    result = ring.result_dtype(csr.data.dtype, x_dtype)
    dtype = computed_dtype(result)
    rows, xp = csr.shape[0], namespace_of(csr.data)
    stored = csr.data.dtype
    launch = rows and backend_of(csr.data).prepare_spmv(csr.plan(tiles), ring, csr.indptr, csr.indices, stored, dtype)

    def product(data, x, out):
        if x.dtype != dtype or not x.flags.c_contiguous:
            x = xp.ascontiguousarray(x, dtype=dtype)
        direct = out is not None and result == dtype
        y = out if direct else xp.empty(rows, dtype)
        if rows:
            launch(data, x, y)
        return y if direct or (out is None and result == dtype) else finished(y, result, out)

    return product


def computed_dtype(dtype):
    """The dtype that products of this result dtype are summed in."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def finished(y, result, out):
    """`y` in the result's dtype, in `out` where the caller gave one."""
    if out is None:
        return y.astype(result, copy=False)
    if out is not y:
        out[...] = y
    return out
