"""What a thread of a scan does with its own items: `ITEMS` neighbours of a tile in shared memory."""

import math

import numpy as np

from spark_csr._cuda.warp import lane_of
from spark_csr._engine import helper
from spark_csr._engine.gpu import WARP, box, cuda
from spark_csr._engine.holes import EXCLUSIVE, IDENTITY, ITEMS, SEGMENTED, add, scalar

BOX = box(128, 21)  # odd items: threads read shared memory without bank conflicts; not tuned

LOADS = math.gcd(BOX.items, 7)
"""Items that a thread loads at a time. Not tuned."""


@helper
def find_own_starts(marks):
    """Return bits for the thread's own items: whether a segment begins with each."""
    if not SEGMENTED:
        return np.uint32(0)
    first = np.uint32(cuda.threadIdx.x) * ITEMS
    word = first // WARP
    high = np.uint64(marks[word + 1]) << WARP
    both = high | np.uint64(marks[word])
    return np.uint32(both >> np.uint64(lane_of(first))) & np.uint32((1 << ITEMS) - 1)


@helper
def reduce_own_items(values, starts, length):
    """Combine the thread's own items from the last start of a segment on."""
    place = np.uint64(np.uint32(cuda.threadIdx.x) * ITEMS)
    total = scalar(IDENTITY)
    if np.uint32(place) + ITEMS <= length:
        for k in range(ITEMS):
            if SEGMENTED and starts & np.uint32(1 << k) != 0:
                total = scalar(IDENTITY)
            total = scalar(add(total, scalar(values[place + np.uint64(k)])))
    else:
        for k in range(ITEMS):
            if np.uint32(place) + np.uint32(k) < length:
                if SEGMENTED and starts & np.uint32(1 << k) != 0:
                    total = scalar(IDENTITY)
                total = scalar(add(total, scalar(values[place + np.uint64(k)])))
    return total


@helper
def scan_own_items(values, starts, length, running):
    """Replace the thread's own items by their scan, from what it carries in."""
    place = np.uint64(np.uint32(cuda.threadIdx.x) * ITEMS)
    if np.uint32(place) + ITEMS <= length:
        for k in range(ITEMS):
            if SEGMENTED and starts & np.uint32(1 << k) != 0:
                running = scalar(IDENTITY)
            after = scalar(add(running, scalar(values[place + np.uint64(k)])))
            values[place + np.uint64(k)] = running if EXCLUSIVE else after
            running = after
    else:
        for k in range(ITEMS):
            if np.uint32(place) + np.uint32(k) < length:
                if SEGMENTED and starts & np.uint32(1 << k) != 0:
                    running = scalar(IDENTITY)
                after = scalar(add(running, scalar(values[place + np.uint64(k)])))
                values[place + np.uint64(k)] = running if EXCLUSIVE else after
                running = after


def shape_of(chosen, segmented):
    """Return what the numbers in a kernel mean for blocks of a box."""
    words = chosen.tile // WARP + 1 if segmented else 1
    shape = {"TILE": chosen.tile, "ITEMS": chosen.items, "THREADS": chosen.threads, "WORDS": words}
    return shape | {"GROUP": LOADS, "SEGMENTED": segmented}
