"""Sorted runs in the shared memory of a block: each thread merges neighbouring items, after one search for where they begin.

Design: a thread sorts its few items in registers, by odd-even transposition, which keeps equal ones in order. From there on
neighbouring runs are merged in pairs: a thread finds by one binary search which items of both runs come before its own part of
the result, and then takes item after item. Items of several segments are sorted at once: where two runs meet, only the one
segment that lies in both is merged, and everything else stays. What moves is held in registers until all have read it, so keys
need no second array.
Sources: Baxter, *moderngpu* (mergesort, segmented sort), 2013; Green, McColl & Bader, *GPU Merge Path*, 2012.
"""

import numpy as np
from numba import uint32

from spark_csr._engine import helper
from spark_csr._engine.gpu import cuda
from spark_csr._engine.holes import HAS_PAYLOAD, ITEMS, SEGMENTED, key_type
from spark_csr._shared.order import is_less


@helper
def merge_items(keys, low, middle, high, start, own, positions):
    """Take items of the merge of the sorted `keys[low:middle]` and `keys[middle:high]` into registers, with the positions that
    they come from. The first one belongs to position `start` of `keys`; behind the last one come numbers of no use.
    """
    diagonal = start - low
    left, right = middle - low, high - middle
    first = diagonal - right if diagonal > right else np.uint32(0)
    last = min(diagonal, left)
    while first < last:
        half = (first + last) >> 1
        if is_less(keys[middle + diagonal - (half + 1)], keys[low + half]):
            last = half
        else:
            first = half + 1
    a = low + first
    b = middle + diagonal - first
    x = keys[min(a, middle - 1)]
    y = keys[min(b, high - 1)]
    for k in range(ITEMS):
        of_b = b < high and (a >= middle or is_less(y, x))
        own[k] = y if of_b else x
        positions[k] = b if of_b else a
        following = positions[k] + 1
        stop = high if of_b else middle
        new = own[k]
        if following < stop:
            new = keys[following]
        x = x if of_b else new
        y = new if of_b else y
        a = a if of_b else following
        b = following if of_b else b


@helper
def _store_own_items(keys, sources, start, stop, own, positions, waits):
    """Write the thread's items, which go from `start` to `stop`, and where they came from at first; a barrier is behind. If it
    `waits`, all threads have read before anything is written. All threads call.
    """
    if HAS_PAYLOAD:
        for k in range(ITEMS):
            if start + np.uint32(k) < stop:
                positions[k] = np.uint32(sources[positions[k]])
    if waits:
        cuda.syncthreads()
    for k in range(ITEMS):
        i = start + np.uint32(k)
        if i < stop:
            keys[i] = own[k]
            if HAS_PAYLOAD:
                sources[i] = np.uint16(positions[k])
    cuda.syncthreads()


@helper
def _sort_own_items(keys, owners, first, length, own, positions):
    """Bring the thread's items into registers, those of each segment sorted, with the positions that they come from."""
    joined, before = np.uint32(0), np.uint32(0)
    for k in range(ITEMS):
        i = first + np.uint32(k)
        positions[k] = i
        if i < length:
            own[k] = keys[i]
            owner = np.uint32(owners[i]) if SEGMENTED else np.uint32(0)
            if k > 0 and owner == before:
                joined |= np.uint32(1 << k)
            before = owner
    for step in range(ITEMS):
        for k in range(step & 1, ITEMS - 1, 2):
            if joined & np.uint32(2 << k) != 0 and is_less(own[k + 1], own[k]):
                x, p = own[k], positions[k]
                own[k], positions[k] = own[k + 1], positions[k + 1]
                own[k + 1], positions[k + 1] = x, p


@helper
def sort_block(keys, sources, owners, begins, length):
    """Sort `length` items, those of each owner, or if they are not `SEGMENTED` all. All threads call; barriers are before and
    behind.
    """
    own = cuda.local.array(ITEMS, key_type)
    positions = cuda.local.array(ITEMS, uint32)
    thread = np.uint32(cuda.threadIdx.x)
    first = thread * ITEMS
    end = min(first + ITEMS, length)
    _sort_own_items(keys, owners, first, length, own, positions)
    _store_own_items(keys, sources, first, end, own, positions, False)  # only what is its own
    threads = np.uint32(1)  # that share a run
    while threads * ITEMS < length:
        width = threads * ITEMS
        pair = (thread & np.uint32(~(threads + threads - 1))) * ITEMS
        middle = pair + width
        start, stop = np.uint32(0), np.uint32(0)
        if middle < length:
            low, high = pair, min(length, middle + width)
            if SEGMENTED:
                owner = np.uint32(owners[middle])
                low = max(np.uint32(begins[owner]), pair)
                high = min(np.uint32(begins[owner + 1]), high)
            start, stop = max(first, low), min(end, high)
            if low < middle and start < stop:
                merge_items(keys, low, middle, high, start, own, positions)
            else:
                stop = np.uint32(0)
        _store_own_items(keys, sources, start, stop, own, positions, True)
        threads += threads


def sort_meanings(box, key, with_sources, one_segment=False):
    """Return what the names in `sort_block` mean for blocks of `box` and keys of a Numba type; `sources` may move along. With
    `one_segment`, owners and where these begin are not read.
    """
    return {"SEGMENTED": not one_segment, "ITEMS": box.items, "key_type": key, "HAS_PAYLOAD": with_sources}
