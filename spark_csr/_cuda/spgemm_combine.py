"""Sorted products of long rows of `A @ B`: those of each position are combined, and what each row has is counted.

Design: one thread combines the products of a position, also those that stand in later tiles. What a tile finds goes to where
its products would be, so no tile needs to know how much the others find. The block that ends last scans the counts of tiles.
"""

import functools

import numpy as np
from numba import uint16, uint32

from spark_csr._cuda.spgemm_boxes import box_for, meanings
from spark_csr._cuda.ticket import count_scanner, is_last_block
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import Kernel, cuda
from spark_csr._engine.holes import (
    HAS_PAYLOAD,
    IDENTITY,
    ITEMS,
    MASKED,
    THREADS,
    TILE,
    Hole,
    add,
    carry_in,
    scalar,
    scan_counts,
    shared_scalar,
)
from spark_csr._shared.bisection import first_at_least

packed_type = Hole("packed_type: NumPy scalar type", "The type of keys that hold a row and a column.")


@helper
def find_tile(long, offsets, tile):
    """Return the number of the long row that a tile lies in, the row, where the tile begins in it, and how many products of the
    tile it has.
    """
    listed, last, tiles, count = long
    number = np.int64(first_at_least(tiles, 1, count, tile + 1)) - 1
    row = np.int64(listed[last - number])
    inside = (tile - tiles[number]) * TILE
    rest = offsets[row + 1] - offsets[row] - inside
    return number, row, inside, np.uint32(min(rest, np.int64(TILE)))


@helper
def _is_head(key, before, begins_row, nothing, bits):
    """Return whether a product is the first of its position, given its key and that before it."""
    if MASKED and np.uint64(key) & ((1 << np.uint64(bits)) - 1) == np.uint64(nothing):
        return False
    return begins_row or before != key


def _combine_tile(keys, values, order, n, long, nothing, bits, offsets, earlier, ended, counts, indices, data, zero):
    """Combine the products of the positions that begin in one tile per block, one thread for each; write columns and values.
    The last block writes how many there are in tiles before each, and in the rows.
    """
    held = cuda.shared.array(TILE, packed_type)
    moved = cuda.shared.array(TILE, shared_scalar)
    heads = cuda.shared.array(TILE, uint16)
    total = cuda.shared.array(1, uint32)
    thread = np.uint32(cuda.threadIdx.x)
    _, row, inside, length = find_tile(long, offsets, np.int64(cuda.blockIdx.x))
    at = np.int64(cuda.blockIdx.x) * TILE
    for k in range(ITEMS):
        i = thread + np.uint32(k * THREADS)
        if i < length:
            held[i] = keys[at + np.int64(i)]
            moved[i] = values[np.int64(order[at + np.int64(i)]) if HAS_PAYLOAD else at + np.int64(i)]
    cuda.syncthreads()
    first = thread * ITEMS
    found, mine = np.uint32(0), np.int32(0)
    before = packed_type(0)
    if first < length and (inside > 0 or first > 0):
        before = held[first - 1] if first > 0 else keys[at - 1]
    for k in range(ITEMS):
        i = first + np.uint32(k)
        if i < length:
            if _is_head(held[i], before, inside == 0 and i == 0, nothing, bits):
                found |= np.uint32(1 << k)
                mine += 1
            before = held[i]
    heads_before, behind = carry_in(thread, mine, False, np.int32(0))
    running = np.uint32(heads_before)
    for k in range(ITEMS):
        if found & np.uint32(1 << k) != 0:
            heads[running] = np.uint16(first + np.uint32(k))
            running += 1
    if thread == np.uint32(THREADS - 1):
        total[0] = np.uint32(behind)
        earlier[cuda.blockIdx.x] = behind
    cuda.syncthreads()
    to = offsets[row] + inside
    h = thread
    while h < total[0]:
        i = np.uint32(heads[h])
        key, result = held[i], scalar(IDENTITY)
        while i < length and held[i] == key:
            result = scalar(add(result, scalar(moved[i])))
            i += 1
        if i == length:
            p = at + np.int64(length)
            while p < n and keys[p] == key:
                result = scalar(add(result, scalar(values[np.int64(order[p]) if HAS_PAYLOAD else p])))
                p += 1
        indices[to + np.int64(h)] = np.uint64(key) & ((1 << np.uint64(bits)) - 1)
        data[to + np.int64(h)] = result
        if result == scalar(0):
            zero[0] = np.int64(1)
        h += THREADS
    if is_last_block(ended, 0):
        blocks = np.int64(cuda.gridDim.x)
        of_all = scan_counts(earlier, blocks)
        if thread == 0:
            earlier[blocks] = of_all
        cuda.syncthreads()
        listed, last, tiles, rows = long
        r = np.int64(thread)
        while r < rows:
            stop = tiles[r + 1] if r + 1 < rows else blocks
            counts[np.int64(listed[last - r])] = earlier[stop] - earlier[tiles[r]]
            r += THREADS


@functools.cache
def combine_kernel(ring, dtype, key, packed, masked, ordered):
    """Return the kernel for values of `dtype`, columns of `key` and keys of `packed`; `ordered`: values are read through their
    order.
    """
    chosen = box_for(dtype, key)
    made = meanings(ring, dtype, key, masked, chosen) | {
        "packed_type": packed,
        "HAS_PAYLOAD": ordered,
        "scan_counts": count_scanner(chosen),
    }
    return Kernel(specialise(_combine_tile, **made), chosen.threads)
