"""Shortest paths on the cores: vertices up to a threshold until none gets nearer, then those up to the next.

Design: every core lists what it finds in lists of its own: vertices up to the threshold for the next round, others on a pile.
Rounds with few vertices are one core's, which goes on alone until there are more: no core waits for another in between. Stamps
say what is in a core's list or on its pile already, so neither holds a vertex twice; of a vertex that is in two cores' lists
the one that comes second sees that it was gone through at the same distance. Distances are the least of sums along paths, so
they do not depend on who comes first. Sources: Meyer & Sanders, *Δ-stepping: a parallelizable shortest path algorithm*, 2003,
with one bucket that is open and one for all others; Zhang, Brahmakshatriya, Chen, Dhulipala, Kamil, Amarasinghe & Shun,
*Optimizing Ordered Graph Algorithms with GraphIt*, CGO 2020, for rounds that follow each other on one core.
"""

import numba
import numpy as np
from numba import prange

from spark_csr._cpu.cache import njit
from spark_csr._cpu.memory import ask_at
from spark_csr._cpu.threads import compiled_by_core, run_parallel
from spark_csr._specialise import specialise
from spark_csr.atomics import atomic_min
from spark_csr.config import config

STEP = 4
"""How many mean lengths, over the mean degree, a threshold is above the least distance. Measured: between 2 and 8 is level, on
Kronecker and uniform random graphs of 4 million edges (EPYC 9004, 2026-11)."""

SERIAL = 1 << 17
"""Edges up to which one core does it all. Not tuned."""

ALONE = 2048
"""Vertices of a round up to which one core does it. Not tuned."""

PARTS = 16
"""Parts of a core's list that are handed out. Not tuned."""

AHEAD = 8
"""Vertices between the one in hand and the one whose edges are asked for: a third faster; 4 and 12 measured alike (EPYC 9004,
2026-11)."""


@njit(forceinline=True)
def _ask(indptr, indices, lengths, near, k, stop):
    """Ask for the first two cache lines of the edges of a vertex further on in the list."""
    if k + np.uint64(2 * AHEAD) < stop:
        ask_at(indptr, np.uint64(near[k + np.uint64(2 * AHEAD)]))
        first = np.uint64(indptr[np.uint64(near[k + np.uint64(AHEAD)])])
        ask_at(indices, first)
        ask_at(indices, first + np.uint64(16))
        ask_at(lengths, first)
        ask_at(lengths, first + np.uint64(16))


@njit(forceinline=True)
def _lower_alone(distance, target, reached):
    distance[target] = reached
    return True


@njit(forceinline=True)
def _lower_shared(distance, target, reached):
    return reached < atomic_min(distance, target, reached)


def _scan(graph, reach, near, start, stop, tick, opened, beyond, size, pile, piled, stamp):
    """Relax the edges of vertices `start` to `stop` of a list; returns how many are in the list `beyond`, and on the pile."""
    (indptr, indices, lengths), (distance, scanned, limit, threshold), one = graph, reach, np.uint64(1)
    for k in range(np.uint64(start), np.uint64(stop)):
        _ask(indptr, indices, lengths, near, k, np.uint64(stop))
        source = np.uint64(near[k])
        here = distance[source]
        if scanned[source] == here:
            continue
        scanned[source] = here
        for e in range(np.uint64(indptr[source]), np.uint64(indptr[source + one])):
            target, reached = np.uint64(indices[e]), here + np.float64(lengths[e])
            if reached < distance[target] and reached <= limit and lower(distance, target, reached):
                if reached <= threshold:
                    beyond[size] = target
                    size += np.uint64(stamp[target] != tick + one)
                    stamp[target] = tick + one
                elif stamp[target] < opened:
                    pile[piled], stamp[target] = target, tick
                    piled += one
    return size, piled


@njit(nogil=True)
def _nearest(pile, piled, distance, threshold):
    """The least distance on a pile, of those beyond the threshold: others were listed since."""
    least = np.inf
    for k in range(piled):
        here = distance[np.uint64(pile[k])]
        least = min(least, here if here > threshold else np.inf)
    return least


