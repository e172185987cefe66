"""Merge two sorted arrays: equal tiles of the result, each merged by one core.

Design: merge path (Odeh, Green, Mwassi, Shmueli & Birk, 2012) says where both arrays are cut so that every tile of the
result has the same size, however the elements are mixed. Within a tile nobody can predict which side comes next, so the
loop takes no branch on it, and it merges from both ends at once: each step waits for the one before, two chains of steps
overlap (Peters' bidirectional merge in Rust's `slice::sort`, 2022).
"""

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit
from spark_csr._shared.merge_path import split
from spark_csr._shared.order import is_less


@njit(forceinline=True)
def _copy(a, payload, i, i_stop, out, out_payload, k):
    while i < i_stop:
        out[k] = a[i]
        if out_payload is not None:
            out_payload[k] = payload[i]
        i += 1
        k += 1
    return k


@njit(forceinline=True)
def _find_nan(a, i, i_stop):
    """Return where the NaN at the end of a sorted range begin; for integers the compiler reduces it to `i_stop`."""
    while i_stop > i and a[i_stop - 1] != a[i_stop - 1]:
        i_stop -= 1
    return i_stop


@njit(forceinline=True)
def merge_ranges(a, a_payload, i, i_stop, b, b_payload, j, j_stop, out, out_payload, k):
    """Merge `a[i:i_stop]` and `b[j:j_stop]` into `out` from `k` on, `a` first on ties; payloads (or None) move alike.

    NaN are copied apart, so that comparing numbers costs one instruction. As many steps as the shorter range has elements
    cannot run past the end of either, so no step asks.
    """
    a_end, b_end = i_stop, j_stop
    i_stop, j_stop = _find_nan(a, i, i_stop), _find_nan(b, j, j_stop)
    k_stop = k + (i_stop - i) + (j_stop - j)
    _copy(b, b_payload, j_stop, b_end, out, out_payload, _copy(a, a_payload, i_stop, a_end, out, out_payload, k_stop))
    while i < i_stop and j < j_stop:
        pause = k + min(i_stop - i, j_stop - j)
        while k < pause:
            x, y = a[i], b[j]
            take_b = y < x
            out[k] = y if take_b else x
            if out_payload is not None:
                out_payload[k] = b_payload[j] if take_b else a_payload[i]
            i += np.uint64(not take_b)
            j += np.uint64(take_b)
            k += 1
            k_stop -= 1
            x, y = a[i_stop - 1], b[j_stop - 1]
            take_a = y < x
            out[k_stop] = x if take_a else y
            if out_payload is not None:
                out_payload[k_stop] = a_payload[i_stop - 1] if take_a else b_payload[j_stop - 1]
            i_stop -= np.uint64(take_a)
            j_stop -= np.uint64(not take_a)
    _copy(b, b_payload, j, j_stop, out, out_payload, _copy(a, a_payload, i, i_stop, out, out_payload, k))


@njit(forceinline=True)
def _merge_forward(a, i, i_stop, b, j, j_stop, out, k, a_positions, b_positions):
    """Do as `merge_ranges` from the front alone. Positions are stored for both sides at every step: the last one stored is
    right.
    """
    while i < i_stop and j < j_stop:
        pause = k + min(i_stop - i, j_stop - j)
        while k < pause:
            x, y = a[i], b[j]
            take_b = is_less(y, x)
            out[k] = y if take_b else x
            a_positions[i] = k
            b_positions[j] = k
            i += np.uint64(not take_b)
            j += np.uint64(take_b)
            k += 1
    while i < i_stop:
        out[k] = a[i]
        a_positions[i] = k
        i += 1
        k += 1
    while j < j_stop:
        out[k] = b[j]
        b_positions[j] = k
        j += 1
        k += 1


@njit
def _merge_tile(tile, size, a, b, out, positions):
    """Write a tile of `size` elements of the result: find where it begins and ends in `a` and `b`, then merge both ranges."""
    a_length, b_length = np.uint64(a.size), np.uint64(b.size)
    start = tile * np.uint64(size)
    stop = min(start + np.uint64(size), a_length + b_length)
    zero = np.uint64(0)
    i = split(a, zero, a_length, b, zero, b_length, start)
    i_stop = split(a, zero, a_length, b, zero, b_length, stop)
    if positions is None:
        merge_ranges(a, None, i, i_stop, b, None, start - i, stop - i_stop, out, None, start)
    else:
        _merge_forward(a, i, i_stop, b, start - i, stop - i_stop, out, start, positions[0], positions[1])


@compile_kernel
def _merge_tiles(cores, tiles, size, a, b, out, positions):
    for_tiles(cores, tiles, _merge_tile, (size, a, b, out, positions))


def merge(a, b, out, positions):
    """Merge `a` and `b` into `out`. `positions` is None, or two arrays that take where each element of `a` and of `b` lands."""
    tiles = -(-out.size // TUNING.merge_tile)
    if tiles:
        _merge_tiles(1 if tiles == 1 else cores_for(_merge_tiles), tiles, TUNING.merge_tile, a, b, out, positions)
