"""Random graphs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import dtypes
from spark_csr.gallery._parts import offsets_of
from spark_csr.primitives._check import count_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._types import DTypeLike

_CHUNK = 1 << 16  # edges drawn at a time: they stay in the cache


def rmat(
    scale: int,
    edge_factor: int = 16,
    *,
    probabilities: Sequence[float] = (0.57, 0.19, 0.19, 0.05),
    seed: int | np.random.Generator = 0,
    dtype: DTypeLike = np.float64,
) -> csr_array:
    """Return the adjacency matrix of a random graph whose degrees follow a power law.

    Parameters, result and exceptions that are not listed are those of `uniform`. See the example of `uniform`.

    Parameters
    ----------
    scale : int
        The graph has `2**scale` vertices. It is at most 31.
    edge_factor : int
        The number of edges that are drawn for each vertex. The default is 16.
    probabilities : (4,) floats
        The probabilities of the upper left, upper right, lower left and lower right quarter, which add up to 1.

    Returns
    -------
    (2**scale, 2**scale) csr_array
        Entry (i, j) is how often the edge was drawn; with dtype bool it is True. Columns ascend, and there are no duplicates.

    Raises
    ------
    ValueError
        If `scale` or `edge_factor` is out of range, or the probabilities are negative or do not add up to 1.
    TypeError
        If `scale` or `edge_factor` is not an integer, or `dtype` cannot hold how often an edge was drawn.

    Notes
    -----
    Every edge falls through `scale` levels of quarters: Chakrabarti, Zhan & Faloutsos, *R-MAT: A Recursive Model for Graph
    Mining*, 2004. The defaults are those of the Graph500 benchmark. Vertices keep their order, so those of high degree come
    first. *Cost*: The function draws `scale` random numbers for each edge and sorts the edges once. *Empty input*: Without
    edges the matrix has no entries.
    """
    scale, edge_factor = count_of("scale", scale), count_of("edge_factor", edge_factor)
    if scale > 31:
        raise ValueError(f"scale must be at most 31, got {scale}")
    quarters = np.asarray(probabilities, np.float64)
    if quarters.shape != (4,) or not (quarters >= 0).all() or not math.isclose(quarters.sum(), 1):
        raise ValueError(f"probabilities must be four numbers >= 0 that add up to 1, got {probabilities!r}")
    dtype, rng = dtypes.check_dtype(dtype), np.random.default_rng(seed)
    n = 1 << scale
    keys = np.empty(edge_factor * n, np.int64)
    for start in range(0, keys.size, _CHUNK):
        keys[start : start + _CHUNK] = _draw_edges(rng, scale, np.cumsum(quarters), min(_CHUNK, keys.size - start))
    keys.sort()
    first = np.ones(keys.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    data = _cast_counts(np.diff(starts, append=keys.size), dtype)
    keys = keys[starts]
    indptr = offsets_of(np.bincount(keys >> scale, minlength=n))
    return csr_array((data, (keys & (n - 1)).astype(index_dtype(n)), indptr), shape=(n, n))


def _cast_counts(counts, dtype):
    """Return the counts in `dtype`; raise TypeError with the largest if it does not fit."""
    with np.errstate(over="ignore"):
        cast = counts.astype(dtype)
    if dtype != bool and not np.array_equal(cast, counts):
        raise TypeError(f"dtype {dtype} cannot hold the counts of edges, the largest is {counts.max()}: use a wider one")
    return cast


def _draw_edges(rng, scale, cumulated, count):
    """Return keys `row << scale | column` of edges; each level adds one bit to the row and one to the column."""
    row, column = np.zeros(count, np.int64), np.zeros(count, np.int64)
    a, ab, abc = cumulated[:3].astype(np.float32)
    for _ in range(scale):
        drawn = rng.random(count, np.float32)
        down = drawn >= ab
        row = row << 1 | down
        column = column << 1 | ((drawn >= a) ^ down | (drawn >= abc))
    return row << scale | column
