"""`core_number`, `k_core`: the parts of a graph that are left when vertices of few neighbours are removed.

Design: peeling. The vertices that have the fewest edges of all that are left are removed, which takes edges from their
neighbours. Neighbours that now have no more edges than these vertices had are removed too, which is a walk. The thread that
removes an edge learns in the same atomic step how many edges there were, so exactly one of them removes the neighbour. Source:
Batagelj & Zaveršnik 2003; Kabir & Madduri, *Parallel k-core Decomposition*, 2017.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import by_width, index_dtype
from spark_csr._engine import njit
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._shared.atomics import atomic_add
from spark_csr.graph.algorithms.checks import check_undirected
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.advance import edge_arguments
from spark_csr.graph.operators.filter import filter
from spark_csr.graph.operators.walk import Walk
from spark_csr.primitives._calls import INT64, compile_test
from spark_csr.primitives._check import integer
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Array
    from spark_csr.graph.graph import Graph


def core_number(G: Graph) -> Array:
    """Compute, for every vertex, the largest k such that the vertex is in the k-core.

    Parameters
    ----------
    G : Graph
        An undirected graph. Self-loops are ignored (networkx refuses them). Each of several edges between two vertices counts.

    Returns
    -------
    (n,) array of int32, or int64 for 2**31 or more edges
        The core number of every vertex.

    Raises
    ------
    ValueError
        If `G` is directed.

    Notes
    -----
    *Cost*: one visit to every edge that is not a self-loop, and for each k in the result two passes over the vertices that are
    left; two host reads for each k, and those of `traverse`. *Order*: exact. *Empty input*: an empty array.

    Examples
    --------
    >>> from spark_csr.graph import Graph, core_number, k_core
    >>> A = [[0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 0]]
    >>> core_number(Graph(A, directed=False)), k_core(Graph(A, directed=False))
    (array([2, 2, 2, 1], dtype=int32), array([0, 1, 2], dtype=int32))
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


def k_core(G: Graph, k: int | None = None) -> Array:
    """Find the vertices of the k-core: the largest part of a graph in which every vertex has at least `k` neighbours.

    Parameters, result and exceptions that are not listed are those of `core_number`. *Cost*: that, and a pass over the
    vertices. See the example of `core_number`.

    Parameters
    ----------
    k : int, optional
        The least number of neighbours. Default: the largest k for which there is a k-core.

    Returns
    -------
    (c,) array of int32, or int64 for 2**31 or more vertices
        The vertices of the k-core in ascending order.
    """
    k = None if k is None else min(integer("k", k), sys.maxsize)
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
    """Select the vertices that have the fewest edges."""
    place = start
    for k in range(start, stop):
        out[place] = items[k]
        place += np.uint64(degree[items[k]] == least[0])
    counts[start >> np.uint64(shift)] = place - start


def _peel(src, dst, edge, level, degree, least):
    """Remove an edge of a vertex that had more than the fewest; return whether it has the fewest now, and is removed too."""
    return degree[dst] > least[0] and atomic_add(degree, dst, -1) == least[0] + 1


def _stays(vertex, degree, least, core):
    """Return whether a vertex was not removed; write the core number of a vertex that was."""
    if degree[vertex] > least[0]:
        return True
    core[vertex] = least[0]
    return False
