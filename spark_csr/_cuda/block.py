"""What the threads of a block work out together.

One question is behind a scan, a segmented scan and a segmented sum: each thread holds a partial result of its own items, and
whether a segment broke among them; what does it carry in from the threads before it?
"""

import functools

import numpy as np
from numba import uint32

from spark_csr._cuda.warp import ballot, lane_of, last_at_or_below, reader
from spark_csr._engine import helper, inline, specialise
from spark_csr._engine.gpu import WARP, cuda, device_function, shared_type
from spark_csr._engine.holes import WARPS, Hole, add, scalar, shared_scalar, warp_shuffle

OFTEN_BROKEN = Hole("OFTEN_BROKEN: bool", "Whether values break so often that a warp asks whether all of its values do.")

ALL_LANES = (1 << WARP) - 1


@helper
def carry_in_warp(thread, value, broken, warp_values, warp_breaks):
    """Combine `value` of the lanes before, back to the last one that is `broken`, and note for each warp what it hands on.

    Return what the lane to the left hands on, and which lanes are broken.
    """
    lane = lane_of(thread)
    warp = thread // WARP
    breaks = ballot(broken)
    reach = np.int32(lane) - max(last_at_or_below(breaks, lane), np.int32(0))  # how many lanes to the left count
    inclusive = value
    distance = 1
    if not OFTEN_BROKEN or breaks != ALL_LANES:  # else no lane takes anything from the left
        while distance < WARP:  # lanes wrap around; what comes from the right is not used
            left = scalar(warp_shuffle(inclusive, np.uint32(lane - np.uint32(distance))))
            if np.int32(distance) <= reach:
                inclusive = scalar(add(left, inclusive))
            distance *= 2
    left = scalar(warp_shuffle(inclusive, np.uint32(lane - 1)))
    if lane == np.uint32(WARP - 1):
        warp_values[warp] = inclusive
        warp_breaks[warp] = breaks
    return left, breaks


@helper
def carry_on(thread, before, left, breaks, warp_values, warp_breaks):
    """Return what the thread carries in, of what `carry_in_warp` has found and what the block carries in."""
    lane = lane_of(thread)
    warp = thread // WARP
    carry = before
    w = np.uint32(0)
    while w < warp:
        carry = scalar(warp_values[w]) if warp_breaks[w] != 0 else scalar(add(carry, scalar(warp_values[w])))
        w += 1
    if lane > 0:
        crossed = last_at_or_below(breaks, lane - 1) >= 0
        carry = left if crossed else scalar(add(carry, left))
    return carry


def _block_carry_in(thread, value, broken, before):
    """Combine `before` and `value` of the threads before, back to the last one that is `broken` (its own value included).

    Return what the thread carries in and what the next thread carries in. `value` counts from the thread's last break on. All
    threads call; a barrier must separate this from the next call.
    """
    warp_values = cuda.shared.array(WARPS, shared_scalar)
    warp_breaks = cuda.shared.array(WARPS, uint32)
    left, breaks = carry_in_warp(thread, value, broken, warp_values, warp_breaks)
    cuda.syncthreads()
    carry = carry_on(thread, before, left, breaks, warp_values, warp_breaks)
    return carry, value if broken else scalar(add(carry, value))


def carry_meanings(threads, operator, dtype, often_broken=False):
    """Return what the names in the functions above mean, for blocks of `threads` threads, one operator and one type.

    If values are `often_broken`, a warp of nothing else does not add them up.
    """
    return {
        "add": operator,
        "scalar": dtype.type,
        "shared_scalar": shared_type(dtype),
        "warp_shuffle": reader(dtype),
        "OFTEN_BROKEN": often_broken,
        "WARPS": threads // WARP,
    }


@functools.cache
def block_carry_in(threads, operator, dtype, often_broken=False, copy=0):
    """Return the device function for blocks of `threads` threads, one operator and one type.

    For `often_broken` see `carry_meanings`, for `copy` see `block_flood`.
    """
    return _inline(_block_carry_in, copy, **carry_meanings(threads, operator, dtype, often_broken))


def _block_flood(thread, mark):
    """Return the last nonzero `mark` of the threads before this one, else 0 (right flood). Marks ascend.

    All threads call; a barrier must separate this from the next call.
    """
    lane = lane_of(thread)
    warp = thread // WARP
    warp_marks = cuda.shared.array(WARPS, uint32)
    votes = ballot(mark != 0)
    newest = last_at_or_below(votes, np.uint32(WARP - 1))
    from_left = np.int32(-1)
    if lane > 0:
        from_left = last_at_or_below(votes, lane - 1)
    of_warp = np.uint32(warp_shuffle(mark, np.uint32(max(np.int32(newest), np.int32(0)))))
    flooded = np.uint32(warp_shuffle(mark, np.uint32(max(np.int32(from_left), np.int32(0)))))
    if lane == 0:
        warp_marks[warp] = of_warp if newest >= 0 else np.uint32(0)
    cuda.syncthreads()
    result = np.uint32(0)
    w = np.uint32(0)
    while w < warp:
        if warp_marks[w] != 0:
            result = warp_marks[w]
        w += 1
    return flooded if from_left >= 0 else result


@functools.cache
def block_flood(threads, copy=0):
    """Return the device function for blocks of `threads` threads.

    A kernel that calls it through two other functions needs two copies: shared memory of one copy would be linked twice.
    """
    return _inline(_block_flood, copy, WARPS=threads // WARP, warp_shuffle=reader(np.dtype(np.uint32)))


def _inline(function, copy, **meanings):
    """Return `inline(function, **meanings)`; for `copy` another one."""
    return device_function(specialise(function, **meanings)) if copy else inline(function, **meanings)
