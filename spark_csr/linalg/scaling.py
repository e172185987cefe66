"""Multiply every row or column of a matrix by a number of its own, or divide it by its norm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from spark_csr._array import copy_if_shared, namespace_of
from spark_csr._engine import delay_signals
from spark_csr._matrix.base import SparseArray
from spark_csr._operations.form import dtypes
from spark_csr._operations.form.canonical import sum_before_cast, sum_duplicates_wide
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._operations.form.scale import scale_entries
from spark_csr.linalg.norms import norm as norms_of
from spark_csr.linalg.operators import as_array_on
from spark_csr.primitives.segmented import dtype_of_means

if TYPE_CHECKING:
    from spark_csr._matrix.types import Matrix
    from spark_csr._types import ArrayLike

K = TypeVar("K", bound="Matrix")

ORDERS = {"l1": 1, "l2": 2, "max": np.inf}
"""The orders of norms by their names."""


def scale_rows(A: K, factors: ArrayLike, *, inplace: bool = False) -> K:
    """Multiply every row by a number of its own: `D @ A` for a diagonal matrix `D`.

    Parameters
    ----------
    A : (m, n) csr_array, csc_array or coo_array
        The matrix.
    factors : (m,) array_like
        The factors, of any supported dtype, on the device of the matrix.
    inplace : bool, default False
        If True, change the values of `A` and return `A`.

    Returns
    -------
    csr_array, csc_array or coo_array
        A matrix of the format and the pattern of `A`, in the common dtype of both operands; with `inplace`, `A` itself, whose
        dtype stays. Results that are zero remain entries.

    Raises
    ------
    ValueError
        If there is not one factor for each row, or if the values are read-only with `inplace`.
    TypeError
        If `A` is not a matrix of this package, a dtype is not supported, devices are mixed, or the dtype of `A` cannot hold the
        results with `inplace`.

    See Also
    --------
    scale_columns : Multiply every column by a number of its own.
    normalize : Divide every row or column by its norm.

    Notes
    -----
    *Cost*: The function reads the values, and of each entry its row, once, and writes the result once; index arrays are shared.
    For a `csr_array`, the row of each entry is found the first time and kept with the matrix. *Order*: The order is kept, but
    the entries of a `coo_array` come back row by row, except with `inplace`. The result has the same bits in every run.
    *Missing elements*: They stay zero, also if a factor is infinite or NaN.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import normalize, scale_columns, scale_rows
    >>> A = csr_array([[1.0, 0, 2], [0, 3, 0]])
    >>> scale_rows(A, [10, 0.5]).toarray()
    array([[10. ,  0. , 20. ],
           [ 0. ,  1.5,  0. ]])
    >>> scale_columns(A, [1, 10, 0.5]).toarray()
    array([[ 1.,  0.,  1.],
           [ 0., 30.,  0.]])
    >>> normalize(A, "l1").data.round(2)
    array([0.33, 0.67, 1.  ])
    """
    return _scale(A, factors, 0, inplace)


def scale_columns(A: K, factors: ArrayLike, *, inplace: bool = False) -> K:
    """Multiply every column by a number of its own: `A @ D` for a diagonal matrix `D`.

    Parameters, result and exceptions are those of `scale_rows`, but there is one factor for each column. See the example of
    `scale_rows`.
    """
    return _scale(A, factors, 1, inplace)


def normalize(A: Matrix, norm: Literal["l1", "l2", "max"] = "l2", *, axis: int = 1, return_norm: bool = False) -> Any:
    """Divide every row or column by its norm, as `sklearn.preprocessing.normalize` does.

    Parameters, result and exceptions that are not listed are those of `scale_rows`. ValueError is raised if `norm` or `axis` is
    none of these. Squares of large or small values do not leave the range of the dtype. *Cost*: that of `norm` along the axis,
    and of `scale_rows`. See the example of `scale_rows`.

    Parameters
    ----------
    norm : {"l1", "l2", "max"}, default "l2"
        The norm: the sum of absolute values, the Euclidean length, or the largest absolute value.
    axis : int, default 1
        1 to divide rows, 0 to divide columns; -1 and -2 stand for these.
    return_norm : bool, default False
        Whether to return the norms too.

    Returns
    -------
    B : csr_array, csc_array or coo_array
        A matrix of the format and the pattern of `A`; of float64 for integers and bools, else of the dtype of `A`. Rows or
        columns of zeros stay as they are.
    norms : (m,) or (n,) array, if `return_norm`
        The norm of every row or column. It is infinite where the dtype has no number as large; the row is normalised all the
        same.
    """
    if norm not in ORDERS:
        raise ValueError(f"norm must be 'l1', 'l2' or 'max', got {norm!r}")
    if axis not in (-2, -1, 0, 1):
        raise ValueError(f"axis must be 1 for rows or 0 for columns, got {axis!r}")
    A = _check_matrix(A)
    axis %= 2
    wide = A.astype(np.complex128) if A.dtype == np.complex64 else A
    lengths = norms_of(wide, ORDERS[norm] if A.shape[axis] else 1, axis)  # nothing has no maximum
    xp, dtype = namespace_of(lengths), dtype_of_means(A.dtype)
    is_far = xp.isinf(lengths) | ((lengths > 0) & (lengths < np.finfo(lengths.dtype).tiny))
    if norm != "max" and bool(is_far.any() and xp.isfinite(A.data).all()):
        B = normalize(normalize(A, "max", axis=axis), norm, axis=axis)
        return (B, lengths) if return_norm else B
    divisors = xp.where(lengths == 0, 1, lengths)
    real = np.finfo(dtype)
    fits = not divisors.size or bool((divisors.min() >= real.tiny) & (divisors.max() <= real.max))
    computed = dtype if fits else np.result_type(dtype, np.float64)
    csr = A._csr if A.dtype.kind in "fc" else sum_duplicates_wide(A._csr, dtype)  # as `norm` sums them
    operands = csr.data.astype(computed, copy=False), divisors.astype(computed.type(0).real.dtype)
    values = scale_entries(*operands, _ids(A, csr, 1 - axis), divide=True)
    B = A._like(csr.with_data(values.astype(dtype, copy=False)))
    return (B, lengths) if return_norm else B


def _check_matrix(A):
    if not isinstance(A, SparseArray) or A.ndim != 2:
        raise TypeError(f"A must be a matrix of this package, got {type(A).__name__}")
    return A


def _scale(A, factors, axis, inplace):
    A = _check_matrix(A)
    factors = as_array_on(factors, A.device, "factors")
    factors = factors.astype(dtypes.dtype_of(factors, "factors"), copy=False)
    if factors.shape != (A.shape[axis],):
        what = "row" if axis == 0 else "column"
        raise ValueError(f"factors must have shape ({A.shape[axis]},), one for each {what}, got {factors.shape}")
    dtype = np.result_type(A.dtype, factors.dtype)
    if inplace:
        if not np.can_cast(dtype, A.dtype, "same_kind"):
            raise TypeError(f"values of {dtype} do not fit a matrix of {A.dtype}: leave out inplace")
        if not getattr(A.data.flags, "writeable", True):
            raise ValueError("the data of this matrix is read-only: leave out inplace")
        factors = copy_if_shared(factors, A.data)
        ids = (A.row, A.col)[axis] if A.format == "coo" else _ids(A, A._csr, axis)
        with delay_signals():
            scale_entries(A.data, factors, ids, A.data)
        return A
    csr = A._csr if A.dtype.kind in "fc" else sum_before_cast(A._csr, dtype)
    factors = factors.astype(dtype if factors.dtype.kind == "c" else dtype.type(0).real.dtype, copy=False)
    return A._like(csr.with_data(scale_entries(csr.data.astype(dtype, copy=False), factors, _ids(A, csr, axis))))


def _ids(A: Any, csr: Any, axis: int) -> Any:
    """Return the row, or for axis 1 the column, of every entry of a record of `A`."""
    return csr.plan(rows_of_entries) if (axis == 0) != A._transposed else csr.indices
