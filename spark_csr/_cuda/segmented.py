"""Reduce the items of every segment: the engine under `segmented_reduce` and `A @ x`.

Design: the list "items of row 0, end of row 0, items of row 1, ..." is cut into equal tiles (merge path), one per block, so
neither one row of a million items nor a million empty rows lands on one block. Items are read side by side into shared
memory. A right flood over the marks of row ends tells each thread how many rows of the tile end before its entries. Each thread
walks its entries. Partial sums pass from thread to thread within a block. A second, small kernel adds them across tiles. The
order is fixed.
Sources: Merrill & Garland, SC16; Baxter, *moderngpu* (segmented reduction).
"""

import functools

import numpy as np
from numba import uint16

from spark_csr._array import namespace_of
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.rows import row_end_finders
from spark_csr._cuda.target import WARP, blocks_for, box, cuda, device_function, shared_type
from spark_csr._cuda.warp import lane_of, reader
from spark_csr._holes import (
    IDENTITY,
    ITEMS,
    LANES,
    THREADS,
    TILE,
    add,
    carry_in,
    find_last_mark,
    mark_row_ends,
    read_item,
    scalar,
    shared_scalar,
    warp_shuffle,
)
from spark_csr._shared.bisection import first_at_least
from spark_csr._shared.merge_path import cut
from spark_csr._specialise import specialise

BOX = box(128, 9)  # odd items: threads read shared memory without bank conflicts; not tuned


def cut_segments(offsets, segments, items, rows):
    """Write how many segments end before each tile of `items` items begins."""
    for_each(rows.size, cut, offsets, segments, items, rows)


def tile_items(total):
    """Return how many items and row ends a tile takes: what the kernel was compiled for."""
    return BOX.tile


def _reduce_tiles(operands, offsets, tile_rows, entries, carry, out):
    """Write the rows that end in one tile per block, and the partial sum of the next row into `carry`."""
    items = cuda.shared.array(TILE, shared_scalar)
    ends = cuda.shared.array(TILE, uint16)
    thread = np.uint32(cuda.threadIdx.x)
    tile = np.int64(cuda.blockIdx.x)
    row = np.int64(tile_rows[tile])
    rows_here = np.uint32(np.int64(tile_rows[tile + 1]) - row)
    start = np.int64(offsets[0]) + tile * np.int64(TILE) - row
    length = np.uint32(min(np.int64(entries) - tile * np.int64(TILE), np.int64(TILE)))
    items_here = np.uint32(length - rows_here)

    mark_row_ends(offsets, row, rows_here, start, ends)
    for k in range(ITEMS):
        i = np.uint32(thread + np.uint32(k * THREADS))
        if i < items_here:
            items[i] = scalar(read_item(operands, start + np.int64(i)))
    cuda.syncthreads()

    closed = find_last_mark(ends)
    first = np.uint32(thread * np.uint32(ITEMS))
    position = np.uint32(first - closed)
    current = row + np.int64(closed)
    leading_row = current
    leading = scalar(IDENTITY)
    total = scalar(IDENTITY)
    closes = False
    for k in range(ITEMS):
        entry = np.uint32(first + np.uint32(k))
        if entry < length:
            if ends[entry] != 0:
                if closes:
                    out[current] = total
                else:
                    leading = total
                closes = True
                total = scalar(IDENTITY)
                current += 1
            else:
                total = scalar(add(total, scalar(items[position])))
                position = np.uint32(position + np.uint32(1))
    carried, handed_on = carry_in(thread, total, closes, scalar(IDENTITY))
    if closes:
        out[leading_row] = scalar(add(carried, leading))
    if thread == np.uint32(THREADS - 1):
        carry[tile] = handed_on


