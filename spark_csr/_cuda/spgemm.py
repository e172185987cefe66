"""`A @ B` on a GPU: a block expands, sorts and combines the products of some rows in its shared memory.

Design: rows of at most half a tile of products; a block takes those that end in its tile of the list of products and row ends.
Sorting is stable and one thread adds the products of a position, so sums are made in the order of A's entries. Longer rows are
left to the caller. Cost: one offset for every entry of A beside the operands; everything is expanded twice, to count and to
fill. Source: Winter et al., *Adaptive Sparse Matrix-Matrix Multiplication on the GPU*, 2019 (its local stage).
"""

import functools

import numpy as np
from numba import uint16

from spark_csr import _ops as ops
from spark_csr._array import to_host_scalar
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.rows import row_finder
from spark_csr._cuda.runs import block_sorter
from spark_csr._cuda.target import box, cuda, device_function, shared_type
from spark_csr._holes import (
    COMPUTES_VALUES,
    IDENTITY,
    ITEMS,
    MASKED,
    MASKED_OUT,
    THREADS,
    TILE,
    add,
    carry_in,
    count_heads,
    count_heads_before,
    expand_product,
    find_rows,
    find_tile_rows,
    is_head,
    key_type,
    multiply,
    scalar,
    shared_scalar,
    sort_block,
    sort_products,
)
from spark_csr._shared.bisection import first_at_least
from spark_csr._specialise import specialise

BOX = box(256, 5)  # shared memory: at most 32 bytes a product; not tuned


def _expand_product(a, b, mask, entries, row, rank, i, keys, values):
    """Write the column and the value of product `rank` of a row to place `i`, or the largest key if the mask forbids it."""
    a_indptr, a_indices, a_data = a
    b_indptr, b_indices, b_data = b
    first = np.int64(a_indptr[row])
    product = np.int64(entries[first]) + rank
    entry = np.int64(first_at_least(entries, first + 1, a_indptr[row + 1], product + 1)) - 1
    q = np.int64(b_indptr[np.int64(a_indices[entry])]) + product - np.int64(entries[entry])
    column = b_indices[q]
    keys[i] = column
    if MASKED:
        stop = np.uint64(mask[0][row + 1])
        at = first_at_least(mask[1], mask[0][row], stop, np.int64(column))
        if at == stop or mask[1][at] != column:
            keys[i] = MASKED_OUT
    if COMPUTES_VALUES:
        values[i] = scalar(multiply(scalar(a_data[entry]), scalar(b_data[q])))


def _is_head(keys, starts, i):
    """Return whether item `i` is the first of its position."""
    key = keys[i]
    return key != MASKED_OUT and (i == np.uint32(starts[i]) or key != keys[np.uint32(i - np.uint32(1))])


def _count_heads(keys, starts, length, ranks):
    """Write how many heads there are up to and including every item. All threads call; a barrier must follow."""
    thread = np.uint32(cuda.threadIdx.x)
    heads = np.int32(0)
    for k in range(ITEMS):
        i = np.uint32(thread * np.uint32(ITEMS) + np.uint32(k))
        if i < length and is_head(keys, starts, i):
            heads += np.int32(1)
    before, _ = carry_in(thread, heads, False, np.int32(0))
    for k in range(ITEMS):
        i = np.uint32(thread * np.uint32(ITEMS) + np.uint32(k))
        if i < length:
            before += np.int32(1) if is_head(keys, starts, i) else np.int32(0)
            ranks[i] = np.uint16(before)


def _count_heads_before(ranks, i):
    return np.int64(ranks[i - np.uint32(1)]) if i > 0 else np.int64(0)


def _find_tile_rows(offsets, tile_rows):
    """Return the rows of a block's tile: the first, how many, the position of their first product, and how many products."""
    row, last_row = np.int64(tile_rows[cuda.blockIdx.x]), np.int64(tile_rows[cuda.blockIdx.x + 1])
    start = np.int64(offsets[row])
    return row, np.uint32(last_row - row), start, np.uint32(np.int64(offsets[last_row]) - start)


def _sort_products(a, b, mask, entries, offsets, tile, keys, values, sources, owners, starts, stops):
    """Expand a block's products, sort those of each row by column, count the heads into `stops`.

    All threads call.
    """
    row, rows, start, length = tile
    find_rows(offsets, row, rows, start, length, owners, starts, stops)
    cuda.syncthreads()
    for k in range(ITEMS):
        i = np.uint32(np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS))
        if i < length:
            rank = np.int64(i) - np.int64(starts[i])
            expand_product(a, b, mask, entries, row + np.int64(owners[i]), rank, i, keys, values)
            sources[i] = np.uint16(i)
    cuda.syncthreads()
    sort_block(keys, sources, starts, stops, length)
    count_heads(keys, starts, length, stops)
    cuda.syncthreads()


