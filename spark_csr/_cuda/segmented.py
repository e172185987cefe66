"""Reduce the items of every segment: the engine under `segmented_reduce` and `A @ x`.

Design: the list "items of row 0, end of row 0, items of row 1, ..." is cut into equal tiles (merge path), one per block, so
neither one row of a million items nor a million empty rows lands on one block. Items are read side by side into shared
memory. A bit for each says whether a row ends with it, so each thread walks as many items in order, and where a row ends leaves
the row's sum in place of the item. Partial sums pass from thread to thread within a block; then rows are written side by side.
`carries` adds them across tiles. The order is
fixed.
Sources: Merrill & Garland, SC16; Baxter, *moderngpu* (segmented reduction).
"""

import functools
import math

import numpy as np
from numba import uint32

from spark_csr._array import namespace_of
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.carries import carries_of, carry_adder
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.warp import lane_of, reader
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import Kernel, box, cuda, device_function, shared_type
from spark_csr._engine.holes import (
    GROUP,
    IDENTITY,
    ITEMS,
    LANES,
    THREADS,
    TILE,
    WORDS,
    Hole,
    add,
    carry_in,
    position_type,
    read_item,
    scalar,
    shared_scalar,
    warp_shuffle,
)
from spark_csr._shared.merge_path import cut

ROOM = Hole("ROOM: int", "How many elements of shared memory there are for the items of a tile and where its rows stop.")
LAST = Hole("LAST: int", "The last word of that memory: from there on downwards stands where rows stop.")

BOX = box(64, 15)  # odd items: threads read shared memory without bank conflicts; not tuned

LOADS = math.gcd(BOX.items, 5)
"""Items that a thread loads at a time. Not tuned."""


def cut_segments(offsets, segments, items, rows):
    """Write how many segments end before each tile of `items` items begins."""
    for_each(rows.size, cut, offsets, segments, items, rows)


def tile_size(total):
    """Return how many items and row ends a tile takes: what the kernel was compiled for."""
    return BOX.tile


@helper
def _mark_last_items(offsets, row, rows, start, marks, stops):
    """Set the bits of the items with which rows of the tile end, and write where each row stops; `start` is the tile's first
    item. All threads call.

    A row without items marks the last item of the row before it again.
    """
    i = np.uint32(cuda.threadIdx.x)
    while i < rows:
        stop = np.uint32(np.int64(offsets[row + np.int64(i) + 1]) - start)
        stops[np.uint64(LAST - 1) - np.uint64(i)] = stop
        if stop != 0:
            last = stop - 1
            cuda.atomic.or_(marks, np.int64(last >> 5), 1 << (last & 31))
        i += THREADS


