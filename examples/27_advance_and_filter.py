"""
Advance and filter
==================

Write the two operators of a graph library for GPUs with two primitives, and search a graph breadth first with them.

Advance visits every edge that leaves a frontier: the degrees of the frontier are scanned, and `transform_segments` tells, for
each place in the list of all these edges, which vertex the edge leaves, and its rank there. Filter keeps the vertices that are
reached for the first time: `transform_compact` calls a test for each, then writes those that passed. `spark_csr.graph` has both
operators ready made.

Run it with ``python examples/27_advance_and_filter.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/search.svg"

import numpy as np
import scipy.sparse.csgraph

from spark_csr.gallery import rmat
from spark_csr.graph import atomic_min
from spark_csr.primitives import offsets_from_counts, transform_compact, transform_segments

FAR = np.iinfo(np.int32).max


def degree(vertex, indptr):
    return indptr[vertex + 1] - indptr[vertex]


def edge(index, segment, rank, frontier, indptr):
    return indptr[frontier[segment]] + rank


def neighbour(index, segment, rank, frontier, indptr, columns):
    return columns[indptr[frontier[segment]] + rank]


def advance(frontier, indptr, columns):
    """List the target of every edge that leaves the frontier."""
    offsets = offsets_from_counts(degree(frontier, indptr))
    return transform_segments(offsets, neighbour, frontier, indptr, columns)


def claim(index, reached, distance, level):
    """Set the distance of a vertex, and tell whether this call was the first to do so: one call of those for a vertex is."""
    return atomic_min(distance, reached[index], level) == FAR


def vertex_of(destination, source, reached, distance, level):
    return reached[source]


def search(indptr, columns, source):
    distance = np.full(indptr.size - 1, FAR, np.int32)
    distance[source] = 0
    frontier, level = np.array([source], np.int32), 0
    while frontier.size:
        level += 1
        reached = advance(frontier, indptr, columns)
        frontier = transform_compact(reached.size, claim, vertex_of, reached, distance, level)
        print(f"level {level}: {reached.size:7} edges lead to {frontier.size:6} new vertices")
    return distance


def main():
    # Seven vertices, of which three are the frontier: their edges are 2, 50 and 100.
    indptr, frontier = np.array([0, 2, 10, 100, 150, 180, 900, 1000]), np.array([0, 3, 6])
    offsets = offsets_from_counts(degree(frontier, indptr))
    edges = transform_segments(offsets, edge, frontier, indptr)
    print("degrees of the frontier:  ", degree(frontier, indptr))
    print("their scan, and the total:", offsets)
    print("the edges that leave it:  ", edges[:4], "...", edges[-2:])

    A = rmat(14)
    distance = search(A.indptr, A.indices, 0)
    from_scipy = scipy.sparse.csgraph.dijkstra(A.to_scipy(), unweighted=True, indices=0)
    assert np.array_equal(np.where(np.isinf(from_scipy), FAR, from_scipy), distance)
    print("agrees with SciPy")


# %%
# Run the program:

if __name__ == "__main__":
    main()
