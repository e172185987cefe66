"""Compute `A @ x` and `A @ B` with public primitives, as their definitions read: the oracles of the fused kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_csr._array import namespace_of
from spark_csr._engine import njit
from spark_csr._operations.form import check
from spark_csr._operations.form.dtypes import check_dtype, computed_dtype
from spark_csr._operations.product.spgemm_composed import multiply_composed
from spark_csr.primitives import for_each, right_flood, segmented_scan

if TYPE_CHECKING:
    from spark_csr._matrix.csr import csr_array
    from spark_csr._types import Array


@njit
def _write_row_at_start(row, indptr, starts, is_start):
    """Write the number of a row where its entries start. Empty rows write nothing, and other rows do not share a start."""
    if indptr[row + 1] > indptr[row]:
        starts[indptr[row]] = row
        is_start[indptr[row]] = True


@njit
def _take_last_of_row(entry, rows, entries, sums, y):
    """Write the running sum at the last entry of a row, which is the sum of the row."""
    if entry + 1 == entries or rows[entry + 1] != rows[entry]:
        y[rows[entry]] = sums[entry]


def spmv_composed(A: csr_array, x: Array) -> Array:
    """Compute `A @ x` with the public primitives: the definition that the fused kernel is tested against.

    Parameters
    ----------
    A : csr_array, shape (m, n)
        The matrix.
    x : (n,) array
        The vector, on the device of `A`.

    Returns
    -------
    (m,) array
        The product, of dtype `numpy.result_type(A, x)`.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    TypeError
        If `A` is not a `csr_array`, the dtype of `x` is not supported, or devices are mixed.

    Notes
    -----
    *Cost*: The function makes about ten passes over arrays with one element for each entry, where `A @ x` makes one. *Order*:
    The result has the same bits in every run, and is rounded differently from `A @ x`. *Empty input*: A row without entries
    gives 0. Source: Blelloch, Heroux & Zagha, *Segmented Operations for Sparse Matrix Computation*, 1993; row ids by right
    flood (supplient, 2022).

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array, spgemm_composed, spmv_composed
    >>> A = csr_array([[1.0, 0, 2], [3, 4, 5], [0, 0, 6]])
    >>> spmv_composed(A, np.array([1.0, 10, 100]))
    array([201., 543., 600.])
    >>> spgemm_composed(A, A).data
    array([ 1., 14., 15., 16., 56., 36.])
    """
    if getattr(A, "format", None) != "csr":
        raise TypeError(f"spmv_composed takes a csr_array, got {type(A).__name__}: use A.tocsr()")
    xp = namespace_of(A.data, x)
    if x.shape != A.shape[1:]:
        raise ValueError(f"dimension mismatch: matrix of shape {A.shape}, vector of shape {x.shape}")
    result = xp.result_type(A.dtype, check_dtype(x.dtype))
    dtype = computed_dtype(result)
    y = xp.zeros(A.shape[0], dtype)
    starts, is_start = xp.zeros(A.nnz, A.indptr.dtype), xp.zeros(A.nnz, bool)

    for_each(A.shape[0], _write_row_at_start, A.indptr, starts, is_start)
    rows = right_flood(starts, is_start)

    gathered = x[A.indices].astype(dtype, copy=False)
    products = A.data.astype(dtype, copy=False) * gathered
    sums = segmented_scan(products, head_flags=is_start, op="any" if dtype == bool else "sum").astype(dtype, copy=False)

    for_each(A.nnz, _take_last_of_row, rows, A.nnz, sums, y)
    return y.astype(result, copy=False)


def spgemm_composed(A: csr_array, B: csr_array) -> csr_array:
    """Compute `A @ B` with the public primitives: the definition that the fused kernels are tested against.

    Parameters, result and exceptions that are not listed are those of `spmv_composed`. See the example of `spmv_composed`.

    Parameters
    ----------
    B : csr_array, shape (k, n)
        The right operand, on the device of `A`.

    Returns
    -------
    csr_array, shape (m, n)
        The product, of dtype `numpy.result_type(A, B)`. Rows are sorted, and there are no duplicates and no zeros.

    Notes
    -----
    *Cost*: The function sorts all scalar products, where `A @ B` reads and adds each of them once; it does so twice if they do
    not fit into `config.spgemm_memory` at once. *Order*: The result has the same bits in every run, whatever the bound. *Empty
    input*: Matrices without rows, columns or entries are allowed. Source: expand, sort, compress (Bell, Dalton & Olson,
    *Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods*, 2012).
    """
    for X in (A, B):
        if getattr(X, "format", None) != "csr" or not hasattr(X, "_csr"):
            given = check.type_and_library_of(X)
            raise TypeError(f"spgemm_composed takes two csr_arrays of spark_csr, got {given}: use csr_array(X)")
    return A._of(multiply_composed(A._csr, B._csr))
