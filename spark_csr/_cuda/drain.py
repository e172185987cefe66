"""`drain`: small frontiers, one after the other, in one block: a barrier between two of them instead of a launch.

A warp takes a vertex of the frontier, its lanes the edges.
"""

import functools

import numpy as np

from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.target import WARP, box, cuda
from spark_csr._cuda.tuning import TUNING
from spark_csr._holes import THREADS, call, read_weight
from spark_csr._specialise import specialise

BOX = box(512, 1)  # not tuned


def small_frontier():
    """Return how many edges a frontier may have that `drain` takes."""
    return TUNING.drain_small


def _drain(indptr, indices, data, items, room, progress, rounds, state):
    """Advance from frontier to frontier. Threads read the same numbers between barriers, so they leave the loop together."""
    thread = np.int64(cuda.threadIdx.x)
    here, size, edges, done, seen = np.int64(0), progress[1], progress[2], np.int64(0), progress[4]
    cuda.syncthreads()
    while size > 0 and edges <= room and done < rounds:
        seen += edges
        if thread == 0:
            progress[1] = 0
            progress[2] = 0
        cuda.syncthreads()
        for k in range(thread // WARP, size, THREADS // WARP):
            source = np.uint64(items[here + k])
            stop = np.int64(indptr[source + np.uint64(1)])
            for e in range(np.int64(indptr[source]) + thread % WARP, stop, WARP):
                target = np.uint64(indices[e])
                if call(np.int64(source), np.int64(target), e, read_weight(data, e, done), *state):
                    items[room - here + cuda.atomic.add(progress, 1, 1)] = target
                    cuda.atomic.add(progress, 2, np.int64(indptr[target + np.uint64(1)]) - np.int64(indptr[target]))
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
    return Kernel(specialise(_drain, call=func, read_weight=read_weight, THREADS=BOX.threads), BOX.threads, views=True)


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
