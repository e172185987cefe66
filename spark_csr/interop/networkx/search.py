"""Searches that visit vertices in networkx's order: breadth first by a queue, and by length with a heap.

Design: `bfs` and `sssp` of `spark_csr.graph` return the same distances on all cores, but no order of visits, and of equal paths
others than networkx. Here one core follows edges in the order in which they are stored, as networkx does. So dicts have
networkx's order and paths are networkx's. At 100,000 edges what is made of the result takes as long as the search.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from spark_csr._engine import njit
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spark_csr._types import Array
    from spark_csr.graph import Graph
    from spark_csr.interop.networkx.convert import NodeGraph

SOURCE, NOT_SEEN = -1, -2
"""What `before` holds for sources, and for vertices that were not reached."""


def search_by_queue(graph: Graph, sources: Iterable[int], cutoff: float | None = None) -> tuple[Array, Array, Array]:
    """Search breadth first, up to levels that are smaller than `cutoff`, rounded up.

    Return the vertices in the order of visits, the level of each of these, and for every vertex the one before it.
    """
    csr, n = graph._csr, graph.n_vertices
    before, order, level = np.full(n, NOT_SEEN), np.empty(n, np.int64), np.empty(n, np.int64)
    count, depth = np.zeros(1, np.int64), n
    if cutoff is not None and not cutoff >= n:
        depth = math.ceil(cutoff) if cutoff > 0 else 0
    for_each(1, _follow_queue, csr.indptr, csr.indices, np.array([*sources], np.int64), depth, before, order, level, count)
    return order[: count[0]], level[: count[0]], before


@njit
def _follow_queue(i, indptr, indices, sources, depth, before, order, level, count):
    head, stop = np.uint64(0), np.uint64(0)
    for s in sources:
        if before[s] == NOT_SEEN:
            before[s], order[stop], level[stop] = SOURCE, s, 0
            stop += 1
    while head < stop and level[head] < depth:
        u = np.uint64(order[head])
        for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + 1])):
            v = np.uint64(indices[e])
            if before[v] == NOT_SEEN:
                before[v], order[stop], level[stop] = u, v, level[head] + 1
                stop += 1
        head += 1
    count[0] = stop


def search_by_heap(
    graph: Graph, sources: Iterable[int], target: int | None = None, cutoff: float | None = None
) -> tuple[Array, Array, Array]:
    """Search by length (Dijkstra), not beyond a length of `cutoff`, and no further than to `target`.

    Return the vertices in the order of visits, the distance of each of these, and for every vertex the one before it. Lengths
    must not be negative. Of several edges between two vertices, which are neighbours in the record, the shortest counts.
    """
    csr, n, starts = graph._csr, graph.n_vertices, np.array([*sources], np.int64)
    room = csr.indices.size + starts.size
    heap, keys, vertices = np.empty(room, np.int64), np.empty(room), np.empty(room, np.int64)
    before, order, distance = np.full(n, NOT_SEEN), np.empty(n, np.int64), np.empty(n)
    count, bounds = np.zeros(1, np.int64), (SOURCE if target is None else target, math.inf if cutoff is None else float(cutoff))
    edges, scratch = (csr.indptr, csr.indices, csr.data), (heap, keys, vertices, np.empty(n), np.zeros(n, bool))
    for_each(1, _follow_heap, *edges, starts, *bounds, *scratch, before, order, distance, count)
    return order[: count[0]], distance[: count[0]], before


@njit
def _rise(heap, keys, k, item):
    """Put an item into the heap, at position `k` or above: items of one key come in the order in which they were added."""
    while k > 0:
        above = heap[(k - 1) >> 1]
        if keys[above] <= keys[item]:
            break
        heap[k], k = above, (k - 1) >> 1
    heap[k] = item


@njit
def _sink(heap, keys, size, item):
    """Put an item into the heap of `size` items whose first one is gone."""
    k = 0
    while 2 * k + 1 < size:
        below = 2 * k + 1
        a = heap[below]
        if below + 1 < size:
            b = heap[below + 1]
            if keys[b] < keys[a] or (keys[b] == keys[a] and b < a):
                below, a = below + 1, b
        if keys[item] < keys[a] or (keys[item] == keys[a] and item < a):
            break
        heap[k], k = a, below
    heap[k] = item


@njit
def _follow_heap(
    i, indptr, indices, lengths, sources, target, cutoff, heap, keys, vertices, least, done, before, order, distance, count
):
    """Items are numbered in the order in which they are added; `keys` and `vertices` hold what they are."""
    added, size, stop = 0, 0, np.uint64(0)
    for s in sources:
        keys[added], vertices[added], least[s], before[s] = 0.0, s, 0.0, SOURCE
        _rise(heap, keys, size, added)
        added, size = added + 1, size + 1
    while size > 0:
        item, size = heap[0], size - 1
        if size > 0:
            _sink(heap, keys, size, heap[size])
        u, here = np.uint64(vertices[item]), keys[item]
        if done[u]:
            continue
        done[u], order[stop], distance[stop] = True, u, here
        stop += 1
        if np.int64(u) == target:
            break
        e, end = np.uint64(indptr[u]), np.uint64(indptr[u + 1])
        while e < end:
            v, length = np.uint64(indices[e]), lengths[e]
            e += 1
            while e < end and np.uint64(indices[e]) == v:
                length = min(length, lengths[e])
                e += 1
            reached = here + length
            if reached > cutoff or done[v] or (before[v] != NOT_SEEN and reached >= least[v]):
                continue
            least[v], before[v], keys[added], vertices[added] = reached, u, reached, v
            _rise(heap, keys, size, added)
            added, size = added + 1, size + 1
    count[0] = stop


def paths_of(G: NodeGraph, order: Array, before: Array) -> dict[Any, list[Any]]:
    """Return a dict of the paths to the vertices of a search, in its order, as lists of nodes."""
    parents = before[order]
    starts = np.count_nonzero(parents == SOURCE)  # they come first
    found = {node: [node] for node in G.nodes_of(order[:starts])}
    for node, parent in zip(G.nodes_of(order[starts:]), G.nodes_of(parents[starts:]), strict=True):
        found[node] = [*found[parent], node]
    return found


def path_to(nodes: list[Any], target: int, before: Array) -> list[Any]:
    """Return the nodes on the path to one vertex."""
    out = []
    while target >= 0:
        out.append(nodes[target])
        target = int(before[target])
    return out[::-1]
