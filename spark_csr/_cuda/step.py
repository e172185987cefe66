"""A step from one frontier to the next on all blocks of a GPU: what a visit selects is listed at once.

Design: a block takes as many vertices as it has threads, scans how many edges they have, and divides these edges among its
threads. Vertices with many edges are put off to a second launch, in which all blocks take part in each. The lanes of a warp
share one atomic addition for the positions of what they select, and add up how many edges the next frontier has, so no flags
are compacted, and the host reads two numbers. Cost: the order of a frontier differs from run to run. Sources: Merrill, Garland
& Grimshaw, *Scalable GPU Graph Traversal*, PPoPP 2012; Wang et al., *Gunrock*, PPoPP 2016.
"""

import functools

import numpy as np
from numba import int64, uint32

from spark_csr import _ops as ops
from spark_csr._array import by_width, namespace_of, to_host_list
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.tuning import TUNING
from spark_csr._cuda.warp import ballot, lane_of, reader
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import WARP, Kernel, blocks_for, box, cuda
from spark_csr._engine.holes import THREADS, body, call, carry_in, read_weight, warp_shuffle

BOX = box(256, 1)  # not tuned

VERTICES, EDGES, LARGE = 0, 1, 2
"""What is counted: vertices of the next frontier, edges that leave them, and vertices that are put off."""


@helper
def list_selected(selects, vertex, indptr, listed, totals):
    """List the vertex of every lane that selects one, and count them. Return how many edges leave it. All lanes call."""
    lane = lane_of(np.uint32(cuda.threadIdx.x))
    votes = ballot(selects)
    degree = np.int64(0)
    if votes != 0:
        first = np.int64(0)
        if lane == 0:
            first = cuda.atomic.add(totals, VERTICES, np.int64(cuda.popc(votes)))
        first = warp_shuffle(first, np.uint32(0))
        if selects:
            before = votes & ((1 << lane) - 1)
            listed[first + np.int64(cuda.popc(before))] = vertex
            degree = indptr[vertex + 1] - indptr[vertex]
    return degree


@helper
def add_edges(edges, totals):
    """Add up the edges that the lanes of a warp have counted. All lanes call."""
    if ballot(edges != 0) != 0:
        lane, distance = lane_of(np.uint32(cuda.threadIdx.x)), WARP // 2
        while distance > 0:  # the lanes wrap around
            edges += warp_shuffle(edges, lane + np.uint32(distance) & np.uint32(WARP - 1))
            distance //= 2
        if lane == 0:
            cuda.atomic.add(totals, EDGES, edges)


@helper
def visit_edges(indptr, indices, data, done, vertex, degree, firsts, sources, offsets, total, listed, totals, state):
    """Visit `degree` edges of each thread's `vertex`: all of them, side by side, are divided among the threads. All call."""
    thread = np.uint32(cuda.threadIdx.x)
    if degree > 0:
        firsts[thread] = np.int64(indptr[vertex])
        sources[thread] = np.int64(vertex)
    before, behind = carry_in(thread, np.int32(degree), False, np.int32(0))
    offsets[thread] = np.uint32(before)
    if thread == np.uint32(THREADS - 1):
        total[0] = np.uint32(behind)
    cuda.syncthreads()
    base, found = np.uint32(0), np.int64(0)
    while base < total[0]:
        i = base + thread
        target, selects = np.uint64(0), False
        if i < total[0]:
            low, high = np.uint32(0), np.uint32(THREADS)
            while low + 1 < high:
                middle = (low + high) >> 1
                if offsets[middle] <= i:
                    low = middle
                else:
                    high = middle
            e = firsts[low] + np.int64(i - offsets[low])
            target = np.uint64(indices[e])
            selects = call(sources[low], np.int64(target), e, read_weight(data, e, done), *state)
        found += list_selected(selects, target, indptr, listed, totals)
        base += THREADS
    add_edges(found, totals)


def _advance_blocks(indptr, indices, data, items, size, large, listed, put_off, totals, state):
    """Visit the edges of as many vertices as there are threads, but put off those with more than `large` edges."""
    firsts = cuda.shared.array(THREADS, int64)
    sources = cuda.shared.array(THREADS, int64)
    offsets = cuda.shared.array(THREADS, uint32)
    total = cuda.shared.array(1, uint32)
    k = np.int64(cuda.blockIdx.x) * THREADS + cuda.threadIdx.x
    vertex, degree = np.uint64(0), np.int64(0)
    if k < size:
        vertex = np.uint64(items[k])
        degree = indptr[vertex + 1] - indptr[vertex]
        if degree > large:
            put_off[cuda.atomic.add(totals, LARGE, np.int64(1))] = vertex
            degree = np.int64(0)
    visit_edges(indptr, indices, data, 0, vertex, degree, firsts, sources, offsets, total, listed, totals, state)


