"""The kernels of `spgemm`: rows of a product in the shared memory of a block.

Design: marks where the products of A's entries and where rows begin are flooded right, so every product knows both. Products
are sorted by column within their rows. Those that are the first of their position are listed, and each is combined with the
products up to the next in the list.
"""

import functools

import numpy as np
from numba import uint16, uint32

from spark_csr._cuda.block import block_flood
from spark_csr._cuda.rows import row_finder
from spark_csr._cuda.runs import sort_block, sort_meanings
from spark_csr._cuda.spgemm_boxes import box_for, meanings
from spark_csr._cuda.spgemm_expand import expand_products, mark_products
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import Kernel, cuda, shared_type
from spark_csr._engine.holes import (
    COMPUTES_VALUES,
    IDENTITY,
    ITEMS,
    MASKED,
    MASKED_OUT,
    THREADS,
    TILE,
    Hole,
    add,
    carry_in,
    find_rows,
    key_type,
    scalar,
    shared_scalar,
)

TILE_OF_VALUES = Hole("TILE_OF_VALUES: int", "`TILE`, or 1 where the values of products are not computed.")
COUNTS_ROWS = Hole("COUNTS_ROWS: bool", "Whether the number of entries of every row of a product is written.")


@helper
def _list_heads(keys, owners, begins, length, heads, earlier, total):
    """List the products that are the first of their position; write how many come before each product. Return how many there
    are. All threads call; barriers are before and behind.
    """
    thread = np.uint32(cuda.threadIdx.x)
    first = thread * ITEMS
    found, mine = np.uint32(0), np.int32(0)
    before = key_type(0)
    if first > 0 and first < length:
        before = keys[first - 1]
    for k in range(ITEMS):
        i = first + np.uint32(k)
        if i < length:
            key = keys[i]
            if (key != before or np.uint32(begins[owners[i]]) == i) and (not MASKED or key != MASKED_OUT):
                found |= np.uint32(1 << k)
                mine += 1
            before = key
    earlier_heads, behind = carry_in(thread, mine, False, np.int32(0))
    running = np.uint32(earlier_heads)
    for k in range(ITEMS):
        i = first + np.uint32(k)
        if i < length:
            earlier[i] = running
            if found & np.uint32(1 << k) != 0:
                heads[running] = np.uint16(i)
                running += 1
    if thread == np.uint32(THREADS - 1):
        total[0] = np.uint32(behind)
    cuda.syncthreads()
    return total[0]


@helper
def _count_rows(row, rows, length, count, begins, earlier, counts):
    """Write how many entries each row of the block has."""
    for k in range(ITEMS):
        i = np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS)
        if i < rows:
            first, last = np.uint32(begins[i]), np.uint32(begins[i + 1])
            if first < last:
                stop = earlier[last] if last < length else count
                counts[row + np.int64(i)] = np.int64(stop - earlier[first])


@helper
def _combine_products(
    keys, values, sources, owners, begins, heads, earlier, count, length, row, starts, indices, data, zero
):  # fmt: skip
    """Combine the products of each position, one thread for each, and write columns and values."""
    h = np.uint32(cuda.threadIdx.x)
    while h < count:
        p = np.uint32(heads[h])
        stop = length
        if h + 1 < count:
            stop = np.uint32(heads[h + 1])
        key, owner = keys[p], np.uint32(owners[p])
        rank = h - earlier[begins[owner]]
        total = scalar(IDENTITY)
        while p < stop and (not MASKED or keys[p] == key):
            total = scalar(add(total, scalar(values[np.uint32(sources[p])])))
            p += 1
        at = starts[row + np.int64(owner)] + np.int64(rank)
        indices[at] = key
        data[at] = total
        if total == scalar(0):
            zero[0] = np.int64(1)
        h += THREADS


def _multiply_rows(a, b, mask, before, offsets, tile_rows, counts, starts, indices, data, zero):
    """Compute the rows of one tile per block: their numbers of entries, or the entries, or both. A longer row than half a tile,
    which can only be the first, is left out.
    """
    keys = cuda.shared.array(TILE, key_type)
    values = cuda.shared.array(TILE_OF_VALUES, shared_scalar)
    sources = cuda.shared.array(TILE_OF_VALUES, uint16)
    marks = cuda.shared.array(TILE, uint32)
    owners = cuda.shared.array(TILE, uint16)
    begins = cuda.shared.array(TILE, uint16)
    heads = cuda.shared.array(TILE, uint16)
    total = cuda.shared.array(1, uint32)
    row, last_row = np.int64(tile_rows[cuda.blockIdx.x]), np.int64(tile_rows[cuda.blockIdx.x + 1])
    if row < last_row and offsets[row + 1] - offsets[row] > TILE // 2:
        row += 1
    rows, start = np.uint32(last_row - row), offsets[row]
    length = np.uint32(offsets[last_row] - start)
    if length > 0:
        first = np.int64(a[0][row])
        mark_products(before, first, np.int64(a[0][last_row]), start, length, marks)
        find_rows(offsets, row, rows, start, length, owners, begins)  # has barriers: all marks are there
        if MASKED:
            cuda.syncthreads()
        expand_products(a, b, mask, before, row, first, start, length, keys, values, sources, marks, owners)
        cuda.syncthreads()
        sort_block(keys, sources, owners, begins, length)
        count = _list_heads(keys, owners, begins, length, heads, marks, total)
        if COUNTS_ROWS:
            _count_rows(row, rows, length, count, begins, marks, counts)
        if COMPUTES_VALUES:
            _combine_products(
                keys, values, sources, owners, begins, heads, marks, count, length, row, starts, indices, data, zero
            )  # fmt: skip


@functools.cache
def kernel(ring, dtype, key, masked, with_values, counts_rows):
    """Return the kernel for values of `dtype` and columns of `key`: it computes values, counts the entries of rows, or both."""
    chosen = box_for(dtype, key)
    made = meanings(ring, dtype, key, masked, chosen) | {
        "TILE_OF_VALUES": chosen.tile if with_values else 1,
        "COMPUTES_VALUES": with_values,
        "COUNTS_ROWS": counts_rows,
        "find_rows": row_finder(chosen),
        "flood_threads": block_flood(chosen.threads, copy=1),
        **sort_meanings(chosen, shared_type(key), with_values),
    }
    return Kernel(specialise(_multiply_rows, **made), chosen.threads)
