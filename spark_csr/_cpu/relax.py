"""Shortest paths on one core: vertices up to a threshold until none gets nearer, then those up to the next.

Design: of a vertex is known whether it is in the next list or on the pile, so that it is in either once. Source: Meyer &
Sanders, *Δ-stepping: a parallelizable shortest path algorithm*, 2003, with one bucket that is open and one for all others.
"""

import numpy as np

from spark_csr._cpu.cache import njit

STEP = 8
"""How many mean lengths, over the mean degree, a threshold is above the least distance. Measured: between 4 and 16 is level."""

NOWHERE, LISTED, PILED = 0, 1, 2


@njit(cache=True, nogil=True, error_model="numpy")
def _relax(indptr, indices, lengths, distance, limit, step, near, size, pile, place):
    """`near` has room for two lists of vertices, the first of which holds `size`."""
    one, here, size, piled, threshold = np.uint64(1), np.uint64(0), np.uint64(size), np.uint64(0), step
    while size > np.uint64(0):
        there = np.uint64(distance.size) - here
        last = there
        for k in range(here, here + size):
            source = np.uint64(near[k])
            place[source], start = NOWHERE, distance[source]
            for e in range(np.uint64(indptr[source]), np.uint64(indptr[source + one])):
                target, reached = np.uint64(indices[e]), start + np.float64(lengths[e])
                if reached < distance[target] and reached <= limit:
                    distance[target] = reached
                    if reached <= threshold:
                        near[last] = target
                        last += np.uint64(place[target] != LISTED)
                        place[target] = LISTED
                    elif place[target] == NOWHERE:
                        pile[piled], place[target] = target, PILED
                        piled += one
        here, size = there, last - there
        if size == np.uint64(0):
            threshold = _nearest(pile, piled, place, distance) + step
            size, piled = _split(pile, piled, place, distance, threshold, near, here)


@njit(cache=True, nogil=True)
def _nearest(pile, piled, place, distance):
    """The least distance on the pile."""
    least = np.inf
    for k in range(piled):
        vertex = np.uint64(pile[k])
        if place[vertex] == PILED:
            least = min(least, distance[vertex])
    return least


@njit(cache=True, nogil=True)
def _split(pile, piled, place, distance, threshold, near, here):
    """Vertices up to the threshold go from the pile to the list at `here`; those that were listed since leave it."""
    last, kept = here, np.uint64(0)
    for k in range(piled):
        vertex = np.uint64(pile[k])
        if place[vertex] == PILED:
            opens = distance[vertex] <= threshold
            near[last], pile[kept] = vertex, vertex
            last += np.uint64(opens)
            kept += np.uint64(not opens)
            place[vertex] = LISTED if opens else PILED
    return last - here, kept


def relax(indptr, indices, lengths, mean, items, distance, limit):
    """Make `distance`, zero at `items` and else infinite, the least length of a path from there; no further than `limit`.

    `mean` is that of the lengths.
    """
    n = distance.size
    near, pile, place = np.empty(2 * n + 1, indices.dtype), np.empty(n + 1, indices.dtype), np.zeros(n, np.uint8)
    near[: items.size] = items
    step = STEP * mean * n / max(indices.size, 1)
    _relax(indptr, indices, lengths, distance, limit, step if 0 < step < np.inf else np.inf, near, items.size, pile, place)
