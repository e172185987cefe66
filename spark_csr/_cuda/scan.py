"""Prefix scans, whole or by segments: reduce every tile, scan the tile totals in one block, scan every tile from its carry.

Three launches, two reads and one write of the items, no block waits for another: same bits every run. `read_item`
returns what is scanned, `store_result` stores a result: a flood is a scan whose items are positions and whose sink gathers.
"""

import functools
import math

import numpy as np
from numba import uint32

from spark_csr._array import namespace_of
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.target import WARP, blocks_for, box, cuda, device_function, shared_type
from spark_csr._cuda.warp import ballot, lane_of
from spark_csr._holes import (
    EXCLUSIVE,
    GROUP,
    IDENTITY,
    ITEMS,
    SEGMENTED,
    THREADS,
    TILE,
    WORDS,
    add,
    carry_in,
    find_own_starts,
    is_segment_start,
    load_items,
    position_of_item,
    read_item,
    reduce_own_items,
    scalar,
    scan_own_items,
    shared_scalar,
    store_result,
)
from spark_csr._ops import flip_arguments
from spark_csr._specialise import specialise

BOX = box(128, 15)  # odd items: threads read shared memory without bank conflicts; not tuned
SUMS = box(512, 4)  # for the sums of tiles; not tuned

LOADS = math.gcd(BOX.items, 5)
"""Items that a thread loads at a time. Not tuned."""


@device_function
def _forward_position(i, n):
    return i


@device_function
def _backward_position(i, n):
    return n - 1 - i


@device_function
def _no_head_at(heads, i, n):
    return False


@device_function
def _head_at(heads, i, n):
    return heads[i] != 0


@device_function
def _tail_at(heads, i, n):
    """Return whether a segment begins here in reverse: it does where the next head stands."""
    return i + 1 == n or heads[i + 1] != 0


