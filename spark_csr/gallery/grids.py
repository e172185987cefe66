"""Differences on regular grids."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import dtypes
from spark_csr.primitives._check import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._types import DTypeLike


def poisson(shape: Sequence[int], dtype: DTypeLike = np.float64) -> csr_array:
    """Return the Laplacian on a regular grid of any dimension: 3 points per row in 1-D, 5 in 2-D, 7 in 3-D.

    Parameters
    ----------
    shape : tuple of int
        The number of grid points along each axis; the last axis varies fastest. `n` is the product of these numbers.
    dtype : dtype
        The dtype of the values: signed, floating or complex. The default is float64.

    Returns
    -------
    (n, n) csr_array
        A matrix with `2 * len(shape)` on the diagonal and -1 for each neighbour. It is symmetric and positive definite, and its
        columns ascend.

    Raises
    ------
    ValueError
        If `shape` is empty or has a negative extent.
    TypeError
        If `shape` is not a sequence of integers, or `dtype` cannot hold -1 or the diagonal.

    Notes
    -----
    The matrix holds second-order central differences with zero values outside the grid (Dirichlet), times the squared spacing:
    LeVeque, *Finite Difference Methods for Ordinary and Partial Differential Equations*, 2007. *Cost*: The function writes the
    result once; layers of the first axis are shifted copies of each other. *Empty input*: An extent of 0 gives a (0, 0) matrix.

    Examples
    --------
    >>> from spark_csr.gallery import poisson
    >>> poisson((3,)).toarray()
    array([[ 2., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  2.]])
    >>> poisson((100, 100)).shape
    (10000, 10000)
    """
    shape = tuple(count_of(f"shape[{axis}]", extent) for axis, extent in enumerate(_sequence(shape)))
    chosen: np.dtype[Any] = dtypes.check_dtype(dtype)
    if not shape:
        raise ValueError("shape must have at least one axis, got ()")
    if chosen.kind in "bu":
        raise TypeError(f"dtype must hold -1, got {chosen}: use a signed, floating or complex dtype")
    if np.array(2 * len(shape)).astype(chosen) != 2 * len(shape):
        raise TypeError(f"dtype must hold {2 * len(shape)}, got {chosen}: use a wider one")
    layers, inner = shape[0], shape[1:]
    n = math.prod(shape)
    if n == 0:
        return csr_array((0, 0), dtype=chosen)
    kinds = [(0, 1, False, layers > 1)]  # first layer, count, whether there is one below, whether there is one above
    if layers > 1:
        kinds += [(1, layers - 2, True, True), (layers - 1, 1, True, False)]
    parts = [(first, count, _layer(inner, below, above)) for first, count, below, above in kinds if count]
    nnz = sum(count * columns.size for _, count, (_, columns, _) in parts)
    indptr = np.zeros(n + 1, index_dtype(nnz))
    indices, data = np.empty(nnz, index_dtype(n)), np.empty(nnz, chosen)
    points, at = math.prod(inner), 0
    for first, count, (ends, columns, values) in parts:
        span = slice(at, at + count * columns.size)
        rows = slice(1 + first * points, 1 + (first + count) * points)
        layer = np.arange(count)[:, None]
        np.add(ends, at + layer * columns.size, out=indptr[rows].reshape(count, -1), casting="same_kind")
        np.add(columns, (first + layer) * points, out=indices[span].reshape(count, -1), casting="same_kind")
        data[span].reshape(count, -1)[...] = values
        at = span.stop
    return csr_array((data, indices, indptr), shape=(n, n))


def _layer(inner, below, above):
    """Return where the rows of one layer of the grid end, its columns (0 is its first point) and its values."""
    n = math.prod(inner)
    point = np.arange(n)
    strides = [math.prod(inner[axis + 1 :]) for axis in range(len(inner))]
    places = [point // stride % extent for stride, extent in zip(strides, inner, strict=True)]
    lower = [(-n, below)] + [(-stride, place > 0) for stride, place in zip(strides, places, strict=True)]
    upper = [(n, above)] + [(s, place < extent - 1) for s, place, extent in zip(strides, places, inner, strict=True)]
    neighbours = [*lower, (0, True), *reversed(upper)]
    present = np.empty((n, len(neighbours)), bool)
    for k, (_, exists) in enumerate(neighbours):
        present[:, k] = exists
    columns = (point[:, None] + np.array([distance for distance, _ in neighbours]))[present]
    values = np.where(np.arange(len(neighbours)) == len(lower), 2 * len(lower), -1)
    return present.sum(axis=1).cumsum(), columns, np.broadcast_to(values, present.shape)[present]


def _sequence(shape):
    try:
        return tuple(shape)
    except TypeError:
        raise TypeError(f"shape must be a tuple of grid points along each axis, got {shape!r}: use ({shape!r},)") from None
