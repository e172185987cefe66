"""Shortest paths on the cores: vertices in a bin of distances until none gets nearer, then those in the next bin.

Design: every core puts what it finds into lists and bins of its own: vertices of the bin in hand into the list for the next
round, others into the bin of their distance. One core does rounds with few edges and goes on alone until there are more, so no
core waits for another. A bin holds a vertex once: whoever lowers a distance sees where it was before. A vertex that got nearer
is in an earlier bin too, and is dropped from the later one. The last bin is for all that is beyond the others, and is spread
over them again when these are empty. A distance is the least of the sums along paths, so it does not depend on which core comes
first. Sources: Meyer & Sanders, *Δ-stepping: a parallelizable shortest path algorithm*, 2003; Zhang, Brahmakshatriya, Chen,
Dhulipala, Kamil, Amarasinghe & Shun, *Optimizing Ordered Graph Algorithms with GraphIt*, CGO 2020, for rounds that follow each
other on one core.
"""

import numpy as np

from spark_csr._cpu.bins import BINS, FULL, PAD, bin_of, bins_of, empty_bins, nearest, put, spread, take_bin
from spark_csr._cpu.cache import njit
from spark_csr._cpu.memory import ask_at, ask_range
from spark_csr._cpu.team import expect_jobs, for_tiles, for_tiles_by_core
from spark_csr._cpu.threads import compiled, cores_for
from spark_csr._specialise import specialise
from spark_csr.atomics import atomic_min

STEP = 1.5
"""How many mean lengths, over the mean degree, a bin is wide. With 3 a Kronecker graph of 8 million edges took up to a quarter
longer, as hubs were gone through more than once; a uniform random one took 3 % less (EPYC, family 25 model 17, 2026-11)."""

ROOM = 4
"""Vertices, in proportion to all, for which all bins together have room, besides once all for each core. Three times all were
seen at most, on a uniform random graph of 8 million edges."""

SERIAL = 1 << 17
"""Edges up to which one core does it all. Not tuned."""

ALONE = 1 << 13
"""Edges of a round up to which one core does it: about 20 microseconds. Not by vertices, since rounds of few vertices are those
that hold hubs: on a Kronecker graph one core went alone through a fifth of all edges."""

PARTS = 16
"""Parts of a core's list that are handed out. Not tuned."""

EACH = 2
"""Nanoseconds that one core takes at least for each edge. Not tuned."""

CHUNK = 64
"""Edges of a vertex that are looked at before those that lead to nearer distances are gone through. Not tuned."""

AHEAD = 4
"""Vertices between the one in hand and the one whose edges are asked for. 14 took a tenth longer, 8 up to as much (EPYC, family
25 model 17, 2026-11)."""

LARGEST = 1e300
"""Bins to a distance of one, at most: products with finite distances that are 0 stay 0."""

WRONG = CHUNK
"""The place behind a core's edges that is not 0 after it saw a length that is negative or NaN."""


@njit(forceinline=True)
def _lower_alone(distance, target, reached):
    before = distance[target]
    distance[target] = min(before, reached)
    return before


@njit(forceinline=True)
def _lower_shared(distance, target, reached):
    return atomic_min(distance, target, reached)


def _scan(graph, reach, near, start, stop, now, beyond, size, edges, bins):
    """Relax the edges of vertices `start` to `stop` of a list; return how many are in the list `beyond`. A vertex for which
    there is no room in its bin is listed, and from the next round on, as `full` says, all are."""
    (indptr, indices, lengths), (distance, scanned, stamp, limit, inverse), (items, links, ends) = graph, reach, bins
    (base, current, tick, full), one, stop, ahead = now, np.uint64(1), np.uint64(stop), np.uint64(AHEAD)
    for k in range(np.uint64(start), stop):
        if k + ahead + ahead < stop:
            ask_at(indptr, np.uint64(near[k + ahead + ahead]))
            later = np.uint64(near[k + ahead])
            ask_at(distance, later)
            ask_at(scanned, later)
            ask_range(indices, np.uint64(indptr[later]), np.uint64(indptr[later + one]))
            ask_range(lengths, np.uint64(indptr[later]), np.uint64(indptr[later + one]))
        source = np.uint64(near[k])
        here = distance[source]
        if scanned[source] == here:
            continue
        scanned[source] = here
        first, last = np.uint64(indptr[source]), np.uint64(indptr[source + one])
        while first < last:
            end = min(first + np.uint64(CHUNK), last)
            count, wrong = np.uint64(0), False
            for e in range(first, end):  # without a branch
                edges[count] = e
                count += np.uint64(here + np.float64(lengths[e]) < distance[np.uint64(indices[e])])
                wrong |= not lengths[e] >= 0
            edges[np.uint64(WRONG)] |= np.uint64(wrong)
            for j in range(count):
                e = edges[j]
                target, reached = np.uint64(indices[e]), here + np.float64(lengths[e])
                before = lower(distance, target, reached) if here <= reached <= limit else reached
                if reached < before:
                    goal = bin_of(reached, base, inverse)
                    is_kept = before < np.inf and bin_of(before, base, inverse) == goal
                    if goal <= current or full or not (is_kept or put(items, links, ends, goal, target)):
                        beyond[size] = target
                        size += np.uint64(stamp[target] != tick)
                        stamp[target] = tick
            first = end
    return size


