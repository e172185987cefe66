"""Prefix scans, whole or by segments.

Design: one launch whose blocks wait for those of the tiles before (`scan_chained`): a read and a write of the items. Where the
order matters, tiles are combined in a fixed one, so floats have the same bits every run. Complex numbers do not fit into the
words by which blocks tell each other: every tile is reduced, one block scans what the tiles hand on, and every tile is scanned
from what it carries in: three launches, two reads and one write of the items.
"""

import functools

import numpy as np
from numba import uint32

from spark_csr import _ops as ops
from spark_csr._array import namespace_of
from spark_csr._cuda.block import block_carry_in
from spark_csr._cuda.scan_chained import scan_chained
from spark_csr._cuda.scan_items import load_items, meanings, operator_of, store_items
from spark_csr._cuda.scan_own import BOX, find_own_starts, reduce_own_items, scan_own_items, shape_of
from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, blocks_for, box, cuda
from spark_csr._engine.holes import IDENTITY, ITEMS, SEGMENTED, THREADS, TILE, WORDS, add, carry_in, scalar, shared_scalar

SUMS = box(512, 4)  # for the sums of tiles; not tuned


def _reduce_tile(operands, heads, n, sums, broken):
    """Write what one tile per block hands on, and whether a segment begins in it."""
    values = cuda.shared.array(TILE, shared_scalar)
    marks = cuda.shared.array(WORDS, uint32)
    thread = np.uint32(cuda.threadIdx.x)
    length = load_items(operands, heads, n, np.int64(cuda.blockIdx.x), values, marks)
    starts = find_own_starts(marks)
    mine = reduce_own_items(values, starts, length)
    _, handed_on = carry_in(thread, mine, starts != 0, scalar(IDENTITY))
    if SEGMENTED:
        any_start = cuda.syncthreads_or(np.int32(starts != 0))
        if thread == 0:
            broken[cuda.blockIdx.x] = np.uint8(any_start != 0)
    if thread == np.uint32(THREADS - 1):
        sums[cuda.blockIdx.x] = handed_on


def _scan_sums(sums, broken, tiles, initial, total):
    """Turn what tiles hand on into what they carry in, in one block, a box of tiles at a time."""
    last = cuda.shared.array(1, shared_scalar)
    thread = np.uint32(cuda.threadIdx.x)
    before = scalar(initial[0])
    start = np.int64(0)
    while start < tiles:
        first = start + np.int64(np.uint32(thread * np.uint32(ITEMS)))
        mine = scalar(IDENTITY)
        starts_here = np.bool_(False)  # Numba would compile `carry_in` for a literal first
        for k in range(ITEMS):
            t = first + np.int64(k)
            if t < tiles:
                if SEGMENTED and broken[t] != 0:
                    mine = scalar(IDENTITY)
                    starts_here = True
                mine = scalar(add(mine, scalar(sums[t])))
        running, handed_on = carry_in(thread, mine, starts_here, before)
        for k in range(ITEMS):
            t = first + np.int64(k)
            if t < tiles:
                here = scalar(sums[t])
                sums[t] = running
                running = here if SEGMENTED and broken[t] != 0 else scalar(add(running, here))
        if thread == np.uint32(THREADS - 1):
            last[0] = handed_on
        cuda.syncthreads()
        before = scalar(last[0])
        start += np.int64(TILE)
    if thread == 0:
        total[0] = before


def _scan_tile(operands, heads, n, sums):
    """Scan one tile per block: every thread scans its items from what it carries in."""
    values = cuda.shared.array(TILE, shared_scalar)
    marks = cuda.shared.array(WORDS, uint32)
    thread = np.uint32(cuda.threadIdx.x)
    tile = np.int64(cuda.blockIdx.x)
    length = load_items(operands, heads, n, tile, values, marks)
    starts = find_own_starts(marks)
    mine = reduce_own_items(values, starts, length)
    running, _ = carry_in(thread, mine, starts != 0, scalar(sums[tile]))
    scan_own_items(values, starts, length, running)
    cuda.syncthreads()
    store_items(operands, n, tile, length, values)


@functools.cache
def kernels(monoid, dtype, read_item, store_result, segmented, exclusive, reverse):
    """Return the three kernels for one operator, type, source and sink, and direction."""
    of_items = meanings(monoid, dtype, read_item, store_result, segmented, exclusive, reverse)
    made = []
    for kernel, chosen in ((_reduce_tile, BOX), (_scan_sums, SUMS), (_scan_tile, BOX)):
        carry_in = block_carry_in(chosen.threads, operator_of(monoid, reverse), dtype)
        made.append(Kernel(specialise(kernel, carry_in=carry_in, **of_items, **shape_of(chosen, segmented)), chosen.threads))
    return tuple(made)


def scan(
    monoid, dtype, n, read_item, store_result, operands, total, *, heads=None, initial=None, exclusive=False, reverse=False
):
    initial = monoid.identity_for(dtype) if initial is None else initial
    way = monoid, dtype, read_item, store_result, heads is not None, exclusive, reverse
    if dtype.kind in "biuf":
        exact = dtype.kind != "f" and monoid in ops.MONOIDS.values()  # a user's operator may be less associative than promised
        scan_chained(way, n, operands, heads, initial, total, not exact)
        return
    xp = namespace_of(total)
    reduce_tile, scan_sums, scan_tile = kernels(*way)
    tiles = blocks_for(n, BOX.tile)
    sums, broken = xp.empty(tiles, dtype), xp.empty(tiles if heads is not None else 1, np.uint8)
    heads = broken if heads is None else heads
    reduce_tile(tiles, operands, heads, n, sums, broken)
    scan_sums(1, sums, broken, tiles, xp.full(1, initial, dtype), total)
    scan_tile(tiles, operands, heads, n, sums)
