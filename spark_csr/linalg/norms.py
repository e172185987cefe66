"""Norms of matrices, and of their rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import namespace_of, to_host_scalar
from spark_csr._matrix.axes import axis_of_record
from spark_csr._matrix.base import SparseArray, issparse
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.canonical import sum_duplicates_wide
from spark_csr._operations.reduce.powers import sum_powers
from spark_csr.linalg.singular import svds
from spark_csr.primitives.segmented import dtype_of_means

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Axes


def norm(A: MatrixLike, ord: float | str | None = None, axis: Axes | None = None) -> Any:
    """Return a norm of a matrix, or of each of its columns or rows.

    Parameters
    ----------
    A : sparse matrix
        A matrix of this package, SciPy or CuPy.
    ord : {None, "fro", "f", 1, -1, 2, inf, -inf, 0, float}, optional
        Which norm. For a matrix: None, "fro" or "f" for the Frobenius norm; 1 or -1 for the largest or smallest sum of the
        absolute values in a column; inf or -inf for the largest or smallest such sum in a row; 2 for the largest singular
        value. For columns, rows or a vector: any number `p` for the p-norm, where None means 2; 0 for the number of elements
        that are not zero.
    axis : int or tuple of two ints, optional
        0 for a norm of every column, 1 for a norm of every row. (0, 1) for a norm of the matrix, (1, 0) for a norm of its
        transpose. Default: a norm of the matrix, or of the vector.

    Returns
    -------
    scalar or (n,) array
        The norm, or the norms of all columns or rows, on the device of the matrix. On a GPU, an array of no dimensions instead
        of a scalar. As in SciPy 1.18, norms are float64, or float32 of a complex64 matrix. The Frobenius norm and the largest
        singular value of floats have the (real) dtype of the matrix; `ord=0` gives integers.

    Raises
    ------
    TypeError, ValueError
        If `A` is not sparse, if an axis is no integer, is out of range or given twice, or if `ord` is unknown.

    Notes
    -----
    The norms are computed by reductions of this package, in float64 or complex128, so no value wraps. Duplicates are summed
    first. Missing elements are zeros: with a negative `p`, the norm of a row or column that has one is 0. *Cost*: one pass that
    computes the powers or absolute values, and one pass that sums them. A power that is out of range, such as the square of
    1e200, costs as much again: the entries are divided by the largest first. On a GPU, the host reads a few numbers for powers.
    For a matrix with `ord=2`, the cost is that of `svds`; up to 32 rows or columns that of their products with each other, and
    of an eigenproblem of their number. *Order*: the same bits on every run; on a GPU not with `ord=2` of more than 32 rows and
    columns. *Empty input*: 0; ValueError for the largest or smallest of no sums.

    Examples
    --------
    >>> from spark_csr import csr_array
    >>> from spark_csr.linalg import norm
    >>> A = csr_array([[3.0, 0, -4], [0, 1, 0]])
    >>> float(norm(A, 1)), float(norm(A, float("inf"))), norm(A, axis=1)
    (4.0, 7.0, array([5., 1.]))
    """
    if not issparse(A):
        raise TypeError(f"input is not sparse: use numpy.linalg.norm, got {type(A).__name__}")
    A = A if isinstance(A, SparseArray) else csr_array(A)
    if axis is None and ord in (None, "fro", "f"):
        return _norm_of_all(A)
    axes = _axes(axis, A)
    return _matrix_norm(A, ord, *axes) if len(axes) == 2 else _vector_norms(A, ord, axes[0])


def _axes(axis, A):
    """Return one or two axes as a tuple after checking that each is within range."""
    if axis is None:
        axis = tuple(range(A.ndim))
    elif not isinstance(axis, tuple):
        try:
            whole = int(axis)
        except (TypeError, ValueError):
            whole = None
        if whole is None or whole != axis:
            raise TypeError(f"'axis' must be None, an integer or a tuple of integers, got {axis!r}")
        axis = (whole,)
    if len(axis) not in (1, 2):
        raise ValueError(f"Improper number of dimensions to norm: got axis {axis}")
    if not all(-A.ndim <= a < A.ndim for a in axis):
        raise ValueError(f"Invalid axis {axis} for an array with shape {A.shape}")
    if len({a % A.ndim for a in axis}) < len(axis):
        raise ValueError(f"Duplicate axes given: {axis}")
    return axis


def _matrix_norm(A, ord, rows, columns):
    if ord in (None, "f", "fro"):
        return _norm_of_all(A)
    if ord == 2:
        return _spectral_norm(A)
    if ord == -2:
        raise NotImplementedError("the smallest singular value is not implemented: use svds(A, which='SM') on the cores")
    sums = {1: (rows, "max"), -1: (rows, "min"), np.inf: (columns, "max"), -np.inf: (columns, "min")}
    if ord not in sums:
        raise ValueError(f"Invalid norm order for matrices: {ord!r}")
    axis, extreme = sums[ord]
    return getattr(_sum_powers(_sizes_of(A), 1, axis), extreme)().astype(_dtype_of_norms(A.dtype))


def _vector_norms(A, ord, axis):
    if ord == 0:
        found = A.count_nonzero(axis=axis)
    elif isinstance(ord, str) or not (ord is None or np.isscalar(ord)):
        raise ValueError(f"Invalid norm order for vectors: {ord!r}")
    else:
        sizes = _sizes_of(A)
        if ord in (np.inf, -np.inf):
            found = getattr(_absolute(sizes), "max" if ord > 0 else "min")(axis=axis)
            found = found.toarray() if issparse(found) else found
        else:
            found = _sum_powers(sizes, 1, axis) if ord == 1 else _norms_of_powers(sizes, 2 if ord is None else ord, axis)
        found = found.astype(_dtype_of_norms(A.dtype))
    return namespace_of(A.data).asarray(found).ravel()


def _dtype_of_norms(dtype):
    """Return the dtype of a norm, as in SciPy: float64 for all that fits it, float32 for complex64."""
    return np.dtype(np.float32 if dtype == np.complex64 else np.float64)


def _sizes_of(A):
    """Return a real matrix whose elements have the absolute values of those of `A`, but for signs. No position repeats."""
    A = _summed(A)
    return abs(A.astype(np.complex128, copy=False)) if A.dtype.kind == "c" else A


def _summed(A):
    """Return a matrix without repeated positions: entries are summed in float64 or complex128, where no value wraps."""
    csr = A._csr
    summed = sum_duplicates_wide(csr, np.result_type(A.dtype, np.float64))
    return A if summed is csr else A._like(summed)


def _absolute(sizes):
    """Return the absolute values: those of integers in float64, since that of -128 is no int8."""
    csr = sizes._csr
    return sizes._like(csr.with_data(abs(csr.data.astype(dtype_of_means(csr.data.dtype), copy=False))))


def _sum_powers(sizes, p, axis):
    """Return sums of powers of absolute values, in float64."""
    csr = sizes._csr
    if p in (1, 2):
        return sum_powers(csr, axis_of_record(sizes, axis), p)
    return sizes._like(csr.with_data(abs(csr.data.astype(np.float64)) ** p)).sum(axis=axis)


def _norm_of_all(A):
    """Return the Frobenius norm: in float64 for integers and bools, else in the real dtype of the matrix."""
    dtype, sizes = dtype_of_means(A.dtype).type(0).real.dtype, _sizes_of(A)
    total = _sum_powers(sizes, 2, None)
    if isinstance(total, np.generic) and 1e-280 < total < 1e280:
        return dtype.type(total**0.5)
    return _norms_of_powers(sizes, 2, None).astype(dtype)


def _norms_of_powers(sizes, p, axis):
    """Return the p-norms of a matrix of absolute values. Where a power may have been out of range, values are scaled first."""
    xp = namespace_of(sizes.data)
    with np.errstate(all="ignore"):
        found = _sum_powers(sizes, p, axis) ** (1 / p)
        in_range = _are_in_range(found, sizes, p, axis)
        if not to_host_scalar(in_range.all()):
            sizes = _absolute(sizes).astype(np.float64)
            scale = _find_scale(sizes, "max" if p > 0 else "min", axis)
            by_row = axis is not None and axis % sizes.ndim < sizes.ndim - 1
            scaled = sizes / (scale if axis is None or by_row else scale[..., None])
            found = xp.where(in_range, found, _sum_powers(scaled, p, axis) ** (1 / p) * scale)[()]
    if p > 0:
        return found
    has_zero = xp.asarray(sizes.count_nonzero(axis=axis) < sizes.shape[axis])
    return xp.where(has_zero & (found == found), 0.0, found)


def _are_in_range(found, sizes, p, axis):
    """Return which norms need no scaled values: their powers are neither tiny nor huge, or all their values are zero."""
    limit = 10.0 ** min(280 / abs(p), 300)
    in_range = (found > 1 / limit) & (found < limit)
    return in_range if to_host_scalar(in_range.all()) else in_range | (sizes.count_nonzero(axis=axis) == 0)


def _find_scale(sizes, extreme, axis):
    """Return the extreme of the entries to combine, or 1 where it is no divisor."""
    xp = namespace_of(sizes.data)
    scale = getattr(sizes, extreme)(axis=axis, explicit=True)
    scale = xp.asarray(scale.toarray() if issparse(scale) else scale)
    return xp.where((scale > 0) & xp.isfinite(scale), scale, 1.0)


SMALL = 32
"""Rows or columns up to which a singular value is found from their products with each other. Not tuned; ARPACK needs three."""


def _spectral_norm(A):
    """Return the largest singular value of a matrix, which is scaled first so that its squares are in range."""
    dtype = dtype_of_means(A.dtype)
    whole = _norms_of_powers(_sizes_of(A), 2, None)
    size = to_host_scalar(whole)
    if min(A.shape) > 1 and size and np.isfinite(size):
        whole = whole * _find_largest_singular_value(_summed(A).astype(np.result_type(dtype, np.float64)) / size)
    return whole.astype(np.float64 if dtype == np.float16 else dtype.type(0).real.dtype)


def _find_largest_singular_value(A):
    if min(A.shape) > SMALL:
        return svds(A, k=1, return_singular_vectors=False)[0]
    rows = A if A.shape[0] <= A.shape[1] else A.T
    products = (rows @ rows.conj().T).toarray()
    return namespace_of(products).linalg.eigvalsh(products)[-1] ** 0.5
