"""Shortest paths by length from many sources, one source at a time, for what is summed over all of them.

Design: a heap of vertices, in which each knows its position, settles them from the nearest on. A row of scratch memory serves
one source after another; which sources a row takes depends on nothing but their number, so sums do not depend on the number of
threads. On a GPU a row is one thread. Source: Dijkstra, Numerische Mathematik 1, 1959; Brandes, *A
Faster Algorithm for Betweenness Centrality*, 2001.
"""

import numpy as np

from spark_csr._array import by_width, index_dtype
from spark_csr._engine import njit
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each, for_few

STEPS = 16
"""For each visit to an edge or vertex so many steps of a simple loop. Not tuned."""

STEP = 1 << 23
"""Visits of edges and vertices by one row, less than a tenth of a second: Ctrl-C is answered, and progress is reported, after
the rows of a step. Seven steps of betweenness took the processor time of one, 4.4 s (two cores of an EPYC,
family 26 model 2, 2026-11)."""

ARRAYS = 8
"""About how many numbers of eight bytes a row has for each vertex."""


def allocate_rows(csr, sources, more=0):
    """Return the number of rows, and the scratch memory of all: heap, keys, positions, distances, paths, and order.

    `more` is how many numbers a row has besides these.
    """
    n, xp, backend = csr.shape[0], csr.xp, csr.backend
    rows = backend.brandes_rows(ARRAYS * max(n, 1) + more, sources.size)
    dtypes = csr.indices.dtype, np.float64, index_dtype(n + 1), np.float64, np.float64, csr.indices.dtype
    arrays = [allocate_array(xp, rows * n, np.dtype(dtype), f"{rows} x {n} numbers") for dtype in dtypes]
    arrays[2].fill(0)
    return rows, arrays


def steps_of(csr, rows, count, report):
    """Yield slices of `count` sources, each of about `STEP` visits for every row, and report those that are done.

    The rows take the same sources in the same order as they would without these steps.
    """
    step = max(rows, 1) * max(STEP // max(csr.indices.size + csr.shape[0], 1), 1)
    for first in range(0, count, step):
        yield slice(first, first + step)
        if report is not None:
            report(min(first + step, count), count)


def work_of(csr, count):
    return STEPS * count * (csr.indices.size + csr.shape[0])


def sum_distances(csr, lengths, sources, report):
    """Return, for every source, the sum of its distances to the vertices that it reaches, that of one over those which are not
    0, and the number of these vertices."""
    rows, scratch = allocate_rows(csr, sources)
    totals, inverses, counts = csr.xp.empty(sources.size), csr.xp.empty(sources.size), csr.xp.empty(sources.size, np.int64)
    graph = csr.indptr, by_width(csr.indices), lengths
    for some in steps_of(csr, rows, sources.size, report):
        found = sources[some], *graph, *scratch, totals[some], inverses[some], counts[some]
        for_few(rows, work_of(csr, found[0].size), _sum_row, rows, csr.shape[0], *found)
    return totals, inverses, counts


def sum_shares(csr, lengths, sources, endpoints, report):
    """Return, for every vertex, the sum of its shares of the shortest paths from the sources; see `betweenness`."""
    n, xp = csr.shape[0], csr.xp
    rows, scratch = allocate_rows(csr, sources)
    share, table = xp.empty(rows * n), xp.zeros(rows * n)
    graph = csr.indptr, by_width(csr.indices), lengths
    arrays = (*scratch, share, table)
    for some in steps_of(csr, rows, sources.size, report):
        given = sources[some], *graph, float(bool(endpoints)), *arrays
        for_few(rows, work_of(csr, given[0].size), _share_row, rows, n, *given)
    out = xp.empty(n)
    for_each(n, add_rows, table, rows, n, out)
    return out


@njit
def add_rows(i, table, rows, n, out):
    """Add the rows of a table in order."""
    total = 0.0
    for r in range(np.uint64(rows)):
        total += table[r * np.uint64(n) + np.uint64(i)]
    out[i] = total


@njit
def _rise(heap, keys, place, base, k, vertex, key):
    """Put a vertex into the heap, at position `k` or above."""
    while k > 0:
        above = (k - 1) >> 1
        if keys[base + above] <= key:
            break
        keys[base + k] = keys[base + above]
        heap[base + k] = heap[base + above]
        place[base + np.uint64(heap[base + k])] = k + 1
        k = above
    keys[base + k] = key
    heap[base + k] = vertex
    place[base + vertex] = k + 1


@njit
def _sink(heap, keys, place, base, size):
    """Put the last vertex of the heap, whose first one is gone, where it belongs; `size` are left."""
    k = np.uint64(0)
    vertex, key = np.uint64(heap[base + size]), keys[base + size]
    while True:
        below = k + k + 1
        if below >= size:
            break
        if below + 1 < size and keys[base + below + 1] < keys[base + below]:
            below += 1
        if key <= keys[base + below]:
            break
        keys[base + k] = keys[base + below]
        heap[base + k] = heap[base + below]
        place[base + np.uint64(heap[base + k])] = k + 1
        k = below
    keys[base + k] = key
    heap[base + k] = vertex
    place[base + vertex] = k + 1


@njit
def settle(source, indptr, indices, lengths, base, heap, keys, place, distance, paths, order):
    """Find the distances and the numbers of shortest paths from a source; return the number of vertices that it reaches.

    The place of a vertex is 0 before, then one more than its position in the heap, and in the end minus one more than its
    position in the order. Edges to infinite distances count as missing.
    """
    size, settled = np.uint64(1), np.uint64(0)
    heap[base], keys[base], place[base + source] = source, 0.0, 1
    distance[base + source], paths[base + source] = 0.0, 1.0
    while size > 0:
        u = np.uint64(heap[base])
        size -= 1
        if size > 0:
            _sink(heap, keys, place, base, size)
        order[base + settled] = u
        settled += 1
        place[base + u] = -np.int64(settled)
        here, ways = distance[base + u], paths[base + u]
        for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + 1])):
            v = np.uint64(indices[e])
            at, reached = np.int64(place[base + v]), here + np.float64(lengths[e])
            if at < 0 or not reached < np.inf:
                continue
            if at == 0 or reached < distance[base + v]:
                distance[base + v], paths[base + v] = reached, ways
                _rise(heap, keys, place, base, size if at == 0 else np.uint64(at - 1), v, reached)
                size += np.uint64(at == 0)
            elif reached == distance[base + v]:
                paths[base + v] += ways
    return settled