def _load_items(operands, heads, n, values, marks):
    """Bring the block's tile into shared memory, several loads of a thread at a time; return how many items it has.

    Each word of `marks` gets a bit for each lane of a warp: whether a segment begins with its item.
    """
    own = cuda.local.array(GROUP, shared_scalar)
    thread = np.uint64(cuda.threadIdx.x)
    start = np.int64(cuda.blockIdx.x) * np.int64(TILE)
    length = np.uint32(min(np.int64(n) - start, np.int64(TILE)))
    here = start + np.int64(thread)
    if length == np.uint32(TILE):
        for g in range(ITEMS // GROUP):
            first = g * GROUP * THREADS
            for k in range(GROUP):
                source = position_of_item(here + np.int64(first + k * THREADS), np.int64(n))
                own[k] = scalar(read_item(operands, source))
            for k in range(GROUP):
                values[thread + np.uint64(first + k * THREADS)] = own[k]
    else:
        for k in range(ITEMS):
            if np.uint32(np.uint32(thread) + np.uint32(k * THREADS)) < length:
                source = position_of_item(here + np.int64(k * THREADS), np.int64(n))
                values[thread + np.uint64(k * THREADS)] = scalar(read_item(operands, source))
    if SEGMENTED:
        warp = np.uint64(np.uint32(np.uint32(thread) // np.uint32(WARP)))
        for k in range(ITEMS):
            begins = False
            if length == np.uint32(TILE) or np.uint32(np.uint32(thread) + np.uint32(k * THREADS)) < length:
                begins = is_segment_start(heads, position_of_item(here + np.int64(k * THREADS), np.int64(n)), np.int64(n))
            votes = ballot(begins)
            if lane_of(thread) == 0:
                marks[warp + np.uint64(k * (THREADS // WARP))] = votes
        if thread == 0:
            marks[TILE // WARP] = np.uint32(0)
    cuda.syncthreads()
    return length


def _find_own_starts(marks):
    """Return bits for the thread's own items: whether a segment begins with each."""
    if not SEGMENTED:
        return np.uint32(0)
    first = np.uint32(np.uint32(cuda.threadIdx.x) * np.uint32(ITEMS))
    word = np.uint32(first // np.uint32(WARP))
    high = np.uint64(np.uint64(marks[np.uint32(word + np.uint32(1))]) << np.uint64(WARP))
    both = np.uint64(high | np.uint64(marks[word]))
    return np.uint32(np.uint32(both >> np.uint64(lane_of(first))) & np.uint32((1 << ITEMS) - 1))


def _reduce_own_items(values, starts, length):
    """Combine the thread's own items from the last start of a segment on."""
    place = np.uint64(np.uint32(cuda.threadIdx.x) * np.uint32(ITEMS))
    total = scalar(IDENTITY)
    if np.uint32(np.uint32(place) + np.uint32(ITEMS)) <= length:
        for k in range(ITEMS):
            if SEGMENTED and np.uint32(starts & np.uint32(1 << k)) != 0:
                total = scalar(IDENTITY)
            total = scalar(add(total, scalar(values[place + np.uint64(k)])))
    else:
        for k in range(ITEMS):
            if np.uint32(np.uint32(place) + np.uint32(k)) < length:
                if SEGMENTED and np.uint32(starts & np.uint32(1 << k)) != 0:
                    total = scalar(IDENTITY)
                total = scalar(add(total, scalar(values[place + np.uint64(k)])))
    return total


def _reduce_tile(operands, heads, n, sums, broken):
    """Write what one tile per block hands on, and whether a segment begins in it."""
    values = cuda.shared.array(TILE, shared_scalar)
    marks = cuda.shared.array(WORDS, uint32)
    thread = np.uint32(cuda.threadIdx.x)
    length = load_items(operands, heads, n, values, marks)
    starts = find_own_starts(marks)
    mine = reduce_own_items(values, starts, length)
    _, handed_on = carry_in(thread, mine, starts != 0, scalar(IDENTITY))
    if SEGMENTED:
        any_start = cuda.syncthreads_or(np.int32(starts != 0))
        if thread == 0:
            broken[cuda.blockIdx.x] = np.uint8(any_start != 0)
    if thread == np.uint32(THREADS - 1):
        sums[cuda.blockIdx.x] = handed_on


def _scan_sums(sums, broken, tiles, initial, total):
    """Turn what tiles hand on into what they carry in, in one block, a box of tiles at a time."""
    last = cuda.shared.array(1, shared_scalar)
    thread = np.uint32(cuda.threadIdx.x)
    before = scalar(initial[0])
    start = np.int64(0)
    while start < tiles:
        first = start + np.int64(np.uint32(thread * np.uint32(ITEMS)))
        mine = scalar(IDENTITY)
        starts_here = np.bool_(False)  # Numba would compile `carry_in` for a literal first
        for k in range(ITEMS):
            t = first + np.int64(k)
            if t < tiles:
                if SEGMENTED and broken[t] != 0:
                    mine = scalar(IDENTITY)
                    starts_here = True
                mine = scalar(add(mine, scalar(sums[t])))
        running, handed_on = carry_in(thread, mine, starts_here, before)
        for k in range(ITEMS):
            t = first + np.int64(k)
            if t < tiles:
                here = scalar(sums[t])
                sums[t] = running
                running = here if SEGMENTED and broken[t] != 0 else scalar(add(running, here))
        if thread == np.uint32(THREADS - 1):
            last[0] = handed_on
        cuda.syncthreads()
        before = scalar(last[0])
        start += np.int64(TILE)
    if thread == 0:
        total[0] = before


def _scan_own_items(values, starts, length, running):
    """Replace the thread's own items by their scan, from what it carries in."""
    place = np.uint64(np.uint32(cuda.threadIdx.x) * np.uint32(ITEMS))
    if np.uint32(np.uint32(place) + np.uint32(ITEMS)) <= length:
        for k in range(ITEMS):
            if SEGMENTED and np.uint32(starts & np.uint32(1 << k)) != 0:
                running = scalar(IDENTITY)
            after = scalar(add(running, scalar(values[place + np.uint64(k)])))
            values[place + np.uint64(k)] = running if EXCLUSIVE else after
            running = after
    else:
        for k in range(ITEMS):
            if np.uint32(np.uint32(place) + np.uint32(k)) < length:
                if SEGMENTED and np.uint32(starts & np.uint32(1 << k)) != 0:
                    running = scalar(IDENTITY)
                after = scalar(add(running, scalar(values[place + np.uint64(k)])))
                values[place + np.uint64(k)] = running if EXCLUSIVE else after
                running = after


def _scan_tile(operands, heads, n, sums):
    """Scan one tile per block: every thread scans its items from what it carries in."""
    values = cuda.shared.array(TILE, shared_scalar)
    marks = cuda.shared.array(WORDS, uint32)
    thread = np.uint32(cuda.threadIdx.x)
    length = load_items(operands, heads, n, values, marks)
    starts = find_own_starts(marks)
    mine = reduce_own_items(values, starts, length)
    running, _ = carry_in(thread, mine, starts != 0, scalar(sums[cuda.blockIdx.x]))
    scan_own_items(values, starts, length, running)
    cuda.syncthreads()
    here = np.int64(cuda.blockIdx.x) * np.int64(TILE) + np.int64(thread)
    place = np.uint64(thread)
    if length == np.uint32(TILE):
        for k in range(ITEMS):
            target = position_of_item(here + np.int64(k * THREADS), np.int64(n))
            store_result(operands, target, scalar(values[place + np.uint64(k * THREADS)]))
    else:
        for k in range(ITEMS):
            if np.uint32(thread + np.uint32(k * THREADS)) < length:
                target = position_of_item(here + np.int64(k * THREADS), np.int64(n))
                store_result(operands, target, scalar(values[place + np.uint64(k * THREADS)]))


def _shape(chosen, segmented):
    """Return what the numbers in a kernel mean for blocks of a box."""
    words = chosen.tile // WARP + 1 if segmented else 1
    shape = {"TILE": chosen.tile, "ITEMS": chosen.items, "THREADS": chosen.threads, "WORDS": words}
    return shape | {"GROUP": LOADS, "SEGMENTED": segmented}


@functools.cache
def _loader(dtype, read_item, position_of_item, is_segment_start, segmented):
    """Return `load_items`, one for all kernels that load the same: each copy would be compiled."""
    meanings = {"read_item": read_item, "position_of_item": position_of_item, "is_segment_start": is_segment_start}
    meanings |= _shape(BOX, segmented) | {"scalar": dtype.type, "shared_scalar": shared_type(dtype)}
    return device_function(specialise(_load_items, **meanings))


@functools.cache
def _helpers(monoid, dtype, operator, segmented, exclusive):
    """Return the functions of a thread's own items, one for all kernels that combine the same."""
    meanings = _shape(BOX, segmented) | {"scalar": dtype.type, "add": operator, "EXCLUSIVE": exclusive}
    meanings |= {"IDENTITY": monoid.identity_for(dtype).item()}
    helpers = {"find_own_starts": _find_own_starts, "reduce_own_items": _reduce_own_items, "scan_own_items": _scan_own_items}
    return {name: device_function(specialise(helper, **meanings)) for name, helper in helpers.items()}


@functools.cache
def kernels(monoid, dtype, read_item, store_result, segmented, exclusive, reverse):
    """Return the three kernels for one operator, type, source and sink, and direction."""
    operator = flip_arguments(monoid.op) if reverse else monoid.op
    position_of_item = _backward_position if reverse else _forward_position
    starts = (_tail_at if reverse else _head_at) if segmented else _no_head_at
    meanings = {
        "add": operator,
        "scalar": dtype.type,
        "store_result": store_result,
        "shared_scalar": shared_type(dtype),
        "IDENTITY": monoid.identity_for(dtype).item(),
        "position_of_item": position_of_item,
        "load_items": _loader(dtype, read_item, position_of_item, starts, segmented),
    } | _helpers(monoid, dtype, operator, segmented, exclusive)
    made = []
    for kernel, chosen in ((_reduce_tile, BOX), (_scan_sums, SUMS), (_scan_tile, BOX)):
        carry_in = block_carry_in(chosen.threads, operator, dtype)
        made.append(Kernel(specialise(kernel, carry_in=carry_in, **meanings, **_shape(chosen, segmented)), chosen.threads))
    return tuple(made)


def scan(
    monoid, dtype, n, read_item, store_result, operands, total, *, heads=None, initial=None, exclusive=False, reverse=False
):
    xp = namespace_of(total)
    reduce_tile, scan_sums, scan_tile = kernels(monoid, dtype, read_item, store_result, heads is not None, exclusive, reverse)
    tiles = blocks_for(n, BOX.tile)
    sums, broken = xp.empty(tiles, dtype), xp.empty(tiles if heads is not None else 1, np.uint8)
    first = xp.full(1, monoid.identity_for(dtype) if initial is None else initial, dtype)
    heads = broken if heads is None else heads
    reduce_tile(tiles, operands, heads, n, sums, broken)
    scan_sums(1, sums, broken, tiles, first, total)
    scan_tile(tiles, operands, heads, n, sums)
