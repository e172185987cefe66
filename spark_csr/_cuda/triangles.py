"""The triangles of a graph whose edges lead up an order of its vertices.

Design: a few lanes take an edge and search the longer list of targets of its ends for those in the shorter; each triangle is
found once, at its lowest vertex. Counts are added by atomics: of integers the sum is the same in any order. Source: Green,
Yalamanchili & Munguia, *Fast Triangle Counting on the GPU*, IA3 2014; Hu, Liu & Huang, *TriCore*, SC 2018.
"""

import functools

import numpy as np

from spark_csr._cuda.tuning import TUNING
from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, blocks_for, box, cuda
from spark_csr._engine.holes import LANES, THREADS
from spark_csr._shared.bisection import first_at_least, segment_of

BOX = box(256, 1)  # not tuned


def _search_edges(indptr, rows, indices, edges, every, out):
    """Search, in `LANES` lanes an edge, for each `LANES`-th target of the shorter list."""
    thread = np.int64(cuda.blockIdx.x) * THREADS + cuda.threadIdx.x
    edge, lane = thread // LANES, thread % LANES
    if edge < edges:
        u, v = segment_of(indptr, rows, edge), np.int64(indices[edge])
        few, few_stop = np.int64(indptr[u]), np.int64(indptr[u + 1])
        many, many_stop = np.int64(indptr[v]), np.int64(indptr[v + 1])
        if few_stop - few > many_stop - many:
            few, few_stop, many, many_stop = many, many_stop, few, few_stop
        found = np.int64(0)
        for p in range(few + lane, few_stop, LANES):
            w = np.int64(indices[p])
            at = np.int64(first_at_least(indices, many, many_stop, w))
            if at < many_stop and indices[at] == w:
                found += 1
                if every:
                    cuda.atomic.add(out, w, np.int64(1))
        if found > 0:
            cuda.atomic.add(out, u, found)
            if every:
                cuda.atomic.add(out, v, found)


@functools.cache
def _kernel(lanes):
    """Return the kernel for so many lanes of an edge."""
    return Kernel(specialise(_search_edges, THREADS=BOX.threads, LANES=lanes), BOX.threads, views=True)


def count_triangles(indptr, indices, every, out):
    """Count for every vertex the triangles of which it is the lowest, or if `every` all that it is part of."""
    out[...] = 0
    lanes = TUNING.triangles_lanes
    _kernel(lanes)(blocks_for(indices.size * lanes, BOX.threads), indptr, out.size, indices, indices.size, every, out)
