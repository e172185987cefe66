"""The triangles of a graph whose edges lead up an order of its vertices, on the cores.

Design: a core marks the targets of a vertex in a set of bits of its own, small enough for a near cache, and looks up in it the
targets of these targets, without a branch: every triangle is found once, at its lowest vertex. Vertices are shared out in
chunks of equal numbers of look-ups; sums of integers are the same in any order. Source: Chiba & Nishizeki, *Arboricity and
Subgraph Listing Algorithms*, 1985; Latapy, *Main-memory Triangle Computations*, 2008.
"""

import numba
import numpy as np
from numba import prange

from spark_csr._cpu.cache import njit
from spark_csr._cpu.memory import ask_at
from spark_csr._cpu.threads import compiled_by_core, run_parallel

SERIAL = 8192
"""Edges up to which one core does it all. Not tuned."""

CHUNKS = 64
"""Chunks of a large graph: enough for the cores of one machine. Not tuned."""

AHEAD = 4
"""Edges between the one in hand and the one whose target's list is asked for: a fifth to a third faster on graphs that do not
lie in a near cache; 2 and 8 measured alike (EPYC 9005, 2026-11)."""

NEAR = 1 << 18
"""Edges up to which all lists are near: there asking takes a quarter longer. Not tuned further."""


@njit(parallel=True, nogil=True, cache=True)
def _count_look_ups(indptr, indices, out):
    for i in prange(out.size):
        u, total = np.uint64(i), np.uint64(0)
        start, stop = np.uint64(indptr[u]), np.uint64(indptr[u + np.uint64(1)])
        if stop - start > np.uint64(1):
            for p in range(start, stop):
                v = np.uint64(indices[p])
                total += np.uint64(indptr[v + np.uint64(1)]) - np.uint64(indptr[v])
        out[u] = total


@njit(forceinline=True)
def _mark(marks, indices, start, stop):
    for p in range(start, stop):
        w = np.uint64(indices[p])
        marks[w >> np.uint64(3)] |= np.uint8(np.uint64(1) << (w & np.uint64(7)))


@njit(forceinline=True)
def _clear(marks, indices, start, stop):
    for p in range(start, stop):
        marks[np.uint64(indices[p]) >> np.uint64(3)] = 0


@njit(forceinline=True)
def _ask(indptr, indices, p):
    """Ask for the targets of what edge `p + AHEAD` leads to: two cache lines."""
    if p + np.uint64(2 * AHEAD) < np.uint64(indices.size):
        ask_at(indptr, np.uint64(indices[p + np.uint64(2 * AHEAD)]))
        start = np.uint64(indptr[np.uint64(indices[p + np.uint64(AHEAD)])])
        ask_at(indices, start)
        ask_at(indices, start + np.uint64(15))


def _count_chunks(cuts, indptr, indices, ahead, every, bits, counts):
    """A chunk looks for triangles above each of its vertices; with `every` it counts in the row of the core that runs it."""
    for c in prange(cuts.size - 1):
        mine = core()
        marks, told = bits[mine], counts[mine if every else 0]
        for u in range(np.uint64(cuts[c]), np.uint64(cuts[c + 1])):
            start, stop = np.uint64(indptr[u]), np.uint64(indptr[u + np.uint64(1)])
            if stop - start < np.uint64(2):
                continue
            _mark(marks, indices, start, stop)
            total = np.uint64(0)
            for p in range(start, stop):
                if ahead:
                    _ask(indptr, indices, p)
                v = np.uint64(indices[p])
                found = np.uint64(0)
                for q in range(np.uint64(indptr[v]), np.uint64(indptr[v + np.uint64(1)])):
                    w = np.uint64(indices[q])
                    hit = np.uint64(marks[w >> np.uint64(3)]) >> (w & np.uint64(7)) & np.uint64(1)
                    found += hit
                    if every:
                        told[w] += np.int64(hit)
                if every:
                    told[v] += np.int64(found)
                total += found
            _clear(marks, indices, start, stop)
            told[u] += np.int64(total)


SERIAL_KERNEL, PARALLEL_KERNEL = compiled_by_core(_count_chunks)


def _bits(cores, n):
    """An empty set for each core, in cache lines of its own."""
    return np.zeros((cores, (n // 8 | 63) + 129), np.uint8)


def count_triangles(indptr, indices, every, out):
    """For every vertex the triangles of which it is the lowest, or with `every` all that it is part of."""
    out[...] = 0
    n, ahead, counts = out.size, indices.size > NEAR, out.reshape(1, -1)
    if indices.size <= SERIAL:
        SERIAL_KERNEL(np.array([0, n]), indptr, indices, ahead, every, _bits(1, n), counts)
        return
    cores = numba.config.NUMBA_NUM_THREADS
    if every:
        counts = np.zeros((cores, n), np.int64)
    run_parallel(PARALLEL_KERNEL, _cuts(indptr, indices, n), indptr, indices, ahead, every, _bits(cores, n), counts)
    if every:
        counts.sum(axis=0, out=out)


def _cuts(indptr, indices, n):
    """Chunks of vertices from which equal numbers of look-ups start."""
    look_ups = np.empty(n, np.int64)
    run_parallel(_count_look_ups, indptr, indices, look_ups)
    before = np.cumsum(look_ups)
    inner = np.searchsorted(before, np.arange(1, CHUNKS) * (before[-1] / CHUNKS))
    return np.concatenate([[0], inner, [n]])
