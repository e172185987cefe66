"""Vertices in bins by their distances: what every core of a search for shortest paths puts away for later.

Design: a core's bins are chains of blocks from a pool of its own. A block that was emptied is the first to be filled again, so
what a core writes stays in its cache. The pool does not grow: whoever puts a vertex where no block is left is told so. The
search puts a vertex into the same bin once, so a list of all vertices has room for what is in a bin.
"""

import numpy as np

from spark_csr._engine import njit

BINS = 64
"""Bins besides the last one: lengths from 0 to twice the mean reach as many where vertices have 48 edges. Not tuned."""

BLOCK = 64
"""Vertices in a block. Not tuned."""

PAD = 8
"""Places between what two cores write: they write to no common cache line."""

FREE, USED, FULL = BINS + 1, BINS + 2, BINS + 3
"""Places behind the ends of a core's bins: one more than the block that was emptied last, how many blocks were taken from the
pool, and whether there was none when it was asked for."""


def empty_bins(cores, room, dtype):
    """Return empty bins for every core, with room for `room` vertices in the bins of each: the items of all blocks, where the
    block before each block ends, and where the last block of each bin ends, 0 for an empty bin.
    """
    blocks = room // BLOCK + BINS + 2
    links, ends = np.empty((cores, blocks), np.uint64), np.zeros((cores, BINS + 4 + PAD), np.uint64)
    return np.empty((cores, blocks * BLOCK), dtype), links, ends


@njit(forceinline=True)
def bins_of(bins, c):
    """Return the bins of a core."""
    items, links, ends = bins
    return items[c], links[c], ends[c]


@njit(forceinline=True)
def bin_of(reached, base, inverse):
    """Return the number of the bin for a distance."""
    steps = (reached - base) * inverse
    return np.uint64(steps) if steps < BINS else np.uint64(BINS)


@njit(forceinline=True)
def put(items, links, ends, k, vertex):
    """Put a vertex into bin `k` of a core; return whether there was room."""
    end, free, used = ends[k], np.uint64(FREE), np.uint64(USED)
    if end % BLOCK == 0:
        if ends[free] > 0:
            block = ends[free] - 1
            ends[free] = links[block]
        elif ends[used] < np.uint64(links.size):
            block = ends[used]
            ends[used] += 1
        else:
            ends[FULL] = np.uint64(1)
            return False
        links[block], end = end, block * BLOCK
    items[end] = vertex
    ends[k] = end + 1
    return True


@njit
def _take(items, links, ends, k, row):
    """Move the vertices in bin `k` of a core to a row; return how many these are."""
    end, free, size = ends[k], np.uint64(FREE), np.uint64(0)
    while end > 0:
        block = (end - 1) // BLOCK
        for place in range(block * BLOCK, end):
            row[size] = items[place]
            size += 1
        end, links[block], ends[free] = links[block], ends[free], block + 1
    ends[k] = np.uint64(0)
    return size


@njit
def take_few(c, k, near, size, distance, base, inverse, bins):
    """Move the vertices in a bin of a core behind the first `size` of a list, without those that are in an earlier bin too.
    Return how many are on the list then."""
    (items, links, ends), first = bins, size
    for j in range(_take(items[c], links[c], ends[c], k, near[first:])):
        vertex = np.uint64(near[first + j])
        near[size] = vertex
        size += np.uint64(bin_of(distance[vertex], base, inverse) >= k)
    return size


@njit
def take_bin(c, k, lists, sizes, distance, base, inverse, bins):
    """Move the vertices in a bin of a core to its list, without those that are in an earlier bin too."""
    sizes[c] = take_few(c, k, lists[c], np.uint64(0), distance, base, inverse, bins)


@njit
def has_few(k, most, bins):
    """Return whether bin `k` of all cores together holds not much more than `most` vertices."""
    (_, links, ends), blocks = bins, np.uint64(0)
    for c in range(np.uint64(ends.shape[0])):
        end = ends[c, k]
        while end > 0 and blocks * BLOCK <= most:
            blocks += 1
            end = links[c, (end - 1) // BLOCK]
    return blocks * BLOCK <= most + np.uint64(ends.shape[0] * BLOCK)


@njit
def find_nearest(c, lists, sizes, distance, least):
    """Find the least distance on a list."""
    near, found = lists[c], np.inf
    for k in range(sizes[c]):
        found = min(found, distance[near[k]])
    least[c] = found


@njit
def spread(c, lists, sizes, distance, base, inverse, bins):
    """Put the vertices of a list into bins; those for which there is no room stay."""
    (items, links, ends), near, size = bins_of(bins, c), lists[c], np.uint64(0)
    for k in range(sizes[c]):
        vertex = np.uint64(near[k])
        near[size] = vertex
        size += np.uint64(not put(items, links, ends, bin_of(distance[vertex], base, inverse), vertex))
    sizes[c] = size
