"""The triangles of a graph whose edges lead up an order of its vertices, on the cores.

Design: a core marks the targets of a vertex in a set of bits of its own, small enough for a near cache, and looks up in it the
targets of these targets, without a branch: every triangle is found once, at its lowest vertex. Vertices are shared out in
chunks of equal numbers of look-ups; sums of integers are the same in any order. Source: Chiba & Nishizeki, *Arboricity and
Subgraph Listing Algorithms*, 1985; Latapy, *Main-memory Triangle Computations*, 2008.
"""

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, for_tiles_by_core, njit, run_on_all_cores
from spark_csr._engine.numba.intrinsics.prefetch import prefetch_at


@njit
def _count_look_ups_of_block(block, indptr, indices, size, out):
    """Count the look-ups of a block of `size` vertices."""
    first = block * np.uint64(size)
    for u in range(first, min(first + np.uint64(size), np.uint64(out.size))):
        total, start, stop = np.uint64(0), np.uint64(indptr[u]), np.uint64(indptr[u + 1])
        if stop - start > 1:
            for p in range(start, stop):
                v = indices[p]
                total += np.uint64(indptr[v + 1]) - np.uint64(indptr[v])
        out[u] = total


@compile_kernel
def _count_look_ups(cores, indptr, indices, size, out):
    for_tiles(cores, -(-out.size // size), _count_look_ups_of_block, (indptr, indices, size, out))


@njit(forceinline=True)
def _mark(marks, indices, start, stop):
    for p in range(start, stop):
        w = np.uint64(indices[p])
        marks[w >> 3] |= np.uint8(1 << (w & 7))


@njit(forceinline=True)
def _clear(marks, indices, start, stop):
    for p in range(start, stop):
        marks[np.uint64(indices[p]) >> 3] = 0


@njit(forceinline=True)
def _prefetch(indptr, indices, p, ahead):
    """Ask for the targets of what edge `p + ahead` leads to: two cache lines."""
    if p + np.uint64(2 * ahead) < np.uint64(indices.size):
        prefetch_at(indptr, np.uint64(indices[p + np.uint64(2 * ahead)]))
        start = np.uint64(indptr[indices[p + np.uint64(ahead)]])
        prefetch_at(indices, start)
        prefetch_at(indices, start + 15)


@njit
def _count_chunk(core, chunk, cuts, indptr, indices, ahead, every, bits, counts):
    """Look for triangles above each vertex of a chunk; with `every`, count in the row of the core that runs it.
    `ahead`: see `_prefetch`; with 0 nothing is asked for."""
    marks, told = bits[core], counts[core if every else np.uint64(0)]
    for u in range(np.uint64(cuts[chunk]), np.uint64(cuts[chunk + 1])):
        start, stop = np.uint64(indptr[u]), np.uint64(indptr[u + 1])
        if stop - start < 2:
            continue
        _mark(marks, indices, start, stop)
        total = np.uint64(0)
        for p in range(start, stop):
            if ahead:
                _prefetch(indptr, indices, p, ahead)
            v = indices[p]
            found = np.uint64(0)
            for q in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
                w = np.uint64(indices[q])
                hit = np.uint64(marks[w >> 3]) >> (w & 7) & 1
                found += hit
                if every:
                    told[w] += np.int64(hit)
            if every:
                told[v] += np.int64(found)
            total += found
        _clear(marks, indices, start, stop)
        told[u] += np.int64(total)


@compile_kernel
def _count_chunks(cores, cuts, indptr, indices, ahead, every, bits, counts):
    for_tiles_by_core(cores, cuts.size - 1, _count_chunk, (cuts, indptr, indices, ahead, every, bits, counts))


def _empty_sets(cores, n):
    """Return an empty set for each core, in cache lines of its own."""
    return np.zeros((cores, (n // 8 | 63) + 129), np.uint8)


def count_triangles(indptr, indices, every, out):
    """Count for every vertex the triangles of which it is the lowest, or if `every` all that it is part of."""
    out[...] = 0
    n, ahead, counts = out.size, TUNING.triangles_ahead if indices.size > TUNING.triangles_near else 0, out.reshape(1, -1)
    serial = indices.size <= TUNING.triangles_serial
    cores, cuts = (1, np.array([0, n])) if serial else (cores_for(_count_chunks), _cuts(indptr, indices, n))
    if every and cores > 1:
        counts = np.zeros((cores, n), np.int64)
    _count_chunks(cores, cuts, indptr, indices, ahead, every, _empty_sets(cores, n), counts)
    if every and cores > 1:
        counts.sum(axis=0, out=out)


def _cuts(indptr, indices, n):
    """Return chunks of vertices from which equal numbers of look-ups start."""
    look_ups = np.empty(n, np.int64)
    run_on_all_cores(_count_look_ups, indptr, indices, TUNING.triangles_block, look_ups)
    before = np.cumsum(look_ups)
    inner = np.searchsorted(before, np.arange(1, TUNING.triangles_tiles) * (before[-1] / TUNING.triangles_tiles))
    return np.concatenate([[0], inner, [n]])
