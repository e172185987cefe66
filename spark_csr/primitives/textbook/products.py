"""What scans are for, step by step: selection by a mask, and the product of a CSR matrix with a vector."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr.primitives.textbook.scans import segmented_scan
from spark_csr.primitives.textbook.steps import algorithm, along, row, step, trace

if TYPE_CHECKING:
    from spark_csr._types import ArrayLike
    from spark_csr.primitives.textbook.steps import Steps


@algorithm
def compact(x: ArrayLike, mask: ArrayLike) -> Steps:
    """Select the elements at which a mask is true: a scan of the mask says where each goes.

    Parameters
    ----------
    x : (n,) array_like
        Numbers.
    mask : (n,) array_like
        Numbers; not 0 for elements to select.

    Returns
    -------
    (k,) array
        The selected elements, in their order.

    Raises
    ------
    ValueError
        If an argument is not one list of numbers, or the two differ in length.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.compact([5, 6, 7, 8], [1, 0, 0, 1])
    array([5, 8])
    """
    x, mask = row("x", x), row("mask", mask) != 0
    if x.size != mask.size:
        raise ValueError(f"mask must have the {x.size} elements of x, got {mask.size}")
    yield step("begin", x)
    yield step("mask", mask.astype(int))
    places = np.cumsum(mask) - mask
    yield step("sums before each", places)
    yield along("write the selected ones", x[mask], np.flatnonzero(mask), places[mask])


@algorithm
def spmv(indptr: ArrayLike, indices: ArrayLike, data: ArrayLike, x: ArrayLike) -> Steps:
    """Multiply a CSR matrix with a vector: gather, multiply, scan each row, take the ends of rows.

    Parameters
    ----------
    indptr : (m + 1,) array_like
        Where the entries of each row begin, and the end of the last.
    indices : (nnz,) array_like
        The column of each entry.
    data : (nnz,) array_like
        The value of each entry.
    x : (n,) array_like
        The vector.

    Returns
    -------
    (m,) array
        The product, `A @ x`.

    Raises
    ------
    ValueError
        If an argument is not one list of numbers, or they do not describe a matrix with as many columns as `x` has elements.

    Examples
    --------
    >>> from spark_csr.primitives import textbook
    >>> textbook.spmv([0, 2, 2, 3], [0, 2, 1], [1, 2, 3], [10, 20, 30])
    array([70,  0, 60])
    """
    indptr, indices, data, x = (row(*pair) for pair in {"indptr": indptr, "indices": indices, "data": data, "x": x}.items())
    lengths = np.diff(indptr)
    if indptr[:1].tolist() != [0] or (lengths < 0).any() or not indptr[-1] == indices.size == data.size:
        raise ValueError("indptr must ascend from 0 to the number of entries")
    if indices.size and not 0 <= indices.min() <= indices.max() < x.size:
        raise ValueError(f"indices must lie in 0 to {x.size - 1}")
    yield step("begin: x", x)
    yield along("gather x by column", x[indices], indices, np.arange(indices.size))
    products = data * x[indices]
    yield step("multiply with the values", products)
    flags, full = np.zeros(indices.size, int), indptr[:-1][lengths > 0]
    flags[full] = 1
    yield step("flags of first entries", flags)
    for each in trace(segmented_scan, products, flags):
        if each.pairs:
            yield each
            products = np.array(each.values)
    ends = indptr[1:][lengths > 0] - 1
    y = np.zeros(lengths.size, products.dtype)
    y[lengths > 0] = products[ends]
    yield along("take the ends of rows", y, ends, np.flatnonzero(lengths > 0))
