"""`drain`: small frontiers, one after the other, in one block: a barrier between two of them instead of a launch.

Where there are no more vertices than warps, or half a warp of edges for each, a warp takes a vertex and its lanes the edges;
else the edges of all vertices are divided among the threads, as in `step`.
"""

import functools

import numpy as np
from numba import int64, uint32

from spark_csr._cuda.step import add_edges, list_selected, meanings_of_visits, visit_edges
from spark_csr._cuda.tuning import TUNING
from spark_csr._engine import specialise
from spark_csr._engine.gpu import WARP, Kernel, box, cuda
from spark_csr._engine.holes import THREADS, call, read_weight

BOX = box(512, 1)  # of 1,024 threads each would have 64 registers, too few for some functions; not tuned


def small_frontier():
    """Return how many edges a frontier may have that `drain` takes."""
    return TUNING.drain_small


def _drain(indptr, indices, data, items, room, progress, rounds, state):
    """Advance from frontier to frontier. Threads read the same numbers between barriers, so they leave the loop together."""
    firsts = cuda.shared.array(THREADS, int64)
    sources = cuda.shared.array(THREADS, int64)
    offsets = cuda.shared.array(THREADS, uint32)
    total = cuda.shared.array(1, uint32)
    thread = np.int64(cuda.threadIdx.x)
    here, size, edges, done, seen = np.int64(0), progress[1], progress[2], np.int64(0), progress[4]
    totals = progress[1:]
    cuda.syncthreads()
    while size > 0 and edges <= room and done < rounds:
        seen += edges
        listed, found = items[room - here :], np.int64(0)
        if thread == 0:
            progress[1] = 0
            progress[2] = 0
        cuda.syncthreads()
        if size <= THREADS // WARP or edges >= size * (WARP // 2):
            for k in range(thread // WARP, size, THREADS // WARP):
                source = np.uint64(items[here + k])
                base, stop = np.int64(indptr[source]), np.int64(indptr[source + 1])
                while base < stop:
                    e = base + thread % WARP
                    target, selects = np.uint64(0), False
                    if e < stop:
                        target = np.uint64(indices[e])
                        selects = call(np.int64(source), np.int64(target), e, read_weight(data, e, done), *state)
                    found += list_selected(selects, target, indptr, listed, totals)
                    base += WARP
            add_edges(found, totals)
        else:
            k = thread
            while k - thread < size:
                vertex, degree = np.uint64(0), np.int64(0)
                if k < size:
                    vertex = np.uint64(items[here + k])
                    degree = indptr[vertex + 1] - indptr[vertex]
                visit_edges(indptr, indices, data, done, vertex, degree, firsts, sources, offsets, total, listed, totals, state)
                cuda.syncthreads()
                k += THREADS
        cuda.syncthreads()
        here, size, edges, done = room - here, progress[1], progress[2], done + 1
        cuda.syncthreads()
    if thread == 0:
        progress[0] = here
        progress[3] = done
        progress[4] = seen


@functools.cache
def kernel(func, read_weight):
    """Return the kernel for a function, and for the function that computes its argument `weight`."""
    return Kernel(specialise(_drain, **meanings_of_visits(func, read_weight, BOX.threads)), BOX.threads, views=True)


def drain(indptr, indices, data, func, read_weight, state, items, progress, rounds):
    """Advance along edges for which `func` says yes, until no vertex is left, or their edges are too many, or `rounds` times.

    It may also stop sooner, after `drain_rounds` times.

    `read_weight` returns the argument `weight` of `func`. `items` holds two frontiers of `small_frontier()` vertices;
    `progress` says where the one begins, and of how many vertices and edges it is, then how many rounds it took, and how many
    edges it saw.
    """
    kernel(func, read_weight)(
        1, indptr, indices, data, items, TUNING.drain_small, progress, min(rounds, TUNING.drain_rounds), state
    )
