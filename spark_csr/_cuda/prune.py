"""Keep the entries of a matrix that pass a test of unsigned numbers, and the offsets of what is left of its rows.

Design: `compact` with two outputs and a test in place of a mask; the ranks of a tile's entries, in shared memory, are also
where the rows that start in the tile start now.
"""

import functools

import numpy as np
from numba import types

from spark_csr import ops
from spark_csr._array import namespace_of
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.compact import _rank
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.scan import scan
from spark_csr._cuda.target import blocks_for, box, cuda, device_function
from spark_csr._specialise import specialise

BOX = box(256, 15)  # as in `compact`; not tuned


def keep_tiles(n):
    """How many tiles `n` entries make."""
    return blocks_for(n, BOX.tile)


def _load_test(tested, test, n, flags):
    """Which entries of the block's tile pass, in shared memory; zeros past the end."""
    mask, shift, width, limit = test
    thread = np.uint32(cuda.threadIdx.x)
    start = np.int64(cuda.blockIdx.x) * np.int64(TILE)
    length = np.uint32(min(np.int64(n) - start, np.int64(TILE)))
    for k in range(ITEMS):
        i = np.uint32(thread + np.uint32(k * THREADS))
        flag = np.uint8(0)
        if i < length:
            magnitude = np.uint64(np.uint64(np.uint64(tested[start + np.int64(i)]) & mask) + shift)
            if np.uint64(magnitude & width) > limit:
                flag = np.uint8(1)
        flags[i] = flag
    cuda.syncthreads()
    return length


def _count_passing(tested, test, n, counts):
    """A block takes one tile: how many entries of it pass."""
    flags = cuda.shared.array(TILE, uint8)
    load_test(tested, test, n, flags)
    _, kept = rank(flags)
    if np.uint32(cuda.threadIdx.x) == np.uint32(THREADS - 1):
        counts[cuda.blockIdx.x] = np.int64(kept)


def _lower_bound(indptr, rows, position):
    """The first row that starts at `position` or later."""
    low, high = np.int64(0), np.int64(rows) + np.int64(1)
    while low < high:
        middle = (low + high) >> 1
        if np.int64(indptr[middle]) < position:
            low = middle + 1
        else:
            high = middle
    return low


def _keep_tile(tested, test, n, indptr, rows, indices, data, before, out_indptr, out_indices, out_data):
    """A block takes one tile: writes the entries that pass from `before` on, and where its rows start now."""
    flags = cuda.shared.array(TILE, uint8)
    order = cuda.shared.array(TILE, uint16)
    ranks = cuda.shared.array(TILE, uint16)
    tile = np.int64(cuda.blockIdx.x)
    start = tile * np.int64(TILE)
    first_place = np.int64(before[tile])
    kept = np.uint32(np.int64(before[tile + 1]) - first_place)
    length = load_test(tested, test, n, flags)
    carried, _ = rank(flags)
    place = np.uint32(carried)
    thread = np.uint32(cuda.threadIdx.x)
    first = np.uint32(thread * np.uint32(ITEMS))
    for k in range(ITEMS):
        i = np.uint32(first + np.uint32(k))
        ranks[i] = np.uint16(place)
        if flags[i] != 0:
            order[place] = np.uint16(i)
            place = np.uint32(place + np.uint32(1))
    cuda.syncthreads()
    for k in range(ITEMS):
        j = np.uint32(thread + np.uint32(k * THREADS))
        if j < kept:
            source, target = start + np.int64(order[j]), first_place + np.int64(j)
            out_indices[target] = indices[source]
            out_data[target] = data[source]
    row = lower_bound(indptr, rows, start) + np.int64(thread)
    top = np.int64(rows) + np.int64(1)
    if start + np.int64(length) < np.int64(n):
        top = lower_bound(indptr, rows, start + np.int64(TILE))
    while row < top:
        at = np.uint32(np.int64(indptr[row]) - start)
        here = np.int64(kept) if at == length else np.int64(ranks[at])
        out_indptr[row] = first_place + here
        row += np.int64(THREADS)


@functools.cache
def _meanings():
    shape = {"TILE": BOX.tile, "ITEMS": BOX.items, "THREADS": BOX.threads, "uint8": types.uint8, "uint16": types.uint16}
    carry_in = block_carry_in(BOX.threads, ops.MONOIDS["sum"].op, np.dtype(np.int32))
    return shape | {
        "load_test": device_function(specialise(_load_test, **shape)),
        "rank": device_function(specialise(_rank, carry_in=carry_in, **shape)),
        "lower_bound": device_function(_lower_bound),
    }


@functools.cache
def count_kernel():
    return Kernel(specialise(_count_passing, **_meanings()), BOX.threads)


@functools.cache
def keep_kernel():
    return Kernel(specialise(_keep_tile, **_meanings()), BOX.threads)


def kept_entries(tested, test, before):
    """Entries that pass before every tile, and in all; `test` is `(mask, shift, width, limit)`: see `operations.keep`."""
    counts = namespace_of(before).empty(before.size - 1, before.dtype)
    count_kernel()(counts.size, tested, test, tested.size, counts)
    operands, total = (counts, before[:-1]), before[-1:]
    scan(ops.MONOIDS["sum"], before.dtype, counts.size, ops.element, ops.store, operands, total, exclusive=True)


def keep(tested, test, indptr, indices, data, before, out_indptr, out_indices, out_data):
    """The entries that pass, and the offsets of their rows."""
    sizes, rows = tested.size, indptr.size - 1
    outputs = out_indptr, out_indices, out_data
    keep_kernel()(before.size - 1, tested, test, sizes, indptr, rows, indices, data, before, *outputs)