@njit
def _sum_row(
    row, rows, n, sources, indptr, indices, lengths, heap, keys, place, distance, paths, order, totals, inverses, counts
):
    """Write the sums of every source of a row."""
    base = np.uint64(row) * np.uint64(n)
    for s in range(np.uint64(row), np.uint64(sources.size), np.uint64(rows)):
        source, total, inverse = np.uint64(sources[s]), 0.0, 0.0
        settled = settle(source, indptr, indices, lengths, base, heap, keys, place, distance, paths, order)
        for k in range(settled):
            vertex = np.uint64(order[base + k])
            total += distance[base + vertex]
            if distance[base + vertex] > 0.0:
                inverse += 1.0 / distance[base + vertex]
            place[base + vertex] = 0
        totals[s], inverses[s], counts[s] = total, inverse, settled


@njit
def _share_row(
    row, rows, n, sources, indptr, indices, lengths, endpoints, heap, keys, place, distance, paths, order, share, table
):
    """Add to a row of the table what its sources find: vertices hand on, from the last one on, what paths bring to them."""
    base = np.uint64(row) * np.uint64(n)
    for s in range(np.uint64(row), np.uint64(sources.size), np.uint64(rows)):
        source = np.uint64(sources[s])
        settled = settle(source, indptr, indices, lengths, base, heap, keys, place, distance, paths, order)
        for k in range(settled - 1):
            u, total = np.uint64(order[base + settled - 1 - k]), 0.0
            here, at = distance[base + u], place[base + u]
            for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + 1])):
                v = np.uint64(indices[e])
                if place[base + v] < at and here + np.float64(lengths[e]) == distance[base + v]:
                    total += share[base + v]
            passed = paths[base + u] * total
            share[base + u] = (1.0 + passed) / paths[base + u]
            table[base + u] += passed + endpoints
        for k in range(settled):
            place[base + np.uint64(order[base + k])] = 0
        table[base + source] += endpoints * np.float64(settled - 1)
