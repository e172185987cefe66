"""Prefix scans, whole or by segments, in one launch: a read and a write of the items.

Design: a tile tells what it hands on by itself, waits for the tiles before it, and tells what it hands on with all of them
(`look_back`). Where the order matters, it does so for groups of tiles, in a fixed order (`look_back_in_order`), so floats have
the same bits every run.
Progress: tiles are taken by a ticket, so a block waits only for blocks that hold smaller tickets: these have started, and the
first of them waits for none. A block tells of its own tile before it waits. In modes that run one block after another, all
blocks that another waits for have ended. Fences: none, since the words by which blocks tell each other hold what they tell.
Source: Merrill & Garland, *Single-pass Parallel Prefix Scan with Decoupled Look-back*, NVIDIA, 2016.
"""

import functools

import numpy as np
from numba import int64, uint32

from spark_csr._array import namespace_of
from spark_csr._cuda.block import carry_in_warp, carry_meanings, carry_on
from spark_csr._cuda.look_back import parts_of, word_meanings
from spark_csr._cuda.look_back import tell_and_look_back as look_back
from spark_csr._cuda.look_back_in_order import tell_and_look_back_in_order, words_for
from spark_csr._cuda.scan_items import load_items, meanings, operator_of, store_items
from spark_csr._cuda.scan_own import BOX, find_own_starts, reduce_own_items, scan_own_items, shape_of
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import WARP, Kernel, blocks_for, cuda, fetch_add
from spark_csr._engine.holes import IDENTITY, THREADS, TILE, WARPS, WORDS, Hole, add, scalar, shared_scalar
from spark_csr._ops import MONOIDS

tell_and_look_back = Hole(
    "tell_and_look_back(states, tile, total, broken, initial) -> value",
    "Publish `total`, the sum of a tile, wait for the sum of all tiles before it, and return that. One warp calls.",
)


@helper
def _chain_in(thread, value, broken, states, tile, initial):
    """Do as `block_carry_in` with what the tiles before hand on, and tell those behind what this one does."""
    warp_values = cuda.shared.array(WARPS, shared_scalar)
    warp_breaks = cuda.shared.array(WARPS, uint32)
    before = cuda.shared.array(1, shared_scalar)
    left, breaks = carry_in_warp(thread, value, broken, warp_values, warp_breaks)
    cuda.syncthreads()
    if thread < WARP:
        total, any_break = scalar(IDENTITY), np.uint32(0)
        for w in range(WARPS):
            total = scalar(warp_values[w]) if warp_breaks[w] != 0 else scalar(add(total, scalar(warp_values[w])))
            any_break |= warp_breaks[w]
        found = tell_and_look_back(states, tile, total, any_break != 0, initial)
        if thread == 0:
            before[0] = found
    cuda.syncthreads()
    carry = carry_on(thread, scalar(before[0]), left, breaks, warp_values, warp_breaks)
    return carry, value if broken else scalar(add(carry, value))


def _scan_next_tile(operands, heads, n, tickets, states, tiles, initial, total):
    """Scan the tile of the block's ticket."""
    values = cuda.shared.array(TILE, shared_scalar)
    marks = cuda.shared.array(WORDS, uint32)
    ticket = cuda.shared.array(1, int64)
    thread = np.uint32(cuda.threadIdx.x)
    if thread == 0:
        ticket[0] = np.int64(fetch_add(tickets, np.int64(0), np.uint64(1)))
    cuda.syncthreads()
    tile = ticket[0]
    length = load_items(operands, heads, n, tile, values, marks)
    starts = find_own_starts(marks)
    mine = reduce_own_items(values, starts, length)
    running, handed_on = _chain_in(thread, mine, starts != 0, states, tile, scalar(initial))
    if thread == np.uint32(THREADS - 1) and tile + 1 == tiles:
        total[0] = handed_on
    scan_own_items(values, starts, length, running)
    cuda.syncthreads()
    store_items(operands, n, tile, length, values)


@functools.cache
def _kernel(in_order, monoid, dtype, read_item, store_result, segmented, exclusive, reverse):
    """Return the kernel for one operator, type, source and sink, and direction; `in_order`: whether the order matters."""
    made = meanings(monoid, dtype, read_item, store_result, segmented, exclusive, reverse) | shape_of(BOX, segmented)
    operator = operator_of(monoid, reverse)
    made |= carry_meanings(BOX.threads, operator, dtype) | word_meanings(monoid, dtype, operator)
    made["tell_and_look_back"] = tell_and_look_back_in_order if in_order else look_back
    return Kernel(specialise(_scan_next_tile, **made), BOX.threads)


def scan(
    monoid, dtype, n, read_item, store_result, operands, total, *, heads=None, initial=None, exclusive=False, reverse=False
):
    initial = monoid.identity_for(dtype) if initial is None else initial
    in_order = dtype.kind in "fc" or monoid not in MONOIDS.values()  # a user's operator may be less associative than promised
    tiles = max(blocks_for(n, BOX.tile), 1)  # one tells the total of nothing
    words = namespace_of(total).zeros(1 + words_for(tiles) * parts_of(dtype), np.uint64)
    tickets, states = words[:1], words[1:]
    kernel = _kernel(in_order, monoid, dtype, read_item, store_result, heads is not None, exclusive, reverse)
    kernel(tiles, operands, tickets if heads is None else heads, n, tickets, states, tiles, initial, total)
