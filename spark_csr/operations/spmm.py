"""`A @ X`: a sparse matrix times a dense one, in one pass over the sparse one."""

from spark_csr import ops
from spark_csr._array import namespace_of
from spark_csr._dispatch import backend_of
from spark_csr.operations.record import tiles
from spark_csr.operations.spmv import computed_dtype, finished, spmv


def spmm(csr, x, ring=ops.PLUS_TIMES, out=None):
    """`Y[i, :] = add over the entries of row i of multiply(data, X[column, :])`.

    `X` has one row per column of the matrix. In C order it is read as it is; where its columns are contiguous (Fortran
    order) each is a product of its own, again without a copy; any other layout is copied once. `Y` is in C order.
    """
    xp = namespace_of(csr.data)
    result = ring.result_dtype(csr.data.dtype, x.dtype)
    dtype = computed_dtype(result)
    y = xp.empty((csr.shape[0], x.shape[1]), dtype) if out is None or result != dtype else out
    if not y.size:
        return finished(y, result, out)
    if x.shape[1] == 1 or (x.flags.f_contiguous and not x.flags.c_contiguous):
        for c in range(x.shape[1]):
            y[:, c] = spmv(csr, x[:, c], ring)
    else:
        x = xp.ascontiguousarray(x, dtype=dtype)
        backend_of(x).spmm(csr.plan(tiles), ring, *csr.arrays, x, y)
    return finished(y, result, out)
