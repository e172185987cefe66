"""Keys, and up to two arrays that go with them, to where a digit says: the second half of a pass of the radix sort.

Design: equal digits of a warp find each other by one ballot for each bit, so every key knows its rank among the equal keys of
its tile without atomics. The tile is put in order in shared memory first, so that neighbours write side by side: first the
keys, then in the same memory each array that goes with them. So a tile is as large with a payload as without.
Sources: Merrill & Grimshaw, *High Performance and Scalable Radix Sorting*, 2011; Adinets & Merrill, *Onesweep*, 2022 (ballots).
"""

import functools

import numpy as np
from numba import uint32

from spark_csr import _ops as ops
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.radix_digits import BINS, BOX, digit_of, match_digit
from spark_csr._cuda.target import WARP, blocks_for, cuda, device_function
from spark_csr._cuda.warp import lane_of, warp_barrier
from spark_csr._holes import (
    HAS_PAYLOAD,
    HAS_SECOND,
    ITEMS,
    MOST,
    THREADS,
    TILE,
    WARPS,
    WARPS_BINS,
    carry_in,
    digit,
    key_type,
    move_payload,
    move_second,
    output_of_element,
    payload_type,
    position_type,
    room_type,
    second_type,
    slot_type,
)
from spark_csr._specialise import specialise


def _scatter_tile(
    keys, payload, second, n, shift, mask, group_bits, before, sums, out_keys, out_payload, out_second
):  # fmt: skip
    """Put one tile per block in order in shared memory, then move every key to the position of its digit.

    A warp takes a strip of the tile, its lanes side by side. Behind the last key come keys of all ones: they stay last, and are
    not moved.
    """
    seen = cuda.shared.array(WARPS_BINS, uint32)
    bases = cuda.shared.array(BINS, position_type)
    room = cuda.shared.array(TILE, room_type)
    own = cuda.local.array(ITEMS, key_type)
    ranks = cuda.local.array(ITEMS, uint32)
    targets = cuda.local.array(ITEMS, position_type)
    ordered = room.view(slot_type)
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
        already = np.uint32(seen[entry])
        warp_barrier()
        if below == 0:
            seen[entry] = np.uint32(already + np.uint32(cuda.popc(same)))
        warp_barrier()
        ranks[k] = np.uint32(already + below)
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
    group = np.int64(cuda.blockIdx.x) >> np.int64(group_bits)
    base = position_type(sums[group * np.int64(BINS) + np.int64(thread)])
    base = position_type(base + position_type(before[np.int64(cuda.blockIdx.x) * np.int64(BINS) + np.int64(thread)]))
    bases[thread] = position_type(base - position_type(first))
    cuda.syncthreads()

    for k in range(ITEMS):
        to = np.uint32(np.uint32(seen[np.uint32(row + digit(own[k], shift, mask))]) + ranks[k])
        ordered[to] = slot_type(own[k])
        ranks[k] = to
    cuda.syncthreads()
    if length == np.uint32(TILE):
        for k in range(ITEMS):
            i = np.uint32(thread + np.uint32(k * THREADS))
            key = key_type(ordered[i])
            targets[k] = position_type(position_type(bases[digit(key, shift, mask)]) + position_type(i))
            out_keys[targets[k]] = key
    else:
        for k in range(ITEMS):
            i = np.uint32(thread + np.uint32(k * THREADS))
            if i < length:
                key = key_type(ordered[i])
                targets[k] = position_type(position_type(bases[digit(key, shift, mask)]) + position_type(i))
                out_keys[targets[k]] = key
    if HAS_PAYLOAD:
        move_payload(payload, here, strip, length, room.view(payload_type), ranks, targets, out_payload)
    if HAS_SECOND:
        move_second(second, here, strip, length, room.view(second_type), ranks, targets, out_second)


def _move_along(source, here, strip, length, carried, ranks, targets, out):
    """Move an array as the keys went. All threads call."""
    thread = np.uint32(cuda.threadIdx.x)
    cuda.syncthreads()
    if length == np.uint32(TILE):
        for k in range(ITEMS):
            carried[ranks[k]] = output_of_element(source, here + np.int64(k * WARP))
    else:
        for k in range(ITEMS):
            if np.uint32(strip + np.uint32(k * WARP)) < length:
                carried[ranks[k]] = output_of_element(source, here + np.int64(k * WARP))
    cuda.syncthreads()
    if length == np.uint32(TILE):
        for k in range(ITEMS):
            out[targets[k]] = carried[np.uint32(thread + np.uint32(k * THREADS))]
    else:
        for k in range(ITEMS):
            i = np.uint32(thread + np.uint32(k * THREADS))
            if i < length:
                out[targets[k]] = carried[i]


@device_function
def _element(x, i):
    return x[i]


@device_function
def _position(x, i):
    return i


@functools.cache
def _mover(output_of_element):
    shape = {"TILE": BOX.tile, "ITEMS": BOX.items, "THREADS": BOX.threads}
    return device_function(specialise(_move_along, output_of_element=output_of_element, **shape))


@functools.cache
def scatter_kernel(key, payload, second, counts_up, position):
    """Return the kernel for dtypes of keys, of a payload and of another (or None), and of positions.

    If `counts_up`, the payload is the position of the key.
    """
    slot = max(key, np.dtype(np.uint32), key=lambda x: x.itemsize)  # words: a narrower key would share a bank with others
    widest = max((x for x in (slot, payload, second) if x), key=lambda x: x.itemsize)
    meanings = {
        "TILE": BOX.tile,
        "ITEMS": BOX.items,
        "THREADS": BOX.threads,
        "WARPS": BOX.threads // WARP,
        "WARPS_BINS": BOX.threads // WARP * BINS,
        "MOST": np.iinfo(key).max,
        "HAS_PAYLOAD": payload is not None,
        "HAS_SECOND": second is not None,
        "key_type": key.type,
        "payload_type": (payload or key).type,
        "second_type": (second or key).type,
        "slot_type": slot.type,
        "room_type": widest.type,
        "position_type": position.type,
        "digit": digit_of(key),
        "move_payload": _mover(_position if counts_up else _element),
        "move_second": _mover(_element),
        "carry_in": block_carry_in(BOX.threads, ops.MONOIDS["sum"].op, np.dtype(np.uint32)),
    }
    return Kernel(specialise(_scatter_tile, **meanings), BOX.threads)


def scatter(sources, targets, shift, mask, table):
    """Move keys and up to two arrays from `sources` to `targets`, in the order of one digit; a payload that is None is the
    position.
    """
    keys, n = sources[0], sources[0].size
    dtypes = [None if x is None else x.dtype for x in (*targets, None, None)[:3]]
    filled = [keys if x is None else x for x in (*sources, None, None)[:3]]
    written = [targets[0] if x is None else x for x in (*targets, None, None)[:3]]
    position = np.dtype(np.uint32 if table[2].dtype == np.int32 else np.uint64)
    kernel = scatter_kernel(*dtypes, len(sources) > 1 and sources[1] is None, position)
    kernel(blocks_for(n, BOX.tile), *filled, n, shift, mask, *table, *written)
