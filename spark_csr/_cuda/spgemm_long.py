"""Rows of `A @ B` that are too long for a block: their products are expanded, sorted and combined by all blocks.

Design: every row is cut into tiles of products. They are expanded tile by tile, sorted by row and column with the passes of the
radix sort, which keeps the order of A's entries within a position, and combined by one thread for each position. Tiles do not
reach into two rows, so a scan over how many positions begin in each tile says where the entries go. Cost: 2 (key + value) bytes
for every product. Source: Bell, Dalton & Olson, *Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods*, 2012.
"""

import functools
from typing import NamedTuple

import numpy as np
from numba import int64, uint16, uint32

from spark_csr import _ops as ops
from spark_csr._array import by_width, index_dtype, namespace_of, to_host_list
from spark_csr._cuda.block import block_carry_in, block_flood
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.radix import list_digits, move_by_digits
from spark_csr._cuda.scan import scan
from spark_csr._cuda.spgemm_rows import box_for, expander
from spark_csr._cuda.target import cuda, device_function, shared_type
from spark_csr._holes import (
    HAS_PAYLOAD,
    IDENTITY,
    ITEMS,
    MASKED,
    MASKED_OUT,
    THREADS,
    TILE,
    add,
    carry_in,
    expand_products,
    find_tile,
    is_head,
    key_type,
    mark_products,
    packed_type,
    scalar,
    shared_scalar,
)
from spark_csr._shared.bisection import first_at_least, segment_of
from spark_csr._specialise import specialise


class LongRows(NamedTuple):
    """Row `i` of them is row `rows[i]`; `starts[i]` products and `tiles[i]` tiles of the list come before it; `total` and
    `blocks` in all."""

    rows: object
    starts: object
    tiles: object
    total: int
    blocks: int


def find_long_rows(products, longest, tile):
    """Return the rows of more than `longest` products. The host reads twice."""
    xp = namespace_of(products)
    rows = (products > longest).nonzero()[0]
    starts, tiles = (xp.zeros(rows.size + 1, np.int64) for _ in range(2))
    xp.cumsum(products[rows], out=starts[1:])
    xp.cumsum((products[rows] + (tile - 1)) // tile, out=tiles[1:])
    return LongRows(rows, starts, tiles, *to_host_list(xp.concatenate([starts[-1:], tiles[-1:]])))


def _find_tile(starts, tiles, rows):
    """Return the number of the row that the block's tile lies in, where the tile begins in the row, and how long it is."""
    number = segment_of(tiles, rows, np.int64(cuda.blockIdx.x))
    inside = (np.int64(cuda.blockIdx.x) - np.int64(tiles[number])) * np.int64(TILE)
    rest = np.int64(starts[number + 1]) - np.int64(starts[number]) - inside
    return number, inside, np.uint32(min(rest, np.int64(TILE)))


def _expand_tile(a, b, mask, before, offsets, where, bits, nothing, out_keys, out_values):
    """Write the keys and values of a tile of products per block; `nothing` is the column of what the mask forbids."""
    cuts = cuda.shared.array(2, int64)
    keys = cuda.shared.array(TILE, key_type)
    values = cuda.shared.array(TILE, shared_scalar)
    sources = cuda.shared.array(TILE, uint16)
    marks = cuda.shared.array(TILE, uint32)
    owners = cuda.shared.array(TILE, uint16)
    rows, starts, tiles, count = where
    thread = np.uint32(cuda.threadIdx.x)
    number, inside, length = find_tile(starts, tiles, count)
    row = np.int64(rows[number])
    start = np.int64(offsets[row]) + inside
    if thread < 2:
        wanted = start + 1 if thread == 0 else start + np.int64(length)
        cuts[thread] = np.int64(first_at_least(before, a[0][row], a[0][row + 1], wanted))
    for k in range(ITEMS):
        owners[np.uint32(thread + np.uint32(k * THREADS))] = np.uint16(0)
    cuda.syncthreads()
    first = np.int64(cuts[0]) - 1
    mark_products(before, first, np.int64(cuts[1]), start, length, marks)
    cuda.syncthreads()
    expand_products(a, b, mask, before, row, first, start, length, keys, values, sources, marks, owners)
    at = np.int64(starts[number]) + inside
    for k in range(ITEMS):
        i = np.uint32(thread + np.uint32(k * THREADS))
        if i < length:
            column = np.uint64(keys[i])
            if MASKED and keys[i] == MASKED_OUT:
                column = np.uint64(nothing)
            out_keys[at + np.int64(i)] = np.uint64(np.uint64(number) << np.uint64(bits)) | column
            out_values[at + np.int64(i)] = values[i]


def _is_head(key, before, begins_row, nothing, bits):
    """Return whether a product is the first of its position, given its key and that before it."""
    if MASKED and np.uint64(key) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1)) == np.uint64(nothing):
        return False
    return begins_row or before != key


