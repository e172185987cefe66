"""Sorted runs in the shared memory of a block: every item finds its place by counting or by binary search.

All keys live in one array of two halves, read from one and written to the other; where each came from travels beside it.
Source: merging by rank, Satish, Harris & Garland, *Designing Efficient Sorting Algorithms for Manycore GPUs*, 2009.
"""

import functools

import numpy as np

from spark_csr._cuda.target import SIMULATED, cuda, device_function
from spark_csr._holes import ITEMS, THREADS, TILE, merged_position, sorted_position
from spark_csr._shared.order import is_less
from spark_csr._specialise import specialise

GROUP = 2 if SIMULATED else 8
"""Items whose order is found by comparing each with each; a power of two. Not tuned."""


@device_function
def rank(keys, low, high, x, upper):
    """Return how many of the sorted `keys[low:high]` come before `x`; with `upper` also those equal to it."""
    first = low
    while low < high:
        middle = np.uint32(np.uint32(low + high) >> np.uint32(1))
        y = keys[middle]
        before = (not is_less(x, y)) if upper else is_less(y, x)
        low = np.uint32(middle + np.uint32(1)) if before else low
        high = high if before else middle
    return np.uint32(low - first)


def _sorted_position(keys, p, start, stop):
    """Return where item `p` goes when the groups of its segment are sorted; `start` and `stop` are the segment's."""
    key = keys[p]
    place = np.uint32(p - (np.uint32(p - start) & np.uint32(GROUP - 1)))
    group_stop = np.uint32(min(np.uint32(place + np.uint32(GROUP)), stop))
    q = place
    while q < p:
        if not is_less(key, keys[q]):
            place = np.uint32(place + np.uint32(1))
        q = np.uint32(q + np.uint32(1))
    q = np.uint32(p + np.uint32(1))
    while q < group_stop:
        if is_less(keys[q], key):
            place = np.uint32(place + np.uint32(1))
        q = np.uint32(q + np.uint32(1))
    return place


def _merged_position(keys, p, width, start, stop):
    """Return where item `p` goes when the sorted runs of `width` items of its segment are merged in pairs."""
    own = np.uint32(p - start)
    inside = np.uint32(own & np.uint32(width - np.uint32(1)))
    run = np.uint32(p - inside)
    if (own & width) != 0:
        return np.uint32(np.uint32(p - width) + rank(keys, np.uint32(run - width), run, keys[p], True))
    other = np.uint32(min(np.uint32(run + width), stop))
    other_stop = np.uint32(min(np.uint32(other + width), stop))
    return np.uint32(p + rank(keys, other, other_stop, keys[p], False))


def _sort_block(keys, sources, starts, stops, length):
    """Sort `length` items, each within `starts[p]` to `stops[p]`; return the half they end in. All threads call."""
    thread = np.uint32(cuda.threadIdx.x)
    half = np.uint32(0)
    width = np.uint32(0)
    more = np.int32(1)
    while more != 0:
        again = False
        other = np.uint32(np.uint32(TILE) - half)
        for k in range(ITEMS):
            i = np.uint32(thread + np.uint32(k * THREADS))
            if i < length:
                p = np.uint32(half + i)
                start, stop = np.uint32(half + np.uint32(starts[i])), np.uint32(half + np.uint32(stops[i]))
                place = merged_position(keys, p, width, start, stop) if width else sorted_position(keys, p, start, stop)
                to = np.uint32(np.uint32(place - half) + other)
                keys[to] = keys[p]
                sources[to] = sources[p]
                again = again or np.uint32(stop - start) > max(np.uint32(GROUP), np.uint32(width + width))
        half = other
        width = np.uint32(GROUP) if width == 0 else np.uint32(width + width)
        more = cuda.syncthreads_or(np.int32(again))
    return half


@functools.cache
def block_sorter(box):
    """Return the device function `_sort_block` for blocks of `box`."""
    made = {"TILE": box.tile, "ITEMS": box.items, "THREADS": box.threads}
    helpers = {"sorted_position": _sorted_position, "merged_position": _merged_position}
    for name, helper in helpers.items():
        made[name] = device_function(specialise(helper, **made))
    return device_function(specialise(_sort_block, **made))
