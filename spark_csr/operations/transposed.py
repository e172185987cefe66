"""`A.T @ x`, `A.T @ X`, `x @ A` and `X @ A`, without building the transpose."""

import numpy as np

from spark_csr import ops
from spark_csr._array import index_dtype, namespace_of
from spark_csr._dispatch import backend_of
from spark_csr.operations.record import tiles
from spark_csr.operations.spmm import spmm
from spark_csr.operations.spmv import computed_dtype, finished, spmv
from spark_csr.operations.transpose import transposed
from spark_csr.primitives.sort import gather


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


def _by_column(csr):
    """The pattern of the transpose; its data says which entry each of its own was."""
    entries = csr.indices.size
    return transposed(csr.with_data(namespace_of(csr.indices).arange(entries, dtype=index_dtype(entries))))


def product_through_transpose(csr, x):
    """The same product for a pattern that is multiplied again and again: its transpose is kept.

    Cost: the first time a stable sort of the entries by column; then a gather of the values and a product by rows, which takes
    half the time of scattering one column, and a quarter with 32 (two cores, EPYC 9005, 2026-11). Two index arrays of nnz
    entries are kept with the matrix. On a GPU the other product keeps as much already.
    """
    if namespace_of(csr.data) is not np:
        return product_transposed(csr, x)
    pattern = csr.plan(_by_column)
    return (spmv if x.ndim == 1 else spmm)(pattern.with_data(gather(csr.data, pattern.data)), x)
