"""`A @ X`: a sparse matrix times a dense one, in one pass over the sparse one."""

from spark_csr import _ops as ops
from spark_csr._operations.form.dtypes import computed_dtype
from spark_csr._operations.form.record import tiles
from spark_csr._operations.product.prepared import make_product
from spark_csr._operations.product.spmv import spmv


def spmm(csr, x, ring=ops.PLUS_TIMES, out=None):
    """Compute `Y[i, :] = add over the entries of row i of multiply(data, X[column, :])`.

    `X` has one row per column of the matrix. In C order it is read as it is; where its columns are contiguous (Fortran order) a
    copy of its rows is read, all at once or a few columns at a time; any other layout is copied first. `Y` is in C order. On a
    GPU: two launches, or three or four where a row is very long; the first product reads the length of the longest row back.
    """
    if x.shape[1] == 1:
        y = spmv(csr, x[:, 0], ring, None if out is None else out.reshape(-1))
        return y[:, None] if out is None else out
    key = ring, csr.data.dtype.char, x.dtype.char, x.shape[1]
    product = csr.plans.get(key)
    if product is None:
        product = csr.plans.setdefault(key, _prepare(csr, ring, x.dtype, x.shape[1]))
    return product(csr.data, x, out)


def _prepare(csr, ring, x_dtype, columns):
    """Return the function of `(data, x, out)` that holds what the pattern, the dtypes and the number of columns decide."""
    result, shape = ring.result_dtype(csr.data.dtype, x_dtype), (csr.shape[0], columns)
    launch = _do_nothing
    if csr.shape[0] and columns:
        pattern = csr.plan(tiles), ring, csr.indptr, csr.indices
        launch = csr.backend.prepare_spmm(*pattern, csr.data.dtype, computed_dtype(result), columns)
    return make_product(csr.xp, launch, shape, result, either_order=True)


def _do_nothing(data, x, y):
    """Write nothing: there are no rows, or no columns."""
