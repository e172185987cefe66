"""Norms of matrices, and of their rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import namespace_of
from spark_csr._matrix.base import SparseArray, issparse
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form.canonical import sum_duplicates
from spark_csr.linalg.singular import svds

if TYPE_CHECKING:
    from spark_csr._types import Array, MatrixLike


def norm(A: MatrixLike, ord: float | str | None = None, axis: int | tuple[int, ...] | None = None) -> Any:
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
        of a scalar.

    Raises
    ------
    TypeError
        If `A` is not sparse, or if an axis is not an integer.
    ValueError
        If an axis is out of range or given twice, or if `ord` is unknown.
    NotImplementedError
        If `ord` is -2 for a matrix, as in SciPy.

    Notes
    -----
    The norms are computed by reductions of this package. *Cost*: one pass that computes the squares or absolute values, and one
    pass that sums them; for a matrix with `ord=2`, that of `svds`. Duplicates are summed first. *Order*: the same bits on every
    run; with `ord=2`, on the cores only. *Empty input*: 0; ValueError for the largest or smallest of no sums. Before they are
    raised to a power, integers are converted to float64, so no value wraps.

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
        return _norm_of_squares(A, None)
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
        return _norm_of_squares(A, None)
    if ord == 2:
        whole = _norm_of_squares(A, None)
        return whole if min(A.shape) < 2 or not whole else svds(A, k=1, return_singular_vectors=False)[0]
    if ord == -2:
        raise NotImplementedError("the smallest singular value is not implemented: use svds(A, which='SM') on the cores")
    sums = {1: (rows, "max"), -1: (rows, "min"), np.inf: (columns, "max"), -np.inf: (columns, "min")}
    if ord not in sums:
        raise ValueError(f"Invalid norm order for matrices: {ord!r}")
    axis, extreme = sums[ord]
    return getattr(_map_entries(A, abs).sum(axis=axis), extreme)()


def _vector_norms(A, ord, axis):
    if ord in (2, None):
        found = _norm_of_squares(A, axis)
    elif ord in (np.inf, -np.inf):
        found = getattr(_map_entries(A, abs), "max" if ord > 0 else "min")(axis=axis)
        found = found.toarray() if issparse(found) else found
    elif ord == 0:
        found = A.count_nonzero(axis=axis)
    elif ord == 1:
        found = _map_entries(A, abs).sum(axis=axis)
    elif isinstance(ord, str) or not np.isscalar(ord):
        raise ValueError(f"Invalid norm order for vectors: {ord!r}")
    else:
        found = _map_entries(A, lambda data: abs(as_computed(data)) ** ord).sum(axis=axis) ** (1 / ord)
    return namespace_of(A.data).asarray(found).ravel()


def as_computed(data: Array) -> Array:
    """Return integers and bools as float64, so that powers do not wrap."""
    return data.astype(np.float64) if data.dtype.kind in "biu" else data


def _norm_of_squares(A, axis):
    """Return the root of the sum of the squares of the entries, or of the squared absolute values if they are complex."""
    return _map_entries(A, lambda data: abs(as_computed(data)) ** 2).sum(axis=axis) ** 0.5


def _map_entries(A, function):
    """Return a matrix of `function` of the entries, after duplicates are summed."""
    csr = sum_duplicates(A._csr)
    return A._like(csr.with_data(function(csr.data)))
