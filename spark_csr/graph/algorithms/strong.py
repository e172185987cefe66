"""Strongly connected components: the largest by two searches, others by trimming and colours, what is left by one walk.

Design: the vertices from which paths lead to a vertex and to which paths lead from it are its component. Parallel searches pay
for the one large component that most graphs have. Of the others most are single vertices that no edge enters, or leaves, once
those before them are gone: a traversal takes them away. Then every vertex takes the largest number of a vertex from which a
path leads to it as its colour, and a vertex of its own colour has in its component what leads to it within this colour. That is
repeated a few times. What is left, and components so deep that searches have too few vertices in a level to divide, one thread
of the processor visits: a thread of a GPU would take a microsecond for each edge, and could not be interrupted. Sources: Slota,
Rajamanickam & Madduri, IPDPS 2014; Tarjan, *Depth-First Search and Linear Graph Algorithms*, 1972.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import index_dtype, one_thread_is_fast, to_device, to_host_scalar
from spark_csr._engine import njit
from spark_csr._matrix.csr import csr_array
from spark_csr._shared.atomics import atomic_add, atomic_max, atomic_min
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import Graph
from spark_csr.graph.operators.traverse import traverse
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array

LEVELS = 64
"""A search for the largest component that needs more levels is given up. Not tuned."""

DEPTH = 1 << 10
"""Colours that spread over more levels are given up. Not tuned."""

ROUNDS = 8
"""How often vertices are trimmed and coloured. Not tuned."""


def strong_roots(G: Graph) -> tuple[Array, Array]:
    """Return the smallest vertex of the component of every vertex, and a mask of the vertices that are the smallest."""
    csr, n = G._csr, G.n_vertices
    xp = csr.xp
    root, is_root = xp.full(n, -1, index_dtype(n)), xp.zeros(n, bool)
    if n and one_thread_is_fast(csr.indptr):
        _find_components(csr.indptr, csr.indices, root, is_root)
    elif n:
        _find_largest(xp, G, root, is_root)
        _find_others(xp, csr, root, is_root)
    return root, is_root


def _find_components(indptr, indices, root, is_root):
    """Write the components of all vertices, on one core."""
    low = np.zeros(root.size, index_dtype(root.size + 1))
    order, calls, waiting = (np.empty_like(low) for _ in range(3))
    cursor = np.empty(root.size, indptr.dtype)
    for_each(1, _visit_all, indptr, indices, order, low, cursor, calls, waiting, root, is_root)


def _find_others(xp, csr, root, is_root):
    """Write the components of the vertices that have no root yet: round by round, and what is left then on the host."""
    for _ in range(ROUNDS):
        rest, part = _induce_rest(xp, csr, root)
        if not rest.size:
            return
        least = _find_least(xp, Graph._of(part, True))
        found = least >= 0
        root[rest[found]] = rest[least[found]]
        is_root[rest[least[found]]] = True
        if not to_host_scalar(found.any()):
            break
    rest, part = _induce_rest(xp, csr, root)
    if rest.size:
        _find_components_on_host(xp, rest, part, root, is_root)


def _induce_rest(xp, csr, root):
    """Return the vertices that have no root yet, and the pattern of the edges among them."""
    rest = (root < 0).nonzero()[0]
    return rest, csr_array._of(csr.with_data(csr.indices))[rest][:, rest]._csr


def _find_components_on_host(xp, rest, part, root, is_root):
    """Write the components of these vertices; a copy of the edges among them goes to the host."""
    found, is_found = np.empty(rest.size, root.dtype), np.zeros(rest.size, bool)
    _find_components(to_device(part.indptr, "cpu"), to_device(part.indices, "cpu"), found, is_found)
    root[rest] = rest[xp.asarray(found)]
    is_root[rest] = xp.asarray(is_found)


def _find_least(xp, G):
    """Return the smallest vertex of the component of every vertex, or -1 where that is not found out."""
    n = G.n_vertices
    entering, leaving = G.degrees("in").astype(np.int64), G.degrees().astype(np.int64)
    for graph, waiting in ((G, entering), (G.transpose, leaving)):
        traverse(graph, Frontier.of(G, (waiting == 0).nonzero()[0]), _is_last, (waiting,))
    alive = (entering > 0) & (leaving > 0)
    vertices = xp.arange(n, dtype=np.int64)
    colour = xp.where(alive, vertices, n)  # nothing is larger than the colour of a vertex that is gone
    sources = Frontier.of(G, alive.nonzero()[0])
    deep = len(traverse(G, sources, _has_larger_colour, (colour,), depth_limit=DEPTH)) > 0
    first = alive & (colour == vertices)
    seen = first.astype(np.int32)
    where = Frontier.of(G, first.nonzero()[0])
    if deep or len(traverse(G.transpose, where, _is_new_of_colour, (seen, colour), depth_limit=DEPTH)):
        return xp.where(alive, -1, vertices)
    least = xp.full(n + 1, n, np.int64)
    for_each(n, _note_least, seen, colour, least)
    return xp.where(seen != 0, least[colour], xp.where(alive, -1, vertices))


def _is_last(src, dst, edge, weight, waiting):
    return atomic_add(waiting, dst, -1) == 1


def _has_larger_colour(src, dst, edge, weight, colour):
    mine = colour[src]
    return mine > colour[dst] and atomic_max(colour, dst, mine) < mine


def _is_new_of_colour(src, dst, edge, weight, seen, colour):
    return colour[dst] == colour[src] and seen[dst] == 0 and atomic_max(seen, dst, 1) == 0


@njit
def _note_least(vertex, seen, colour, least):
    if seen[vertex] != 0:
        atomic_min(least, colour[vertex], vertex)


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
    count, depth, held = np.int64(0), np.int64(0), np.int64(0)
    for start in range(root.size):
        if low[start] != 0:
            continue
        w = np.uint64(start)
        while True:
            v, count, lowest = w, count + 1, count + 1
            order[v], low[v], calls[depth], waiting[held] = count, count, v, v
            position, depth, held = np.uint64(indptr[v]), depth + 1, held + 1
            while True:
                stop, found = np.uint64(indptr[v + 1]), np.int64(1)
                while position < stop:
                    w = np.uint64(indices[position])
                    position += 1
                    found = np.int64(low[w])
                    if found == 0:
                        break
                    lowest = min(lowest, found)
                low[v] = lowest
                if found == 0:
                    cursor[v] = position
                    break
                if lowest == order[v]:
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
        w = waiting[k]
        root[w], low[w] = least, closed
    is_root[least] = True
    return first