@helper
def _read_items(operands, start, length, items):
    """Read the items of a tile into shared memory, several loads of a thread at a time. All threads call."""
    own = cuda.local.array(GROUP, shared_scalar)
    thread = np.uint64(cuda.threadIdx.x)
    position = start + np.int64(thread)
    for g in range(ITEMS // GROUP):
        first = g * GROUP * THREADS
        if np.uint32(first + GROUP * THREADS) <= length:
            for k in range(GROUP):
                own[k] = scalar(read_item(operands, position + np.int64(first + k * THREADS)))
            for k in range(GROUP):
                items[thread + np.uint64(first + k * THREADS)] = own[k]
        else:
            for k in range(GROUP):
                if np.uint32(thread) + np.uint32(first + k * THREADS) < length:
                    item = scalar(read_item(operands, position + np.int64(first + k * THREADS)))
                    items[thread + np.uint64(first + k * THREADS)] = item


@helper
def _write_rows(row, rows, stops, items, out):
    """Write the sums of the rows that end in a tile from where the walk left them."""
    i = np.uint32(cuda.threadIdx.x)
    while i < rows:
        before = stops[LAST - np.uint64(i)]
        stop = stops[np.uint64(LAST - 1) - np.uint64(i)]
        out[row + np.int64(i)] = scalar(items[np.uint32(stop - 1)]) if stop != before else scalar(IDENTITY)
        i += THREADS


def _reduce_tiles(operands, offsets, tile_rows, entries, carry, out):
    """Write the rows that end in one tile per block, and the partial sum of the next row into `carry`."""
    items = cuda.shared.array(ROOM, shared_scalar)
    marks = cuda.shared.array(WORDS, uint32)
    stops = items.view(np.uint32)
    thread = np.uint32(cuda.threadIdx.x)
    tile = np.int64(cuda.blockIdx.x)
    row = np.int64(tile_rows[tile])
    rows_here = np.uint32(tile_rows[tile + 1] - row)
    start = np.int64(offsets[0]) + tile * TILE - row
    length = np.uint32(min(entries - tile * TILE, np.int64(TILE))) - rows_here

    if thread < WORDS:
        marks[thread] = np.uint32(0)
    if thread == 0 and rows_here != 0:
        stops[LAST] = np.uint32(0)
    cuda.syncthreads()
    _mark_last_items(offsets, row, rows_here, start, marks, stops)
    _read_items(operands, start, length, items)
    cuda.syncthreads()

    first = thread * ITEMS
    word = first >> 5
    both = np.uint64(marks[word]) | np.uint64(marks[word + 1]) << 32
    ends = np.uint32(both >> np.uint64(first & 31)) & np.uint32((1 << ITEMS) - 1)
    place = np.uint64(first)
    total = scalar(IDENTITY)
    if first + ITEMS <= length:
        for k in range(ITEMS):
            total = scalar(add(total, scalar(items[place + np.uint64(k)])))
            if ends & np.uint32(1 << k) != 0:
                items[place + np.uint64(k)] = total
                total = scalar(IDENTITY)
    else:
        for k in range(ITEMS):
            if first + np.uint32(k) >= length:
                break
            total = scalar(add(total, scalar(items[place + np.uint64(k)])))
            if ends & np.uint32(1 << k) != 0:
                items[place + np.uint64(k)] = total
                total = scalar(IDENTITY)
    carried, handed_on = carry_in(thread, total, ends != 0, scalar(IDENTITY))
    if ends != 0:
        end = first + cuda.ffs(ends) - 1
        items[end] = scalar(add(carried, scalar(items[end])))
    if thread == np.uint32(THREADS - 1):
        carry[tile] = handed_on
    cuda.syncthreads()
    _write_rows(row, rows_here, stops, items, out)


def _reduce_rows(operands, offsets, rows, out):
    """Reduce each row, short and of bounded length, by `LANES` lanes. Each lane adds every `LANES`-th item; a tree adds the
    lanes.
    """
    thread = np.uint32(cuda.threadIdx.x)
    row = np.int64(cuda.blockIdx.x) * (THREADS // LANES) + np.int64(thread // LANES)
    lane = thread & np.uint32(LANES - 1)
    total = scalar(IDENTITY)
    if row < rows:
        p = position_type(position_type(offsets[row]) + position_type(lane))
        stop = position_type(offsets[row + 1])
        while p < stop:
            total = scalar(add(total, scalar(read_item(operands, np.int64(p)))))
            p = position_type(p + position_type(LANES))
    here = lane_of(thread)
    distance = LANES // 2
    while distance > 0:  # lanes wrap around; what comes from the right of a row's lanes is not used
        total = scalar(add(total, scalar(warp_shuffle(total, here + np.uint32(distance)))))
        distance //= 2
    if row < rows and lane == 0:
        out[row] = total


def _meanings(monoid, dtype):
    return {
        "add": monoid.op,
        "scalar": dtype.type,
        "IDENTITY": monoid.identity_for(dtype).item(),
        "warp_shuffle": reader(dtype),
        "THREADS": BOX.threads,
    }


@functools.cache
def tile_kernel(monoid, dtype, read_item):
    """Return the kernel `_reduce_tiles` for one operator, type and source of items."""
    shape = {"ITEMS": BOX.items, "GROUP": LOADS, "TILE": BOX.tile, "WORDS": -(-BOX.tile // 32) + 1}
    room = BOX.tile if dtype.itemsize > 4 else (BOX.tile + 1) * 4 // dtype.itemsize
    shape |= {"ROOM": room, "LAST": room * dtype.itemsize // 4 - 1}
    meanings = _meanings(monoid, dtype) | {"shared_scalar": shared_type(dtype)} | shape
    carry_in = block_carry_in(BOX.threads, monoid.op, dtype, often_broken=True)
    return Kernel(specialise(_reduce_tiles, carry_in=carry_in, read_item=read_item, **meanings), BOX.threads)


@functools.cache
def row_kernel(monoid, dtype, read_item, lanes, offset):
    """Return the kernel `_reduce_rows` with `lanes` lanes a row, for offsets of a dtype, which positions do not exceed."""
    meanings = _meanings(monoid, dtype) | {"position_type": np.uint32 if offset.itemsize == 4 else np.uint64}
    return Kernel(specialise(_reduce_rows, read_item=read_item, LANES=lanes, **meanings), BOX.threads)


@device_function
def _value(operands, position):
    return operands[0][position]


def reduce_items(tiles, monoid, read_item, operands, offsets, out):
    """Reduce the items `read_item(operands, position)` of every segment into `out`, in its dtype."""
    carry = namespace_of(out).empty(carries_of(tiles.rows.size - 1), out.dtype)
    reduce_items_through(carry, tiles, monoid, read_item, operands, offsets, out)


def reduce_items_through(carry, tiles, monoid, read_item, operands, offsets, out):
    """Do as `reduce_items`, with `carry` as memory for `carries_of` the tiles."""
    count = tiles.rows.size - 1
    tile_kernel(monoid, out.dtype, read_item)(count, operands, offsets, tiles.rows, tiles.entries, carry, out)
    carry_adder(monoid, out.dtype, count)(tiles.rows, carry, out)


def segmented_reduce(tiles, monoid, offsets, x, out):
    reduce_items(tiles, monoid, _value, (x,), offsets, out)
