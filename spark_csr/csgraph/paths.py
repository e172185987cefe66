"""`dijkstra` and `shortest_path`, with the distances of SciPy.

Design: a distance is the least of the sums along paths, added from the source on, and adding a length keeps the order of
distances. So every method that follows single edges finds the same bits. The method of Floyd and Warshall, which adds paths,
does not. SciPy's predecessors depend on the order in which it visits vertices of equal distance, so SciPy finds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._array import refuse_masked
from spark_csr._matrix.base import FORMATS, issparse
from spark_csr._matrix.csr import csr_array
from spark_csr.csgraph.operands import in_c_order, is_ours, read, scipys
from spark_csr.graph import Graph, sssp

if TYPE_CHECKING:
    from spark_csr._matrix.types import MatrixLike
    from spark_csr._types import Array, ArrayLike

DENSE = 4
"""The fraction of all positions from which on SciPy's "auto" is the method of Floyd and Warshall, as a divisor."""


def dijkstra(
    csgraph: MatrixLike | ArrayLike,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    """Compute lengths of shortest paths of lengths that are not negative, as `scipy.sparse.csgraph.dijkstra` does.

    Parameters
    ----------
    csgraph : (n, n) sparse matrix or array_like
        The lengths of the edges: the entries of a sparse matrix, and the finite elements other than 0 of a dense one.
    directed : bool, default True
        Whether edges have a direction. If not, a path may follow each edge in both directions.
    indices : int or array_like of ints, optional
        The vertices to start from; a negative one counts from the end. Default: all vertices.
    return_predecessors : bool, default False
        Whether to return the vertex before each vertex on a shortest path too.
    unweighted : bool, default False
        Whether every edge has length 1.
    limit : float, default inf
        Search no further than this distance.
    min_only : bool, default False
        Whether to return the distance from the nearest of the vertices `indices` only.

    Returns
    -------
    dist_matrix : (..., n) array of float64
        The distance of every vertex from each of `indices`, whose shape comes first; inf for vertices that are not reached.
    predecessors : (..., n) int32 array
        Only with `return_predecessors`: the vertex before each vertex, or -9999.
    sources : (n,) int32 array
        Only with `return_predecessors` and `min_only`: the nearest of `indices`, or -9999.

    Raises
    ------
    ValueError
        If the matrix is not square, a vertex is out of range, or `limit` is negative.
    scipy.sparse.csgraph.NegativeCycleError
        If there is a cycle of negative length.

    See Also
    --------
    spark_csr.graph.sssp : Search from some vertices, on a GPU too.

    Notes
    -----
    This package computes distances of a large sparse matrix on all cores, unless predecessors are asked for, or one search
    without directions. SciPy computes the rest, and what has a negative length, for which it gives a warning.

    Examples
    --------
    >>> from spark_csr import csgraph, csr_array
    >>> A = csr_array([[0, 2, 0], [0, 0, 3], [0, 0, 0]])
    >>> csgraph.dijkstra(A, indices=[0, 1])
    array([[ 0.,  2.,  5.],
           [inf,  0.,  3.]])
    >>> csgraph.shortest_path(A, indices=0)
    array([0., 2., 5.])
    """
    refuse_masked("indices", indices)
    sources = None if return_predecessors or not is_ours(csgraph) else _read_sources(indices, csgraph.shape[0])
    if sources is not None and not directed and (min_only or sources.size == 1):
        sources = None  # both directions of all edges are sorted for one search: SciPy's takes less
    if sources is None or not limit >= 0 or not _has_lengths(csgraph.data):
        _refuse_negative_cycles(csgraph, directed, unweighted)
        return scipys("dijkstra")(csgraph, directed, indices, return_predecessors, unweighted, limit, min_only)
    matrix = read(csgraph)
    if unweighted:
        matrix = csr_array._of(matrix._csr.with_data(np.ones(matrix.nnz)))
    G = Graph(matrix) if directed else Graph(matrix).symmetrize("min")
    if min_only:
        return sssp(G, sources.reshape(-1), return_predecessors=False, limit=limit)
    distances = np.empty((sources.size, G.n_vertices))
    for row, source in zip(distances, sources.flat, strict=True):
        row[:] = sssp(G, source, return_predecessors=False, limit=limit)
    return distances.reshape(*sources.shape, G.n_vertices)


def shortest_path(
    csgraph: MatrixLike | ArrayLike,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: ArrayLike | None = None,
) -> Any:
    """Compute lengths of shortest paths, as `scipy.sparse.csgraph.shortest_path` does.

    Parameters, result and exceptions that are not listed are those of `dijkstra`. Where the method is Dijkstra's, `dijkstra`
    computes; where it is another, SciPy does. See the example of `dijkstra`.

    Parameters
    ----------
    method : {"auto", "FW", "D", "BF", "J"}, default "auto"
        The method of Floyd and Warshall, Dijkstra, Bellman and Ford, or Johnson. "auto" chooses as SciPy does.
    overwrite : bool, default False
        Whether SciPy may overwrite a dense `csgraph`.
    """
    refuse_masked("indices", indices)
    csgraph = in_c_order(csgraph)
    if is_ours(csgraph) and _has_lengths(csgraph.data):
        n = csgraph.shape[0]
        if method == "D" or (method == "auto" and (indices is not None or csgraph.nnz < n * n / DENSE)):
            return dijkstra(csgraph, directed, indices, return_predecessors, unweighted)
    if method == "D":
        _refuse_negative_cycles(csgraph, directed, unweighted)
    return scipys("shortest_path")(csgraph, method, directed, return_predecessors, unweighted, overwrite, indices)


def floyd_warshall(
    csgraph: MatrixLike | ArrayLike,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Any:
    """Compute lengths of shortest paths between all vertices, as `scipy.sparse.csgraph.floyd_warshall` does.

    Parameters, result and exceptions that are not listed are those of `dijkstra`. SciPy computes, from a copy of a dense array
    that is not in C order.

    Parameters
    ----------
    overwrite : bool, default False
        Whether SciPy may overwrite a dense `csgraph`.

    Examples
    --------
    >>> from spark_csr import csgraph
    >>> csgraph.floyd_warshall([[0, 2, 0], [0, 0, 3], [0, 0, 0]])
    array([[ 0.,  2.,  5.],
           [inf,  0.,  3.],
           [inf, inf,  0.]])
    """
    csgraph = in_c_order(csgraph)
    return scipys("floyd_warshall")(csgraph, directed, return_predecessors, unweighted, overwrite)


def _has_lengths(data: Array) -> bool:
    """Return whether no value is negative or NaN."""
    return bool((data >= 0).all())


def _refuse_negative_cycles(csgraph: Any, directed: bool, unweighted: bool) -> None:
    """Raise NegativeCycleError if there is a cycle of negative length, around which SciPy's `dijkstra` goes for ever."""
    if unweighted:
        return
    graph = read(csgraph) if issparse(csgraph) and csgraph.format not in FORMATS else csgraph
    lengths = graph.data if issparse(graph) else np.asarray(graph)
    if lengths.dtype.kind in "ifc" and (lengths.real < 0).any():
        scipys("johnson")(csgraph, directed, indices=0)


def _read_sources(indices: ArrayLike | None, n: int) -> np.ndarray[Any, Any] | None:
    """Return an array of vertices, of any shape; None if one is no vertex, or there are none."""
    if indices is None:
        return np.arange(n)
    sources = np.asarray(indices)
    if sources.dtype.kind not in "iu" or not sources.size or sources.min() < -n or sources.max() >= n:
        return None
    return sources % n
