"""`A.T @ x`, `A.T @ X`, `x @ A` and `X @ A`, without building the transpose.

Design: GPUs read the entries by column. The plan says where each is, but looking a value up by its position moves as much
memory as reading four that lie side by side. So values are kept in that order too, for as long as nobody else may change them
(see `record`). Cost: an element for every entry, where memory has room for several times as many; once `A.data` has been read,
products look values up again. A captured graph reads the values themselves, since it may be replayed after they have changed.

The cores scatter a few columns of X, and keep little more than the result. For more columns that writes too much: the pattern
by column is kept, of 8 to 16 bytes for each entry, by which values are gathered for every product, and `spmm` does the rest.
With 16 columns, 10**5 rows and 10**6 entries that takes a fifth of the time, for the first product half (EPYC 25/17, 2026-11).
"""

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import finish_writing, index_dtype, is_capturing
from spark_csr._operations.form import memory
from spark_csr._operations.form.dtypes import computed_dtype, dtype_of_long_sums
from spark_csr._operations.form.record import MATRICES, Csr, tiles
from spark_csr._operations.form.transpose import transpose
from spark_csr._operations.product.prepared import finish, make_product
from spark_csr._operations.product.spmm import spmm
from spark_csr.primitives.sort import gather

SUM = ops.MONOIDS["sum"]

NONE = object()
"""Instead of values by column, where none are kept."""


WIDE = 8
"""Columns of X from which on the cores keep the pattern by column. Not tuned: with 4, scattering is no slower."""


def _plan(csr):
    return csr.backend.plan_transposed(csr.plan(tiles), csr.indptr, csr.indices, csr.shape[1])


def _values_by_column(csr):
    """Return the values in the order in which a GPU reads them, or None. The first product of a matrix makes them."""
    if csr.seen_by != MATRICES or not csr.indices.size or is_capturing(csr.data):
        return None
    if csr.by_column is None:
        csr.by_column = _order(csr)
    return None if csr.by_column is NONE else csr.by_column


def _order(csr):
    """Return the values by column, or NONE: on the cores, and where memory is short."""
    if not memory.has_room(csr.data, csr.data.nbytes):
        return NONE
    try:
        values = csr.backend.order_by_column(csr.plan(_plan), csr.data)
    except MemoryError:
        return NONE
    finish_writing(csr.data)
    return NONE if values is None else values


def multiply_transposed(csr, x, ring=ops.PLUS_TIMES, out=None):
    """Compute `y[j, ...] = add over the entries of column j of multiply(data, x[row, ...])`; `x` has one element (or row) per
    row.

    Cost: on the cores one pass over the matrix and one over private sums of little more than the result; from `WIDE` columns on
    a gather of the values by a permutation kept with the matrix, and `spmm`. On a GPU one pass through such a permutation, or
    through values kept in that order. Same bits every run on both.
    """
    if csr.xp is np and x.ndim == 2 and x.shape[1] >= WIDE and csr.indices.size:
        return _multiply_wide(csr, x, ring, out)
    key = _plan, ring, csr.data.dtype.char, x.dtype.char, x.shape[1:]
    product = csr.plans.get(key)
    if product is None:
        product = csr.plans.setdefault(key, _prepare(csr, ring, x.dtype, x.shape[1:]))
    return product((csr.data, _values_by_column(csr)), x, out)


def pattern_by_column(csr):
    """Return the record of the transpose whose data are the positions of the entries in the matrix. A plan."""
    positions = np.arange(csr.indices.size, dtype=index_dtype(csr.indices.size))
    return transpose(Csr(csr.indptr, csr.indices, positions, csr.shape))


def _multiply_wide(csr, x, ring, out):
    """Multiply by way of the pattern by column; a few columns at a time where memory is too short to keep that."""
    if pattern_by_column not in csr.plans and not memory.has_room(csr.data, 2 * csr.indices.nbytes):
        strips = [multiply_transposed(csr, x[:, at : at + WIDE - 1], ring) for at in range(0, x.shape[1], WIDE - 1)]
        return np.concatenate(strips, axis=1, out=out)
    turned, result = csr.plan(pattern_by_column), ring.result_dtype(csr.data.dtype, x.dtype)
    data, dtype = gather(csr.data, turned.data), computed_dtype(result)
    wide = dtype_of_long_sums(dtype, csr.indices.size, csr.shape[1]) if ring.add is SUM else dtype
    if wide == dtype:
        return spmm(turned.with_data(data), x, ring, out)
    y = spmm(turned.with_data(data.astype(wide)), x.astype(wide), ring)
    return finish(y, result, out)


def _prepare(csr, ring, x_dtype, columns):
    """Return the function of `(values, x, out)` that holds what the pattern, the dtypes and the number of columns decide.

    `values` are those of the matrix, and the same by column or None.
    """
    result, shape = ring.result_dtype(csr.data.dtype, x_dtype), (csr.shape[1], *columns)
    dtype, flat = computed_dtype(result), columns[0] if columns else 1
    if not (shape[0] and flat and csr.indices.size):
        identity = ring.add.identity_for(dtype)
        return make_product(csr.xp, lambda values, x, y: y.fill(identity), shape, result)
    if csr.xp is np and ring.add is SUM:  # the cores add one by one, GPUs in a tree
        dtype = dtype_of_long_sums(dtype, csr.indices.size, shape[0])
    given = csr.plan(_plan), ring, csr.indptr, csr.indices, csr.data.dtype, dtype, flat
    prepare = csr.backend.prepare_transposed
    multiply, multiply_kept = prepare(*given), None

    def launch(values, x, y):
        nonlocal multiply_kept
        data, kept = values
        operands = x.reshape(x.shape[0], flat), y.reshape(y.shape[0], flat)
        if kept is None:
            multiply(data, *operands)
            return
        if multiply_kept is None:
            multiply_kept = prepare(*given, by_column=True)
            multiply(data, *operands)  # loads its kernels too: later calls may be captured
        multiply_kept(kept, *operands)

    return make_product(csr.xp, launch, shape, result, dtype=dtype)
