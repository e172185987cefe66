"""Prefix scans, whole or by segments: reduce every tile, scan the tile totals in one block, scan every tile from its carry.

Three launches, two reads and one write of the items, no block waits for another: same bits every run. `read_item`
returns what is scanned, `store_result` stores a result: a flood is a scan whose items are positions and whose sink gathers.
"""

import functools

import numpy as np
from numba import uint8

from spark_csr._array import namespace_of
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.target import blocks_for, box, cuda, device_function, shared_type
from spark_csr._holes import (
    EXCLUSIVE,
    IDENTITY,
    ITEMS,
    THREADS,
    TILE,
    add,
    carry_in,
    is_segment_start,
    load_items,
    position_of_item,
    read_item,
    reduce_own_items,
    scalar,
    shared_scalar,
    store_result,
)
from spark_csr._ops import flip_arguments
from spark_csr._specialise import specialise

BOX = box(256, 9)  # odd items: threads read shared memory without bank conflicts; not tuned


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


def _load_items(operands, heads, n, values, breaks):
    """Bring the block's tile into shared memory, side by side; return how many items it has."""
    thread = np.uint32(cuda.threadIdx.x)
    start = np.int64(cuda.blockIdx.x) * np.int64(TILE)
    length = np.uint32(min(np.int64(n) - start, np.int64(TILE)))
    for k in range(ITEMS):
        i = np.uint32(thread + np.uint32(k * THREADS))
        if i < length:
            source = position_of_item(start + np.int64(i), np.int64(n))
            values[i] = scalar(read_item(operands, source))
            breaks[i] = np.uint8(is_segment_start(heads, source, np.int64(n)))
    cuda.syncthreads()
    return length


def _reduce_own_items(values, breaks, length):
    """Combine the thread's own items from their last break on; return also whether there was a break."""
    first = np.uint32(cuda.threadIdx.x) * np.uint32(ITEMS)
    total = scalar(IDENTITY)
    broken = False
    for k in range(ITEMS):
        i = np.uint32(first + np.uint32(k))
        if i < length:
            if breaks[i] != 0:
                total = scalar(IDENTITY)
                broken = True
            total = scalar(add(total, scalar(values[i])))
    return total, broken


def _reduce_tile(operands, heads, n, sums, broken):
    """Write what one tile per block hands on, and whether a segment begins in it."""
    values = cuda.shared.array(TILE, shared_scalar)
    breaks = cuda.shared.array(TILE, uint8)
    thread = np.uint32(cuda.threadIdx.x)
    length = load_items(operands, heads, n, values, breaks)
    mine, breaks_here = reduce_own_items(values, breaks, length)
    _, handed_on = carry_in(thread, mine, breaks_here, scalar(IDENTITY))
    any_break = cuda.syncthreads_or(np.int32(breaks_here))
    if thread == np.uint32(THREADS - 1):
        sums[cuda.blockIdx.x] = handed_on
        broken[cuda.blockIdx.x] = np.uint8(any_break != 0)


def _scan_sums(sums, broken, tiles, initial, total):
    """Turn what tiles hand on into what they carry in, in one block, a box of tiles at a time."""
    last = cuda.shared.array(1, shared_scalar)
    thread = np.uint32(cuda.threadIdx.x)
    before = scalar(initial[0])
    start = np.int64(0)
    while start < tiles:
        first = start + np.int64(thread) * np.int64(ITEMS)
        mine = scalar(IDENTITY)
        breaks_here = np.bool_(False)  # Numba would compile `carry_in` for a literal first
        for k in range(ITEMS):
            t = first + np.int64(k)
            if t < tiles:
                if broken[t] != 0:
                    mine = scalar(IDENTITY)
                    breaks_here = True
                mine = scalar(add(mine, scalar(sums[t])))
        running, handed_on = carry_in(thread, mine, breaks_here, before)
        for k in range(ITEMS):
            t = first + np.int64(k)
            if t < tiles:
                here = scalar(sums[t])
                sums[t] = running
                running = here if broken[t] != 0 else scalar(add(running, here))
        if thread == np.uint32(THREADS - 1):
            last[0] = handed_on
        cuda.syncthreads()
        before = scalar(last[0])
        start += np.int64(TILE)
    if thread == 0:
        total[0] = before


def _scan_tile(operands, heads, n, sums):
    """Scan one tile per block: every thread scans its items from what it carries in."""
    values = cuda.shared.array(TILE, shared_scalar)
    breaks = cuda.shared.array(TILE, uint8)
    thread = np.uint32(cuda.threadIdx.x)
    start = np.int64(cuda.blockIdx.x) * np.int64(TILE)
    length = load_items(operands, heads, n, values, breaks)
    mine, breaks_here = reduce_own_items(values, breaks, length)
    running, _ = carry_in(thread, mine, breaks_here, scalar(sums[cuda.blockIdx.x]))
    first = np.uint32(thread * np.uint32(ITEMS))
    for k in range(ITEMS):
        i = np.uint32(first + np.uint32(k))
        if i < length:
            if breaks[i] != 0:
                running = scalar(IDENTITY)
            after = scalar(add(running, scalar(values[i])))
            values[i] = running if EXCLUSIVE else after
            running = after
    cuda.syncthreads()
    for k in range(ITEMS):
        i = np.uint32(thread + np.uint32(k * THREADS))
        if i < length:
            store_result(operands, position_of_item(start + np.int64(i), np.int64(n)), scalar(values[i]))


SIZES = {"TILE": BOX.tile, "ITEMS": BOX.items, "THREADS": BOX.threads}


@functools.cache
def _loader(dtype, read_item, position_of_item, is_segment_start):
    """Return `load_items`, one for all kernels that load the same: each copy would be compiled."""
    return device_function(
        specialise(
            _load_items,
            scalar=dtype.type,
            read_item=read_item,
            position_of_item=position_of_item,
            is_segment_start=is_segment_start,
            **SIZES,
        )
    )


@functools.cache
def _folder(monoid, dtype, operator):
    """Return `reduce_own_items`, one for all kernels that combine the same."""
    identity = monoid.identity_for(dtype).item()
    return device_function(specialise(_reduce_own_items, scalar=dtype.type, add=operator, IDENTITY=identity, **SIZES))


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
        "EXCLUSIVE": exclusive,
        "position_of_item": position_of_item,
        "carry_in": block_carry_in(BOX.threads, operator, dtype),
        "load_items": _loader(dtype, read_item, position_of_item, starts),
        "reduce_own_items": _folder(monoid, dtype, operator),
    } | SIZES
    return tuple(Kernel(specialise(k, **meanings), BOX.threads) for k in (_reduce_tile, _scan_sums, _scan_tile))


def scan(
    monoid, dtype, n, read_item, store_result, operands, total, *, heads=None, initial=None, exclusive=False, reverse=False
):
    xp = namespace_of(total)
    reduce_tile, scan_sums, scan_tile = kernels(monoid, dtype, read_item, store_result, heads is not None, exclusive, reverse)
    tiles = blocks_for(n, BOX.tile)
    sums, broken = xp.empty(tiles, dtype), xp.empty(tiles, np.uint8)
    first = xp.full(1, monoid.identity_for(dtype) if initial is None else initial, dtype)
    heads = broken if heads is None else heads
    reduce_tile(tiles, operands, heads, n, sums, broken)
    scan_sums(1, sums, broken, tiles, first, total)
    scan_tile(tiles, operands, heads, n, sums)
