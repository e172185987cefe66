"""Radix sort on one core, from the lowest digit in use to the highest (LSD), between two pairs of arrays in its cache."""

import numpy as np

from spark_csr._engine import njit

BINS = 256


@njit(forceinline=True)
def _move(source, i, out, to):
    """Move a payload to where its key goes: element `i` of `source`, or `i` itself if `source` is None; nothing if `out` is
    None.
    """
    if out is not None:
        out[to] = i if source is None else source[i]


@njit
def _copy(source, start, stop, out):
    if source is not None:
        for i in range(start, stop):
            out[i] = source[i]


@njit
def is_sorted(keys, window):
    """Return whether the keys ascend by the bits of `window`. It reads sorted keys once; of most others it reads only a few."""
    for i in range(np.uint64(1), np.uint64(keys.size)):
        if np.uint64(keys[i - np.uint64(1)]) & window > np.uint64(keys[i]) & window:
            return False
    return True


@njit
def differing_bits(keys, first, start, stop):
    """Return the bits in which some key differs from the key at `first`."""
    like = keys[first]
    bits = like ^ like
    for i in range(start, stop):
        bits |= keys[i] ^ like
    return np.uint64(bits)


@njit
def count_digits(keys, start, stop, shift, mask, counts, row):
    """Add to `counts[row:]` how many keys have each digit. Two counters take turns, as each waits for its last write."""
    other = np.zeros(BINS, np.uint64)
    for i in range(start, stop - (stop - start & np.uint64(1)), np.uint64(2)):
        counts[row + (np.uint64(keys[i]) >> shift & mask)] += np.uint64(1)
        other[np.uint64(keys[i + np.uint64(1)]) >> shift & mask] += np.uint64(1)
    if stop - start & np.uint64(1):
        other[np.uint64(keys[stop - np.uint64(1)]) >> shift & mask] += np.uint64(1)
    for b in range(np.uint64(BINS)):
        counts[row + b] += other[b]


@njit
def scatter(keys, payload, start, stop, shift, mask, places, row, out_keys, out_payload):
    """Move every key to the next position of its digit; if `out_keys` is None, move its payload alone."""
    for i in range(start, stop):
        key = keys[i]
        entry = row + (np.uint64(key) >> shift & mask)
        to = places[entry]
        places[entry] = to + np.uint64(1)
        if out_keys is not None:
            out_keys[to] = key
        _move(payload, i, out_payload, to)


@njit
def _insert(keys, payload, start, stop, window):
    """Sort by insertion, by the bits of `window`."""
    for i in range(start + np.uint64(1), stop):
        j = i
        while j > start and (np.uint64(keys[j - np.uint64(1)]) & window) > (np.uint64(keys[j]) & window):
            keys[j - np.uint64(1)], keys[j] = keys[j], keys[j - np.uint64(1)]
            _swap(payload, j)
            j -= np.uint64(1)


@njit(forceinline=True)
def _swap(payload, j):
    if payload is not None:
        payload[j - np.uint64(1)], payload[j] = payload[j], payload[j - np.uint64(1)]


@njit
def sort_between(keys, payload, other_keys, other_payload, start, stop, window):
    """Sort by LSD between two pairs of arrays; return True if the result is in the other pair."""
    left = differing_bits(keys, start, start, stop) & window
    places = np.empty(BINS, np.uint64)
    moved = False
    while left:
        shift = np.uint64(0)
        while not left >> shift & np.uint64(1):
            shift += np.uint64(1)
        mask = left >> shift & np.uint64(BINS - 1)
        left &= ~(mask << shift)
        places[:] = 0
        count_digits(keys, start, stop, shift, mask, places, np.uint64(0))
        running = start
        for b in range(mask + np.uint64(1)):
            count = places[b]
            places[b] = running
            running += count
        scatter(keys, payload, start, stop, shift, mask, places, np.uint64(0), other_keys, other_payload)
        keys, other_keys = other_keys, keys
        payload, other_payload = other_payload, payload
        moved = not moved
    return moved


@njit
def sort_bucket(keys, payload, other_keys, other_payload, start, stop, moved, window, short):
    """One core; `moved`: the bucket lies in the other arrays. The result is in `keys` and `payload`. Up to `short` keys are
    inserted."""
    if stop - start <= np.uint64(short):
        if moved:
            _copy(other_keys, start, stop, keys)
            _copy(other_payload, start, stop, payload)
        _insert(keys, payload, start, stop, window)
        return
    if moved:
        moved = not sort_between(other_keys, other_payload, keys, payload, start, stop, window)
    else:
        moved = sort_between(keys, payload, other_keys, other_payload, start, stop, window)
    if moved:
        _copy(other_keys, start, stop, keys)
        _copy(other_payload, start, stop, payload)
