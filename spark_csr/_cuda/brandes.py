"""`brandes`: how much of all shortest paths leads through every vertex, one source per block.

Design: a level of the search is a part of the block's queue, and a barrier separates levels. A warp takes a vertex, its lanes
the edges: those into it from the level before for the number of paths, those out of it to the level behind for what it passes
on. Lanes add in a fixed order, so there are no atomics but for who comes into the queue first, which no sum depends on.
Source: Brandes 2001; McLaughlin & Bader, *Scalable and High Performance Betweenness Centrality on the GPU*, SC 2014.
"""

import numpy as np
from numba import int64

from spark_csr._array import namespace_of
from spark_csr._cuda.tuning import TUNING
from spark_csr._cuda.warp import reader
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import WARP, Kernel, box, cuda
from spark_csr._engine.holes import THREADS, warp_shuffle

BOX = box(256, 1)  # not tuned

NOT_SEEN = np.iinfo(np.int32).max


def brandes_rows(n, sources):
    """Return how many rows the table has for `n` vertices and `sources` sources."""
    return min(sources, TUNING.brandes_rows, max(TUNING.brandes_room // (36 * n), 1))


@helper
def _sum_warp(value):
    """Return the sum of what the lanes hold, the same bits in each."""
    lane, distance = np.uint32(cuda.threadIdx.x) % WARP, np.uint32(1)
    while distance < WARP:
        value += warp_shuffle(value, lane ^ distance)
        distance *= 2
    return value


@helper
def _find_next_level(indptr, indices, base, start, stop, beyond, end, order, depth):
    """Append the vertices of the next level to `order`. All threads call; barriers stand around it."""
    thread = np.int64(cuda.threadIdx.x)
    for k in range(start + thread // WARP, stop, THREADS // WARP):
        u = order[base + k]
        for e in range(indptr[u] + thread % WARP, np.int64(indptr[u + 1]), WARP):
            v = np.int64(indices[e])
            if depth[base + v] > beyond and cuda.atomic.min(depth, base + v, beyond) == NOT_SEEN:
                order[base + cuda.atomic.add(end, 0, 1)] = v


@helper
def _sum_neighbors(indptr, indices, base, u, level, depth, values):
    """Return the sum of values of those neighbours of a vertex that are on a level. All lanes of a warp call."""
    total, lane = 0.0, cuda.threadIdx.x % WARP
    for e in range(indptr[u] + lane, np.int64(indptr[u + 1]), WARP):
        v = base + np.int64(indices[e])
        if depth[v] == level:
            total += values[v]
    return _sum_warp(total)


@helper
def _count_shortest_paths(indptr, indices, back_indptr, back_indices, base, source, end, order, starts, depth, paths):
    """Queue what a source reaches, level by level, and count the paths there. Return how many levels there are; all threads
    call.
    """
    thread, level, start, stop = np.int64(cuda.threadIdx.x), np.int32(0), np.int64(0), np.int64(1)
    first = np.int64(cuda.blockIdx.x) * 2 + base  # the starts of a block's levels: two more than there are vertices
    if thread == 0:
        end[0] = 1
        order[base], starts[first], starts[first + 1] = source, 0, 1
        depth[base + source], paths[base + source] = 0, 1.0
    cuda.syncthreads()
    while start < stop:
        _find_next_level(indptr, indices, base, start, stop, np.int32(level + 1), end, order, depth)
        cuda.syncthreads()
        start, stop = stop, end[0]
        for k in range(start + thread // WARP, stop, THREADS // WARP):
            u = np.uint64(order[base + k])
            total = _sum_neighbors(back_indptr, back_indices, base, u, level, depth, paths)
            if thread % WARP == 0:
                paths[base + np.int64(u)] = total
        level = np.int32(level + 1)
        if thread == 0:
            starts[first + level + 1] = stop
        cuda.syncthreads()
    return level


@helper
def _accumulate_dependencies(indptr, indices, base, start, stop, level, endpoints, order, depth, paths, share, table):
    """Compute the dependencies on the vertices of a level. All threads call."""
    thread = np.int64(cuda.threadIdx.x)
    for k in range(start + thread // WARP, stop, THREADS // WARP):
        u = np.uint64(order[base + k])
        total = _sum_neighbors(indptr, indices, base, u, np.int32(level + 1), depth, share)
        if thread % WARP == 0:
            here = base + np.int64(u)
            passed = paths[here] * total
            share[here] = (1.0 + passed) / paths[here]
            table[here] += passed + endpoints


def _add_sources(graph, back, sources, endpoints, order, starts, depth, paths, share, table):
    """Add what the sources of a block find to its row of the table. `depth` is `NOT_SEEN` everywhere before and after."""
    end = cuda.shared.array(1, int64)
    thread, row, rows = np.int64(cuda.threadIdx.x), np.int64(cuda.blockIdx.x), np.int64(cuda.gridDim.x)
    n = graph[0].size - 1
    base, first = row * n, row * (n + 2)
    for s in range(row, sources.size, rows):
        source = np.int64(sources[s])
        level = _count_shortest_paths(graph[0], graph[1], back[0], back[1], base, source, end, order, starts, depth, paths)
        reached = np.int64(starts[first + level])
        while level > 1:
            level = np.int32(level - 1)
            start, stop = np.int64(starts[first + level]), np.int64(starts[first + level + 1])
            _accumulate_dependencies(graph[0], graph[1], base, start, stop, level, endpoints, order, depth, paths, share, table)
            cuda.syncthreads()
        for k in range(thread, reached, THREADS):
            depth[base + np.int64(order[base + k])] = NOT_SEEN
        if thread == 0:
            table[base + source] += endpoints * np.float64(reached - 1)
        cuda.syncthreads()


KERNEL = Kernel(
    specialise(_add_sources, THREADS=BOX.threads, warp_shuffle=reader(np.dtype(np.float64))), BOX.threads, views=True
)


def brandes(indptr, indices, back_indptr, back_indices, sources, endpoints, table):
    """Add to the rows of `table`, for every vertex, its share of the shortest paths from `sources` to all others.

    `back_indptr` and `back_indices` hold the reversed edges; no edge is there twice. `endpoints` is 1.0 if the ends of a path
    count as on it.
    """
    xp, (rows, n) = namespace_of(table), table.shape
    order, starts = xp.empty(rows * n, indices.dtype), xp.empty(rows * (n + 2), indices.dtype)
    depth, paths, share = xp.full(rows * n, NOT_SEEN, np.int32), xp.empty(rows * n), xp.empty(rows * n)
    graph, back = (indptr, indices), (back_indptr, back_indices)
    each = max(TUNING.brandes_work // (2 * indices.size + n), 1)
    at_once = rows * each  # a multiple of the rows: a row gets the same sources anyhow
    for first in range(0, sources.size, at_once):
        some = sources[first : first + at_once]
        KERNEL(rows, graph, back, some, endpoints, order, starts, depth, paths, share, table.reshape(rows * n))
