"""How many products `A @ B` is made of: before every entry of A, in every row, and which rows are long.

Design: a scan over A's entries of how long their rows of B are. The block that sums up the last tile scans the sums of all
tiles, so this is two launches. A third one looks at the rows: it lists those that are too long to share a block, from the front
of the list those that a block of their own takes, from its back longer ones, with tiles of products for each of these. Blocks
append in any order, and the host learns all sizes by one read. Cost: an offset for each of A's entries, three for each row.
"""

import functools

import numpy as np
from numba import int64

from spark_csr import _ops as ops
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.ticket import count_scanner, is_last_block
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import Kernel, box, cuda, fetch_add, fetch_max
from spark_csr._engine.holes import ITEMS, THREADS, TILE, carry_in, scan_counts

BOX = box(256, 7)  # odd items: threads read shared memory without bank conflicts; not tuned

TOTAL, LONGEST_SHORT, LONGEST, LISTED, LONG, ENDED, OF_BOXES = range(7)
"""Positions of sizes: of all products; of the longest row that shares a block, and of longer ones; how many rows are listed
from the front; rows and tiles of the longest ones, in one number; how many blocks have ended; rows for blocks of each box."""

ROWS = 24
"""Bits of the number of long rows; the bits above are tiles. More of such rows do not fit into the memory of a GPU."""


@helper
def _load_lengths(a_indices, b_indptr, n, lengths):
    """Bring how many products the entries of the block's tile have into shared memory, and zeros behind the last one."""
    thread = np.uint32(cuda.threadIdx.x)
    start = np.int64(cuda.blockIdx.x) * TILE
    for k in range(ITEMS):
        i = thread + np.uint32(k * THREADS)
        length = np.int64(0)
        if start + np.int64(i) < n:
            j = np.int64(a_indices[start + np.int64(i)])
            length = b_indptr[j + 1] - b_indptr[j]
        lengths[i] = length
    cuda.syncthreads()
    mine = np.int64(0)
    first = thread * ITEMS
    for k in range(ITEMS):
        mine += lengths[first + np.uint32(k)]
    return mine


def _sum_tile(a_indices, b_indptr, n, sums, before, sizes):
    """Write how many products the entries of one tile per block have; the last block turns that into what comes before each."""
    lengths = cuda.shared.array(TILE, int64)
    thread = np.uint32(cuda.threadIdx.x)
    _, all_of_tile = carry_in(thread, _load_lengths(a_indices, b_indptr, n, lengths), False, np.int64(0))
    if thread == np.uint32(THREADS - 1):
        sums[cuda.blockIdx.x] = all_of_tile
    cuda.syncthreads()
    if is_last_block(sizes, ENDED):
        total = scan_counts(sums, np.int64(cuda.gridDim.x))
        if thread == 0:
            before[n] = total


def _write_before(a_indices, b_indptr, n, sums, before):
    """Write how many products there are before each entry of one tile per block."""
    lengths = cuda.shared.array(TILE, int64)
    thread = np.uint32(cuda.threadIdx.x)
    mine = _load_lengths(a_indices, b_indptr, n, lengths)
    running, _ = carry_in(thread, mine, False, sums[cuda.blockIdx.x])
    first = thread * ITEMS
    for k in range(ITEMS):
        length = lengths[first + np.uint32(k)]
        lengths[first + np.uint32(k)] = running
        running += length
    cuda.syncthreads()
    start = np.int64(cuda.blockIdx.x) * TILE
    for k in range(ITEMS):
        i = thread + np.uint32(k * THREADS)
        if start + np.int64(i) < n:
            before[start + np.int64(i)] = lengths[i]


def _look_at_rows(rows, a_indptr, before, limits, offsets, products, listed, tiles, sizes):
    """Write the position of each row's first product, and how many it has; list long rows, with tiles for the longest.

    One more thread than there are rows has the total.
    """
    thread = np.uint32(cuda.threadIdx.x)
    row = np.int64(cuda.blockIdx.x) * THREADS + np.int64(thread)
    count = np.int64(0)
    if row <= rows:
        start = before[np.int64(a_indptr[row])]
        offsets[row] = start
        if row == rows:
            sizes[TOTAL] = start
        else:
            count = before[np.int64(a_indptr[row + 1])] - start
            products[row] = count
            if count > limits[0]:
                fetch_max(sizes, np.int64(LONGEST), count)
                if count > limits[3]:
                    more = (count + (TILE - 1)) // TILE
                    both = fetch_add(sizes, np.int64(LONG), (more << ROWS) + 1)
                    number = both & ((1 << ROWS) - 1)
                    listed[rows - 1 - number] = row
                    tiles[number] = both >> ROWS
                else:
                    number = 0 if count <= limits[1] else 1 if count <= limits[2] else 2
                    fetch_add(sizes, OF_BOXES + number, np.int64(1))
                    listed[fetch_add(sizes, np.int64(LISTED), np.int64(1))] = row
                count = np.int64(0)
    _, most = carry_in(thread, count, False, np.int64(0))
    if thread == np.uint32(THREADS - 1) and most > 0:
        fetch_max(sizes, np.int64(LONGEST_SHORT), most)


@functools.cache
def entry_kernels():
    """Return the kernels `_sum_tile` and `_write_before`."""
    made = {
        "TILE": BOX.tile,
        "ITEMS": BOX.items,
        "THREADS": BOX.threads,
        "scan_counts": count_scanner(BOX),
        "carry_in": block_carry_in(BOX.threads, ops.plus, np.dtype(np.int64)),
    }
    return tuple(Kernel(specialise(kernel, **made), BOX.threads) for kernel in (_sum_tile, _write_before))


@functools.cache
def row_kernel(tile):
    """Return the kernel `_look_at_rows` for tiles of so many products."""
    carry_in = block_carry_in(BOX.threads, ops.MONOIDS["max"].op, np.dtype(np.int64))
    return Kernel(specialise(_look_at_rows, TILE=tile, THREADS=BOX.threads, carry_in=carry_in), BOX.threads)