@njit(nogil=True)
def _split(pile, piled, distance, threshold, larger, tick, near, stamp):
    """Vertices up to the larger threshold go to the list, those beyond stay; returns how many are in either."""
    size, kept, one = np.uint64(0), np.uint64(0), np.uint64(1)
    for k in range(piled):
        vertex = np.uint64(pile[k])
        here = distance[vertex]
        if here > threshold:
            opens = here <= larger
            near[size], pile[kept] = vertex, vertex
            size += np.uint64(opens)
            kept += np.uint64(not opens)
            stamp[vertex] = tick + one if opens else tick
    return size, kept


def _search(graph, distance, scanned, limit, step, lists, piles, stamps, sizes, piled, least, alone):
    """`lists` holds two for every core, `sizes` how many are in each: in the first of the first core the sources. Ticks are
    even, one for each round: a stamp that is a tick is of the pile, the number behind a tick is of a list."""
    cores, two = piles.shape[0], np.uint64(2)
    here, tick, threshold = 0, two, step
    opened, total = tick, sizes[0].sum()
    while total > 0:
        there, tick = 1 - here, tick + two
        reach = distance, scanned, limit, threshold
        sizes[there] = 0
        if total <= np.uint64(alone):
            for c in range(cores):
                beyond = lists[there, 0], sizes[there, 0], piles[0], piled[0], stamps[0]
                found = scan(graph, reach, lists[here, c], 0, sizes[here, c], tick, opened, *beyond)
                sizes[there, 0], piled[0] = found
        else:
            for part in prange(cores * PARTS):
                mine, c, k = core(), part % cores, np.uint64(part // cores)
                start, stop = k * sizes[here, c] // np.uint64(PARTS), (k + np.uint64(1)) * sizes[here, c] // np.uint64(PARTS)
                ours = lists[there, mine], sizes[there, mine], piles[mine], piled[mine], stamps[mine]
                result = scan(graph, reach, lists[here, c], start, stop, tick, opened, *ours)
                sizes[there, mine], piled[mine] = result
        here, total = there, sizes[there].sum()
        if total == 0 and piled.sum() > 0:
            for c in prange(cores):
                least[c] = _nearest(piles[c], piled[c], distance, threshold)
            larger, tick = least.min() + step, tick + two
            opened = tick
            for c in prange(cores):
                split = _split(piles[c], piled[c], distance, threshold, larger, tick, lists[here, c], stamps[c])
                sizes[here, c], piled[c] = split
            threshold, total = larger, sizes[here].sum()


def _kernels():
    """On one core, and on all."""
    alone, shared = (njit(specialise(_scan, lower=x), nogil=True) for x in (_lower_alone, _lower_shared))
    return compiled_by_core(_search, scan=alone)[0], compiled_by_core(_search, scan=shared)[1]


SERIAL_KERNEL, PARALLEL_KERNEL = _kernels()


def relax(indptr, indices, lengths, mean, items, distance, limit):
    """Make `distance`, zero at `items` and else infinite, the least length of a path from there; no further than `limit`.

    `mean` is that of the lengths.
    """
    n, serial = distance.size, indices.size <= SERIAL
    cores = 1 if serial else config.threads or numba.config.NUMBA_NUM_THREADS
    lists, piles = np.empty((2, cores, n + 1), indices.dtype), np.empty((cores, n + 1), indices.dtype)  # pages come when used
    stamps, sizes, piled = np.zeros((cores, n), np.uint32), np.zeros((2, cores), np.uint64), np.zeros(cores, np.uint64)
    lists[0, 0, : items.size], sizes[0, 0] = items, items.size
    step = STEP * mean * n / max(indices.size, 1)
    step = step if 0 < step < np.inf else np.inf
    scratch = np.full(n, np.inf), limit, step, lists, piles, stamps, sizes, piled, np.empty(cores), ALONE
    arguments = (indptr, indices, lengths), distance, *scratch
    if serial:
        SERIAL_KERNEL(*arguments)
    else:
        with config(threads=cores):
            run_parallel(PARALLEL_KERNEL, *arguments)