def _advance_large(indptr, indices, data, put_off, blocks, listed, totals, state):
    """Visit the edges of the vertices that were put off, one vertex after the other, each by all blocks."""
    thread, found = np.int64(cuda.threadIdx.x), np.int64(0)
    for k in range(totals[LARGE]):
        source = np.uint64(put_off[k])
        base, stop = np.int64(indptr[source]) + np.int64(cuda.blockIdx.x) * THREADS, indptr[source + 1]
        while base < stop:
            e = base + thread
            target, selects = np.uint64(0), False
            if e < stop:
                target = np.uint64(indices[e])
                selects = call(np.int64(source), np.int64(target), e, read_weight(data, e, 0), *state)
            found += list_selected(selects, target, indptr, listed, totals)
            base += np.int64(blocks) * THREADS
    add_edges(found, totals)


def _select_visits(n, arrays, state, indptr, flags, found, listed, totals):
    """Make one visit for each thread, and list the vertices that are selected."""
    i = np.int64(cuda.blockIdx.x) * THREADS + cuda.threadIdx.x
    vertex, selects = np.uint64(0), False
    if i < n:
        body(np.uint64(i), np.uint64(i + 1), *arrays, np.int64(0), flags, found, *state)
        selects = flags[i] != 0
        if selects:
            vertex = np.uint64(found[i])
    add_edges(list_selected(selects, vertex, indptr, listed, totals), totals)


def meanings_of_visits(func, read_weight, threads):
    """Return what the names in a kernel that visits edges mean, for blocks of so many threads."""
    return {
        "call": func,
        "read_weight": read_weight,
        "THREADS": threads,
        "carry_in": block_carry_in(threads, ops.plus, np.dtype(np.int32)),
        "warp_shuffle": reader(np.dtype(np.int64)),
    }


@functools.cache
def _advance_kernels(func, read_weight):
    meanings = meanings_of_visits(func, read_weight, BOX.threads)
    made = (specialise(kernel, **meanings) for kernel in (_advance_blocks, _advance_large))
    return tuple(Kernel(kernel, BOX.threads, views=True) for kernel in made)


@functools.cache
def _select_kernel(function):
    kernel = specialise(_select_visits, body=function, THREADS=BOX.threads, warp_shuffle=reader(np.dtype(np.int64)))
    return Kernel(kernel, BOX.threads, views=True)


def advance_frontier(indptr, indices, data, func, read_weight, state, items, edges):
    """Return the vertices that accepted edges of `items` lead to, in any order, and the number of edges that leave these.

    The frontier has `edges` edges. `func` and `read_weight` are as for `drain`. Two launches, one host read.
    """
    xp, large = namespace_of(items), TUNING.step_large
    listed, totals = xp.empty(edges, indices.dtype), xp.zeros(3, np.int64)
    put_off = xp.empty(edges // (large + 1), indices.dtype)
    advance_blocks, advance_large = _advance_kernels(func, read_weight)
    graph = indptr, indices, data
    advance_blocks(blocks_for(items.size, BOX.threads), *graph, items, items.size, large, listed, put_off, totals, state)
    blocks = min(blocks_for(edges, BOX.threads), TUNING.step_blocks) if put_off.size else 0
    advance_large(blocks, *graph, put_off, blocks, listed, totals, state)
    size, edges, _ = to_host_list(totals)
    return listed[:size], edges


def select_visits(n, body, arrays, state, indptr, dtype):
    """Return the vertices that `n` visits select, in any order, and the number of edges that leave these.

    `body(start, stop, *arrays, shift, counts, out, *state)` is called for each. One launch, one host read.
    """
    xp = namespace_of(indptr)
    flags, found, listed = xp.zeros(n, np.uint8), xp.empty(n, dtype), xp.empty(n, dtype)
    totals = xp.zeros(3, np.int64)
    outs = by_width(found), by_width(listed)
    _select_kernel(body)(blocks_for(n, BOX.threads), n, arrays, state, indptr, flags, *outs, totals)
    size, edges, _ = to_host_list(totals)
    return listed[:size], edges
