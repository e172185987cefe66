"""Prefix scans, whole or by segments: reduce every block of items, scan what they hand on, scan every block from its carry.

Design: one addition waits for the one before, so a core goes through eight blocks side by side. `read_item` returns
what is scanned, `store_result` stores a result: a flood is a scan whose items are positions and whose sink gathers. The
blocks are cut by size alone: same bits for every number of threads.
"""

import functools

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, helper, njit, specialise
from spark_csr._engine.holes import EXCLUSIVE, add, is_segment_start, position_of_item, read_item, scalar, store_result
from spark_csr._engine.numba.intrinsics.registers import register_array
from spark_csr._ops import flip_arguments

SIDE_BY_SIDE = 8
"""Blocks that a core goes through together."""


@njit(forceinline=True)
def _forward_position(k, n):
    return k


@njit(forceinline=True)
def _backward_position(k, n):
    return np.uint64(n) - 1 - k


@njit(forceinline=True)
def _no_head_at(heads, i, n):
    return False


@njit(forceinline=True)
def _head_at(heads, i, n):
    return heads[i]


@njit(forceinline=True)
def _tail_at(heads, i, n):
    """Return whether a segment begins here in reverse: it does where the next head stands."""
    return i + 1 == np.uint64(n) or heads[i + 1]


def _scan_in_order(operands, heads, n, identity, initial, total):
    """Scan all items one after the other."""
    running = initial
    for k in range(np.uint64(n)):
        i = position_of_item(k, n)
        if is_segment_start(heads, i, n):
            running = identity
        after = scalar(add(running, scalar(read_item(operands, i))))
        store_result(operands, i, running if EXCLUSIVE else after)
        running = after
    total[0] = running


@helper(inlined=False)
def _sum_tile(tile, operands, heads, n, block, identity, sums, broken):
    """Reduce each of the `SIDE_BY_SIDE` blocks of a tile; the blocks of the last tile are cut short or empty."""
    width, end = np.uint64(block), np.uint64(n)
    side_by_side = np.uint64(SIDE_BY_SIDE)
    first = tile * width * side_by_side
    whole = first + width * side_by_side <= end
    running = register_array(identity, SIDE_BY_SIDE)
    breaks = register_array(False, SIDE_BY_SIDE)
    for b in range(side_by_side):
        running[b], breaks[b] = identity, False
    for k in range(width if whole else np.uint64(0)):
        for b in range(side_by_side):
            i = position_of_item(first + b * width + k, n)
            head = is_segment_start(heads, i, n)
            here = identity if head else running[b]
            breaks[b] |= head
            running[b] = scalar(add(here, scalar(read_item(operands, i))))
    for k in range(first, first if whole else end):
        b, i = (k - first) // width, position_of_item(k, n)
        head = is_segment_start(heads, i, n)
        here = identity if head else running[b]
        breaks[b] |= head
        running[b] = scalar(add(here, scalar(read_item(operands, i))))
    for b in range(side_by_side):
        sums[tile * side_by_side + b] = running[b]
        broken[tile * side_by_side + b] = breaks[b]


@helper(inlined=False)
def _scan_tile(tile, operands, heads, n, block, identity, carries):
    """Scan each block of a tile from its carry."""
    width, end = np.uint64(block), np.uint64(n)
    side_by_side = np.uint64(SIDE_BY_SIDE)
    first = tile * width * side_by_side
    whole = first + width * side_by_side <= end
    running = register_array(identity, SIDE_BY_SIDE)
    for b in range(side_by_side):
        running[b] = carries[tile * side_by_side + b]
    for k in range(width if whole else np.uint64(0)):
        for b in range(side_by_side):
            i = position_of_item(first + b * width + k, n)
            here = identity if is_segment_start(heads, i, n) else running[b]
            running[b] = scalar(add(here, scalar(read_item(operands, i))))
            store_result(operands, i, here if EXCLUSIVE else running[b])
    for k in range(first, first if whole else end):
        b, i = (k - first) // width, position_of_item(k, n)
        here = identity if is_segment_start(heads, i, n) else running[b]
        running[b] = scalar(add(here, scalar(read_item(operands, i))))
        store_result(operands, i, here if EXCLUSIVE else running[b])


def _scan_blocks(cores, operands, heads, n, block, identity, initial, sums, broken, total):
    """Reduce the blocks, scan what they hand on, scan the blocks; `sums` and `broken` have one place for each block."""
    tiles = sums.size // SIDE_BY_SIDE
    for_tiles(cores, tiles, _sum_tile, (operands, heads, n, block, identity, sums, broken))
    carry = initial
    for b in range(np.uint64(sums.size)):
        mine = sums[b]
        sums[b] = carry
        carry = mine if broken[b] else scalar(add(carry, mine))
    total[0] = carry
    for_tiles(cores, tiles, _scan_tile, (operands, heads, n, block, identity, sums))


def direction_meanings(monoid, dtype, segmented, exclusive, reverse):
    """Return what the holes of a scan mean, for a monoid, a direction, and whether there are segments."""
    return {
        "add": flip_arguments(monoid.op) if reverse else monoid.op,
        "scalar": dtype.type,
        "position_of_item": _backward_position if reverse else _forward_position,
        "is_segment_start": (_tail_at if reverse else _head_at) if segmented else _no_head_at,
        "EXCLUSIVE": exclusive,
    }


@functools.cache
def _kernels(monoid, dtype, read_item, store_result, segmented, exclusive, reverse):
    meanings = direction_meanings(monoid, dtype, segmented, exclusive, reverse)
    meanings |= {"read_item": read_item, "store_result": store_result}
    in_order, by_blocks = (compile_kernel(specialise(kernel, **meanings)) for kernel in (_scan_in_order, _scan_blocks))
    return in_order, by_blocks, monoid.identity_for(dtype)


def scan(
    monoid, dtype, n, read_item, store_result, operands, total, *, heads=None, initial=None, exclusive=False, reverse=False
):
    in_order, by_blocks, identity = _kernels(monoid, dtype, read_item, store_result, heads is not None, exclusive, reverse)
    initial = identity if initial is None else dtype.type(initial)
    if n <= TUNING.scan_serial:
        in_order(operands, heads, n, identity, initial, total)
    else:
        blocks = -(-n // (TUNING.scan_block * SIDE_BY_SIDE)) * SIDE_BY_SIDE
        sums, broken = np.empty(blocks, dtype), np.empty(blocks, np.bool_)
        by_blocks(cores_for(by_blocks), operands, heads, n, TUNING.scan_block, identity, initial, sums, broken, total)
