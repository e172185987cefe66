"""`A @ x` as its definition reads, in public primitives. The oracle of the fused kernel, and the first thing to read."""

from spark_csr._array import namespace_of
from spark_csr._numba import njit
from spark_csr._operations.form.dtypes import check_dtype, computed_dtype
from spark_csr.primitives import for_each, right_flood, segmented_scan


@njit
def _write_row_at_start(row, indptr, starts, is_start):
    """Write a row's number at its first entry. Empty rows write nothing, so no two rows write to one position."""
    if indptr[row + 1] > indptr[row]:
        starts[indptr[row]] = row
        is_start[indptr[row]] = True


@njit
def _take_last_of_row(entry, rows, entries, sums, y):
    """Copy the running sum at a row's last entry, which is the row's sum."""
    if entry + 1 == entries or rows[entry + 1] != rows[entry]:
        y[rows[entry]] = sums[entry]


def spmv_composed(A, x):
    """`A @ x` written with the public primitives: the definition that the fused kernel is tested against.

    Parameters
    ----------
    A : csr_array, shape (m, n)
    x : (n,) array
        On the device of `A`.

    Returns
    -------
    (m,) array
        Of dtype `numpy.result_type(A, x)`.

    Notes
    -----
    *Cost*: about ten passes over arrays of nnz elements, where `A @ x` needs one. *Order*: same bits every run, other
    rounding than `A @ x`. *Empty input*: a row without entries is 0. Source: Blelloch, Heroux & Zagha, *Segmented
    Operations for Sparse Matrix Computation*, 1993; row ids by right flood (supplient, 2022).

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr import csr_array, spmv_composed
    >>> spmv_composed(csr_array([[1.0, 0, 2], [3, 4, 5], [0, 0, 6]]), np.array([1.0, 10, 100]))
    array([201., 543., 600.])
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
