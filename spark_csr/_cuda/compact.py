"""Keep the elements that a mask selects: count them tile by tile, scan the counts, then every tile writes its own.

Design: a block ranks its tile's elements in shared memory, two bytes each, whatever their width; then its threads write
side by side and read `x` in rising order, of kept elements only. No block waits for another and nothing is counted by
atomics: stable, same result every run. Source: Billeter, Olsson & Assarsson, *Efficient Stream Compaction on Wide SIMD
Many-Core Architectures*, HPG 2009.
"""

import functools

import numpy as np
from numba import types

from spark_csr import ops
from spark_csr._array import namespace_of
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.scan import scan
from spark_csr._cuda.target import blocks_for, box, cuda, device_function
from spark_csr._specialise import specialise

BOX = box(256, 15)  # odd items: threads read shared memory without bank conflicts; not tuned


def compact_tiles(n):
    """How many tiles `n` elements make."""
    return blocks_for(n, BOX.tile)


def _load_mask(mask, n, flags):
    """Bring the block's tile of the mask into shared memory, and zeros past the end."""
    thread = np.uint32(cuda.threadIdx.x)
    start = np.int64(cuda.blockIdx.x) * np.int64(TILE)
    length = np.uint32(min(np.int64(n) - start, np.int64(TILE)))
    for k in range(ITEMS):
        i = np.uint32(thread + np.uint32(k * THREADS))
        flag = np.uint8(0)
        if i < length and mask[start + np.int64(i)] != 0:
            flag = np.uint8(1)
        flags[i] = flag
    cuda.syncthreads()
    return length


def _rank(flags):
    """How many of the tile's kept elements come before the thread's own items, and before the next thread's."""
    thread = np.uint32(cuda.threadIdx.x)
    first = np.uint32(thread * np.uint32(ITEMS))
    mine = np.int32(0)
    for k in range(ITEMS):
        mine = np.int32(mine + np.int32(flags[np.uint32(first + np.uint32(k))]))
    return carry_in(thread, mine, False, np.int32(0))


def _count_tile(mask, n, counts):
    """A block takes one tile: how many elements of it are kept."""
    flags = cuda.shared.array(TILE, uint8)
    load_mask(mask, n, flags)
    _, kept = rank(flags)
    if np.uint32(cuda.threadIdx.x) == np.uint32(THREADS - 1):
        counts[cuda.blockIdx.x] = np.int64(kept)


def _write_tile(x, mask, n, before, limit, out):
    """A block takes one tile: writes its kept elements from `before` on, none past `limit`.

    PART: the others too, behind all kept ones.
    """
    flags = cuda.shared.array(TILE, uint8)
    order = cuda.shared.array(TILE, uint16)
    tile = np.int64(cuda.blockIdx.x)
    start = tile * np.int64(TILE)
    kept_first = np.int64(before[tile])
    kept_here = np.uint32(np.int64(before[tile + 1]) - kept_first)
    length = load_mask(mask, n, flags)
    carried, _ = rank(flags)
    place = np.uint32(carried)
    thread = np.uint32(cuda.threadIdx.x)
    first = np.uint32(thread * np.uint32(ITEMS))
    for k in range(ITEMS):
        i = np.uint32(first + np.uint32(k))
        if flags[i] != 0:
            order[place] = np.uint16(i)
            place = np.uint32(place + np.uint32(1))
        elif PART and i < length:
            order[np.uint32(kept_here + i - place)] = np.uint16(i)
    cuda.syncthreads()
    others_first = np.int64(0)
    if PART:
        others_first = np.int64(before[np.int64(cuda.gridDim.x)]) + start - kept_first
    for k in range(ITEMS):
        j = np.uint32(thread + np.uint32(k * THREADS))
        if j < kept_here:
            target = kept_first + np.int64(j)
            if target < np.int64(limit):
                out[target] = take(x, start + np.int64(order[j]))
        elif PART and j < length:
            out[others_first + np.int64(np.uint32(j - kept_here))] = take(x, start + np.int64(order[j]))


@device_function
def _element(x, i):
    return x[i]


@device_function
def _position(x, i):
    return i


@functools.cache
def _meanings():
    shape = {"TILE": BOX.tile, "ITEMS": BOX.items, "THREADS": BOX.threads, "uint8": types.uint8, "uint16": types.uint16}
    carry_in = block_carry_in(BOX.threads, ops.monoid("sum").op, np.dtype(np.int32))
    return shape | {
        "load_mask": device_function(specialise(_load_mask, **shape)),
        "rank": device_function(specialise(_rank, carry_in=carry_in, **shape)),
    }


@functools.cache
def count_kernel():
    return Kernel(specialise(_count_tile, **_meanings()), BOX.threads)


@functools.cache
def write_kernel(positions, part):
    """The kernel `_write_tile`: for elements or their positions, for the kept ones or both parts."""
    take = _position if positions else _element
    return Kernel(specialise(_write_tile, take=take, PART=part, **_meanings()), BOX.threads)


def kept_before(mask, before):
    counts = namespace_of(before).empty(before.size - 1, before.dtype)
    count_kernel()(counts.size, mask, mask.size, counts)
    operands, total = (counts, before[:-1]), before[-1:]
    scan(ops.monoid("sum"), before.dtype, counts.size, ops.element, ops.store, operands, total, exclusive=True)


def compact(x, mask, before, out):
    """The kept elements of `x`, or where it is None their positions."""
    kernel = write_kernel(x is None, False)
    kernel(before.size - 1, mask if x is None else x, mask, mask.size, before, out.size, out)


def partition(x, mask, before, out):
    write_kernel(False, True)(before.size - 1, x, mask, mask.size, before, out.size, out)
