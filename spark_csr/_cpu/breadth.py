"""Breadth-first search on the cores: all levels in one call.

Design: distances and predecessors are written while they are found, so the only other pass over all vertices fills them. A
predecessor is an unsigned number of which the least is kept, and nobody is the largest: whoever finds nobody there lists the
vertex. One core does levels that few edges leave, without locked instructions. Larger levels go along edges, in tiles of
equal numbers, or are pulled: vertices that are not reached yet, a bit each, look for the first edge that comes from the level.
Every core has a list of its own for what it finds; results do not depend on the order of lists. Source: Beamer, Asanović &
Patterson, *Direction-Optimizing Breadth-First Search*, SC 2012.
"""

import numpy as np

from spark_csr._cpu.breadth_pull import allocate_bits, append, is_worth_pulling, list_tile, pull
from spark_csr._cpu.memory import prefetch_row_ahead
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, expect_jobs, for_tiles, for_tiles_by_core, njit
from spark_csr._shared.atomics import atomic_min
from spark_csr._shared.bisection import segment_of

UNSIGNED = {np.dtype(np.int32): np.dtype(np.uint32), np.dtype(np.int64): np.dtype(np.uint64)}

WAYS = {"push": 0, "auto": 1, "pull": 2}


@njit
def _fill_block(tile, size, distance, predecessor):
    start, nobody = tile * np.uint64(size), np.uint32(0xFFFFFFFF)
    for v in range(start, min(start + np.uint64(size), np.uint64(distance.size))):
        distance[v] = nobody
        predecessor[v] = -1


@njit
def _go_alone(graph, found, near, size, edges, seen, level, depth, rule, most, ahead):
    """Go along edges on one core from the first vertices of a list, level by level, until more than `most` edges leave a level
    or it is to be pulled from. Return which part of the list the last level is, and what is known of it."""
    (indptr, indices), (distance, predecessor) = graph, found
    start, stop = np.uint64(0), size
    while (
        start < stop
        and level < depth
        and edges <= most
        and not is_worth_pulling(rule, edges, indices.size - seen, distance.size)
    ):
        last, next_level = stop, np.uint32(level + 1)
        seen, edges = seen + edges, 0
        for k in range(start, stop):
            prefetch_row_ahead(near, k, stop, ahead, indptr, indices, indices)
            source = np.uint64(near[k])
            for e in range(np.uint64(indptr[source]), np.uint64(indptr[source + 1])):
                target = np.uint64(indices[e])
                there = distance[target]
                if there > next_level:
                    distance[target], predecessor[target], near[last] = next_level, source, target
                    edges += indptr[target + 1] - indptr[target]
                    last += 1
                elif there == next_level and source < np.uint64(predecessor[target]):
                    predecessor[target] = source
        start, stop, level = stop, last, level + 1
    return start, stop, edges, seen, level