def _count_tile(keys, where, nothing, bits, counts):
    """Count the positions of one tile of sorted products per block."""
    _, starts, tiles, count = where
    thread = np.uint32(cuda.threadIdx.x)
    number, inside, length = find_tile(starts, tiles, count)
    at = np.int64(starts[number]) + inside
    mine = np.int32(0)
    for k in range(ITEMS):
        i = np.uint32(thread + np.uint32(k * THREADS))
        if i < length:
            begins_row = inside == 0 and i == 0
            key = keys[at + np.int64(i)]
            before = key if begins_row else keys[at + np.int64(i) - 1]
            if is_head(key, before, begins_row, nothing, bits):
                mine += np.int32(1)
    _, found = carry_in(thread, mine, False, np.int32(0))
    if thread == np.uint32(THREADS - 1):
        counts[cuda.blockIdx.x] = np.int64(found)


def _combine_tile(keys, values, order, n, where, nothing, bits, earlier, offsets, counts, indices, data, zero):
    """Combine the products of the positions that begin in one tile per block, one thread for each; write columns and values,
    and how many there are in the row.
    """
    held = cuda.shared.array(TILE, packed_type)
    moved = cuda.shared.array(TILE, shared_scalar)
    heads = cuda.shared.array(TILE, uint16)
    total = cuda.shared.array(1, uint32)
    rows, starts, tiles, count = where
    thread = np.uint32(cuda.threadIdx.x)
    number, inside, length = find_tile(starts, tiles, count)
    at, row = np.int64(starts[number]) + inside, np.int64(rows[number])
    for k in range(ITEMS):
        i = np.uint32(thread + np.uint32(k * THREADS))
        if i < length:
            held[i] = keys[at + np.int64(i)]
            moved[i] = values[np.int64(order[at + np.int64(i)]) if HAS_PAYLOAD else at + np.int64(i)]
    if thread == 0 and inside == 0:
        counts[row] = np.int64(earlier[tiles[number + 1]]) - np.int64(earlier[tiles[number]])
    cuda.syncthreads()
    first = np.uint32(thread * np.uint32(ITEMS))
    found, mine = np.uint32(0), np.int32(0)
    before = packed_type(0)
    if first < length and (inside > 0 or first > 0):
        before = held[np.uint32(first - np.uint32(1))] if first > 0 else keys[at - 1]
    for k in range(ITEMS):
        i = np.uint32(first + np.uint32(k))
        if i < length:
            if is_head(held[i], before, inside == 0 and i == 0, nothing, bits):
                found = np.uint32(found | np.uint32(1 << k))
                mine += np.int32(1)
            before = held[i]
    heads_before, behind = carry_in(thread, mine, False, np.int32(0))
    running = np.uint32(heads_before)
    for k in range(ITEMS):
        if np.uint32(found & np.uint32(1 << k)) != 0:
            heads[running] = np.uint16(np.uint32(first + np.uint32(k)))
            running = np.uint32(running + np.uint32(1))
    if thread == np.uint32(THREADS - 1):
        total[0] = np.uint32(behind)
    cuda.syncthreads()
    to = np.int64(offsets[row]) + np.int64(earlier[cuda.blockIdx.x]) - np.int64(earlier[tiles[number]])
    h = thread
    while h < total[0]:
        i = np.uint32(heads[h])
        key, result = held[i], scalar(IDENTITY)
        while i < length and held[i] == key:
            result = scalar(add(result, scalar(moved[i])))
            i = np.uint32(i + np.uint32(1))
        if i == length:
            p = at + np.int64(length)
            while p < n and keys[p] == key:
                result = scalar(add(result, scalar(values[np.int64(order[p]) if HAS_PAYLOAD else p])))
                p += 1
        indices[to + np.int64(h)] = np.uint64(key) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1))
        data[to + np.int64(h)] = result
        if result == scalar(0):
            zero[0] = np.int64(1)
        h = np.uint32(h + np.uint32(THREADS))


