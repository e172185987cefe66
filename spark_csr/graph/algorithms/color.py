"""`color`: colours that differ between neighbours.

Design: vertices come in an order, those with many edges first, equal ones as a seed says; each takes the least colour that its
earlier neighbours leave it. One that waits for no neighbour any more is coloured at once, by the visit that freed it: the
result is that of one after the other. Sources: Jones & Plassmann, *A Parallel Graph Coloring Heuristic*, 1993; Hasenplaugh,
Kaler, Schardl & Leiserson, *Ordering Heuristics for Parallel Graph Coloring*, SPAA 2014.
"""

import numpy as np

from spark_csr._numba import njit
from spark_csr._numba.lean import lean
from spark_csr._shared.atomics import atomic_add
from spark_csr.graph.algorithms.checks import check_undirected
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import Graph, arrays_of
from spark_csr.graph.operators.advance import advance
from spark_csr.graph.operators.filter import filter
from spark_csr.graph.operators.traverse import traverse
from spark_csr.graph.philox import random_bits, seed_of
from spark_csr.primitives.foreach import for_each


def color(G, *, seed=0):
    """Colour the vertices so that no two neighbours have the same colour.

    Parameters
    ----------
    G : Graph
        Undirected. Self-loops are passed over, several edges are like one, weights play no part.
    seed : int
        In [0, 2**64): the order of vertices that have equally many edges.

    Returns
    -------
    (n,) int32 array
        Colours from 0 on, none left out; at most one more than the most edges of a vertex.

    Raises
    ------
    ValueError
        For a directed graph, or a seed out of range.
    TypeError
        For what is no Graph.

    Notes
    -----
    *Cost*: two visits to every edge, and one more for every 64 colours among the neighbours of its vertex. Rounds: as many as
    the longest chain of neighbours in that order, no fewer than there are colours; one host read for each, and for many small
    ones together one. *Order*: same colours every run, on any device. *Empty input*: no colours; a vertex without edges has
    colour 0.

    Examples
    --------
    >>> from spark_csr.graph import Graph, color
    >>> color(Graph([[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]], directed=False), seed=1)
    array([1, 0, 1, 2], dtype=int32)
    """
    xp, csr = arrays_of(G)
    check_undirected(G, "color")
    n, pattern, seed = csr.shape[0], Graph._of(csr.with_data(csr.indices), False), seed_of(seed)
    priority, waiting, colors = xp.empty(n, np.int64), xp.zeros(n, np.int32), xp.full(n, -1, np.int32)
    for_each(n, _draw, csr.indptr, *seed, priority)
    vertices = Frontier.all(G)
    advance(pattern, vertices, _count_earlier, (priority, waiting), output=None)
    first = filter(vertices, _is_first, (waiting, colors))
    traverse(pattern, first, _release, (csr.indptr, csr.indices, waiting, colors))
    return colors


@njit
def _draw(i, indptr, key_low, key_high, priority):
    """The number of edges stands above 32 random bits."""
    here = np.uint64(i)
    edges = np.int64(indptr[here + np.uint64(1)]) - np.int64(indptr[here])
    priority[here] = (edges << 32) | np.int64(random_bits(key_low, key_high, i, 0) >> np.uint64(32))


@lean
def _count_earlier(src, dst, edge, weight, priority, waiting):
    mine, other = priority[src], priority[dst]
    if other > mine or (other == mine and dst < src):
        atomic_add(waiting, src, 1)


@lean
def _is_first(vertex, waiting, colors):
    first = waiting[vertex] == 0
    if first:
        colors[vertex] = 0
    return first


@lean
def _release(src, dst, edge, weight, indptr, indices, waiting, colors):
    """A neighbour without colour comes later, and waits for this edge too; for the last one it waits for, it is coloured."""
    if colors[dst] >= 0 or atomic_add(waiting, dst, -1) != 1:
        return False
    colors[dst] = _least_free(np.uint64(indptr[dst]), np.uint64(indptr[dst + 1]), indices, colors)
    return True


@njit(forceinline=True)
def _least_free(start, stop, indices, colors):
    """The least colour that no neighbour has; 64 at a time."""
    least, used = np.int64(0), np.uint64(0)
    while True:
        for e in range(start, stop):
            above = np.int64(colors[np.uint64(indices[e])]) - least
            if 0 <= above < 64:
                used |= np.uint64(1) << np.uint64(above)
        if used != np.uint64(0xFFFFFFFFFFFFFFFF):
            break
        least, used = least + 64, np.uint64(0)
    while used & np.uint64(1):
        least, used = least + 1, used >> np.uint64(1)
    return least
