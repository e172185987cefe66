"""Radix sort, eight bits at a time from the lowest in use (LSD).

Design: a pass counts the digits of every tile (`_count_digits`), scans the table (digit by digit, tiles within), and moves
the keys (`_scatter_tile`). Equal digits of a warp find each other by one ballot for each bit, so every key knows its rank
among the equal keys of its tile without atomics; the tile is put in order in shared memory first, so that neighbours write
side by side. Bits in which all keys agree are never looked at: one host read tells which. Cost of a pass: two reads and one
write of the keys.
Sources: Merrill & Grimshaw, *High Performance and Scalable Radix Sorting*, 2011; Adinets & Merrill, *Onesweep*, 2022 (ballots).
"""

import functools

import numpy as np
from numba import from_dtype, int64, uint32

from spark_csr import _ops as ops
from spark_csr._array import SIMULATED, by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.scan import scan
from spark_csr._cuda.segmented import reduce_items, tile_items
from spark_csr._cuda.target import WARP, blocks_for, box, cuda, device_function
from spark_csr._cuda.warp import ballot, lane_of, warp_barrier
from spark_csr._holes import (
    HAS_PAYLOAD,
    ITEMS,
    MOST,
    PAYLOAD_SIZE,
    THREADS,
    TILE,
    WARPS,
    WARPS_BINS,
    carry_in,
    digit,
    key_type,
    match_digit,
    payload_type,
)
from spark_csr._numba.intrinsics.ballots import lanes_alike
from spark_csr._shared.merge_path import Tiles
from spark_csr._specialise import specialise

NARROW, WIDE = box(256, 16), box(256, 8)
"""For keys with payload of up to eight bytes, and more: tiles of 32 KiB of shared memory. Not tuned."""

BITS = NARROW.threads.bit_length() - 1
"""A thread for each digit: eight bits (three in the simulator's small blocks)."""

BINS = 1 << BITS


@device_function
def _narrow_digit(key, shift, mask):
    return np.uint32(np.uint32(np.uint32(key) >> np.uint32(shift)) & np.uint32(mask))


@device_function
def _wide_digit(key, shift, mask):
    return np.uint32(np.uint32(np.uint64(key) >> np.uint64(shift)) & np.uint32(mask))


def _count_digits(keys, n, shift, mask, tiles, counts):
    """Count the digits of one tile per block, into `counts[digit, tile]`."""
    bins = cuda.shared.array(BINS, uint32)
    own = cuda.local.array(ITEMS, key_type)
    thread = np.uint32(cuda.threadIdx.x)
    start = np.int64(cuda.blockIdx.x) * np.int64(TILE)
    length = np.uint32(min(np.int64(n) - start, np.int64(TILE)))
    here = start + np.int64(thread)
    bins[thread] = np.uint32(0)
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
    counts[np.int64(thread) * np.int64(tiles) + np.int64(cuda.blockIdx.x)] = bins[thread]


@device_function
def _simulate_match(mine):
    """Return the lanes with the same digit as this one. All lanes call."""
    same = np.uint32((1 << WARP) - 1)
    for b in range(BITS):
        has = np.uint32(mine & np.uint32(1 << b)) != 0
        votes = np.uint32(ballot(has))
        same = np.uint32(same & (votes if has else np.uint32(votes ^ np.uint32(0xFFFFFFFF))))
    return same


@device_function
def _match(mine):
    return lanes_alike(mine, BITS)


