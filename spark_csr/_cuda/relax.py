"""Shortest paths on a GPU: vertices up to a threshold until none gets nearer, then those up to the next.

Design: a warp takes a vertex, its lanes the edges; the least distance is an atomic minimum. Vertices that got nearer are listed
for the next launch, or put on a pile beyond the threshold, by flags that let each in once. Source: Davidson, Baxter, Garland &
Owens, *Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths*, IPDPS 2014.
"""

import functools

import numpy as np

from spark_csr._array import namespace_of, to_host_list, to_host_scalar
from spark_csr._cuda.tuning import TUNING
from spark_csr._engine import specialise
from spark_csr._engine.gpu import WARP, Kernel, blocks_for, box, cuda
from spark_csr._engine.holes import THREADS

BOX = box(256, 1)  # not tuned

NEXT, PILED, KEPT = 0, 1, 2
"""What is counted: vertices of the next list, on the pile, and left on the pile."""


def _clear_listed(near, size, listed):
    """Let the vertices of the list be listed again once they get nearer."""
    k = np.int64(cuda.blockIdx.x) * THREADS + cuda.threadIdx.x
    if k < size:
        listed[near[k]] = 0


def _relax(indptr, indices, lengths, distance, limit, threshold, near, size, beyond, listed, pile, piled, counts):
    """Relax the edges of vertices on the list. A distance that is read may be an older, larger one: then the atomic minimum
    decides.
    """
    thread = np.int64(cuda.blockIdx.x) * THREADS + cuda.threadIdx.x
    if thread // WARP < size:
        source = near[thread // WARP]
        start, stop = distance[source], np.int64(indptr[source + 1])
        for e in range(indptr[source] + thread % WARP, stop, WARP):
            target, reached = np.uint64(indices[e]), start + np.float64(lengths[e])
            if reached < distance[target] and reached <= limit and reached < cuda.atomic.min(distance, target, reached):
                if reached <= threshold:
                    if cuda.atomic.max(listed, target, 1) == 0:
                        beyond[cuda.atomic.add(counts, NEXT, 1)] = target
                elif piled[target] == 0 and cuda.atomic.max(piled, target, 1) == 0:
                    pile[cuda.atomic.add(counts, PILED, 1)] = target


def _find_nearest(pile, size, distance, threshold, least):
    """Find the least distance on the pile. Vertices up to the threshold do not count: they were listed since."""
    k = np.int64(cuda.blockIdx.x) * THREADS + cuda.threadIdx.x
    if k < size:
        here = distance[pile[k]]
        if threshold < here < least[0]:
            cuda.atomic.min(least, 0, here)


def _split(pile, size, distance, threshold, step, least, near, rest, counts):
    """List the vertices of the pile up to the next threshold, and keep those beyond. No vertex comes to the pile again."""
    k = np.int64(cuda.blockIdx.x) * THREADS + cuda.threadIdx.x
    if k < size:
        vertex = np.uint64(pile[k])
        here = distance[vertex]
        if here > least[0] + step:
            rest[cuda.atomic.add(counts, KEPT, 1)] = vertex
        elif here > threshold:
            near[cuda.atomic.add(counts, NEXT, 1)] = vertex


@functools.cache
def kernel(function):
    """Return the kernel of one of the functions above."""
    return Kernel(specialise(function, THREADS=BOX.threads), BOX.threads, views=True)


def relax(indptr, indices, lengths, mean, items, distance, limit, targets):
    """Make `distance`, zero at `items` and else infinite, the least length of a path from there; no further than `limit`.

    If there are `targets`, go no further than to the furthest of them; what is beyond has a distance that may be too large.
    `mean` is the mean of the lengths. Return whether a length is negative or NaN; distances mean nothing then. The host reads
    once for that, for each launch that relaxes, twice with targets, and for each threshold.
    """
    if lengths.dtype.kind in "if" and to_host_scalar((~(lengths >= 0)).any()):
        return True
    xp, n = namespace_of(distance), distance.size
    step = TUNING.relax_step * mean * n / max(indices.size, 1)
    step = step if 0 < step < np.inf else np.inf
    near, beyond, pile, rest = (xp.empty(n + items.size, indices.dtype) for _ in range(4))
    listed, piled = xp.zeros(n, np.int32), xp.zeros(n, np.int32)
    near[: items.size] = items
    size, waiting, threshold = items.size, 0, step
    while size or (waiting and threshold < limit):
        if size:
            counts = xp.asarray(np.array([0, waiting, 0]))
            kernel(_clear_listed)(blocks_for(size, BOX.threads), near, size, listed)
            graph = indptr, indices, lengths, distance, limit, threshold
            lists = near, size, beyond, listed, pile, piled, counts
            kernel(_relax)(blocks_for(size * WARP, BOX.threads), *graph, *lists)
            near, beyond = beyond, near
            size, waiting, _ = to_host_list(counts)
            if targets.size:
                limit = min(limit, to_host_scalar(distance[targets].max()))
        else:
            least, counts = xp.asarray(np.array([np.inf])), xp.zeros(3, np.int64)
            blocks = blocks_for(waiting, BOX.threads)
            kernel(_find_nearest)(blocks, pile, waiting, distance, threshold, least)
            kernel(_split)(blocks, pile, waiting, distance, threshold, step, least, near, rest, counts)
            pile, rest = rest, pile
            size, _, waiting, threshold = to_host_list(xp.concatenate([counts, least + step]))
            size, waiting = int(size), int(waiting)
    return False
