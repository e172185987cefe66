"""Weakly connected components: some edges of every vertex first, then those that are not within the largest set found so far.

Design: two edges of every vertex join nearly all vertices that belong together. Edges within the largest of the sets found so
are not visited again. In an undirected graph all edges of its vertices are left out, since an edge to another set is also
stored at its other end; in a directed graph they are read, and joined if they lead to another set. Which edges are left out
does not change the result. Source: Sutton, Ben-Nun & Barak, *Optimizing Parallel Graph Connectivity Computation via Subgraph
Sampling*, IPDPS 2018, with a sample of fixed positions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import by_width, namespace_of, one_thread_is_fast, to_host_list
from spark_csr._engine import lean, njit
from spark_csr._shared.bisection import segment_of
from spark_csr.graph.union import climb_to_root, flatten, join, singletons
from spark_csr.primitives.foreach import for_each, for_each_tile
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Array
    from spark_csr.graph.graph import Graph

SAMPLES = 256
"""The number of vertices from which the largest set is guessed. A wrong guess only costs time. Not tuned."""

MANY = 4
"""The number of edges for each vertex above which a sample pays. Not tuned further."""

FEW = 20_000
"""The number of edges up to which to visit all takes less than a sample: 10,000 edges of 1,000 vertices 0.07 and 0.13 ms,
30,000 of 3,000 vertices 0.2 ms both (EPYC, family 25 model 1, 2026-11)."""


def weak_roots(G: Graph) -> tuple[Array, Array]:
    """Return the smallest vertex of the component of every vertex, and a mask of the vertices that are the smallest."""
    csr = G._csr
    n, size, indices = csr.shape[0], csr.indices.size, by_width(csr.indices)
    parent, largest = singletons(csr.xp, n), -1
    if size > max(MANY * n, FEW):
        second = namespace_of(parent).empty_like(parent)
        for_each(n, _hang, csr.indptr, indices, size - 1, parent, second)
        for_each(n, _rise, parent)
        for_each(n, _join_second, second, parent)
        for_each(n, _rise, parent)
        largest = _sample_largest(parent)
    # Few edges are left: with one item for each vertex, no tile has to search for its first vertex.
    if largest >= 0 and not G.directed and one_thread_is_fast(parent):
        for_each(n, _join_all, csr.indptr, indices, largest, parent)
    else:
        for_each_tile(size, _join_edges, csr.indptr, n, indices, largest, G.directed, parent)
    return parent, flatten(parent)


def _sample_largest(root):
    """Return the root that is most frequent in a sample of vertices; of several, the smallest. One host read."""
    n = root.size
    places = namespace_of(root).arange(SAMPLES) * n // SAMPLES
    roots, counts = np.unique(np.array(to_host_list(gather(root, places))), return_counts=True)
    return int(roots[counts.argmax()])


@njit
def _hang(i, indptr, indices, last, parent, second):
    """Hang a vertex below its first neighbour if that is smaller, and note its second one, mostly of the same cache line.

    No other call writes these elements. Without a branch the processor fetches the next vertices' cache lines meanwhile.
    """
    start, stop = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
    low, other = np.int64(indices[min(start, np.uint64(last))]), np.int64(indices[min(start + 1, np.uint64(last))])
    parent[i] = low if (start < stop) & (low < i) else i
    second[i] = other if start + 1 < stop else i


@njit
def _rise(i, parent):
    climb_to_root(i, parent)


@lean
def _join_second(i, second, parent):
    join(parent, i, np.int64(second[i]))


@lean
def _join_all(i, indptr, indices, largest, parent):
    """Join a vertex that is not in the largest set with all its neighbours."""
    if parent[i] != largest:
        for e in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            join(parent, i, np.int64(indices[e]))


@lean
def _join_edges(start, stop, indptr, rows, indices, largest, directed, parent):
    """Join the ends of edges `start` to `stop`, except for edges within the largest set."""
    row, position = np.uint64(segment_of(indptr, rows, np.int64(start))), start
    while position < stop:
        row_end = min(np.uint64(indptr[row + 1]), stop)
        if parent[row] != largest:
            for e in range(position, row_end):
                join(parent, np.int64(row), np.int64(indices[e]))
        elif directed:
            for e in range(position, row_end):
                target = np.uint64(indices[e])
                if parent[target] != largest:
                    join(parent, np.int64(row), np.int64(target))
        position = row_end
        row += 1
