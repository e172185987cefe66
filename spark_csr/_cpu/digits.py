"""Radix sort on one core, from the lowest digit in use to the highest (LSD), between two pairs of arrays in its cache.

Design: few keys are in order after their highest digits, but for neighbours that agree in them, which an insertion puts right.
A sample says how many digits that takes. An insertion that moves too much is given up: all digits are sorted then.
"""

import numpy as np

from spark_csr._engine import njit

BINS = 256

SAMPLE = 64
"""Keys of a sample. Not tuned."""

PLACES = np.arange(SAMPLE) ** 2 * 5**0.5 % 1
"""Where they lie, as fractions of all keys: as if at random (Rudnick, Sarnak & Zaharescu, 2001, on squares)."""

ALIKE = 2
"""Neighbours of a sample of different keys that may agree in all digits that are sorted: keys of a bucket are then moved a few
places."""

MOVES = 8
"""Moves for each key after which an insertion is given up: what two digits cost. Not tuned."""


@njit(forceinline=True)
def _move(source, i, out, to):
    """Move a payload to where its key goes: element `i` of `source`, or `i` itself if `source` is None; nothing if `out` is
    None.
    """
    if out is None:
        return
    if source is None:
        out[to] = i
    else:
        out[to] = source[i]


@njit
def _copy(source, start, stop, out):
    if source is not None:
        for i in range(start, stop):
            out[i] = source[i]


@njit
def is_sorted(keys, window):
    """Return whether the keys ascend by the bits of `window`. It reads sorted keys once; of most others it reads only a few."""
    for i in range(np.uint64(1), np.uint64(keys.size)):
        if np.uint64(keys[i - 1]) & window > np.uint64(keys[i]) & window:
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
    for i in range(start, stop - (stop - start & 1), np.uint64(2)):
        counts[row + (np.uint64(keys[i]) >> shift & mask)] += 1
        other[np.uint64(keys[i + 1]) >> shift & mask] += 1
    if stop - start & 1:
        other[np.uint64(keys[stop - 1]) >> shift & mask] += 1
    for b in range(np.uint64(BINS)):
        counts[row + b] += other[b]


@njit
def scatter(keys, payload, start, stop, shift, mask, places, row, out_keys, out_payload):
    """Move every key to the next position of its digit; if `out_keys` is None, move its payload alone."""
    for i in range(start, stop):
        key = keys[i]
        entry = row + (np.uint64(key) >> shift & mask)
        to = places[entry]
        places[entry] = to + 1
        if out_keys is not None:
            out_keys[to] = key
        _move(payload, i, out_payload, to)


@njit
def _insert(keys, payload, start, stop, window, budget):
    """Sort by insertion, by the bits of `window`; return False as soon as it moved more than `budget` keys."""
    left = np.int64(budget)
    for i in range(start + 1, stop):
        key, code, j = keys[i], np.uint64(keys[i]) & window, i
        if np.uint64(keys[i - 1]) & window <= code:
            continue
        carried = None if payload is None else payload[i]
        while j > start and np.uint64(keys[j - 1]) & window > code:
            keys[j] = keys[j - 1]
            _move(payload, j - 1, payload, j)
            j -= 1
        keys[j] = key
        if payload is not None:
            payload[j] = carried
        left -= np.int64(i - j)
        if left < 0:
            return False
    return True


@njit
def _sort_digits(keys, payload, other_keys, other_payload, start, stop, left):
    """Sort by the bits `left`, digit by digit, between two pairs of arrays; return True if the result is in the other pair."""
    places = np.empty(BINS, np.uint64)
    moved = False
    while left:
        shift = np.uint64(0)
        while not left >> shift & 1:
            shift += 1
        mask = left >> shift & np.uint64(BINS - 1)
        left &= ~(mask << shift)
        places[:] = 0
        count_digits(keys, start, stop, shift, mask, places, np.uint64(0))
        running = start
        for b in range(mask + 1):
            count = places[b]
            places[b] = running
            running += count
        scatter(keys, payload, start, stop, shift, mask, places, np.uint64(0), other_keys, other_payload)
        keys, other_keys = other_keys, keys
        payload, other_payload = other_payload, payload
        moved = not moved
    return moved


@njit
def _lowest_digit(keys, start, stop, left):
    """Return the shift of the lowest digit, from the highest bit of `left` down, that few different keys agree above.

    Neighbours in a sorted sample tell: few of them agree in all digits from there on and differ below. Places are random: at
    even distances, keys that descend would agree less often than others. The fewer keys differ, the fewer agree by chance.
    """
    one, sample = np.uint64(1), np.empty(SAMPLE, np.uint64)
    for i in range(np.uint64(SAMPLE)):
        sample[i] = np.uint64(keys[start + np.uint64(PLACES[i] * (stop - start))]) & left
    _insert(sample, None, np.uint64(0), np.uint64(SAMPLE), left, np.uint64(SAMPLE * SAMPLE))
    shift = np.uint64(0)
    while shift < 64 and left >> shift:
        shift += one
    agree, differ = SAMPLE, 1
    while agree * SAMPLE**2 > ALIKE * differ**2 and shift > 0:
        shift -= min(shift, np.uint64(8))
        agree, differ = 0, 1
        for i in range(one, np.uint64(SAMPLE)):
            differing = sample[i] ^ sample[i - one]
            differ += differing != 0
            agree += differing != 0 and differing >> shift == 0
    return shift


@njit
def sort_between(keys, payload, other_keys, other_payload, start, stop, window):
    """Sort between two pairs of arrays; return True if the result is in the other pair."""
    left = differing_bits(keys, start, start, stop) & window
    if stop - start < np.uint64(4 * SAMPLE):
        return _sort_digits(keys, payload, other_keys, other_payload, start, stop, left)
    lowest = _lowest_digit(keys, start, stop, left)
    high = left >> lowest << lowest
    moved = _sort_digits(keys, payload, other_keys, other_payload, start, stop, high)
    if high == left:
        return moved
    if moved:
        keys, payload, other_keys, other_payload = other_keys, other_payload, keys, payload
    if not _insert(keys, payload, start, stop, left, MOVES * (stop - start)):
        moved ^= _sort_digits(keys, payload, other_keys, other_payload, start, stop, left)
    return moved


@njit
def sort_bucket(keys, payload, other_keys, other_payload, start, stop, moved, window, short):
    """One core; `moved`: the bucket lies in the other arrays. The result is in `keys` and `payload`. Up to `short` keys are
    inserted."""
    if stop - start <= np.uint64(short):
        if moved:
            _copy(other_keys, start, stop, keys)
            _copy(other_payload, start, stop, payload)
        _insert(keys, payload, start, stop, window, stop * stop)
        return
    if moved:
        moved = not sort_between(other_keys, other_payload, keys, payload, start, stop, window)
    else:
        moved = sort_between(keys, payload, other_keys, other_payload, start, stop, window)
    if moved:
        _copy(other_keys, start, stop, keys)
        _copy(other_payload, start, stop, payload)
