"""`brandes`: how much of all shortest paths leads through every vertex, one source per core.

Design: a search in the order of a queue counts the paths to every vertex; the queue backwards hands out what each passes on.
Row `r` of a table collects every so manieth source from the `r`-th on, and rows are added in order by the caller: so sums do
not depend on the number of cores. Source: Brandes, *A Faster Algorithm for Betweenness Centrality*, 2001.
"""

import numba
import numpy as np
from numba import prange

from spark_csr._cpu.cache import njit
from spark_csr._cpu.threads import compiled_by_core, run_parallel

SERIAL = 1 << 15
"""Visits to edges up to which one core takes all sources. Not tuned."""

ROWS, LEAST_ROWS, ROOM = 64, 8, 2**28
"""Rows of the table at most; fewer, but not below the least, where they took more bytes. They bound the cores at work."""


def brandes_rows(n, sources):
    """How many rows the table has for so many vertices and sources."""
    return min(sources, ROWS, max(ROOM // (8 * n), LEAST_ROWS))


@njit(nogil=True, cache=True)
def _of_source(source, indptr, indices, endpoints, order, depth, paths, share, out):
    """Add what one source finds to `out`. `depth` is 0 where a search has not been, before and after."""
    one = np.uint64(1)
    order[0], depth[source], paths[source] = source, 1, 1.0
    head, stop = np.uint64(0), one
    while head < stop:
        u = np.uint64(order[head])
        head += one
        beyond, here = depth[u] + 1, paths[u]
        for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + one])):
            v = np.uint64(indices[e])
            if depth[v] == 0:
                depth[v], paths[v], order[stop] = beyond, here, v
                stop += one
            elif depth[v] == beyond:
                paths[v] += here
    for k in range(stop - one):
        u = np.uint64(order[stop - one - k])
        beyond, total = depth[u] + 1, 0.0
        for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + one])):
            v = np.uint64(indices[e])
            if depth[v] == beyond:
                total += share[v]
        passed = paths[u] * total
        share[u] = (1.0 + passed) / paths[u]
        out[u] += passed + endpoints
    for k in range(stop):
        depth[np.uint64(order[k])] = 0
    out[source] += endpoints * np.float64(stop - one)


def _of_sources(indptr, indices, sources, endpoints, order, depth, paths, share, table):
    rows = table.shape[0]
    for r in prange(rows):
        c = core()
        for s in range(r, sources.size, rows):
            source = np.uint64(sources[s])
            of_source(source, indptr, indices, endpoints, order[c], depth[c], paths[c], share[c], table[r])


SERIAL_KERNEL, PARALLEL_KERNEL = compiled_by_core(_of_sources, of_source=_of_source)


def brandes(indptr, indices, back_indptr, back_indices, sources, endpoints, table):
    """Add to the rows of `table`, for every vertex, its share of the shortest paths from `sources` to all others.

    Edges have their reverses behind `back_`, and none is there twice. `endpoints`: 1.0 where the ends of a path are on it.
    """
    n, serial = table.shape[1], sources.size * (indices.size + indptr.size) <= SERIAL
    shape = 1 if serial else numba.config.NUMBA_NUM_THREADS, n
    order, depth = np.empty(shape, indices.dtype), np.zeros(shape, np.int32)  # what a core does not touch takes no memory
    args = indptr, indices, sources, endpoints, order, depth, np.empty(shape), np.empty(shape), table
    if serial:
        SERIAL_KERNEL(*args)
    else:
        run_parallel(PARALLEL_KERNEL, *args)