@njit
def _push_part(core, tile, parts, ahead, graph, found, level, lists, bounds, sizes, here):
    """Go along one of the parts of the edges that leave a core's list; what is found goes to the list of this core."""
    (indptr, indices), (distance, predecessor), cores = graph, found, np.uint64(sizes.shape[1])
    c, k, next_level = tile % cores, np.int64(tile // cores), np.uint32(level + 1)
    near, offsets, rows = lists[here, c], bounds[here, c], sizes[here, c]
    beyond, sums, size = lists[1 - here, core], bounds[1 - here, core], np.uint64(sizes[1 - here, core])
    position, stop = offsets[rows] * k // parts, offsets[rows] * (k + 1) // parts
    row = np.uint64(segment_of(offsets, rows, position)) if position < stop else np.uint64(0)
    while position < stop:
        prefetch_row_ahead(near, row, np.uint64(rows), ahead, indptr, indices, indices)
        source, end = np.uint64(near[row]), min(offsets[row + 1], stop)
        start = np.uint64(indptr[source]) + np.uint64(position - offsets[row])
        for e in range(start, start + np.uint64(end - position)):
            target = np.uint64(indices[e])
            if distance[target] < next_level or source >= np.uint64(predecessor[target]):
                continue
            if np.uint64(atomic_min(predecessor, target, source)) >= np.uint64(distance.size):  # nobody
                distance[target] = next_level
                size = append(target, indptr, beyond, sums, size)
        position, row = end, row + 1
    sizes[1 - here, core] = size


@njit
def _join(lists, sizes, here):
    """Put all vertices of a level into the list of the first core; return how many these are."""
    near, size = lists[here, 0], np.uint64(sizes[here, 0])
    for c in range(1, sizes.shape[1]):
        for k in range(sizes[here, c]):
            near[size] = lists[here, c, k]
            size += 1
    sizes[:] = 0
    return size


@compile_kernel
def _search(cores, numbers, graph, back, found, sources, rule, most, depth, ways):
    """Search; return whether it is done: no if reversed edges are needed and absent. See `_go_alone` for `most`,
    `_numbers` for `numbers`."""
    block, parts, items, ahead, cost = numbers
    (indptr, indices), n, here, level, seen = graph, found[0].size, 0, 0, 0
    lists, bounds = np.empty((2, cores, n + 1), indices.dtype), np.empty((2, cores, n + 1), np.int64)  # pages come when used
    sizes = np.zeros((2, cores), np.int64)
    bits, tallies = allocate_bits(n, items)
    bounds[:, :, 0] = 0
    if cores > 1:
        expect_jobs(cost * n)
    for_tiles(cores, (n + block - 1) // block, _fill_block, (block, found[0], found[1]))
    for k in range(sources.size):
        vertex = np.uint64(sources[k])
        if found[0][vertex] != 0:
            found[0][vertex] = 0
            sizes[0, 0] = append(vertex, indptr, lists[0, 0], bounds[0, 0], np.uint64(sizes[0, 0]))
    size, edges = sizes[0, 0], bounds[0, 0, sizes[0, 0]]
    while size > 0 and level < depth:
        if is_worth_pulling(rule, edges, indices.size - seen, n):
            if back[0].size <= n:
                return False
            size, edges, level, seen, at = pull(
                cores, items, graph, back, found, level, depth, rule, seen + edges, bits, tallies, ways
            )
            sizes[here] = 0
            if size > 0 and level < depth:
                for_tiles_by_core(cores, tallies.shape[0], list_tile, (items, bits[at], indptr, lists, bounds, sizes, here))
        elif edges <= most:
            near, joined, here = lists[here, 0], _join(lists, sizes, here), 1 - here
            start, stop, edges, seen, level = _go_alone(
                graph, found, near, joined, edges, seen, level, depth, rule, most, ahead
            )
            for k in range(start, stop):
                sizes[here, 0] = append(np.uint64(near[k]), indptr, lists[here, 0], bounds[here, 0], k - start)
            size = sizes[here, 0]
        else:
            sizes[1 - here] = 0
            args = parts, ahead, graph, found, level, lists, bounds, sizes, here
            for_tiles_by_core(cores, cores * parts, _push_part, args)
            here, level, seen = 1 - here, level + 1, seen + edges
            size, edges = sizes[here].sum(), 0
            for c in range(cores):
                edges += bounds[here, c, sizes[here, c]]
    return True


def _numbers():
    """Return the numbers that are passed on to `_search`."""
    sizes = TUNING.breadth_block, TUNING.breadth_parts, TUNING.breadth_pull_words
    return *sizes, TUNING.breadth_ahead, TUNING.breadth_vertex_time


def breadth_first(indptr, indices, sources, direction, alpha, beta, depth, distance, predecessor, ways, reverse):
    """Search from `sources`, `depth` levels at most: write the level of every vertex and the smallest vertex it is reached
    from, -1 where there is none, and into `ways` which levels were pulled from, as far as it is long.

    `reverse(find)` returns the offsets and sources of reversed edges, or None without `find` where they are not known: then the
    search is done anew once a level is to be pulled from.
    """
    cores = 1 if indices.size <= TUNING.breadth_serial else cores_for(_search)
    back = reverse(False) or (indptr[:0], indices[:0])
    least = min(TUNING.breadth_pull_least, distance.size)
    graph, rule = (indptr, indices), (WAYS[direction], float(alpha), float(beta), least)
    found = distance.view(np.uint32), predecessor.view(UNSIGNED[predecessor.dtype])
    most = TUNING.breadth_alone if cores > 1 else indices.size
    while not _search(cores, _numbers(), graph, back, found, sources, rule, most, depth, ways):
        back = reverse(True)
