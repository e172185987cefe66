"""`brandes`: how much of all shortest paths leads through every vertex, one source per core.

Design: a search in the order of a queue counts the paths to every vertex, and lists the edges that paths take; the queue
backwards hands out what each passes on. Listed without a branch, these edges are read again without asking which they are.
Row `r` of a table of `m` rows collects sources `r`, `r + m`, `r + 2 * m`, ..., and the caller adds the rows in order: so sums
do not depend on the number of cores. Source: Brandes, *A Faster Algorithm for Betweenness Centrality*, 2001.
"""

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles_by_core, njit


def brandes_rows(n, sources):
    """Return how many rows the table has for `n` vertices and `sources` sources."""
    return min(sources, TUNING.brandes_rows, max(TUNING.brandes_room // (8 * n), TUNING.brandes_least_rows))


@njit
def _add_source(source, indptr, indices, endpoints, order, starts, depth, paths, share, ahead, out):
    """Add what one source finds to `out`. `depth` is 0 for vertices that were not reached, and everywhere before and after."""
    one = np.uint64(1)
    order[0], depth[source], paths[source] = source, 1, 1.0
    head, stop, place = np.uint64(0), one, np.uint64(0)
    while head < stop:
        u = np.uint64(order[head])
        beyond, here, begin = depth[u] + 1, paths[u], place
        for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + one])):
            v = np.uint64(indices[e])
            if depth[v] == 0:
                depth[v], paths[v], order[stop] = beyond, 0.0, v
                stop += one
            ahead[place] = v
            place += np.uint64(depth[v] == beyond)
        for p in range(begin, place):
            paths[ahead[p]] += here
        starts[head] = begin
        head += one
    for k in range(stop - one):
        at = stop - one - k
        u, begin, total = np.uint64(order[at]), starts[at], 0.0
        for p in range(begin, place):
            total += share[ahead[p]]
        place = begin
        passed = paths[u] * total
        share[u] = (1.0 + passed) / paths[u]
        out[u] += passed + endpoints
    for k in range(stop):
        depth[order[k]] = 0
    out[source] += endpoints * np.float64(stop - one)


@njit
def _add_row(core, row, indptr, indices, sources, endpoints, scratch, table):
    """Add to a row of the table what its sources find."""
    order, starts, depth, paths, share, ahead = scratch
    mine, out = (order[core], starts[core], depth[core], paths[core], share[core], ahead[core]), table[row]
    for s in range(row, np.uint64(sources.size), np.uint64(table.shape[0])):
        _add_source(np.uint64(sources[s]), indptr, indices, endpoints, *mine, out)


@compile_kernel
def _add_sources(cores, indptr, indices, sources, endpoints, scratch, table):
    for_tiles_by_core(cores, table.shape[0], _add_row, (indptr, indices, sources, endpoints, scratch, table))


def brandes(indptr, indices, back_indptr, back_indices, sources, endpoints, table):
    """Add to the rows of `table`, for every vertex, its share of the shortest paths from `sources` to all others.

    `back_indptr` and `back_indices` hold the reversed edges; no edge is there twice. `endpoints` is 1.0 if the ends of a path
    count as on it.
    """
    rows, n = table.shape
    serial = sources.size * (indices.size + indptr.size) <= TUNING.brandes_serial
    cores = 1 if serial else min(rows, cores_for(_add_sources))
    _add_sources(cores, indptr, indices, sources, endpoints, _make_scratch(cores, n, indices), table)


def _make_scratch(cores, n, indices):
    """Return what `_add_source` writes, for every core: queue, where in `ahead` a vertex's edges begin, depth, paths, share,
    ahead.
    """
    each, integer = (cores, n), indices.dtype
    ahead = np.empty((cores, indices.size + 1), integer)  # takes memory only as far as it is filled
    return np.empty(each, integer), np.empty(each, np.uint64), np.zeros(each, np.int32), np.empty(each), np.empty(each), ahead
