"""Rows of `A @ B` that are too long for a block: their products are expanded, sorted and combined by all blocks.

Design: every row is cut into tiles of products. They are expanded tile by tile, sorted by row and column with the passes of the
radix sort, which keeps the order of A's entries within a position, and combined by one thread for each position
(`spgemm_combine`). The last tile of a row is filled up with products of a column that the matrix has not, so every tile begins
at a multiple of its size. Cost: 2 (key + value) bytes for every product.
Source: Bell, Dalton & Olson, *Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods*, 2012.
"""

import functools

import numpy as np
from numba import int64, uint16, uint32

from spark_csr._array import by_width, index_dtype, namespace_of
from spark_csr._cuda.block import block_flood
from spark_csr._cuda.radix import list_digits, move_by_digits
from spark_csr._cuda.spgemm_boxes import box_for, meanings
from spark_csr._cuda.spgemm_combine import combine_kernel, find_tile
from spark_csr._cuda.spgemm_expand import expand_products, mark_products
from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, cuda
from spark_csr._engine.holes import IDENTITY, ITEMS, MASKED, MASKED_OUT, THREADS, TILE, key_type, scalar, shared_scalar
from spark_csr._shared.bisection import first_at_least


def _expand_tile(a, b, mask, before, offsets, long, bits, nothing, out_keys, out_values):
    """Write the keys and values of a tile of products per block; `nothing` is the column of what the mask forbids, and of what
    fills up the row.
    """
    cuts = cuda.shared.array(2, int64)
    keys = cuda.shared.array(TILE, key_type)
    values = cuda.shared.array(TILE, shared_scalar)
    sources = cuda.shared.array(TILE, uint16)
    marks = cuda.shared.array(TILE, uint32)
    owners = cuda.shared.array(TILE, uint16)
    thread = np.uint32(cuda.threadIdx.x)
    number, row, inside, length = find_tile(long, offsets, np.int64(cuda.blockIdx.x))
    start = offsets[row] + inside
    if thread < 2:
        wanted = start + 1 if thread == 0 else start + np.int64(length)
        cuts[thread] = np.int64(first_at_least(before, a[0][row], a[0][row + 1], wanted))
    for k in range(ITEMS):
        owners[thread + np.uint32(k * THREADS)] = np.uint16(0)
    cuda.syncthreads()
    first = cuts[0] - 1
    mark_products(before, first, cuts[1], start, length, marks)
    cuda.syncthreads()
    expand_products(a, b, mask, before, row, first, start, length, keys, values, sources, marks, owners)
    at = np.int64(cuda.blockIdx.x) * TILE
    for k in range(ITEMS):
        i = thread + np.uint32(k * THREADS)
        column, value = np.uint64(nothing), scalar(IDENTITY)
        if i < length:
            value = scalar(values[i])
            if not MASKED or keys[i] != MASKED_OUT:
                column = np.uint64(keys[i])
        out_keys[at + np.int64(i)] = np.uint64(number) << np.uint64(bits) | column
        out_values[at + np.int64(i)] = value


@functools.cache
def expand_kernel(ring, dtype, key, masked):
    """Return the kernel `_expand_tile` for values of `dtype` and columns of `key`."""
    chosen = box_for(dtype, key)
    made = meanings(ring, dtype, key, masked, chosen)
    flood_threads = block_flood(chosen.threads)
    return Kernel(specialise(_expand_tile, flood_threads=flood_threads, COMPUTES_VALUES=True, **made), chosen.threads)


def multiply_long_rows(long, ring, a, b, mask, before, offsets, columns, counts, indices, data, zero):
    """Write the entries of long rows to where their products begin at `offsets`, with gaps behind tiles, and their number into
    `counts`. Return how many entries there are in tiles before each.
    """
    xp, n, dtype, masked = namespace_of(counts), long.blocks * long.tile, data.dtype, mask is not None
    moved = dtype.itemsize in (4, 8)
    bits = columns.bit_length()  # one column more than there are, for what is none
    in_use = bits + (long.count - 1).bit_length()
    keys, values = xp.empty(n, np.uint32 if in_use <= 32 else np.uint64), xp.empty(n, dtype)
    rows = tuple(long[:4])
    expand = expand_kernel(ring, dtype, b[1].dtype, masked)
    expand(long.blocks, a, b, mask if masked else a[:2], before, offsets, rows, bits, columns, keys, values)
    digits, order = list_digits((1 << in_use) - 1), by_width(values) if moved else xp.empty(n, index_dtype(n))
    pairs = [[x, xp.empty_like(x)] for x in (keys, by_width(order))]
    last = len(digits) % 2
    move_by_digits(digits, [keys, pairs[1][0] if moved else None], *([pair[k] for pair in pairs] for k in (last, 1 - last)))
    keys, order = (pair[last] for pair in pairs)
    values = order.view(dtype) if moved else values
    earlier, ended = xp.empty(long.blocks + 1, np.int64), xp.zeros(1, np.int64)
    combine = combine_kernel(ring, dtype, b[1].dtype, keys.dtype.type, masked, not moved)
    combine(long.blocks, keys, values, order, n, rows, columns, bits, offsets, earlier, ended, counts, indices, data, zero)
    return earlier
