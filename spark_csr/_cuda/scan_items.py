"""The items of a scan's tile, from and to global memory, and all that the names in a kernel that scans mean.

`read_item` returns what is scanned, `store_result` stores a result: a flood is a
scan whose items are positions and whose sink gathers.
"""

import numpy as np

from spark_csr._cuda.warp import ballot, lane_of
from spark_csr._engine import helper
from spark_csr._engine.gpu import WARP, cuda, device_function, shared_type
from spark_csr._engine.holes import (
    GROUP,
    ITEMS,
    SEGMENTED,
    THREADS,
    TILE,
    is_segment_start,
    position_of_item,
    read_item,
    scalar,
    shared_scalar,
    store_result,
)
from spark_csr._ops import MONOIDS, flip_arguments


@device_function
def _forward_position(i, n):
    return i


@device_function
def _backward_position(i, n):
    return n - 1 - i


@device_function
def _no_head_at(heads, i, n):
    return False


@device_function
def _head_at(heads, i, n):
    return heads[i] != 0


@device_function
def _tail_at(heads, i, n):
    """Return whether a segment begins here in reverse: it does where the next head stands."""
    return i + 1 == n or heads[i + 1] != 0


@helper
def load_items(operands, heads, n, tile, values, marks):
    """Bring a tile into shared memory, several loads of a thread at a time; return how many items it has.

    Each word of `marks` gets a bit for each lane of a warp: whether a segment begins with its item.
    """
    own = cuda.local.array(GROUP, shared_scalar)
    thread = np.uint64(cuda.threadIdx.x)
    start = tile * TILE
    length = np.uint32(min(n - start, np.int64(TILE)))
    here = start + np.int64(thread)
    if length == TILE:
        for g in range(ITEMS // GROUP):
            first = g * GROUP * THREADS
            for k in range(GROUP):
                source = position_of_item(here + (first + k * THREADS), n)
                own[k] = scalar(read_item(operands, source))
            for k in range(GROUP):
                values[thread + np.uint64(first + k * THREADS)] = own[k]
    else:
        for k in range(ITEMS):
            if np.uint32(thread) + np.uint32(k * THREADS) < length:
                source = position_of_item(here + k * THREADS, n)
                values[thread + np.uint64(k * THREADS)] = scalar(read_item(operands, source))
    if SEGMENTED:
        warp = np.uint64(np.uint32(thread) // WARP)
        for k in range(ITEMS):
            begins = False
            if length == TILE or np.uint32(thread) + np.uint32(k * THREADS) < length:
                begins = is_segment_start(heads, position_of_item(here + k * THREADS, n), n)
            votes = ballot(begins)
            if lane_of(thread) == 0:
                marks[warp + np.uint64(k * (THREADS // WARP))] = votes
        if thread == 0:
            marks[TILE // WARP] = np.uint32(0)
    cuda.syncthreads()
    return length


@helper
def store_items(operands, n, tile, length, values):
    """Store the results of a tile, side by side."""
    thread = np.uint32(cuda.threadIdx.x)
    here = tile * TILE + np.int64(thread)
    place = np.uint64(thread)
    if length == TILE:
        for k in range(ITEMS):
            target = position_of_item(here + k * THREADS, n)
            store_result(operands, target, scalar(values[place + np.uint64(k * THREADS)]))
    else:
        for k in range(ITEMS):
            if thread + np.uint32(k * THREADS) < length:
                target = position_of_item(here + k * THREADS, n)
                store_result(operands, target, scalar(values[place + np.uint64(k * THREADS)]))


def operator_of(monoid, reverse):
    """Return the operator for items in the direction of the scan. The named ones commute."""
    return flip_arguments(monoid.op) if reverse and monoid not in MONOIDS.values() else monoid.op


def meanings(monoid, dtype, read_item, store_result, segmented, exclusive, reverse):
    """Return what the names in a kernel that scans mean, but for the shape of its blocks."""
    return {
        "add": operator_of(monoid, reverse),
        "scalar": dtype.type,
        "shared_scalar": shared_type(dtype),
        "IDENTITY": monoid.identity_for(dtype).item(),
        "read_item": read_item,
        "store_result": store_result,
        "position_of_item": _backward_position if reverse else _forward_position,
        "is_segment_start": (_tail_at if reverse else _head_at) if segmented else _no_head_at,
        "EXCLUSIVE": exclusive,
    }