@functools.cache
def kernels(ring, dtype, key, packed, masked, ordered):
    """Return the three kernels for columns of `key` and keys of `packed`; `ordered`: values are read through their order."""
    chosen = box_for(dtype, key)
    meanings = {
        "add": ring.add.op,
        "scalar": dtype.type,
        "IDENTITY": ring.add.identity_for(dtype).item(),
        "key_type": shared_type(key),
        "packed_type": packed,
        "shared_scalar": shared_type(dtype),
        "MASKED_OUT": np.iinfo(key).max,
        "TILE": chosen.tile,
        "ITEMS": chosen.items,
        "THREADS": chosen.threads,
        "MASKED": masked,
        "HAS_PAYLOAD": ordered,
        "carry_in": block_carry_in(chosen.threads, ops.plus, np.dtype(np.int32)),
        "find_tile": device_function(specialise(_find_tile, TILE=chosen.tile)),
        "is_head": device_function(specialise(_is_head, MASKED=masked)),
    } | expander(ring, dtype, key, masked, True, block_flood(chosen.threads), chosen)
    return tuple(
        Kernel(specialise(kernel, **meanings), chosen.threads) for kernel in (_expand_tile, _count_tile, _combine_tile)
    )


def multiply_long_rows(long, ring, a, b, mask, before, offsets, columns, counts, indices, data, zero):
    """Write the entries of long rows to where their products begin at `offsets`, and their number into `counts`."""
    xp, n, dtype = namespace_of(counts), long.total, data.dtype
    moved = dtype.itemsize in (4, 8)
    bits = columns.bit_length()  # one column more than there are, for what the mask forbids
    in_use = bits + (long.rows.size - 1).bit_length()
    keys, values = xp.empty(n, np.uint32 if in_use <= 32 else np.uint64), xp.empty(n, dtype)
    expand, count, combine = kernels(ring, dtype, b[1].dtype, keys.dtype.type, mask is not None, not moved)
    where = *long[:3], long.rows.size
    expand(long.blocks, a, b, a[:2] if mask is None else mask, before, offsets, where, bits, columns, keys, values)
    digits, order = list_digits((1 << in_use) - 1), by_width(values) if moved else xp.empty(n, index_dtype(n))
    pairs = [[x, xp.empty_like(x)] for x in (keys, by_width(order))]
    last = len(digits) % 2
    move_by_digits(digits, [keys, pairs[1][0] if moved else None], *([pair[k] for pair in pairs] for k in (last, 1 - last)))
    keys, order = (pair[last] for pair in pairs)
    values = order.view(dtype) if moved else values
    found, earlier = xp.empty(long.blocks, np.int64), xp.empty(long.blocks + 1, np.int64)
    count(long.blocks, keys, where, columns, bits, found)
    scan(ops.MONOIDS["sum"], found.dtype, found.size, ops.element, ops.store, (found, earlier), earlier[-1:], exclusive=True)
    combine(long.blocks, keys, values, order, n, where, columns, bits, earlier, offsets, counts, indices, data, zero)
