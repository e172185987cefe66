"""The edges of vertices on a list, gone through in search of shortest paths; see `relax`.

Design: both functions write out what is done with a vertex that got nearer. With a function for it, inlined, small graphs took
1.6 to 3.4 times as long (EPYC, family 25 model 17, 2026-11).
"""

import numpy as np

from spark_csr._cpu.bins import bin_of, put
from spark_csr._cpu.memory import prefetch_row_ahead
from spark_csr._engine import njit
from spark_csr._engine.numba.intrinsics.prefetch import prefetch_at, prefetch_range
from spark_csr._shared.atomics import atomic_min

CHUNK = 64
"""Edges of a vertex that are looked at before those that lead to nearer distances are gone through. Not tuned."""

WRONG = CHUNK
"""The place behind a core's edges that is not 0 after it saw a length that is negative or NaN."""


@njit
def scan(graph, reach, near, start, stop, ahead, now, beyond, size, edges, bins):
    """Relax the edges of vertices `start` to `stop` of a list; return how many are in the list `beyond`. A vertex for which
    there is no room in its bin is listed, and from the next round on, as `full` says, all are. `ahead`: how many vertices
    further on the one is whose edges are asked for."""
    (indptr, indices, lengths), (distance, scanned, stamp, bound, inverse), (items, links, ends) = graph, reach, bins
    (base, current, tick, full), ahead, limit = now, np.uint64(ahead), bound[0]
    for k in range(start, stop):
        if k + ahead + ahead < stop:
            prefetch_at(indptr, np.uint64(near[k + ahead + ahead]))
            later = np.uint64(near[k + ahead])
            prefetch_at(distance, later)
            prefetch_at(scanned, later)
            prefetch_range(indices, np.uint64(indptr[later]), np.uint64(indptr[later + 1]))
            prefetch_range(lengths, np.uint64(indptr[later]), np.uint64(indptr[later + 1]))
        source = near[k]
        here = distance[source]
        if scanned[source] == here or here > limit:
            continue
        scanned[source] = here
        first, last = np.uint64(indptr[source]), np.uint64(indptr[source + 1])
        while first < last:
            end = min(first + CHUNK, last)
            count, wrong = np.uint64(0), False
            for e in range(first, end):  # without a branch
                edges[count] = e
                count += np.uint64(here + np.float64(lengths[e]) < distance[indices[e]])
                wrong |= not lengths[e] >= 0
            edges[WRONG] |= np.uint64(wrong)
            for j in range(count):
                e = edges[j]
                target, reached = np.uint64(indices[e]), here + np.float64(lengths[e])
                before = atomic_min(distance, target, reached) if here <= reached <= limit else reached
                if reached < before:
                    goal = bin_of(reached, base, inverse)
                    is_kept = before < np.inf and bin_of(before, base, inverse) == goal
                    if goal <= current or full or not (is_kept or put(items, links, ends, goal, target)):
                        beyond[size] = target
                        size += np.uint64(stamp[target] != tick)
                        stamp[target] = tick
            first = end
    return size


@njit
def scan_alone(graph, reach, near, stop, ahead, now, beyond, bins, is_far):
    """Do as `scan` on one core, for rounds of few edges; return whether a length is wrong, too. `is_far`: of a large graph."""
    (indptr, indices, lengths), (distance, scanned, stamp, bound, inverse), (items, links, ends) = graph, reach, bins
    (base, current, tick, full), size, wrong, limit = now, np.uint64(0), False, bound[0]
    for k in range(stop):
        if is_far:
            prefetch_row_ahead(near, k, stop, ahead, indptr, indices, lengths)
        source = near[k]
        here = distance[source]
        if scanned[source] == here or here > limit:
            continue
        scanned[source] = here
        for e in range(np.uint64(indptr[source]), np.uint64(indptr[source + 1])):
            target, length = np.uint64(indices[e]), np.float64(lengths[e])
            reached, before = here + length, distance[target]
            wrong |= not length >= 0
            if reached < before and here <= reached <= limit:
                distance[target] = reached
                goal = bin_of(reached, base, inverse)
                is_kept = before < np.inf and bin_of(before, base, inverse) == goal
                if goal <= current or full or not (is_kept or put(items, links, ends, goal, target)):
                    beyond[size] = target
                    size += np.uint64(stamp[target] != tick)
                    stamp[target] = tick
    return size, wrong
