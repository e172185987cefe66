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

from spark_csr._cpu.bins import BINS, FULL, PAD, bins_of, empty_bins, find_nearest, has_few, spread, take_bin, take_few
from spark_csr._cpu.relax_scan import CHUNK, WRONG, scan, scan_alone
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, expect_jobs, for_tiles, for_tiles_by_core, njit

LARGEST = 1e300
"""Bins to a distance of one, at most: products with finite distances that are 0 stay 0."""


@njit(forceinline=True)
def _locate_part(tile, parts, cores, sizes):
    """Return whose list a tile is a part of, and where the part begins and ends. A list has so many parts."""
    c, k, parts = tile % np.uint64(cores), tile // np.uint64(cores), np.uint64(parts)
    return c, k * sizes[c] // parts, (k + 1) * sizes[c] // parts


@njit
def _scan_part(core, tile, parts, ahead, graph, reach, near, sizes, now, beyond, found, edges, bins):
    """Scan a part of a list; what is found goes to the list and the bins of the core."""
    c, start, stop = _locate_part(tile, parts, edges.shape[0], sizes)
    ours = beyond[core], found[core], edges[core], bins_of(bins, core)
    found[core] = scan(graph, reach, near[c], start, stop, ahead, now, *ours)


@njit
def _is_short(near, size, indptr, alone):
    """Return whether the vertices of a list have at most `alone` edges."""
    edges = size
    for k in range(size):
        source = near[k]
        edges += np.uint64(indptr[source + 1]) - np.uint64(indptr[source])
        if edges > alone:
            return False
    return edges <= alone


@njit
def _join(lists, sizes):
    """Put what is on the lists of all cores on the first one."""
    near, size = lists[0], sizes[0]
    for c in range(np.uint64(1), np.uint64(sizes.size)):
        for k in range(sizes[c]):
            near[size] = lists[c, k]
            size += 1
        sizes[c] = 0
    sizes[0] = size


@njit
def _lower_bound(reach, targets):
    """Go no further than to the furthest of the targets."""
    distance, bound = reach[0], reach[3]
    if targets.size:
        furthest = 0.0
        for k in range(targets.size):
            furthest = max(furthest, distance[targets[k]])
        bound[0] = min(bound[0], furthest)


@njit
def _go_alone(graph, reach, targets, lists, sizes, here, base, current, tick, edges, bins, alone, ahead):
    """Go on alone, from the lists and bins of all cores, while rounds have at most `alone` edges and a bin before the last one
    is left. Return which lists are those of the next round, the current bin, and the number of the round.
    """
    (distance, _, _, _, inverse), (_, _, ends), ours = reach, bins, bins_of(bins, 0)
    _join(lists[here], sizes[here])
    near, beyond, size, is_far = lists[here, 0], lists[1 - here, 0], sizes[here, 0], alone < np.uint64(graph[1].size)
    while True:
        while size > 0 and (not is_far or _is_short(near, size, graph[0], alone)):
            tick += 1
            now = base, current, tick, _has_note(ends, np.uint64(FULL))
            size, wrong = scan_alone(graph, reach, near, size, ahead, now, beyond, ours, is_far)
            edges[0, WRONG] |= np.uint64(wrong)
            near, beyond, here = beyond, near, 1 - here
            _lower_bound(reach, targets)
        while size == 0 and current < BINS and has_few(current, alone, bins):
            for c in range(np.uint64(sizes.shape[1])):
                size = take_few(c, current, near, size, distance, base, inverse, bins)
            current += np.uint64(size == 0)
        if size == 0 or (is_far and not _is_short(near, size, graph[0], alone)):
            sizes[here] = 0
            sizes[here, 0] = size
            return here, current, tick


