"""`A @ x`: gather, pairwise multiply, segmented sum, in one pass over the matrix."""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._operations.form.dtypes import computed_dtype, dtype_of_long_sums
from spark_csr._operations.form.record import tiles
from spark_csr._operations.product.prepared import make_product

SUM = ops.MONOIDS["sum"]


def spmv(csr, x, ring=ops.PLUS_TIMES, out=None):
    """Compute `y[i] = add over the entries of row i of multiply(data, x[column])`.

    `x` has one entry per column and lives where the matrix does; `out`, if given, is a contiguous array of the result's
    dtype. Cost: one pass over the matrix; on a GPU one launch, or two or three where a row may be cut. After the first product
    the host's work is one look-up and the launches.
    """
    key = ring, csr.data.dtype.char, x.dtype.char
    product = csr.plans.get(key)
    if product is None:
        product = csr.plans.setdefault(key, _prepare(csr, ring, x.dtype))
    return product(csr.data, x, out)


def _prepare(csr, ring, x_dtype):
    """Return the function of `(data, x, out)` that holds everything the pattern and the dtypes decide."""
    result, rows = ring.result_dtype(csr.data.dtype, x_dtype), csr.shape[0]
    launch, dtype = _do_nothing, computed_dtype(result)
    if csr.xp is np and ring.add is SUM:  # the cores add a tile of a row to a few sums, GPUs in a tree
        dtype = dtype_of_long_sums(dtype, csr.indices.size, rows)
    if rows:
        pattern = csr.plan(tiles), ring, csr.indptr, csr.indices
        launch = csr.backend.prepare_spmv(*pattern, csr.data.dtype, dtype)
    return make_product(csr.xp, launch, rows, result, dtype=dtype)


def _do_nothing(data, x, y):
    """Write nothing: there are no rows."""