def _finish_cut_rows(tile_rows, tiles, carry, out):
    """Finish each row that tiles cut by `LANES` lanes: add the carries in tile order, then the row's part in the last tile."""
    thread = np.int64(cuda.blockIdx.x) * np.int64(THREADS) + np.int64(cuda.threadIdx.x)
    tile = thread // np.int64(LANES)
    lane = np.int64(thread % np.int64(LANES))
    last = tile
    begins = False
    if tile + 1 < tiles:
        row = np.int64(tile_rows[tile + 1])
        begins = tile == 0 or np.int64(tile_rows[tile]) != row
        if begins:
            last = np.int64(first_at_least(tile_rows, tile + 1, tiles, row + 1)) - 1
    share = (last - tile + np.int64(LANES) - 1) // np.int64(LANES)
    total = scalar(IDENTITY)
    for u in range(tile + lane * share, min(tile + (lane + 1) * share, last)):
        total = scalar(add(total, scalar(carry[u])))
    if LANES > 1:
        group = np.uint32(lane_of(cuda.threadIdx.x))
        mine = total
        total = scalar(IDENTITY)
        for other in range(LANES):
            total = scalar(add(total, scalar(warp_shuffle(mine, np.uint32(group - np.uint32(lane) + np.uint32(other))))))
    if begins and lane == 0:
        row = np.int64(tile_rows[tile + 1])
        out[row] = scalar(add(total, scalar(out[row])))


def _reduce_rows(operands, offsets, rows, out):
    """Reduce each row, short and of bounded length, by `LANES` lanes. Each lane adds every `LANES`-th item; a tree adds the
    lanes.
    """
    thread = np.int64(cuda.blockIdx.x) * np.int64(THREADS) + np.int64(cuda.threadIdx.x)
    row = thread // np.int64(LANES)
    lane = thread % np.int64(LANES)
    total = scalar(IDENTITY)
    if row < rows:
        for p in range(np.int64(offsets[row]) + lane, np.int64(offsets[row + 1]), LANES):
            total = scalar(add(total, scalar(read_item(operands, p))))
    here = np.uint32(lane_of(cuda.threadIdx.x))
    distance = LANES // 2
    while distance > 0:
        source = np.uint32((here + np.uint32(distance)) & np.uint32(WARP - 1))
        total = scalar(add(total, scalar(warp_shuffle(total, source))))
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
    meanings = _meanings(monoid, dtype) | {"shared_scalar": shared_type(dtype)}
    mark_row_ends, find_last_mark = row_end_finders(BOX)
    kernel = specialise(
        _reduce_tiles,
        read_item=read_item,
        carry_in=block_carry_in(BOX.threads, monoid.op, dtype),
        mark_row_ends=mark_row_ends,
        find_last_mark=find_last_mark,
        TILE=BOX.tile,
        ITEMS=BOX.items,
        **meanings,
    )
    return Kernel(kernel, BOX.threads)


@functools.cache
def finish_kernel(monoid, dtype, lanes):
    """Return the kernel `_finish_cut_rows` with `lanes` lanes a row."""
    return Kernel(specialise(_finish_cut_rows, LANES=lanes, **_meanings(monoid, dtype)), BOX.threads)


@functools.cache
def row_kernel(monoid, dtype, read_item, lanes):
    """Return the kernel `_reduce_rows` with `lanes` lanes a row."""
    return Kernel(specialise(_reduce_rows, read_item=read_item, LANES=lanes, **_meanings(monoid, dtype)), BOX.threads)


def finishing_blocks(tiles, lanes):
    """Return how many blocks of `finish_kernel` finish `tiles` tiles; 0 if nothing is cut."""
    return blocks_for((tiles - 1) * lanes, BOX.threads)


@device_function
def _value(operands, position):
    return operands[0][position]


def reduce_items(tiles, monoid, read_item, operands, offsets, out):
    """Reduce the items `read_item(operands, position)` of every segment into `out`, in its dtype.

    Nothing is known of the longest segment, so a whole warp finishes each row that tiles cut.
    """
    carry = namespace_of(out).empty(tiles.rows.size - 1, out.dtype)
    reduce_items_through(carry, tiles, monoid, read_item, operands, offsets, out)


def reduce_items_through(carry, tiles, monoid, read_item, operands, offsets, out):
    """Do as `reduce_items`, with `carry` as memory for an element of every tile."""
    count = tiles.rows.size - 1
    tile_kernel(monoid, out.dtype, read_item)(count, operands, offsets, tiles.rows, tiles.entries, carry, out)
    finish_kernel(monoid, out.dtype, WARP)(finishing_blocks(count, WARP), tiles.rows, count, carry, out)


def segmented_reduce(tiles, monoid, offsets, x, out):
    reduce_items(tiles, monoid, _value, (x,), offsets, out)