@njit(forceinline=True)
def _part(tile, cores, sizes):
    """Return whose list a tile is a part of, and where the part begins and ends."""
    c, k, parts = tile % np.uint64(cores), tile // np.uint64(cores), np.uint64(PARTS)
    return c, k * sizes[c] // parts, (k + np.uint64(1)) * sizes[c] // parts


def _scan_part(core, tile, graph, reach, near, sizes, now, beyond, found, edges, bins):
    """Scan a part of a list; what is found goes to the list and the bins of the core."""
    c, start, stop = _part(tile, edges.shape[0], sizes)
    ours = beyond[core], found[core], edges[core], bins_of(bins, core)
    found[core] = scan(graph, reach, near[c], start, stop, now, *ours)


@njit
def _is_short(lists, sizes, indptr, alone):
    """Return whether the vertices of all lists have at most `alone` edges."""
    edges, one = np.uint64(0), np.uint64(1)
    for c in range(lists.shape[0]):
        near = lists[c]
        for k in range(sizes[c]):
            source = np.uint64(near[k])
            edges += one + np.uint64(indptr[source + one]) - np.uint64(indptr[source])
            if edges > alone:
                return False
    return True


@njit
def _look_elsewhere(core, tile, graph, distance, edges):
    """Look at the lengths of edges that leave vertices which were not reached."""
    (indptr, _, lengths), n, wrong, one = graph, np.uint64(distance.size), False, np.uint64(1)
    for v in range(tile * n // np.uint64(PARTS), (tile + one) * n // np.uint64(PARTS)):
        if distance[v] == np.inf:
            for e in range(np.uint64(indptr[v]), np.uint64(indptr[v + one])):
                wrong |= not lengths[e] >= 0
    edges[core, np.uint64(WRONG)] |= np.uint64(wrong)


def _search(cores, graph, reach, lists, sizes, bins, edges, alone):
    """Search from the sources, which are in the first list of the first core; return whether a length is negative or NaN.
    `lists` holds two lists for every core, `sizes` how many vertices are in each."""
    least, (_, _, ends), (distance, _, _, _, inverse) = np.empty(cores), bins, reach
    one, last, full = np.uint64(1), np.uint64(BINS), np.uint64(FULL)
    here, base, current, tick, total = 0, 0.0, np.uint64(0), one, sizes[0].sum()
    if cores > 1:
        expect_jobs(EACH * graph[1].size)
    while total > 0:
        there, tick = 1 - here, tick + one
        now, near, size, sizes[there] = (base, current, tick, ends[:, full].any()), lists[here], sizes[here], 0
        if total <= np.uint64(alone) and _is_short(near, size, graph[0], np.uint64(alone)):
            for c in range(cores):
                ours = lists[there, 0], sizes[there, 0], edges[0], bins_of(bins, 0)
                sizes[there, 0] = scan(graph, reach, near[c], 0, size[c], now, *ours)
        else:
            args = graph, reach, near, size, now, lists[there], sizes[there], edges, bins
            for_tiles_by_core(cores, cores * PARTS, scan_part, args)
        here, total = there, sizes[there].sum()
        while total == 0 and current <= last:
            near, size = lists[here], sizes[here]
            for_tiles(cores, cores, take_bin, (current, near, size, distance, base, inverse, bins))
            total = size.sum()
            if total == 0:
                current += one
            elif current == last:
                for_tiles(cores, cores, nearest, (near, size, distance, least))
                base, current, ends[:, full] = least.min(), np.uint64(0), 0
                for_tiles(cores, cores, spread, (near, size, distance, base, inverse, bins))
                total = size.sum()
    for_tiles_by_core(cores, PARTS, _look_elsewhere, (graph, distance, edges))
    return edges[:, WRONG].any()


def _kernel(lower):
    scan = njit(specialise(_scan, lower=lower))
    return compiled(specialise(_search, scan=scan, scan_part=njit(specialise(_scan_part, scan=scan))))


ALONE_KERNEL, SHARED_KERNEL = _kernel(_lower_alone), _kernel(_lower_shared)


def relax(indptr, indices, lengths, mean, items, distance, limit):
    """Make `distance`, zero at `items` and else infinite, the least length of a path from there; no further than `limit`.

    `mean` is that of the lengths. Returns whether a length is negative or NaN; distances mean nothing then.
    """
    n, cores = distance.size, 1 if indices.size <= SERIAL else cores_for(SHARED_KERNEL)
    kernel = ALONE_KERNEL if cores == 1 else SHARED_KERNEL
    lists, stamps = np.empty((2, cores, n + 1), indices.dtype), np.zeros(n, np.uint32)  # pages come when used
    sizes, edges = np.zeros((2, cores), np.uint64), np.zeros((cores, CHUNK + PAD), np.uint64)
    bins = empty_bins(cores, n + ROOM * n // cores, indices.dtype)
    lists[0, 0, : items.size], sizes[0, 0] = items, items.size
    step = STEP * mean * n / max(indices.size, 1)
    inverse = min(1 / step, LARGEST) if 0 < step < np.inf else 0.0
    reach = distance, np.full(n, np.inf), stamps, limit, inverse
    return kernel(cores, (indptr, indices, lengths), reach, lists, sizes, bins, edges, ALONE)
