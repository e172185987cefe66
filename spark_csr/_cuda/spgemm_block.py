"""Rows of `A @ B` that fill a block: their products are sorted in its shared memory, one row at a time.

Design: shared memory holds columns and where they come from, so it is enough for 7 or 4 products of each of 1,024 threads.
Values are written to where the row is kept, which has room for every product, and read from there in the order of columns. The
products that are the first of their position are listed, and each is combined with those up to the next in the list; results
are written after all values were read. One list has the rows for blocks of all sizes: a block that finds a row that is not for
blocks of its size leaves it to another launch.
"""

import functools

import numpy as np
from numba import uint16, uint32

from spark_csr._cuda.block import block_flood
from spark_csr._cuda.runs import sort_block, sort_meanings
from spark_csr._cuda.spgemm_boxes import boxes_of_rows, meanings
from spark_csr._cuda.spgemm_expand import mark_products
from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, cuda, shared_type
from spark_csr._engine.holes import (
    IDENTITY,
    ITEMS,
    MASKED,
    MASKED_OUT,
    THREADS,
    TILE,
    Hole,
    add,
    carry_in,
    key_type,
    multiply,
    scalar,
    shared_scalar,
)
from spark_csr._shared.bisection import first_at_least

WIDE_KEYS = Hole("WIDE_KEYS: bool", "Whether columns have more bytes than the marks that stand in the same shared memory.")

ALLOWED, HEADS = 0, 1
"""What is shared of a row: where the products end that the mask allows, and how many positions they have."""


def _multiply_row(a, b, mask, before, offsets, listed, short, counts, indices, data, zero):
    """Compute one row of a list per block if it has more than `short` products, and no more than fit."""
    keys = cuda.shared.array(TILE, key_type)
    sources = cuda.shared.array(TILE, uint16)
    ends = cuda.shared.array(2, uint32)
    own = cuda.local.array(ITEMS, key_type)
    results = cuda.local.array(ITEMS, shared_scalar)
    a_indptr, a_indices, a_data = a
    b_indptr, b_indices, b_data = b
    thread = np.uint32(cuda.threadIdx.x)
    row = np.int64(listed[cuda.blockIdx.x])
    start = offsets[row]
    products = offsets[row + 1] - start
    if products <= short or products > TILE:
        return
    length = np.uint32(products)
    marks = keys.view(np.uint32)
    first = np.int64(a_indptr[row])
    mark_products(before, first, np.int64(a_indptr[row + 1]), start, length, marks)
    cuda.syncthreads()
    for k in range(ITEMS):
        i = thread + np.uint32(k * THREADS)
        if i < length:
            entry = first + np.int64(marks[i] - 1)
            q = b_indptr[np.int64(a_indices[entry])] + (start + np.int64(i) - before[entry])
            own[k] = b_indices[q]
            if MASKED:
                stop = np.uint64(mask[0][row + 1])
                at = first_at_least(mask[1], mask[0][row], stop, np.int64(own[k]))
                if at == stop or mask[1][at] != own[k]:
                    own[k] = MASKED_OUT
            data[start + np.int64(i)] = scalar(multiply(scalar(a_data[entry]), scalar(b_data[q])))
    if WIDE_KEYS:  # else each thread overwrites the marks that it has read
        cuda.syncthreads()
    for k in range(ITEMS):
        i = thread + np.uint32(k * THREADS)
        if i < length:
            keys[i] = own[k]
            sources[i] = np.uint16(i)
    if thread == 0:
        ends[ALLOWED] = length
    cuda.syncthreads()
    sort_block(keys, sources, sources, sources, length)

    begin = thread * ITEMS
    found, mine = np.uint32(0), np.int32(0)
    for k in range(ITEMS):
        i = begin + np.uint32(k)
        if i < length:
            own[k] = keys[i]
            if i == 0 or keys[i - 1] != own[k]:
                if MASKED and own[k] == MASKED_OUT:
                    ends[ALLOWED] = i
                else:
                    found |= np.uint32(1 << k)
                    mine += 1
    earlier, behind = carry_in(thread, mine, False, np.int32(0))  # has a barrier: all have read their keys
    rank = np.uint32(earlier)
    for k in range(ITEMS):
        if found & np.uint32(1 << k) != 0:
            marks[rank] = begin + np.uint32(k)
            indices[start + np.int64(rank)] = own[k]
            rank += 1
    if thread == np.uint32(THREADS - 1):
        ends[HEADS] = np.uint32(behind)
        counts[row] = behind
    cuda.syncthreads()
    for k in range(ITEMS):
        h = thread + np.uint32(k * THREADS)
        if h < ends[HEADS]:
            p, total = marks[h], scalar(IDENTITY)
            h += 1
            stop = marks[h] if h < ends[HEADS] else ends[ALLOWED]
            while p < stop:
                total = scalar(add(total, scalar(data[start + np.int64(sources[p])])))
                p += 1
            results[k] = total
    cuda.syncthreads()
    for k in range(ITEMS):
        h = thread + np.uint32(k * THREADS)
        if h < ends[HEADS]:
            data[start + np.int64(h)] = results[k]
            if results[k] == scalar(0):
                zero[0] = np.int64(1)


@functools.cache
def _kernel(ring, dtype, key, masked, chosen):
    """Return the kernel for values of `dtype`, columns of `key` and blocks of a box."""
    made = meanings(ring, dtype, key, masked, chosen) | sort_meanings(chosen, shared_type(key), True, one_segment=True)
    made |= {"WIDE_KEYS": key.itemsize > 4, "flood_threads": block_flood(chosen.threads)}
    return Kernel(specialise(_multiply_row, **made), chosen.threads)


def multiply_rows(short, listed, of_box, ring, a, b, mask, before, offsets, counts, indices, data, zero):
    """Compute the rows of more than `short` products that fill a block, which are listed; `of_box` tells how many there are
    for each box.
    """
    where, key = a[:2] if mask is None else mask, b[1].dtype
    for chosen, rows in zip(boxes_of_rows(key), of_box, strict=True):
        if rows:
            made = _kernel(ring, data.dtype, key, mask is not None, chosen)
            made(sum(of_box), a, b, where, before, offsets, listed, short, counts, indices, data, zero)
        short = chosen.tile
