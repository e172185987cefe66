"""Keep the entries of a matrix that pass a test of unsigned numbers, and the offsets of what is left of its rows.

Design: `compact` with two outputs and a test in place of a mask; the ranks of a tile's entries, in shared memory, are also
where the rows that start in the tile start now.
"""

import functools

import numpy as np
from numba import uint8, uint16

from spark_csr._array import namespace_of, to_host_scalar
from spark_csr._cuda.kept import BOX, count_earlier_selected, count_kept, load_flags, meanings
from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, blocks_for, cuda, device_function
from spark_csr._engine.holes import ITEMS, THREADS, TILE
from spark_csr._shared.bisection import first_at_least


def keep_tiles(n):
    """Return how many tiles `n` entries make."""
    return blocks_for(n, BOX.tile)


@device_function
def is_selected(operands, i):
    tested, mask, shift, width, limit = operands
    magnitude = (np.uint64(tested[i]) & mask) + shift
    return magnitude & width > limit


def _keep_tile(operands, n, indptr, rows, indices, data, before, out_indptr, out_indices, out_data):
    """Write the entries of one tile per block that pass, from `before` on, and where the rows that start in it start now."""
    flags = cuda.shared.array(TILE, uint8)
    order = cuda.shared.array(TILE, uint16)
    ranks = cuda.shared.array(TILE, uint16)
    tile = np.int64(cuda.blockIdx.x)
    start = tile * TILE
    first_place = before[tile]
    kept = np.uint32(before[tile + 1] - first_place)
    length = load_flags(operands, n, flags)
    carried, _ = count_earlier_selected(flags)
    place = np.uint32(carried)
    thread = np.uint32(cuda.threadIdx.x)
    first = thread * ITEMS
    for k in range(ITEMS):
        i = first + np.uint32(k)
        ranks[i] = np.uint16(place)
        if flags[i] != 0:
            order[place] = np.uint16(i)
            place += 1
    cuda.syncthreads()
    for k in range(ITEMS):
        j = thread + np.uint32(k * THREADS)
        if j < kept:
            source, target = start + np.int64(order[j]), first_place + np.int64(j)
            out_indices[target] = indices[source]
            out_data[target] = data[source]
    top = rows + 1
    row = np.int64(first_at_least(indptr, 0, top, start)) + np.int64(thread)
    if start + np.int64(length) < n:
        top = np.int64(first_at_least(indptr, 0, top, start + TILE))
    while row < top:
        at = np.uint32(indptr[row] - start)
        here = np.int64(kept) if at == length else np.int64(ranks[at])
        out_indptr[row] = first_place + here
        row += THREADS


@functools.cache
def keep_kernel():
    return Kernel(specialise(_keep_tile, **meanings(is_selected)), BOX.threads)


def count_selected_entries(tested, test, before):
    """Count the entries that pass before every tile, and in all; `test` is `(mask, shift, width, limit)`, see
    `_operations.form.keep`.
    """
    count_kept(is_selected, (tested, *test), tested.size, before)


def keep(tested, test, indptr, indices, data, before, out_indptr, out_indices, out_data):
    """Write the entries that pass, and the offsets of their rows."""
    operands, rows, outputs = (tested, *test), indptr.size - 1, (out_indptr, out_indices, out_data)
    keep_kernel()(before.size - 1, operands, tested.size, indptr, rows, indices, data, before, *outputs)


def keep_in_place(tested, test, indptr, indices, data, out_indptr):
    """Move the entries that pass to the front of `indices` and `data`, and write the offsets of their rows. One host read."""
    xp = namespace_of(data)
    before = xp.empty(keep_tiles(tested.size) + 1, np.int64)
    count_selected_entries(tested, test, before)
    kept = to_host_scalar(before[-1])
    offsets, columns, values = xp.empty_like(out_indptr), xp.empty(kept, indices.dtype), xp.empty(kept, data.dtype)
    keep(tested, test, indptr, indices, data, before, offsets, columns, values)
    indices[:kept], data[:kept], out_indptr[...] = columns, values, offsets
