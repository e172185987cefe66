"""Sorting networks: which elements are compared does not depend on what they hold.

Bitonic (Batcher, *Sorting Networks and Their Applications*, 1968), for any length: runs of twice the size are made by a
step that compares each element with its mirror image, then steps of half the distance, all in ascending direction. Partners
past the end would be greater than everything, so they are left out: nothing is padded. k * (k + 1) / 2 steps for
k = ceil(log2(n)). Steps of short distance are done together, tile by tile, in one pass over memory. Not stable.

Odd-even transposition (Habermann, 1972): neighbours are exchanged only if the left one is greater, so it is stable. n steps
at most, done after two steps without an exchange. Here once more, one level up: tiles are sorted so, then tiles shifted by
half, in turn; sorted halves need as many rounds as there are halves.
"""

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, for_tiles, njit, run_on_all_cores


@njit(forceinline=True)
def compare_exchange(keys, payload, i, j):
    """Exchange elements `i` and `j` if the second is less; return whether it was."""
    x, y = keys[i], keys[j]
    swap = y < x
    keys[i] = y if swap else x
    keys[j] = x if swap else y
    if payload is not None:
        p, q = payload[i], payload[j]
        payload[i] = q if swap else p
        payload[j] = p if swap else q
    return swap


@njit(forceinline=True)
def _compare_mirrored(keys, payload, first, stop, last):
    """Compare elements from `first` to before `stop` with those from `last` downwards that exist."""
    n = np.uint64(keys.size)
    if last >= n:
        first += last - n + 1
        last = n - 1
    for k in range(stop - min(first, stop)):
        compare_exchange(keys, payload, first + k, last - k)


@njit(forceinline=True)
def _compare_ahead(keys, payload, first, stop, distance):
    """Compare elements from `first` to before `stop` with those `distance` ahead that exist."""
    n = np.uint64(keys.size)
    stop = min(stop, n - min(distance, n))
    for i in range(first, max(first, stop)):
        compare_exchange(keys, payload, i, i + distance)


@njit
def _halve_distance(keys, payload, start, end, distance):
    """Do the steps of `distance`, half of it, and so on to 1, within a range that is a multiple of twice the distance."""
    while distance > 0:
        for base in range(start, end, 2 * distance):
            _compare_ahead(keys, payload, base, base + distance, distance)
        distance >>= 1


@njit
def _sort_bitonic_tile(tile, size, keys, payload):
    """Sort one tile: from runs of one to runs of `size`."""
    start = tile * np.uint64(size)
    end = min(start + np.uint64(size), np.uint64(keys.size))
    run = np.uint64(1)
    while run < end - start:
        for base in range(start, end, 2 * run):
            _compare_mirrored(keys, payload, base, base + run, base + 2 * run - 1)
        _halve_distance(keys, payload, start, end, run >> 1)
        run += run


@compile_kernel
def _sort_bitonic_tiles(cores, tiles, size, keys, payload):
    for_tiles(cores, tiles, _sort_bitonic_tile, (size, keys, payload))


@njit
def _compare_near_tile(tile, size, keys, payload):
    """Do the steps of less than `size` within one tile."""
    start = tile * np.uint64(size)
    end = min(start + np.uint64(size), np.uint64(keys.size))
    _halve_distance(keys, payload, start, end, np.uint64(size) >> 1)


@compile_kernel
def _compare_near(cores, tiles, size, keys, payload):
    for_tiles(cores, tiles, _compare_near_tile, (size, keys, payload))


@njit
def _compare_far_group(group, size, distance, mirror, keys, payload):
    """Do `size` comparisons side by side of one step of at least `size`."""
    span = np.uint64(distance)
    at = group * np.uint64(size)
    base = at // span * 2 * span
    first = base + at % span
    if mirror:
        _compare_mirrored(keys, payload, first, first + np.uint64(size), base + 2 * span - 1 - at % span)
    else:
        _compare_ahead(keys, payload, first, first + np.uint64(size), span)


@compile_kernel
def _compare_far(cores, groups, size, distance, mirror, keys, payload):
    for_tiles(cores, groups, _compare_far_group, (size, distance, mirror, keys, payload))


def bitonic_sort(keys, payload):
    """Sort `keys` (unsigned) in place; `payload`, if any, moves along. Not stable."""
    n, size = keys.size, TUNING.bitonic_tile
    if n <= size:
        _sort_bitonic_tiles(1, 1, size, keys, payload)
        return
    tiles = -(-n // size)
    run_on_all_cores(_sort_bitonic_tiles, tiles, size, keys, payload)
    run = size
    while run < n:
        groups = -(-n // (2 * run)) * (run // size)
        run_on_all_cores(_compare_far, groups, size, run, True, keys, payload)
        distance = run // 2
        while distance >= size:
            groups = -(-n // (2 * distance)) * (distance // size)
            run_on_all_cores(_compare_far, groups, size, distance, False, keys, payload)
            distance //= 2
        run_on_all_cores(_compare_near, tiles, size, keys, payload)
        run *= 2


@njit
def _sort_odd_even_tile(tile, size, shift, keys, payload, moved):
    """Sort one tile by steps between neighbours, and write whether anything moved."""
    start = tile * np.uint64(size) + np.uint64(shift)
    stop = min(start + np.uint64(size), np.uint64(keys.size))
    step, quiet, any_moved = start, 0, False
    while step < stop and quiet < 2:
        swaps = np.uint64(0)
        for i in range(start + (step - start & 1), stop - 1, 2):
            swaps += np.uint64(compare_exchange(keys, payload, i, i + 1))
        quiet = 0 if swaps else quiet + 1
        any_moved |= swaps > 0
        step += 1
    moved[tile] = any_moved


@compile_kernel
def _sort_odd_even_tiles(cores, size, shift, keys, payload, moved):
    for_tiles(cores, moved.size, _sort_odd_even_tile, (size, shift, keys, payload, moved))


def odd_even_sort(keys, payload):
    """Sort `keys` (unsigned) in place; `payload`, if any, moves along. Stable."""
    n, size = keys.size, TUNING.odd_even_tile
    if n <= size:
        _sort_odd_even_tiles(1, size, 0, keys, payload, np.empty(1, np.bool_))
        return
    step, quiet = 0, 0
    while step < -(-2 * n // size) and quiet < 2:
        shift = step % 2 * (size // 2)
        moved = np.empty(-(-(n - shift) // size), np.bool_)
        run_on_all_cores(_sort_odd_even_tiles, size, shift, keys, payload, moved)
        quiet = 0 if moved.any() else quiet + 1
        step += 1
