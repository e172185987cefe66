"""Count what is kept, tile by tile, and rank it within a tile: the first half of `compact` and of `keep`.

The device function `is_selected(operands, position)` fills a hole and tests an element.
"""

import functools

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import namespace_of
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.scan import scan
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import Kernel, box, cuda
from spark_csr._engine.holes import ITEMS, THREADS, TILE, carry_in, is_selected

BOX = box(256, 15)  # odd items: threads read shared memory without bank conflicts; not tuned


@helper
def load_flags(operands, n, flags):
    """Write which elements of the block's tile are kept to shared memory, and zeros past the end; return how many elements
    there are.
    """
    thread = np.uint64(cuda.threadIdx.x)
    start = np.int64(cuda.blockIdx.x) * TILE
    length = np.uint32(min(n - start, np.int64(TILE)))
    here = start + np.int64(thread)
    if length == TILE:
        for k in range(ITEMS):
            flags[thread + np.uint64(k * THREADS)] = np.uint8(is_selected(operands, here + k * THREADS))
    else:
        for k in range(ITEMS):
            flag = np.uint8(0)
            if np.uint32(thread) + np.uint32(k * THREADS) < length:
                flag = np.uint8(is_selected(operands, here + k * THREADS))
            flags[thread + np.uint64(k * THREADS)] = flag
    cuda.syncthreads()
    return length


@helper
def count_earlier_selected(flags):
    """Return how many of the tile's kept elements come before the thread's own items, and before the next thread's."""
    thread = np.uint32(cuda.threadIdx.x)
    first = np.uint64(thread * ITEMS)
    mine = np.int32(0)
    for k in range(ITEMS):
        mine = np.int32(mine + np.int32(flags[first + np.uint64(k)]))
    return carry_in(thread, mine, False, np.int32(0))


def _count_tile(operands, n, counts):
    """Count the kept elements of one tile per block."""
    thread = np.uint32(cuda.threadIdx.x)
    start = np.int64(cuda.blockIdx.x) * TILE
    length = np.uint32(min(n - start, np.int64(TILE)))
    here = start + np.int64(thread)
    mine = np.int32(0)
    if length == TILE:
        for k in range(ITEMS):
            mine = np.int32(mine + np.int32(is_selected(operands, here + k * THREADS)))
    else:
        for k in range(ITEMS):
            if thread + np.uint32(k * THREADS) < length:
                mine = np.int32(mine + np.int32(is_selected(operands, here + k * THREADS)))
    _, kept = carry_in(thread, mine, False, np.int32(0))
    if thread == np.uint32(THREADS - 1):
        counts[cuda.blockIdx.x] = np.int64(kept)


def meanings(is_selected):
    """Return what the names in a kernel over tiles of kept elements mean."""
    return {
        "TILE": BOX.tile,
        "ITEMS": BOX.items,
        "THREADS": BOX.threads,
        "is_selected": is_selected,
        "carry_in": block_carry_in(BOX.threads, ops.MONOIDS["sum"].op, np.dtype(np.int32)),
    }


@functools.cache
def count_kernel(is_selected, views=False):
    return Kernel(specialise(_count_tile, **meanings(is_selected)), BOX.threads, views=views)


def count_kept(is_selected, operands, n, before, *, views=False):
    """Count how many of `n` elements are kept before every tile, and in all."""
    counts = namespace_of(before).empty(before.size - 1, before.dtype)
    count_kernel(is_selected, views)(counts.size, operands, n, counts)
    places, total = (counts, before[:-1]), before[-1:]
    scan(ops.MONOIDS["sum"], before.dtype, counts.size, ops.element, ops.store, places, total, exclusive=True)
