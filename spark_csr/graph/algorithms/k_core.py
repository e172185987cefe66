"""`core_number`, `k_core`: what is left of a graph when vertices of few neighbours are taken away.

Design: peeling. A vertex with as few edges as any that is left goes, its neighbours lose an edge, and those that have no more
than it had go with it, which is a walk. Who takes an edge away learns in the same step how many there were: so one neighbour,
whichever, sends a vertex on. Source: Batagelj & Zaveršnik 2003; Kabir & Madduri, *Parallel k-core Decomposition*, 2017.
"""

import operator
import sys

import numpy as np

from spark_csr._array import by_width, index_dtype
from spark_csr._numba import njit
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._shared.atomics import atomic_add
from spark_csr.graph.algorithms.checks import check_undirected
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.advance import edge_arguments
from spark_csr.graph.operators.filter import filter
from spark_csr.graph.operators.visits import INT64, compile_test
from spark_csr.graph.operators.walk import Walk
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import gather


def core_number(G):
    """For every vertex the largest k for which it is in the k-core.

    Parameters
    ----------
    G : Graph
        Undirected. Self-loops do not count (networkx refuses them); of several edges between two vertices each does.

    Returns
    -------
    (n,) array of int32, int64 for 2**31 edges

    Raises
    ------
    ValueError
        For a directed graph.
    TypeError
        For what is no Graph.

    Notes
    -----
    *Cost*: one visit to every edge that is no loop, and for each k in the result two passes over the vertices that are left;
    two host reads for each k, and those of `traverse`. *Order*: exact. *Empty input*: no vertices.

    Examples
    --------
    >>> from spark_csr.graph import Graph, core_number
    >>> core_number(Graph([[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 0]], directed=False))
    array([2, 2, 2, 1], dtype=int32)
    """
    xp, csr = arrays_of(G)
    check_undirected(G, "core_number")
    left, degree = Frontier.all(G), G.degrees()
    for_each(csr.indices.size, _forget_loop, csr.plan(rows_of_entries), csr.indices, degree)
    core, walk = xp.zeros(left.n, degree.dtype), Walk(csr, None, left._list()[:0], G._scratch)
    while len(left):
        state = degree, gather(degree, left._list()).min(keepdims=True)
        walk.step(len(left), _peel_tile, (by_width(left._list()), *state), ())
        while walk.items.size:
            walk.advance(compile_test(_peel, edge_arguments(INT64), state), state, sys.maxsize)
        left = filter(left, _stays, (*state, core))
    return core


def k_core(G, k=None):
    """The vertices of the largest part of a graph in which each has `k` neighbours.

    Parameters
    ----------
    G : Graph
        As that of `core_number`.
    k : int, optional
        Default: the largest for which there is one.

    Returns
    -------
    (c,) array of int32, int64 for 2**31 vertices
        Vertices in ascending order.

    Raises
    ------
    ValueError, TypeError
        As `core_number`; TypeError for a `k` that is no integer.

    Notes
    -----
    *Cost*: that of `core_number`, and a pass over the vertices. *Order*: ascending. *Empty input*: no vertices.

    Examples
    --------
    >>> from spark_csr.graph import Graph, k_core
    >>> k_core(Graph([[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 0]], directed=False))
    array([0, 1, 2], dtype=int32)
    """
    k = None if k is None else operator.index(k)
    core = core_number(G)
    if not core.size:
        return core.astype(index_dtype(0))
    return (core >= (core.max() if k is None else k)).nonzero()[0].astype(index_dtype(core.size))


@njit
def _forget_loop(edge, sources, targets, degree):
    if sources[edge] == targets[edge]:
        atomic_add(degree, sources[edge], -1)


@njit
def _peel_tile(start, stop, items, degree, least, shift, counts, out):
    """Keep the vertices that have the fewest edges."""
    place = start
    for k in range(start, stop):
        out[place] = items[k]
        place += np.uint64(degree[np.uint64(items[k])] == least[0])
    counts[start >> np.uint64(shift)] = place - start


def _peel(src, dst, edge, level, degree, least):
    """Take an edge away from a vertex that had more; it goes too if now it has no more."""
    return degree[dst] > least[0] and atomic_add(degree, dst, -1) == least[0] + 1


def _stays(vertex, degree, least, core):
    """A vertex that went is in the core of just so many edges."""
    if degree[vertex] > least[0]:
        return True
    core[vertex] = least[0]
    return False
