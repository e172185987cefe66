"""Generated matrices that look like real ones: grids, graphs, random patterns, bands, one long row.

Design: each is written directly as CSR arrays by a few passes of NumPy; nothing is assembled entry by entry.
"""

import math
import operator

import numpy as np

from spark_csr._array import index_dtype
from spark_csr.csr import csr_array
from spark_csr.operations import check

_CHUNK = 1 << 16  # edges drawn at a time: they stay in the cache


def poisson(shape, dtype=np.float64):
    """The Laplacian on a regular grid of any dimension: 3 points per row in 1-D, 5 in 2-D, 7 in 3-D.

    Parameters
    ----------
    shape : tuple of int
        Grid points along each axis, the last fastest; `n` is their product.
    dtype : dtype
        Of the values; signed, floating or complex.

    Returns
    -------
    (n, n) csr_array
        `2 * len(shape)` on the diagonal, -1 for each neighbour; symmetric positive definite; columns ascend.

    Raises
    ------
    ValueError
        If `shape` is empty or has a negative extent.
    TypeError
        If `dtype` cannot hold -1.

    Notes
    -----
    Second-order central differences with zero values outside the grid (Dirichlet), times the squared spacing: LeVeque,
    *Finite Difference Methods for Ordinary and Partial Differential Equations*, 2007. *Cost*: one write of the result;
    layers of the first axis are copies of each other, shifted. *Empty input*: an extent of 0 gives a (0, 0) matrix.

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
    shape = tuple(_count(f"shape[{axis}]", extent) for axis, extent in enumerate(_sequence(shape)))
    dtype = check.supported(dtype)
    if not shape:
        raise ValueError("shape must have at least one axis, got ()")
    if dtype.kind in "bu":
        raise TypeError(f"dtype must hold -1, got {dtype}: use a signed, floating or complex dtype")
    layers, inner = shape[0], shape[1:]
    n = math.prod(shape)
    if n == 0:
        return csr_array((0, 0), dtype=dtype)
    kinds = [(0, 1, False, layers > 1)]  # first layer, count, is there one below, one above
    if layers > 1:
        kinds += [(1, layers - 2, True, True), (layers - 1, 1, True, False)]
    parts = [(first, count, _layer(inner, below, above)) for first, count, below, above in kinds if count]
    nnz = sum(count * columns.size for _, count, (_, columns, _) in parts)
    indptr = np.zeros(n + 1, index_dtype(nnz))
    indices, data = np.empty(nnz, index_dtype(n)), np.empty(nnz, dtype)
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
    """One layer of the grid: where its rows end, its columns (0 is its first point), its values."""
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
        Entry (i, j) is how often the edge was drawn; columns ascend, no duplicates.

    Raises
    ------
    ValueError
        If `scale` or `edge_factor` is out of range, or the probabilities are negative or do not add up to 1.

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
    scale, edge_factor = _count("scale", scale), _count("edge_factor", edge_factor)
    if scale > 31:
        raise ValueError(f"scale must be at most 31, got {scale}")
    quarters = np.asarray(probabilities, np.float64)
    if quarters.shape != (4,) or not (quarters >= 0).all() or not math.isclose(quarters.sum(), 1):
        raise ValueError(f"probabilities must be four numbers >= 0 that add up to 1, got {probabilities!r}")
    dtype, rng = check.supported(dtype), np.random.default_rng(seed)
    n = 1 << scale
    keys = np.empty(edge_factor * n, np.int64)
    for start in range(0, keys.size, _CHUNK):
        keys[start : start + _CHUNK] = _edges(rng, scale, np.cumsum(quarters), min(_CHUNK, keys.size - start))
    keys.sort()
    first = np.ones(keys.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    data = np.diff(starts, append=keys.size).astype(dtype)
    keys = keys[starts]
    indptr = _offsets(np.bincount(keys >> scale, minlength=n))
    return csr_array((data, (keys & (n - 1)).astype(index_dtype(n)), indptr), shape=(n, n))


def _edges(rng, scale, cumulated, count):
    """Keys `row << scale | column` of edges; each level adds one bit to the row and one to the column."""
    row, column = np.zeros(count, np.int64), np.zeros(count, np.int64)
    a, ab, abc = cumulated[:3].astype(np.float32)
    for _ in range(scale):
        drawn = rng.random(count, np.float32)
        down = drawn >= ab
        row = row << 1 | down
        column = column << 1 | ((drawn >= a) ^ down | (drawn >= abc))
    return row << scale | column


def uniform(rows, columns, per_row, seed=0, dtype=np.float64):
    """A random matrix with the same number of entries in every row, spread over all columns.

    Parameters
    ----------
    rows, columns : int
    per_row : int
        Entries of each row, at most `columns`.
    seed : int or numpy.random.Generator
    dtype : dtype
        Floating and complex values lie in [0, 1) (both parts), integers in 1..9.

    Returns
    -------
    (rows, columns) csr_array
        Columns ascend, no duplicates.

    Raises
    ------
    ValueError
        If a count is negative or `per_row` exceeds `columns`.

    Notes
    -----
    Draws from `columns - per_row + 1` places are sorted, and the k-th moves k to the right: this is how multisets become
    sets, one to one, so no duplicate has to be drawn again. *Cost*: one random number and one sort of `per_row` per row.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.gallery import uniform
    >>> A = uniform(4, 100, 3)
    >>> np.diff(A.indptr)
    array([3, 3, 3, 3], dtype=int32)
    """
    rows, columns, per_row = _count("rows", rows), _count("columns", columns), _count("per_row", per_row)
    if per_row > columns:
        raise ValueError(f"per_row must be at most columns = {columns}, got {per_row}")
    dtype, rng = check.supported(dtype), np.random.default_rng(seed)
    index = index_dtype(columns)
    drawn = rng.integers(0, columns - per_row + 1, (rows, per_row), index)
    drawn.sort(axis=1)
    drawn += np.arange(per_row, dtype=index)
    indptr = np.arange(rows + 1, dtype=index_dtype(rows * per_row)) * per_row
    return csr_array((_values(rng, drawn.size, dtype), drawn.ravel(), indptr), shape=(rows, columns))


def banded(rows, per_row, seed=0, dtype=np.float64):
    """A square matrix whose entries lie side by side around the diagonal.

    Parameters
    ----------
    rows : int
    per_row : int
        Width of the band: `(per_row - 1) // 2` entries left of the diagonal, `per_row // 2` right of it. Rows at the top and
        bottom have fewer.
    seed : int or numpy.random.Generator
    dtype : dtype
        Values as in `uniform`.

    Returns
    -------
    (rows, rows) csr_array
        Columns ascend, no duplicates.

    Raises
    ------
    ValueError
        If a count is negative.

    Notes
    -----
    *Cost*: a few passes over the columns.

    Examples
    --------
    >>> from spark_csr.gallery import banded
    >>> (banded(4, 3).toarray() != 0).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1],
           [0, 0, 1, 1]])
    """
    rows, per_row = _count("rows", rows), _count("per_row", per_row)
    dtype, rng = check.supported(dtype), np.random.default_rng(seed)
    row = np.arange(rows)
    starts = np.maximum(row - (per_row - 1) // 2, 0) if per_row else row
    stops = np.minimum(row + per_row // 2 + 1, rows) if per_row else row
    return _runs(starts, stops, rows, rng, dtype)


def one_dense_row(rows, columns, per_row=2, *, row=None, seed=0, dtype=np.float64):
    """One full row in an otherwise sparse matrix: the pattern that breaks "one thread per row".

    Parameters
    ----------
    rows, columns : int
    per_row : int
        Entries of every other row, at most `columns`: a run at a random place.
    row : int, optional
        Which row is full; default: the middle one.
    seed : int or numpy.random.Generator
    dtype : dtype
        Values as in `uniform`.

    Returns
    -------
    (rows, columns) csr_array
        Columns ascend, no duplicates.

    Raises
    ------
    ValueError
        If a count is negative, `per_row` exceeds `columns`, or `row` is not one of the rows.

    Notes
    -----
    *Cost*: a few passes over the columns. *Empty input*: without rows there is no full one.

    Examples
    --------
    >>> import numpy as np
    >>> from spark_csr.gallery import one_dense_row
    >>> np.diff(one_dense_row(5, 1000).indptr)
    array([   2,    2, 1000,    2,    2], dtype=int32)
    """
    rows, columns, per_row = _count("rows", rows), _count("columns", columns), _count("per_row", per_row)
    row = rows // 2 if row is None else _count("row", row)
    if per_row > columns:
        raise ValueError(f"per_row must be at most columns = {columns}, got {per_row}")
    if rows and row >= rows:
        raise ValueError(f"row must be one of the {rows} rows, got {row}")
    dtype, rng = check.supported(dtype), np.random.default_rng(seed)
    starts = rng.integers(0, columns - per_row + 1, rows)
    stops = starts + per_row
    starts[row : row + 1], stops[row : row + 1] = 0, columns
    return _runs(starts, stops, columns, rng, dtype)


def _runs(starts, stops, columns, rng, dtype):
    """Row i holds the columns `starts[i]` to `stops[i]`."""
    counts = stops - starts
    indptr = _offsets(counts)
    nnz = int(indptr[-1])
    indices = np.repeat((starts - indptr[:-1]).astype(np.int64), counts)
    indices += np.arange(nnz)
    return csr_array((_values(rng, nnz, dtype), indices, indptr), shape=(starts.size, columns))


def _offsets(counts):
    """n+1 offsets, int32 where the total fits."""
    offsets = np.zeros(counts.size + 1, np.int64)
    counts.cumsum(out=offsets[1:])
    return offsets.astype(index_dtype(offsets[-1]), copy=False)


def _values(rng, size, dtype):
    if dtype.kind == "b":
        return np.ones(size, bool)
    if dtype.kind in "iu":
        return rng.integers(1, 10, size, dtype)
    part = np.dtype(np.float64) if dtype in (np.float64, np.complex128) else np.dtype(np.float32)
    values = rng.random(size, part)
    if dtype.kind == "c":
        values = values + 1j * rng.random(size, part)
    return values.astype(dtype, copy=False)


def _sequence(shape):
    try:
        return tuple(shape)
    except TypeError:
        raise TypeError(f"shape must be a tuple of grid points along each axis, got {shape!r}: use ({shape!r},)") from None


def _count(name, value):
    """A Python int >= 0."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None
    if value < 0:
        raise ValueError(f"{name} must be 0 or above, got {value}")
    return value