@njit
def _look_elsewhere(core, tile, parts, graph, reach, edges):
    """Look at the lengths of edges that leave vertices of one of the parts which were not reached, or are too far away."""
    (indptr, _, lengths), (distance, _, _, bound, _), wrong = graph, reach, False
    n, limit = np.uint64(distance.size), bound[0]
    for v in range(tile * n // np.uint64(parts), (tile + 1) * n // np.uint64(parts)):
        if distance[v] == np.inf or distance[v] > limit:
            for e in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
                wrong |= not lengths[e] >= 0
    edges[core, WRONG] |= np.uint64(wrong)


@njit
def _has_note(notes, kind):
    """Return whether a core has noted something of this kind: that it had no room in its bins, or met a wrong length."""
    found = False
    for c in range(np.uint64(notes.shape[0])):
        found |= notes[c, kind] > 0
    return found


@compile_kernel
def _search(cores, numbers, graph, reach, targets, lists, sizes, bins, edges, alone):
    """Search from the sources, which are in the first list of the first core, until the targets are reached if there are any;
    return whether a length is negative or NaN. `lists` holds two lists for every core, `sizes` how many vertices are in each.
    See `_numbers` for `numbers`."""
    parts, near_ahead, far_ahead, cost = numbers
    least, (_, _, ends), (distance, _, _, _, inverse) = np.empty(cores), bins, reach
    one, last, full, alone = np.uint64(1), np.uint64(BINS), np.uint64(FULL), np.uint64(alone)
    here, base, current, tick, total = 0, 0.0, np.uint64(0), one, sizes[0].sum()
    if cores > 1:
        expect_jobs(cost * graph[1].size)
    while total > 0:
        if total <= alone and total <= np.uint64(distance.size):  # two cores may list the same vertex
            here, current, tick = _go_alone(
                graph, reach, targets, lists, sizes, here, base, current, tick, edges, bins, alone, near_ahead
            )
        if sizes[here].sum() > 0:
            there, tick = 1 - here, tick + one
            sizes[there] = 0
            now, old, new = (
                (base, current, tick, _has_note(ends, np.uint64(FULL))),
                (lists[here], sizes[here]),
                (lists[there], sizes[there]),
            )
            args = parts, far_ahead, graph, reach, *old, now, *new, edges, bins
            for_tiles_by_core(cores, cores * parts, _scan_part, args)
            here = there
            _lower_bound(reach, targets)
        total = sizes[here].sum()
        while total == 0 and current <= last:
            near, size = lists[here], sizes[here]
            for_tiles(cores, cores, take_bin, (current, near, size, distance, base, inverse, bins))
            total = size.sum()
            if total == 0:
                current += one
            elif current == last:
                for_tiles(cores, cores, find_nearest, (near, size, distance, least))
                base, current = least[0], np.uint64(0)
                for c in range(np.uint64(ends.shape[0])):
                    base, ends[c, full] = min(base, least[c]), 0
                for_tiles(cores, cores, spread, (near, size, distance, base, inverse, bins))
                total = size.sum()
    for_tiles_by_core(cores, parts, _look_elsewhere, (parts, graph, reach, edges))
    return _has_note(edges, np.uint64(WRONG))


@compile_kernel
def _search_alone(graph, reach, targets, lists, sizes, bins, edges, ahead):
    """Do as `_search` on one core, for a small graph. It is compiled in half the time."""
    least, (_, _, ends), (distance, _, _, _, inverse) = np.empty(1), bins, reach
    last, alone = np.uint64(BINS), np.uint64(graph[1].size + distance.size)
    here, base, current, tick, left = 0, 0.0, np.uint64(0), np.uint64(1), True
    while left:
        here, current, tick = _go_alone(
            graph, reach, targets, lists, sizes, here, base, current, tick, edges, bins, alone, ahead
        )
        near, size = lists[here], sizes[here]
        take_bin(np.uint64(0), last, near, size, distance, base, inverse, bins)
        left = size[0] > 0
        if left:
            find_nearest(np.uint64(0), near, size, distance, least)
            base, current, ends[0, FULL] = least[0], np.uint64(0), 0
            spread(np.uint64(0), near, size, distance, base, inverse, bins)
    _look_elsewhere(np.uint64(0), np.uint64(0), 1, graph, reach, edges)
    return _has_note(edges, np.uint64(WRONG))


def _numbers():
    """Return the numbers that are passed on to `_search`."""
    return TUNING.relax_parts, TUNING.relax_near_ahead, TUNING.relax_far_ahead, TUNING.relax_edge_time


def relax(indptr, indices, lengths, mean, items, distance, limit, targets):
    """Make `distance`, zero at `items` and else infinite, the least length of a path from there; no further than `limit`.

    If there are `targets`, go no further than to the furthest of them; what is beyond has a distance that may be too large.
    `mean` is the mean of the lengths. Return whether a length is negative or NaN; distances mean nothing then.
    """
    n, is_small = distance.size, indices.size <= TUNING.relax_serial
    cores = 1 if is_small else cores_for(_search)
    lists, stamps = np.empty((2, cores, n + 1), indices.dtype), np.zeros(n, np.uint32)  # pages come when used
    sizes, edges = np.zeros((2, cores), np.uint64), np.zeros((cores, CHUNK + PAD), np.uint64)
    bins = empty_bins(cores, n + TUNING.relax_room * n // cores, indices.dtype)
    lists[0, 0, : items.size], sizes[0, 0] = items, items.size
    degree = max(indices.size, 1) / n
    step = TUNING.relax_step * (1 + (TUNING.relax_low_degree / degree) ** 2) * mean / degree
    inverse = min(1 / step, LARGEST) if 0 < step < np.inf else 0.0
    reach = distance, np.full(n, np.inf), stamps, np.full(1, limit), inverse
    args = (indptr, indices, lengths), reach, targets, lists, sizes, bins, edges
    return _search_alone(*args, TUNING.relax_near_ahead) if is_small else _search(cores, _numbers(), *args, TUNING.relax_alone)
