"""
A breadth-first search of one's own
===================================

Search a graph breadth first, twice: step by step, and by one call that goes on until the frontier is empty.

A frontier advances along its edges, and the vertices that were not seen before are the next frontier.

Run it with ``python examples/16_bfs_of_ones_own.py``.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/search.svg"

import numpy as np
import scipy.sparse.csgraph

from spark_csr.gallery import rmat
from spark_csr.graph import Frontier, Graph, advance, atomic_min, bfs, filter, for_each, traverse, uniquify

FAR = np.iinfo(np.int32).max


def along(src, dst, edge, weight):
    return src != dst


def unseen(vertex, distance):
    return distance[vertex] == FAR


def settle(vertex, distance, level):
    distance[vertex] = level


def step_by_step(G, source):
    distance = np.full(G.n_vertices, FAR, np.int32)
    frontier, level = Frontier.of(G, source), 0
    while len(frontier):
        for_each(frontier, settle, (distance, level))
        frontier = uniquify(filter(advance(G, frontier, along), unseen, (distance,)))
        level += 1
    return distance


def reach(src, dst, edge, weight, distance):
    return atomic_min(distance, dst, distance[src] + 1) == FAR


def in_one_go(G, source):
    distance = np.full(G.n_vertices, FAR, np.int32)
    distance[source] = 0
    traverse(G, Frontier.of(G, source), reach, (distance,))
    return distance


def main():
    G = Graph(rmat(14))
    distance, _ = bfs(G, 0)
    for level in range(distance.max() + 1):
        print(f"{level} edges from vertex 0: {np.count_nonzero(distance == level):6} vertices")
    print(f"out of reach:              {np.count_nonzero(distance < 0):6} vertices")
    expected = np.where(distance < 0, FAR, distance)
    assert np.array_equal(step_by_step(G, 0), expected)
    assert np.array_equal(in_one_go(G, 0), expected)
    from_scipy = scipy.sparse.csgraph.dijkstra(G.matrix.to_scipy(), unweighted=True, indices=0)
    assert np.array_equal(np.where(np.isinf(from_scipy), FAR, from_scipy), expected)
    print("agrees with SciPy")


# %%
# Run the program:

if __name__ == "__main__":
    main()
