"""`A.T @ x`, `A.T @ X`, `x @ A` and `X @ A`, without building the transpose."""

from spark_csr import ops
from spark_csr._array import namespace_of
from spark_csr._dispatch import backend_of
from spark_csr.operations.record import tiles
from spark_csr.operations.spmv import computed_dtype, finished


def _plan(csr):
    return backend_of(csr.data).plan_transposed(csr.plan(tiles), csr.indptr, csr.indices, csr.shape[1])


def product_transposed(csr, x, ring=ops.PLUS_TIMES, out=None):
    """`y[j, ...] = add over the entries of column j of multiply(data, x[row, ...])`; `x` has one entry (or row) per row.

    Cost: one pass over the matrix and one over private sums of little more than the result (cores), or one pass through a
    permutation kept with the matrix (GPU). Same bits every run on both.
    """
    xp = namespace_of(csr.data)
    result = ring.result_dtype(csr.data.dtype, x.dtype)
    dtype = computed_dtype(result)
    shape = (csr.shape[1], *x.shape[1:])
    y = xp.empty(shape, dtype) if out is None or result != dtype else out
    if y.size and not csr.indices.size:
        y[...] = ring.add.identity_for(dtype)
    elif y.size:
        x = xp.ascontiguousarray(x, dtype=dtype)
        as_columns = (x.reshape(x.shape[0], -1), y.reshape(y.shape[0], -1))
        backend_of(x).spmm_transposed(csr.plan(_plan), ring, *csr.arrays, *as_columns)
    return finished(y, result, out)
