"""The product of two of Dask's arrays whose chunks are matrices."""

from __future__ import annotations

import functools
import operator
from typing import Any

import dask.array as da


def matmul(a: Any, b: Any) -> da.Array:
    """Return the product of two of Dask's arrays whose chunks are sparse.

    Parameters
    ----------
    a, b : dask.array.Array
        Arrays of two dimensions, of which at least one has sparse chunks.

    Returns
    -------
    dask.array.Array
        The product. Nothing has been computed. Its chunks are matrices if the chunks of both arrays are, else dense.

    Notes
    -----
    Dask's own `a @ b` and `da.dot` fail: they give every product of two chunks a third axis, which a matrix cannot have.

    *Cost*: one task for each chunk of the result. The task holds all chunks of `a` in its rows and all chunks of `b` in its
    columns. *Order*: products of chunks are added in the order of the chunks, so the bits do not depend on the workers.

    Examples
    --------
    >>> import dask.array as da
    >>> from spark_csr import eye_array
    >>> from spark_csr.interop.dask import matmul
    >>> A = da.from_array(eye_array(4), chunks=2)
    >>> matmul(A, 3 * A).compute().diagonal()
    array([3., 3., 3., 3.])
    """
    a, b = da.asanyarray(a), da.asanyarray(b)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError(f"matmul takes arrays of shapes (m, k) and (k, n), got {a.shape} and {b.shape}")
    return da.blockwise(_add_products, "ij", a, "ik", b, "kj", dtype=da.result_type(a, b))


def _add_products(left, right):
    """Return the sum of the products of a row of chunks with a column of chunks."""
    if not isinstance(left, list):
        return left @ right
    return functools.reduce(operator.add, map(operator.matmul, left, right))
