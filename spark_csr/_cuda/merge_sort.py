"""Merge sort, stable, in three regimes: runs of one thread, runs within one block, and merges of all blocks.

Design (Baxter, *moderngpu*, 2013): a thread sorts its few items, a block merges these runs in shared memory (`_cuda.runs`);
from there on every pair of runs is cut into equal tiles of its merge (`_cuda.merge`), so all blocks work however few runs are
left. One launch, and two for every doubling. Elements go back and forth between the array and one of scratch; tiles are first
written where an even number of moves is left.
"""

import functools

import numpy as np
from numba import uint16

from spark_csr._array import namespace_of
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.merge import BOX
from spark_csr._cuda.merge import kernel as merge_kernel
from spark_csr._cuda.runs import sort_block, sort_meanings
from spark_csr._engine import njit, specialise
from spark_csr._engine.gpu import Kernel, blocks_for, cuda, shared_type
from spark_csr._engine.holes import HAS_PAYLOAD, ITEMS, THREADS, TILE, payload_type, scalar, shared_scalar
from spark_csr._shared.merge_path import split


@njit
def cut_runs(tile, keys, n, width, size, cuts):
    """Do as `cut_arrays`, for the pair of neighbouring runs of `width` keys that tile `tile` lies in."""
    start = np.uint64(tile) * np.uint64(size)
    run = np.uint64(width)
    first = np.uint64(start - start % np.uint64(run + run))
    second = min(np.uint64(first + run), np.uint64(n))
    end = min(np.uint64(second + run), np.uint64(n))
    stop = min(np.uint64(start + np.uint64(size)), end)
    a_length, b_length = np.uint64(second - first), np.uint64(end - second)
    i = split(keys, first, a_length, keys, second, b_length, np.uint64(start - first))
    cuts[3 * tile] = first + i
    cuts[3 * tile + 1] = split(keys, first, a_length, keys, second, b_length, np.uint64(stop - first)) - i
    cuts[3 * tile + 2] = second + np.uint64(start - first) - i


def _sort_tiles(keys, payload, n, out, out_payload):
    """Sort one tile per block. `out` may be `keys`: all is read before anything is written."""
    values = cuda.shared.array(TILE, shared_scalar)
    order = cuda.shared.array(TILE, uint16)
    held = cuda.local.array(ITEMS, payload_type)
    thread = np.uint32(cuda.threadIdx.x)
    start = np.int64(cuda.blockIdx.x) * TILE
    length = np.uint32(min(n - start, np.int64(TILE)))
    for k in range(ITEMS):
        i = thread + np.uint32(k * THREADS)
        if i < length:
            values[i] = scalar(keys[start + np.int64(i)])
            order[i] = np.uint16(i)
    cuda.syncthreads()
    sort_block(values, order, order, order, length)
    if HAS_PAYLOAD:
        for k in range(ITEMS):
            i = thread + np.uint32(k * THREADS)
            if i < length:
                held[k] = payload[start + np.int64(order[i])]
        cuda.syncthreads()
    for k in range(ITEMS):
        i = thread + np.uint32(k * THREADS)
        if i < length:
            out[start + np.int64(i)] = scalar(values[i])
            if HAS_PAYLOAD:
                out_payload[start + np.int64(i)] = held[k]


@functools.cache
def tile_kernel(dtype, payload_dtype):
    """Return the kernel `_sort_tiles` for keys of one dtype and a payload of another, or None."""
    meanings = {
        "scalar": dtype.type,
        "shared_scalar": shared_type(dtype),
        "payload_type": shared_type(dtype if payload_dtype is None else payload_dtype),
        "TILE": BOX.tile,
        "THREADS": BOX.threads,
        **sort_meanings(BOX, shared_type(dtype), payload_dtype is not None, one_segment=True),
    }
    return Kernel(specialise(_sort_tiles, **meanings), BOX.threads)


def merge_sort(keys, payload):
    """Sort `keys` (unsigned) in place; `payload`, if any, moves along."""
    xp, n = namespace_of(keys), keys.size
    carries = payload is not None
    tiles = blocks_for(n, BOX.tile)
    rounds = max(tiles - 1, 0).bit_length()
    here = (keys, payload if carries else keys)
    spare = xp.empty(n if rounds else 0, keys.dtype)
    there = (spare, xp.empty(spare.size, payload.dtype) if carries else spare)
    cuts = xp.empty(3 * tiles, np.int64)
    sort_tiles = tile_kernel(keys.dtype, payload.dtype if carries else None)
    merge_tiles = merge_kernel(keys.dtype, carries, False)
    sort_tiles(tiles, *here, n, *(there if rounds % 2 else here))
    if rounds % 2:
        here, there = there, here
    for step in range(rounds):
        for_each(tiles, cut_runs, here[0], n, BOX.tile << step, BOX.tile, cuts)
        merge_tiles(tiles, *here, *here, n, cuts, *there, cuts, cuts)
        here, there = there, here
