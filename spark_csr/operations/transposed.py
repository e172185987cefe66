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
    key = _plan, ring, csr.data.dtype.char, x.dtype.char, x.shape[1:]
    product = csr.plans.get(key)
    if product is None:
        product = csr.plans.setdefault(key, _prepared(csr, ring, x.dtype, x.shape[1:]))
    return product(csr.data, x, out)


def _prepared(csr, ring, x_dtype, columns):
    """A function of `(data, x, out)` that holds everything the pattern, the dtypes and the number of columns decide."""
    result = ring.result_dtype(csr.data.dtype, x_dtype)
    dtype = computed_dtype(result)
    shape, xp, identity = (csr.shape[1], *columns), namespace_of(csr.data), ring.add.identity_for(dtype)
    flat = columns[0] if columns else 1
    launch = None
    if shape[0] and flat and csr.indices.size:
        given = csr.plan(_plan), ring, csr.indptr, csr.indices, csr.data.dtype, dtype, flat
        launch = backend_of(csr.data).prepare_transposed(*given)

    def product(data, x, out):
        if x.dtype != dtype or not x.flags.c_contiguous:
            x = xp.ascontiguousarray(x, dtype=dtype)
        y = out if out is not None and result == dtype else xp.empty(shape, dtype)
        if launch is None:
            y[...] = identity
        else:
            launch(data, x.reshape(-1, flat), y.reshape(-1, flat))
        return y if y is out or (out is None and result == dtype) else finished(y, result, out)

    return product
