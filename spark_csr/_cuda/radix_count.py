"""Where the keys of every tile and digit go: the first half of a pass of the radix sort.

Design: a block counts the digits of some neighbouring tiles, one after another, and writes before each tile what it has counted
so far. So the table of counts is written and read side by side, a row of digits for each tile, and what is left to scan is a
row for each block: one block does that.
"""

import functools

import numpy as np
from numba import int64, uint32

from spark_csr import _ops as ops
from spark_csr._array import index_dtype, namespace_of
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.radix_digits import BINS, digit_of
from spark_csr._cuda.target import blocks_for, box, cuda
from spark_csr._cuda.tuning import TUNING
from spark_csr._holes import ITEMS, THREADS, TILE, carry_in, digit, key_type
from spark_csr._specialise import specialise

TABLES = {few: box(threads, 1).threads for few, threads in ((True, BINS), (False, 1024))}
"""Threads of the block that scans the table of counts, for few groups and for more than `FEW`. Not tuned."""

FEW = 64


def _count_digits(keys, n, shift, mask, tiles, group_bits, before, sums):
    """Count the digits of a group of `1 << group_bits` tiles per block, and write what came before every tile of it."""
    bins = cuda.shared.array(BINS, uint32)
    own = cuda.local.array(ITEMS, key_type)
    thread = np.uint32(cuda.threadIdx.x)
    tile = np.int64(cuda.blockIdx.x) << np.int64(group_bits)
    stop = min(tile + (np.int64(1) << np.int64(group_bits)), np.int64(tiles))
    bins[thread] = np.uint32(0)
    while tile < stop:
        start = tile * np.int64(TILE)
        length = np.uint32(min(np.int64(n) - start, np.int64(TILE)))
        here = start + np.int64(thread)
        before[tile * np.int64(BINS) + np.int64(thread)] = bins[thread]
        cuda.syncthreads()
        if length == np.uint32(TILE):
            for k in range(ITEMS):
                own[k] = keys[here + np.int64(k * THREADS)]
            for k in range(ITEMS):
                cuda.atomic.add(bins, digit(own[k], shift, mask), np.uint32(1))
        else:
            for k in range(ITEMS):
                if np.uint32(thread + np.uint32(k * THREADS)) < length:
                    cuda.atomic.add(bins, digit(keys[here + np.int64(k * THREADS)], shift, mask), np.uint32(1))
        cuda.syncthreads()
        tile += np.int64(1)
    sums[np.int64(cuda.blockIdx.x) * np.int64(BINS) + np.int64(thread)] = bins[thread]


def _scan_groups(sums, groups):
    """Turn what each group counted of every digit into where its first key goes, in one block."""
    parts = cuda.shared.array(THREADS, int64)
    thread = np.uint32(cuda.threadIdx.x)
    own = np.uint32(thread & np.uint32(BINS - 1))
    part = np.uint32(thread // np.uint32(BINS))
    share = np.int64((np.int64(groups) + np.int64(THREADS // BINS - 1)) // np.int64(THREADS // BINS))
    start = np.int64(part) * share * np.int64(BINS) + np.int64(own)
    stop = min(start + share * np.int64(BINS), np.int64(groups) * np.int64(BINS))
    mine = np.int64(0)
    at = start
    while at < stop:
        mine += np.int64(sums[at])
        at += np.int64(BINS)
    parts[thread] = mine
    cuda.syncthreads()
    running, total = np.int64(0), np.int64(0)
    for p in range(THREADS // BINS):
        count = np.int64(parts[np.uint32(np.uint32(p * BINS) + own)])
        running += count if np.uint32(p) < part else np.int64(0)
        total += count
    first, _ = carry_in(thread, total if part == 0 else np.int64(0), False, np.int64(0))  # has a barrier: all have read
    if part == 0:
        parts[own] = first
    cuda.syncthreads()
    running += np.int64(parts[own])
    at = start
    while at < stop:
        count = np.int64(sums[at])
        sums[at] = running
        running += count
        at += np.int64(BINS)


@functools.cache
def count_kernel(key, shape):
    """Return the kernel `_count_digits` for keys of a dtype, and tiles of a shape."""
    meanings = {
        "TILE": shape.tile,
        "ITEMS": shape.items,
        "THREADS": shape.threads,
        "key_type": key.type,
        "digit": digit_of(key),
    }
    return Kernel(specialise(_count_digits, **meanings), shape.threads)


@functools.cache
def table_kernel(threads):
    carry_in = block_carry_in(threads, ops.MONOIDS["sum"].op, np.dtype(np.int64))
    return Kernel(specialise(_scan_groups, THREADS=threads, carry_in=carry_in), threads)


def count_digits(keys, shift, mask, shape):
    """Count the digits of `keys` at `shift`. Return `(group_bits, before, sums)`: a key of digit `d` in tile `t` goes behind
    `before[t, d] + sums[t >> group_bits, d]` others, and those of its tile.
    """
    xp, tiles = namespace_of(keys), blocks_for(keys.size, shape.tile)
    group_bits = (blocks_for(tiles, TUNING.radix_groups) - 1).bit_length()
    groups = blocks_for(tiles, 1 << group_bits)
    before = xp.empty(tiles * BINS, np.uint32)
    sums = xp.empty(groups * BINS, index_dtype(keys.size))
    count_kernel(keys.dtype, shape)(groups, keys, keys.size, shift, mask, tiles, group_bits, before, sums)
    table_kernel(TABLES[groups <= FEW])(1, sums, groups)
    return group_bits, before, sums
