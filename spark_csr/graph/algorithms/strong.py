"""Strongly connected components: the largest by two searches, the others by one walk.

Design: the vertices from which paths lead to a vertex and to which paths lead from it are its component. Parallel searches pay
for the one large component that most graphs have. One thread of the processor visits the edges among the remaining vertices,
and those of components so deep that a search has too few vertices in a level to divide: a thread of a GPU would take a
microsecond for each edge, and could not be interrupted. Sources: Slota, Rajamanickam & Madduri, IPDPS 2014; Tarjan,
*Depth-First Search and Linear Graph Algorithms*, 1972.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import index_dtype, one_thread_is_fast, to_device, to_host_scalar
from spark_csr._matrix.csr import csr_array
from spark_csr._numba import njit
from spark_csr._shared.atomics import atomic_max
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import Graph
from spark_csr.graph.operators.traverse import traverse
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array

LEVELS = 64
"""A search that needs more levels is given up. Not tuned."""


def strong_roots(G: Graph) -> tuple[Array, Array]:
    """Return the smallest vertex of the component of every vertex, and a mask of the vertices that are the smallest."""
    csr, n = G._csr, G.n_vertices
    xp = csr.xp
    root, is_root = xp.full(n, -1, index_dtype(n)), xp.zeros(n, bool)
    if n and one_thread_is_fast(csr.indptr):
        _find_components(csr.indptr, csr.indices, root, is_root)
    elif n:
        _find_largest(xp, G, root, is_root)
        _find_components_on_host(xp, csr, root, is_root)
    return root, is_root


def _find_components(indptr, indices, root, is_root):
    """Write the components of all vertices, on one core."""
    low = np.zeros(root.size, index_dtype(root.size + 1))
    order, calls, waiting = (np.empty_like(low) for _ in range(3))
    cursor = np.empty(root.size, indptr.dtype)
    for_each(1, _visit_all, indptr, indices, order, low, cursor, calls, waiting, root, is_root)


def _find_components_on_host(xp, csr, root, is_root):
    """Write the components of the vertices that have no root yet; a copy of the edges among them goes to the host."""
    rest = (root < 0).nonzero()[0]
    part = csr_array._of(csr.with_data(csr.indices))[rest][:, rest]._csr
    found, is_found = np.empty(rest.size, root.dtype), np.zeros(rest.size, bool)
    _find_components(to_device(part.indptr, "cpu"), to_device(part.indices, "cpu"), found, is_found)
    root[rest] = rest[xp.asarray(found)]
    is_root[rest] = xp.asarray(is_found)


def _find_largest(xp, G, root, is_root):
    """Write the component of a vertex with many edges in both directions, if the searches from it do not go too deep."""
    csr = G._csr
    busy = to_host_scalar(xp.minimum(G.degrees(), G.degrees("in")).argmax())
    pattern = Graph._of(csr.with_data(csr.indices), True)
    there = _search_from(xp, pattern, busy)
    back = None if there is None else _search_from(xp, pattern.transpose, busy)
    if back is not None:
        both = there & back
        least = to_host_scalar(both.argmax())
        root[both] = least
        is_root[least] = True


def _is_new(src, dst, edge, weight, seen):
    return seen[dst] == 0 and atomic_max(seen, dst, 1) == 0


def _search_from(xp, G, start):
    """Return a mask of the vertices that paths lead to; None if the search goes too deep."""
    seen = xp.zeros(G.n_vertices, np.int32)
    seen[start] = 1
    left = traverse(G, Frontier.of(G, start), _is_new, (seen,), depth_limit=LEVELS)
    return None if len(left) else seen != 0


@njit
def _visit_all(i, indptr, indices, order, low, cursor, calls, waiting, root, is_root):
    """Write the components of all vertices by Tarjan's algorithm.

    `low` is 0 before a vertex is reached, and larger than all numbers of vertices once it has a root.
    """
    count, depth, held, one = np.int64(0), np.int64(0), np.int64(0), np.uint64(1)
    for start in range(root.size):
        if low[start] != 0:
            continue
        w = np.uint64(start)
        while True:
            v, count, lowest = w, count + 1, count + 1
            order[v], low[v], calls[depth], waiting[held] = count, count, v, v
            position, depth, held = np.uint64(indptr[v]), depth + 1, held + 1
            while True:
                stop, found = np.uint64(indptr[v + one]), np.int64(1)
                while position < stop:
                    w = np.uint64(indices[position])
                    position += one
                    found = np.int64(low[w])
                    if found == 0:
                        break
                    lowest = min(lowest, found)
                low[v] = lowest
                if found == 0:
                    cursor[v] = position
                    break
                if lowest == np.int64(order[v]):
                    held = _close(v, held, waiting, low, root, is_root)
                depth -= 1
                if depth == 0:
                    break
                v, lowest = np.uint64(calls[depth - 1]), np.int64(low[v])
                lowest, position = min(lowest, np.int64(low[v])), np.uint64(cursor[v])
            if depth == 0:
                break


@njit(forceinline=True)
def _close(v, held, waiting, low, root, is_root):
    """Make a component of the vertices from `v` on that wait; return how many still wait."""
    first, least, closed = held, np.int64(v), root.size + 1
    while True:
        first -= 1
        least = min(least, np.int64(waiting[first]))
        if np.uint64(waiting[first]) == v:
            break
    for k in range(first, held):
        w = np.uint64(waiting[k])
        root[w], low[w] = least, closed
    is_root[np.uint64(least)] = True
    return first