def _scatter_tile(keys, payload, n, shift, mask, tiles, places, out_keys, out_payload):
    """Put one tile per block in order in shared memory, then move every key to the position of its digit.

    A warp takes a strip of the tile, its lanes side by side; `places` is the scanned table of counts. Behind the last key come
    keys of all ones: they stay last, and are not moved.
    """
    seen = cuda.shared.array(WARPS_BINS, uint32)
    bases = cuda.shared.array(BINS, int64)
    ordered = cuda.shared.array(TILE, key_type)
    carried = cuda.shared.array(PAYLOAD_SIZE, payload_type)
    own = cuda.local.array(ITEMS, key_type)
    ranks = cuda.local.array(ITEMS, uint32)
    thread = np.uint32(cuda.threadIdx.x)
    lane = np.uint32(lane_of(thread))
    earlier = np.uint32(np.uint32(np.uint32(1) << lane) - np.uint32(1))
    warp = np.uint32(thread // np.uint32(WARP))
    row = np.uint32(warp * np.uint32(BINS))
    start = np.int64(cuda.blockIdx.x) * np.int64(TILE)
    length = np.uint32(min(np.int64(n) - start, np.int64(TILE)))
    strip = np.uint32(warp * np.uint32(WARP * ITEMS) + lane)
    here = start + np.int64(strip)
    if length == np.uint32(TILE):
        for k in range(ITEMS):
            own[k] = keys[here + np.int64(k * WARP)]
    else:
        for k in range(ITEMS):
            own[k] = key_type(MOST)
            if np.uint32(strip + np.uint32(k * WARP)) < length:
                own[k] = keys[here + np.int64(k * WARP)]
    for w in range(WARPS):
        seen[np.uint64(thread) + np.uint64(w * BINS)] = np.uint32(0)
    cuda.syncthreads()

    for k in range(ITEMS):
        mine = digit(own[k], shift, mask)
        same = match_digit(mine)
        below = np.uint32(cuda.popc(np.uint32(same & earlier)))
        entry = np.uint32(row + mine)
        before = np.uint32(seen[entry])
        warp_barrier()
        if below == 0:
            seen[entry] = np.uint32(before + np.uint32(cuda.popc(same)))
        warp_barrier()
        ranks[k] = np.uint32(before + below)
    cuda.syncthreads()

    running = np.uint32(0)
    for w in range(WARPS):
        running = np.uint32(running + np.uint32(seen[np.uint64(thread) + np.uint64(w * BINS)]))
    first, _ = carry_in(thread, running, False, np.uint32(0))
    running = np.uint32(first)
    for w in range(WARPS):
        count = np.uint32(seen[np.uint64(thread) + np.uint64(w * BINS)])
        seen[np.uint64(thread) + np.uint64(w * BINS)] = running
        running = np.uint32(running + count)
    place = np.int64(places[np.int64(thread) * np.int64(tiles) + np.int64(cuda.blockIdx.x)])
    bases[thread] = place - np.int64(first)
    cuda.syncthreads()

    for k in range(ITEMS):
        to = np.uint32(np.uint32(seen[np.uint32(row + digit(own[k], shift, mask))]) + ranks[k])
        ordered[to] = own[k]
        if HAS_PAYLOAD and np.uint32(strip + np.uint32(k * WARP)) < length:
            carried[to] = payload[here + np.int64(k * WARP)]
    cuda.syncthreads()
    for k in range(ITEMS):
        i = np.uint64(thread) + np.uint64(k * THREADS)
        if i < np.uint64(length):
            key = ordered[i]
            to = bases[digit(key, shift, mask)] + np.int64(i)
            out_keys[to] = key
            if HAS_PAYLOAD:
                out_payload[to] = carried[i]


def shape_for(key, payload):
    """Return the box for a dtype of keys and one of payloads, or None."""
    return NARROW if key.itemsize + (payload.itemsize if payload else 0) <= 8 else WIDE


@functools.cache
def kernels(key, payload):
    """Return both kernels for a dtype of keys and one of payloads, or None."""
    chosen = shape_for(key, payload)
    meanings = {
        "TILE": chosen.tile,
        "ITEMS": chosen.items,
        "THREADS": chosen.threads,
        "WARPS": chosen.threads // WARP,
        "WARPS_BINS": chosen.threads // WARP * BINS,
        "HAS_PAYLOAD": payload is not None,
        "PAYLOAD_SIZE": chosen.tile if payload else 1,
        "key_type": from_dtype(key),
        "match_digit": _simulate_match if SIMULATED else _match,
        "MOST": np.iinfo(key).max,
        "digit": _narrow_digit if key.itemsize <= 4 else _wide_digit,
        "payload_type": from_dtype(payload or key),
        "carry_in": block_carry_in(chosen.threads, ops.MONOIDS["sum"].op, np.dtype(np.uint32)),
    }
    return tuple(Kernel(specialise(kernel, **meanings), chosen.threads) for kernel in (_count_digits, _scatter_tile))


def _join_bits(a, b):
    return a | b


ANY_BIT = ops.Monoid(_join_bits, 0).freeze()


@device_function
def bits_unlike_first(operands, position):
    """Return the bits in which a key differs from the first one."""
    return operands[0][position] ^ operands[0][0]


def _differing_bits(keys):
    """Return the bits in which some keys differ. The host reads once."""
    xp, n = namespace_of(keys), keys.size
    items = tile_items(n + 1)
    rows = xp.zeros(blocks_for(n + 1, items) + 1, np.int32)
    rows[-1:] = 1
    offsets = xp.arange(2, dtype=index_dtype(n)) * index_dtype(n).type(n)
    out = xp.empty(1, keys.dtype)
    reduce_items(Tiles(rows, items, n + 1), ANY_BIT, bits_unlike_first, (keys,), offsets, out)
    return to_host_scalar(out[0])


def _move_by_digit(here, there, shift, mask):
    """Move keys and payload from `here` to `there`, in the order of one digit."""
    (keys, payload), xp = here, namespace_of(here[0])
    count_digits, scatter_tile = kernels(keys.dtype, payload.dtype if payload is not None else None)
    tiles = blocks_for(keys.size, shape_for(keys.dtype, payload.dtype if payload is not None else None).tile)
    counts = xp.empty(BINS * tiles, index_dtype(keys.size))
    places, total = xp.empty_like(counts), xp.empty(1, counts.dtype)
    count_digits(tiles, keys, keys.size, shift, mask, tiles, counts)
    operands = counts, places
    scan(ops.MONOIDS["sum"], places.dtype, counts.size, ops.element, ops.store, operands, total, exclusive=True)
    source, target = (keys, there[0]) if payload is None else (payload, there[1])
    scatter_tile(tiles, keys, source, keys.size, shift, mask, tiles, places, there[0], target)


def radix_sort(keys, payload, begin_bit, end_bit, report=None):
    """Sort `keys` (unsigned) in place; `payload`, if any, moves along. The host does not wait, so nothing is reported."""
    payload = None if payload is None else by_width(payload)
    xp = namespace_of(keys)
    here, there = (keys, payload), (xp.empty_like(keys), None if payload is None else xp.empty_like(payload))
    left = _differing_bits(keys) & ((1 << end_bit) - (1 << begin_bit))
    while left:
        shift = (left & -left).bit_length() - 1
        mask = left >> shift & (BINS - 1)
        left &= ~(mask << shift)
        _move_by_digit(here, there, shift, mask)
        here, there = there, here
    if here[0] is not keys:
        keys[...] = here[0]
        if payload is not None:
            payload[...] = here[1]


def radix_argsort(keys, order, begin_bit, end_bit, report=None):
    """Fill `order` with the positions that sort `keys` (unsigned, of no use afterwards)."""
    order[...] = namespace_of(order).arange(order.size, dtype=order.dtype)
    radix_sort(keys, order, begin_bit, end_bit)
