"""Where the keys of a tile go in a pass of the radix sort: in the tile, by what its warps have counted; and in the result, by
what the tiles before have.

Design: a warp counts its digits in a row of shared memory that no other warp changes, so the order of its keys decides their
ranks. Equal digits among the lanes find each other by one ballot for each bit, and one atomic moves the count on for all of
them. Each thread waits for the tiles before, for the digit that is its own number. The upper two bits of a word say how far a
tile has come, and the bits below them how many keys that is: so no fence is needed. Words are kept from pass to pass, so the
flag of what is done changes from pass to pass.
Sources: Merrill & Grimshaw, *High Performance and Scalable Radix Sorting*, 2011; Adinets & Merrill, *Onesweep: A Faster Least
Significant Digit Radix Sort for GPUs*, 2022.
"""

import numpy as np

from spark_csr._cuda.radix_digits import BINS, digit_of, match_digit
from spark_csr._cuda.warp import lane_of, last_at_or_below, reader
from spark_csr._engine import helper
from spark_csr._engine.gpu import WARP, cuda, load_volatile, store_volatile
from spark_csr._engine.holes import ITEMS, TILE, WARPS, Hole, digit, key_type, position_type, warp_shuffle

VALUE_BITS = Hole("VALUE_BITS: int", "How many bits of a word that a tile tells hold a number; a flag is above them.")
MOST = Hole("MOST: int", "The greatest key of its type, whose bits are all ones.")

ALONE, DONE = 1, 2
"""What a word of a tile tells: of its own keys, or of all up to its last: then `DONE` or one more, in turns from pass to pass.
"""


@helper
def load_strips(keys, start, length, own):
    """Load the thread's keys of a tile; return the position of the first: a warp takes a strip, its lanes side by side.

    Behind the last key come keys of all ones: they stay last, and are not moved.
    """
    thread = np.uint32(cuda.threadIdx.x)
    strip = thread // WARP * np.uint32(WARP * ITEMS) + lane_of(thread)
    here = start + np.int64(strip)
    if length == TILE:
        for k in range(ITEMS):
            own[k] = keys[here + k * WARP]
    else:
        for k in range(ITEMS):
            own[k] = key_type(MOST)
            if strip + np.uint32(k * WARP) < length:
                own[k] = keys[here + k * WARP]
    return strip


@helper
def count_keys(own, shift, mask, seen):
    """Count the keys of each warp and digit in `seen`, which is 0; return how many keys of the tile have the thread's digit."""
    thread = np.uint32(cuda.threadIdx.x)
    row = thread // WARP * BINS
    for k in range(ITEMS):
        cuda.atomic.add(seen, row + digit(own[k], shift, mask), np.uint32(1))
    cuda.syncthreads()
    total = np.uint32(0)
    for w in range(WARPS):
        total += seen[np.uint64(thread) + np.uint64(w * BINS)]
    return total


@helper
def scan_warps(seen, first):
    """Turn what each warp has seen of the thread's digit into where its first key goes in the tile. A barrier is inside."""
    thread = np.uint64(cuda.threadIdx.x)
    running = first
    for w in range(WARPS):
        count = seen[thread + np.uint64(w * BINS)]
        seen[thread + np.uint64(w * BINS)] = running
        running += count
    cuda.syncthreads()


@helper
def rank_keys(own, shift, mask, seen, ranks):
    """Write where each of the thread's keys goes in the tile; `seen` says where the next key of a warp and digit goes.

    Of the lanes with equal digits the last one moves that on for all, and tells the others what it was.
    """
    thread = np.uint32(cuda.threadIdx.x)
    lane = lane_of(thread)
    earlier = (1 << lane) - 1
    row = thread // WARP * BINS
    for k in range(ITEMS):
        mine = digit(own[k], shift, mask)
        same = match_digit(mine)
        last = np.uint32(last_at_or_below(same, np.uint32(WARP - 1)))
        first = np.uint32(0)
        if lane == last:
            first = cuda.atomic.add(seen, row + mine, cuda.popc(same))
        first = np.uint32(warp_shuffle(first, last))
        ranks[k] = first + cuda.popc(same & earlier)


@helper
def tell_count(states, tile, flag, count):
    """Tell other blocks how many keys there are of the thread's digit."""
    word = position_type(position_type(position_type(flag) << position_type(VALUE_BITS)) | position_type(count))
    store_volatile(states, tile * BINS + cuda.threadIdx.x, word)


@helper
def look_back_for_digit(states, tile, done):
    """Wait until the tiles before have told how many keys of the thread's digit they have; return how many these are, and all
    of lower digits.
    """
    at = (tile - 1) * BINS + cuda.threadIdx.x
    before, flag = position_type(0), np.uint32(0)
    while flag != done:
        word = position_type(load_volatile(states, at))
        flag = np.uint32(word >> position_type(VALUE_BITS))
        if flag == done or flag == ALONE:  # noqa: SIM109 - kernels have no tuples to search
            before = position_type(before + position_type(word & position_type((1 << VALUE_BITS) - 1)))
            at -= BINS
    return before


def rank_meanings(key, position, shape):
    """Return what the names in a pass mean for dtypes of keys and positions, and tiles of a shape."""
    return {
        "TILE": shape.tile,
        "ITEMS": shape.items,
        "WARPS": shape.threads // WARP,
        "MOST": np.iinfo(key).max,
        "VALUE_BITS": 8 * position.itemsize - 2,
        "key_type": key.type,
        "position_type": position.type,
        "digit": digit_of(key),
        "warp_shuffle": reader(np.dtype(np.uint32)),
    }
