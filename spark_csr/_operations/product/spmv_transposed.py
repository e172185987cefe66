"""`A.T @ x`, `A.T @ X`, `x @ A` and `X @ A`, without building the transpose."""

from spark_csr import _ops as ops
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._operations.form.record import tiles
from spark_csr._operations.product.prepared import make_product


def _plan(csr):
    return csr.backend.plan_transposed(csr.plan(tiles), csr.indptr, csr.indices, csr.shape[1])


def multiply_transposed(csr, x, ring=ops.PLUS_TIMES, out=None):
    """Compute `y[j, ...] = add over the entries of column j of multiply(data, x[row, ...])`; `x` has one element (or row) per
    row.

    Cost: one pass over the matrix and one over private sums of little more than the result (cores), or one pass through a
    permutation kept with the matrix (GPU). Same bits every run on both.
    """
    key = _plan, ring, csr.data.dtype.char, x.dtype.char, x.shape[1:]
    product = csr.plans.get(key)
    if product is None:
        product = csr.plans.setdefault(key, _prepare(csr, ring, x.dtype, x.shape[1:]))
    return product(csr.data, x, out)


def _prepare(csr, ring, x_dtype, columns):
    """Return the function of `(data, x, out)` that holds what the pattern, the dtypes and the number of columns decide."""
    result, shape = ring.result_dtype(csr.data.dtype, x_dtype), (csr.shape[1], *columns)
    dtype, flat = computed_dtype(result), columns[0] if columns else 1
    if shape[0] and flat and csr.indices.size:
        given = csr.plan(_plan), ring, csr.indptr, csr.indices, csr.data.dtype, dtype, flat
        multiply = csr.backend.prepare_transposed(*given)
    else:
        identity = ring.add.identity_for(dtype)

        def multiply(data, x, y):
            y[...] = identity

    def launch(data, x, y):
        multiply(data, x.reshape(x.shape[0], flat), y.reshape(y.shape[0], flat))

    return make_product(csr.xp, launch, shape, result)
