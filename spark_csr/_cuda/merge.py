"""Merge two sorted arrays: equal tiles of the result, a block each, which places its elements by their ranks.

Design: one thread per tile searches where both arrays are cut (merge path; Odeh, Green, Mwassi, Shmueli & Birk, 2012). A
block loads its range of both side by side into shared memory, where each thread merges some neighbouring elements of the
result, as `runs` says. Results are written side by side. Two launches.
"""

import functools

import numpy as np
from numba import uint16, uint32

from spark_csr._array import namespace_of
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.runs import merge_items
from spark_csr._engine import helper, njit, specialise
from spark_csr._engine.gpu import Kernel, blocks_for, box, cuda, shared_type
from spark_csr._engine.holes import HAS_PAYLOAD, ITEMS, THREADS, TILE, Hole, key_type, shared_scalar
from spark_csr._shared.merge_path import split

WRITES_ORDER = Hole("WRITES_ORDER: bool", "Whether a merge writes which item comes to each position.")
WRITES_POSITIONS = Hole("WRITES_POSITIONS: bool", "Whether the positions that merged elements come to are written too.")

BOX = box(256, 7)  # odd items: threads read their own items of shared memory without bank conflicts; not tuned


@njit
def cut_arrays(tile, a, a_length, b, b_length, size, cuts):
    """Write where tile `tile` of the merge begins in `a`, how many elements it takes from there, and where it begins in `b`."""
    n, zero = np.uint64(a_length) + np.uint64(b_length), np.uint64(0)
    start = np.uint64(tile) * np.uint64(size)
    stop = min(start + np.uint64(size), n)
    i = split(a, zero, np.uint64(a_length), b, zero, np.uint64(b_length), start)
    cuts[3 * tile] = i
    cuts[3 * tile + 1] = split(a, zero, np.uint64(a_length), b, zero, np.uint64(b_length), stop) - i
    cuts[3 * tile + 2] = start - i


@helper
def load_merge_order(keys, order, a, a_start, a_count, b, b_start, length):
    """Load a tile's ranges of `a` and `b` side by side into `keys` and merge them there; with `WRITES_ORDER`, write into
    `order` which of the items that were loaded comes to each position. All threads call.
    """
    own = cuda.local.array(ITEMS, key_type)
    positions = cuda.local.array(ITEMS, uint32)
    thread = np.uint32(cuda.threadIdx.x)
    for k in range(ITEMS):
        i = thread + np.uint32(k * THREADS)
        if i < a_count:
            keys[i] = a[a_start + np.int64(i)]
        elif i < length:
            keys[i] = b[b_start + np.int64(i - a_count)]
    cuda.syncthreads()
    first = thread * ITEMS
    if first < length:
        merge_items(keys, np.uint32(0), a_count, length, first, own, positions)
    cuda.syncthreads()
    for k in range(ITEMS):
        i = first + np.uint32(k)
        if i < length:
            keys[i] = own[k]
            if WRITES_ORDER:
                order[i] = np.uint16(positions[k])
    cuda.syncthreads()


def _merge_tiles(a, a_payload, b, b_payload, n, cuts, out, out_payload, a_positions, b_positions):
    """Write one tile of the result per block: it is merged in shared memory, then written side by side."""
    keys = cuda.shared.array(TILE, shared_scalar)
    order = cuda.shared.array(TILE, uint16)
    tile = np.int64(cuda.blockIdx.x)
    start = tile * TILE
    length = np.uint32(min(n - start, np.int64(TILE)))
    a_start = cuts[3 * tile]
    a_count = np.uint32(cuts[3 * tile + 1])
    b_start = cuts[3 * tile + 2]
    load_merge_order(keys, order, a, a_start, a_count, b, b_start, length)
    for k in range(ITEMS):
        i = np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS)
        if i < length:
            place = start + np.int64(i)
            out[place] = keys[i]
            if HAS_PAYLOAD or WRITES_POSITIONS:
                source = np.uint32(order[i])
                of_a = source < a_count
                here = a_start + np.int64(source) if of_a else b_start + np.int64(source - a_count)
            if HAS_PAYLOAD:
                out_payload[place] = a_payload[here] if of_a else b_payload[here]
            if WRITES_POSITIONS:
                if of_a:
                    a_positions[here] = place
                else:
                    b_positions[here] = place


@functools.cache
def kernel(dtype, carries, positions):
    """Return the kernel for one dtype, with or without a payload, with or without positions."""
    meanings = {
        "key_type": shared_type(dtype),
        "shared_scalar": shared_type(dtype),
        "TILE": BOX.tile,
        "ITEMS": BOX.items,
        "THREADS": BOX.threads,
        "HAS_PAYLOAD": carries,
        "WRITES_ORDER": carries or positions,
        "WRITES_POSITIONS": positions,
    }
    return Kernel(specialise(_merge_tiles, **meanings), BOX.threads)


def merge(a, b, out, positions):
    """Merge `a` and `b` into `out`. `positions` is None, or two arrays that take where each element of `a` and of `b` lands."""
    tiles = blocks_for(out.size, BOX.tile)
    cuts = namespace_of(out).empty(3 * tiles, np.int64)
    a_positions, b_positions = (cuts, cuts) if positions is None else positions
    for_each(tiles, cut_arrays, a, a.size, b, b.size, BOX.tile, cuts)
    merge_tiles = kernel(out.dtype, False, positions is not None)
    merge_tiles(tiles, a, a, b, b, out.size, cuts, out, out, a_positions, b_positions)
