"""`color`: colours that differ between neighbours.

Design: vertices are put into an order, those with many edges first and equal ones by random numbers, and each takes the least
colour that none of its earlier neighbours has. A vertex is coloured at once by the visit that colours the last neighbour that
it waited for. So the result is that of colouring the vertices one after the other. Sources: Jones & Plassmann, *A Parallel
Graph Coloring Heuristic*, 1993; Hasenplaugh, Kaler, Schardl & Leiserson, *Ordering Heuristics for Parallel Graph Coloring*,
SPAA 2014.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._engine import lean, njit
from spark_csr._shared.atomics import atomic_add
from spark_csr.graph.algorithms.checks import check_undirected
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import Graph, arrays_of
from spark_csr.graph.operators.advance import advance
from spark_csr.graph.operators.filter import filter
from spark_csr.graph.operators.traverse import traverse
from spark_csr.graph.philox import random_bits, seed_of
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array


def color(G: Graph, *, seed: int = 0) -> Array:
    """Colour the vertices so that no two neighbours have the same colour.

    Parameters
    ----------
    G : Graph
        An undirected graph. Self-loops are ignored, several edges between two vertices count as one, and weights are ignored.
    seed : int, default: 0
        The seed, in [0, 2**64), of the order of the vertices that have equally many edges.

    Returns
    -------
    (n,) array of int32
        The colours, from 0 on without gaps. Their number is at most the largest degree plus one.

    Raises
    ------
    ValueError
        If `G` is directed, or if `seed` is out of range.

    Notes
    -----
    *Cost*: two visits to every edge, and one more for every 64 colours among the neighbours of a vertex. The number of rounds
    is the length of the longest chain of neighbours in the order of the vertices, which is at least the number of colours.
    There is one host read for each round, and one for many small rounds together. *Order*: the same colours on every run and on
    any device. *Empty input*: an empty array. A vertex without edges has colour 0.

    Examples
    --------
    >>> from spark_csr.graph import Graph, color
    >>> color(Graph([[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]], directed=False), seed=1)
    array([1, 0, 1, 2], dtype=int32)
    """
    xp, csr = arrays_of(G)
    check_undirected(G, "color")
    n, pattern, key = csr.shape[0], Graph._of(csr.with_data(csr.indices), False), seed_of(seed)
    priority, waiting, colors = xp.empty(n, np.int64), xp.zeros(n, np.int32), xp.full(n, -1, np.int32)
    for_each(n, _draw, csr.indptr, *key, priority)
    vertices = Frontier.all(G)
    advance(pattern, vertices, _count_earlier, (priority, waiting), output=None)
    first = filter(vertices, _is_first, (waiting, colors))
    traverse(pattern, first, _release, (csr.indptr, csr.indices, waiting, colors))
    return colors


@njit
def _draw(i, indptr, key_low, key_high, priority):
    """Write a vertex's priority: its number of edges above 32 random bits."""
    edges = np.int64(indptr[i + 1] - indptr[i])
    priority[i] = (edges << 32) | np.int64(random_bits(key_low, key_high, i, 0) >> 32)


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
    """Count that a neighbour without colour waits for one vertex less; colour the neighbour if that was the last one."""
    if colors[dst] >= 0 or atomic_add(waiting, dst, -1) != 1:
        return False
    colors[dst] = _least_free(np.uint64(indptr[dst]), np.uint64(indptr[dst + 1]), indices, colors)
    return True


@njit(forceinline=True)
def _least_free(start, stop, indices, colors):
    """Return the least colour that no neighbour has; it tests 64 at a time."""
    least, used = np.int64(0), np.uint64(0)
    while True:
        for e in range(start, stop):
            above = colors[indices[e]] - least
            if 0 <= above < 64:
                used |= 1 << np.uint64(above)
        if used != 0xFFFFFFFFFFFFFFFF:
            break
        least, used = least + 64, np.uint64(0)
    while used & 1:
        least, used = least + 1, used >> 1
    return least
