"""The vertices near some others, found without an array as long as the graph has vertices.

Design: one core goes along the edges level by level, and keeps what it has found in a hash table of a few kilobytes. If more
vertices or edges are near than tuned numbers say, it gives up, and the caller searches the whole graph: at most as much work is
done twice. Cost: proportional to the edges that are near.
"""

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, njit

GAPS = (301, 132, 57, 23, 10, 4, 1)
"""Distances of a Shell sort (Ciura, *Best Increments for the Average Case of Shellsort*, 2001)."""


@njit
def _note(vertex, level, table, vertices, distance, size):
    """Add a vertex to the list, unless it is there; return how many are in the list."""
    mask = np.uint64(table.size - 1)
    slot = (vertex * 0x9E3779B97F4A7C15 >> 32) & mask
    while table[slot]:
        if table[slot] == vertex + 1:
            return size
        slot = (slot + 1) & mask
    table[slot] = vertex + 1
    vertices[size], distance[size] = vertex, level
    return size + 1


@njit
def _sort(vertices, begin, end):
    """Sort a part of the list."""
    for gap in GAPS:
        for i in range(begin + gap, end):
            vertex, at = vertices[i], i
            while at >= begin + gap and vertices[at - gap] > vertex:
                vertices[at] = vertices[at - gap]
                at -= gap
            vertices[at] = vertex


@compile_kernel
def _find_near(indptr, indices, sources, depth, edges, table, vertices, distance):
    """List the vertices of every level in ascending order; return their number, -1 if too many vertices or edges are near."""
    size, room = np.uint64(0), np.uint64(vertices.size)
    for i in range(sources.size):
        size = _note(np.uint64(sources[i]), 0, table, vertices, distance, size)
    _sort(vertices, 0, np.int64(size))
    begin, level = np.uint64(0), 0
    while level < depth and begin < size:
        level, end = level + 1, size
        for i in range(begin, end):
            vertex = vertices[i]
            position, stop = np.uint64(indptr[vertex]), np.uint64(indptr[vertex + 1])
            edges -= np.int64(stop - position)
            if edges < 0:
                return -1
            while position < stop:
                if size == room:
                    return -1
                size = _note(np.uint64(indices[position]), level, table, vertices, distance, size)
                position += 1
        _sort(vertices, np.int64(end), np.int64(size))
        begin = end
    return np.int64(size)


def find_near(indptr, indices, sources, depth):
    """Return the vertices at most `depth` edges away and their distances, or None if many vertices or edges are near."""
    room = TUNING.near_vertices
    if sources.size >= room:
        return None
    vertices, distance = np.empty(room, sources.dtype), np.empty(room, np.int32)
    table = np.zeros(4 << room.bit_length(), np.uint64)
    found = _find_near(indptr, indices, sources, depth, TUNING.near_edges, table, vertices, distance)
    return None if found < 0 else (vertices[:found].copy(), distance[:found].copy())
