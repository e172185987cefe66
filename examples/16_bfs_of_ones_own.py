"""Breadth-first search of one's own: a frontier goes along its edges, and what was not seen yet is the next.

python examples/16_bfs_of_ones_own.py
"""

import numpy as np
import scipy.sparse.csgraph

from spark_csr.gallery import rmat
from spark_csr.graph import Frontier, Graph, advance, filter, for_each, uniquify


def along(src, dst, edge, weight):
    return src != dst


def unseen(vertex, distance):
    return distance[vertex] < 0


def settle(vertex, distance, level):
    distance[vertex] = level


def distances(G, source):
    distance = np.full(G.n_vertices, -1)
    frontier, level = Frontier.of(G, source), 0
    while len(frontier):
        for_each(frontier, settle, (distance, level))
        frontier = uniquify(filter(advance(G, frontier, along), unseen, (distance,)))
        level += 1
    return distance


def main():
    G = Graph(rmat(14))
    distance = distances(G, 0)
    for level in range(distance.max() + 1):
        print(f"{level} edges from vertex 0: {np.count_nonzero(distance == level):6} vertices")
    print(f"out of reach:              {np.count_nonzero(distance < 0):6} vertices")
    expected = scipy.sparse.csgraph.dijkstra(G.matrix.to_scipy(), unweighted=True, indices=0)
    expected[np.isinf(expected)] = -1
    assert np.array_equal(distance, expected)
    print("agrees with SciPy")


if __name__ == "__main__":
    main()