def _count_rows(a, b, mask, entries, offsets, tile_rows, counts):
    """Count the positions of the rows of one tile per block."""
    keys = cuda.shared.array(TILE, key_type)
    sources = cuda.shared.array(TILE, uint16)
    owners = cuda.shared.array(TILE, uint16)
    starts = cuda.shared.array(TILE, uint16)
    stops = cuda.shared.array(TILE, uint16)
    tile = find_tile_rows(offsets, tile_rows)
    row, rows, start, length = tile
    if length > 0:
        sort_products(a, b, mask, entries, offsets, tile, keys, sources, sources, owners, starts, stops)
        for k in range(ITEMS):
            i = np.uint32(np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS))
            if i < rows:
                first = np.uint32(np.int64(offsets[row + np.int64(i)]) - start)
                last = np.uint32(np.int64(offsets[row + np.int64(i) + 1]) - start)
                if first < last:
                    counts[row + np.int64(i)] = count_heads_before(stops, last) - count_heads_before(stops, first)


def _fill_rows(a, b, mask, entries, offsets, tile_rows, indptr, indices, data):
    """Write the rows of one tile per block."""
    keys = cuda.shared.array(TILE, key_type)
    values = cuda.shared.array(TILE, shared_scalar)
    sources = cuda.shared.array(TILE, uint16)
    owners = cuda.shared.array(TILE, uint16)
    starts = cuda.shared.array(TILE, uint16)
    stops = cuda.shared.array(TILE, uint16)
    tile = find_tile_rows(offsets, tile_rows)
    row, _, _, length = tile
    if length > 0:
        sort_products(a, b, mask, entries, offsets, tile, keys, values, sources, owners, starts, stops)
        for k in range(ITEMS):
            i = np.uint32(np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS))
            if i < length and is_head(keys, starts, i):
                first = np.uint32(starts[i])
                at = np.int64(indptr[row + np.int64(owners[i])]) + np.int64(stops[i]) - 1 - count_heads_before(stops, first)
                total, p = scalar(IDENTITY), i
                while p < length and np.uint32(starts[p]) == first and keys[p] == keys[i]:
                    total = scalar(add(total, scalar(values[np.uint32(sources[p])])))
                    p = np.uint32(p + np.uint32(1))
                indices[at] = keys[i]
                data[at] = total


@functools.cache
def kernels(ring, dtype, key, masked):
    """Return the kernels `_count_rows` and `_fill_rows` for columns of dtype `key`."""
    meanings = {
        "add": ring.add.op,
        "multiply": ring.multiply_for(dtype),
        "scalar": dtype.type,
        "IDENTITY": ring.add.identity_for(dtype).item(),
        "key_type": shared_type(key),
        "shared_scalar": shared_type(dtype),
        "MASKED_OUT": np.iinfo(key).max,
        "TILE": BOX.tile,
        "ITEMS": BOX.items,
        "THREADS": BOX.threads,
        "MASKED": masked,
        "find_rows": row_finder(BOX),
        "carry_in": block_carry_in(BOX.threads, ops.plus, np.dtype(np.int32)),
    }
    helpers = {
        "is_head": _is_head,
        "count_heads_before": _count_heads_before,
        "count_heads": _count_heads,
        "find_tile_rows": _find_tile_rows,
    }
    for name, helper in helpers.items():
        meanings[name] = device_function(specialise(helper, **meanings))
    made = []
    for kernel, with_values in ((_count_rows, False), (_fill_rows, True)):
        expand_product = device_function(specialise(_expand_product, COMPUTES_VALUES=with_values, **meanings))
        parts = {"expand_product": expand_product, "sort_block": block_sorter(BOX, shared_type(key), with_values)}
        sort_products = device_function(specialise(_sort_products, **parts, **meanings))
        made.append(Kernel(specialise(kernel, sort_products=sort_products, **meanings), BOX.threads))
    return made


def _operands(plan, a, b, mask):
    where = a[:2] if mask is None else mask
    return plan.tiles.rows.size - 1, a, b, where, plan.entries, plan.offsets, plan.tiles.rows


def spgemm_count(plan, a_indptr, a_indices, b_indptr, b_indices, mask, counts):
    count, _ = kernels(ops.PLUS_TIMES, np.dtype(np.float64), b_indices.dtype, mask is not None)
    a, b = (a_indptr, a_indices, a_indices), (b_indptr, b_indices, b_indices)
    count(*_operands(plan, a, b, mask), counts)


def spgemm_fill(plan, ring, a, b, mask, indptr, indices, data):
    """Write the entries of the product; return whether one of the values is 0."""
    _, fill = kernels(ring, data.dtype, b[1].dtype, mask is not None)
    fill(*_operands(plan, a, b, mask), indptr, indices, data)
    return ring is ops.PLUS_TIMES and bool(to_host_scalar((data == 0).any()))
