"""Random graphs."""

import math

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._matrix.csr import csr_array
from spark_csr._operations.form import dtypes
from spark_csr.gallery._parts import count_of, offsets_of

_CHUNK = 1 << 16  # edges drawn at a time: they stay in the cache


def rmat(scale, edge_factor=16, *, probabilities=(0.57, 0.19, 0.19, 0.05), seed=0, dtype=np.float64):
    """A random graph with a power law of degrees, as an adjacency matrix.

    Parameters
    ----------
    scale : int
        The graph has `2**scale` vertices; at most 31.
    edge_factor : int
        Edges drawn per vertex.
    probabilities : (4,) floats
        Of the upper left, upper right, lower left and lower right quarter; they add up to 1.
    seed : int or numpy.random.Generator
    dtype : dtype

    Returns
    -------
    (2**scale, 2**scale) csr_array
        Entry (i, j) is how often the edge was drawn (bool: whether); columns ascend, no duplicates.

    Raises
    ------
    ValueError
        If `scale` or `edge_factor` is out of range, or the probabilities are negative or do not add up to 1.
    TypeError
        If `dtype` cannot hold how often an edge was drawn.

    Notes
    -----
    Every edge falls through `scale` levels of quarters: Chakrabarti, Zhan & Faloutsos, *R-MAT: A Recursive Model for Graph
    Mining*, 2004. The defaults are those of the Graph500 benchmark; vertices keep their order, so the busy ones come first.
    *Cost*: `scale` random numbers per edge, one sort of the edges. *Empty input*: no edges give an empty matrix.

    Examples
    --------
    >>> from spark_csr.gallery import rmat
    >>> A = rmat(6, 4)
    >>> A.shape, A.data.sum()
    ((64, 64), np.float64(256.0))
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
