"""Shortest paths on the cores: vertices up to a threshold until none gets nearer, then those up to the next.

Design: every core puts what it finds into lists of its own: vertices up to the threshold into that for the next round, others
onto a pile. One core does rounds with few vertices and goes on alone until there are more, so no core waits for another.
Stamps say what is in a core's list or on its pile already, so neither holds a vertex twice. Where a vertex is in the lists of
two cores, the core that comes second sees that the vertex was gone through at the same distance. A distance is the least of
the sums along paths, so it does not depend on which core comes first. Sources: Meyer & Sanders, *Δ-stepping: a parallelizable
shortest path algorithm*, 2003, with one bucket that is open and one for all others; Zhang, Brahmakshatriya, Chen, Dhulipala,
Kamil, Amarasinghe & Shun, *Optimizing Ordered Graph Algorithms with GraphIt*, CGO 2020, for rounds that follow each other on
one core.
"""

import numpy as np

from spark_csr._cpu.cache import njit
from spark_csr._cpu.memory import ask_row
from spark_csr._cpu.team import expect_jobs, for_tiles, for_tiles_by_core
from spark_csr._cpu.threads import compiled, cores_for
from spark_csr._specialise import specialise
from spark_csr.atomics import atomic_min

STEP = 4
"""How many mean lengths, over the mean degree, a threshold is above the least distance. Measured: between 2 and 8 is level, on
Kronecker and uniform random graphs of 4 million edges (EPYC 9004, 2026-11)."""

SERIAL = 1 << 17
"""Edges up to which one core does it all. Not tuned."""

ALONE = 2048
"""Vertices of a round up to which one core does it. Not tuned."""

PARTS = 16
"""Parts of a core's list that are handed out. Not tuned."""

EACH = 2
"""Nanoseconds that one core takes at least for each edge. Not tuned."""

AHEAD = 8
"""Vertices between the one in hand and the one whose edges are asked for: a third faster; 4 and 12 measured alike (EPYC 9004,
2026-11)."""


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
        ask_row(near, k, np.uint64(stop), AHEAD, indptr, indices, lengths)
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


@njit(forceinline=True)
def _part(tile, cores, sizes):
    """Return whose list a tile is a part of, and where the part begins and ends."""
    c, k, parts = tile % np.uint64(cores), tile // np.uint64(cores), np.uint64(PARTS)
    return c, k * sizes[c] // parts, (k + np.uint64(1)) * sizes[c] // parts


def _scan_part(core, tile, graph, reach, near, sizes, tick, opened, beyond, found, piles, piled, stamps):
    """Scan a part of a list; what is found goes to the list and the pile of the core."""
    c, start, stop = _part(tile, piles.shape[0], sizes)
    ours = beyond[core], found[core], piles[core], piled[core], stamps[core]
    found[core], piled[core] = scan(graph, reach, near[c], start, stop, tick, opened, *ours)


@njit
def _nearest(tile, piles, piled, distance, threshold, least):
    """Find the least distance beyond the threshold on a part of a pile: vertices that are nearer were listed since."""
    c, start, stop = _part(tile, piles.shape[0], piled)
    pile, found = piles[c], np.inf
    for k in range(start, stop):
        here = distance[np.uint64(pile[k])]
        found = min(found, here if here > threshold else np.inf)
    least[tile] = found


@njit
def _split(tile, piles, piled, distance, threshold, larger, tick, lists, stamps, opens, keeps):
    """Move the vertices of a part of a pile that are up to the larger threshold to the beginning of this part of the list, and
    those beyond it to the beginning of this part of the pile; `opens` and `keeps` say how many these are."""
    c, start, stop = _part(tile, piles.shape[0], piled)
    pile, near, stamp = piles[c], lists[c], stamps[c]
    size, kept = start, start
    for k in range(start, stop):
        vertex = np.uint64(pile[k])
        here = distance[vertex]
        if here > threshold:
            is_open = here <= larger
            near[size], pile[kept] = vertex, vertex
            size += np.uint64(is_open)
            kept += np.uint64(not is_open)
            stamp[vertex] = tick + np.uint64(1) if is_open else tick
    opens[tile], keeps[tile] = size - start, kept - start


@njit
def _close_gaps(rows, sizes, counts):
    """Move what is at the beginning of each part of a row together; `sizes` becomes how many that are."""
    cores = np.uint64(rows.shape[0])
    for c in range(cores):
        row, total = rows[c], np.uint64(0)
        for tile in range(c, np.uint64(counts.size), cores):
            _, start, _ = _part(tile, cores, sizes)
            for k in range(counts[tile]):
                row[total + k] = row[start + k]
            total += counts[tile]
        sizes[c] = total


def _search(cores, graph, distance, scanned, limit, step, lists, piles, stamps, sizes, piled, alone):
    """Search from the sources, which are in the first list of the first core. `lists` holds two lists for every core, `sizes`
    how many vertices are in each. Every round has a tick, an even number: a stamp is a tick for a vertex on the pile, and the
    number after a tick for a vertex in a list."""
    parts, two = cores * PARTS, np.uint64(2)
    least, opens, keeps = np.empty(parts), np.empty(parts, np.uint64), np.empty(parts, np.uint64)
    here, tick, threshold = 0, two, step
    opened, total = tick, sizes[0].sum()
    if cores > 1:
        expect_jobs(EACH * graph[1].size)
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
            beyond = lists[there], sizes[there], piles, piled, stamps
            for_tiles_by_core(cores, parts, scan_part, (graph, reach, lists[here], sizes[here], tick, opened, *beyond))
        here, total = there, sizes[there].sum()
        if total == 0 and piled.sum() > 0:
            for_tiles(cores, parts, _nearest, (piles, piled, distance, threshold, least))
            larger, tick = least.min() + step, tick + two
            opened = tick
            split = threshold, larger, tick, lists[here], stamps, opens, keeps
            for_tiles(cores, parts, _split, (piles, piled, distance, *split))
            sizes[here] = piled
            _close_gaps(lists[here], sizes[here], opens)
            _close_gaps(piles, piled, keeps)
            threshold, total = larger, sizes[here].sum()


def _kernel(lower):
    scan = njit(specialise(_scan, lower=lower))
    return compiled(specialise(_search, scan=scan, scan_part=njit(specialise(_scan_part, scan=scan))))


ALONE_KERNEL, SHARED_KERNEL = _kernel(_lower_alone), _kernel(_lower_shared)


def relax(indptr, indices, lengths, mean, items, distance, limit):
    """Make `distance`, zero at `items` and else infinite, the least length of a path from there; no further than `limit`.

    `mean` is that of the lengths.
    """
    n, cores = distance.size, 1 if indices.size <= SERIAL else cores_for(SHARED_KERNEL)
    kernel = ALONE_KERNEL if cores == 1 else SHARED_KERNEL
    lists, piles = np.empty((2, cores, n + 1), indices.dtype), np.empty((cores, n + 1), indices.dtype)  # pages come when used
    stamps, sizes, piled = np.zeros((cores, n), np.uint32), np.zeros((2, cores), np.uint64), np.zeros(cores, np.uint64)
    lists[0, 0, : items.size], sizes[0, 0] = items, items.size
    step = STEP * mean * n / max(indices.size, 1)
    step = step if 0 < step < np.inf else np.inf
    scratch = np.full(n, np.inf), limit, step, lists, piles, stamps, sizes, piled, ALONE
    kernel(cores, (indptr, indices, lengths), distance, *scratch)
