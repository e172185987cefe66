"""Levels of a breadth-first search that are pulled: vertices that are not reached yet look for an edge from the level.

Design: the vertices of a level, and those that are not reached yet, are a bit each. A vertex stops at the first edge that comes
from the level. Source: Beamer, Asanović & Patterson, *Direction-Optimizing Breadth-First Search*, SC 2012.
"""

import numpy as np

from spark_csr._engine import for_tiles, njit
from spark_csr._engine.numba.intrinsics.bits import lowest_bit


@njit(forceinline=True)
def allocate_bits(n, items):
    """Return memory for `n` vertices: three sets of bits, and two numbers for each tile of `items` words of 64 vertices."""
    words = (n + 63) // 64
    return np.empty((3, words), np.uint64), np.empty(((words + items - 1) // items, 2), np.int64)


@njit(forceinline=True)
def is_worth_pulling(rule, edges, unseen, n):
    """Return whether a level is to be pulled from, given how many edges leave it and how many were not looked at yet."""
    way, alpha, beta, least = rule
    return way == 2 or (way == 1 and edges > least and edges * alpha > unseen and edges * beta > n)


@njit(forceinline=True)
def append(vertex, indptr, near, bounds, size):
    """Put a vertex behind the others of a list; return how many these are."""
    near[size] = vertex
    bounds[size + 1] = bounds[size] + indptr[vertex + 1] - indptr[vertex]
    return size + 1


@njit
def _mark_tile(tile, items, starts, distance, level, among, unseen):
    """Write which vertices of a tile are of a level, and which are not reached yet but have edges that enter: a bit each."""
    n, far = np.uint64(distance.size), np.uint32(0xFFFFFFFF)
    for word in range(tile * np.uint64(items), min((tile + 1) * np.uint64(items), np.uint64(among.size))):
        here, left, first = np.uint64(0), np.uint64(0), word << 6
        for k in range(min(np.uint64(64), n - first)):
            v = first + k
            here |= np.uint64(distance[v] == level) << k
            left |= np.uint64((distance[v] == far) & (starts[v] != starts[v + 1])) << k
        among[word], unseen[word] = here, left


@njit
def _pull_tile(tile, items, back, indptr, found, level, among, beyond, unseen, tallies):
    """Find edges from the level to the vertices of a tile. Sources ascend, so the first is the least."""
    (starts, sources), (distance, predecessor), last = back, found, np.uint64(63)
    size, edges, next_level = 0, 0, np.uint32(level + 1)
    for word in range(tile * np.uint64(items), min((tile + 1) * np.uint64(items), np.uint64(among.size))):
        left, reached = unseen[word], np.uint64(0)
        while left != 0:
            bit = lowest_bit(left)
            left &= left - 1
            target = (word << 6) + bit
            for e in range(np.uint64(starts[target]), np.uint64(starts[target + 1])):
                source = np.uint64(sources[e])
                if among[source >> 6] >> (source & last) & 1:
                    distance[target], predecessor[target] = next_level, source
                    reached |= 1 << bit
                    size += 1
                    edges += indptr[target + 1] - indptr[target]
                    break
        beyond[word] = reached
        unseen[word] ^= reached
    tallies[tile, 0], tallies[tile, 1] = size, edges


@njit
def list_tile(core, tile, items, among, indptr, lists, bounds, sizes, here):
    """Put the vertices of a tile that are in a level into the list of this core."""
    near, sums, size = lists[here, core], bounds[here, core], np.uint64(sizes[here, core])
    for word in range(tile * np.uint64(items), min((tile + 1) * np.uint64(items), np.uint64(among.size))):
        left = among[word]
        while left != 0:
            size = append((word << 6) + lowest_bit(left), indptr, near, sums, size)
            left &= left - 1
    sizes[here, core] = size


@njit
def pull(cores, items, graph, back, found, level, depth, rule, seen, bits, tallies, ways):
    """Pull level by level as long as the rule says so; return what is known afterwards, and which bits hold the last level."""
    (indptr, indices), tiles, among, beyond, unseen = graph, tallies.shape[0], 0, 1, bits[2]
    for_tiles(cores, tiles, _mark_tile, (items, back[0], found[0], np.uint32(level), bits[0], unseen))
    while True:
        if level < ways.size:
            ways[level] = True
        args = items, back, indptr, found, level, bits[among], bits[beyond], unseen, tallies
        for_tiles(cores, tiles, _pull_tile, args)
        size, edges, level, among, beyond = tallies[:, 0].sum(), tallies[:, 1].sum(), level + 1, beyond, among
        if size == 0 or level >= depth or not is_worth_pulling(rule, edges, indices.size - seen, found[0].size):
            return size, edges, level, seen, among
        seen += edges
