"""Radix sort: the highest digit on all cores, the others core by core in the cache.

Design: a stable split by the highest eight bits in which keys differ leaves buckets that no core shares. A bucket fits
the cache of the core that sorts it, from its lowest digit to its highest (LSD), skipping bits in which its keys agree.
What is still large after a split (many keys that begin alike) is split again. A stable order is unique, so no choice made
here can be seen in the result. Cost: one array like `keys` and one like `payload`.
Source: Knuth, *The Art of Computer Programming* 3, 5.2.5; the mix of both directions as in Maus, 2002, and many since.
"""

import numpy as np
from numba import njit, prange

from spark_csr._array import by_width
from spark_csr._cpu.threads import run_parallel

SERIAL = 65536
"""Keys that one core sorts alone: with their scratch they fit a cache of 1 MiB. Not tuned beyond."""

SHARES = 64
"""Pieces that work on large ranges is cut into, and of which a bucket may hold four before it is split. Not tuned."""

SMALL = 24
"""Keys up to which insertion takes the place of counting digits. Not tuned."""

PIECES = 4
"""Pieces that counting is cut into: each has counters for all values of two bytes. Not tuned."""

BINS = 256


@njit(forceinline=True)
def _move(source, i, out, to):
    """A payload goes where its key goes; None goes nowhere."""
    if source is not None:
        out[to] = source[i]


@njit(nogil=True, cache=True)
def _copy(source, start, stop, out):
    if source is not None:
        for i in range(start, stop):
            out[i] = source[i]


@njit(nogil=True, cache=True)
def _differing(keys, first, start, stop):
    """The bits in which some key differs from the key at `first`."""
    like = keys[first]
    bits = like ^ like
    for i in range(start, stop):
        bits |= keys[i] ^ like
    return np.uint64(bits)


@njit(nogil=True, cache=True)
def _count(keys, start, stop, shift, mask, counts, row):
    """Add to `counts[row:]` how many keys have each digit; two counters take turns, as each waits for its last write."""
    other = np.zeros(BINS, np.uint64)
    for i in range(start, stop - (stop - start & np.uint64(1)), np.uint64(2)):
        counts[row + (np.uint64(keys[i]) >> shift & mask)] += np.uint64(1)
        other[np.uint64(keys[i + np.uint64(1)]) >> shift & mask] += np.uint64(1)
    if stop - start & np.uint64(1):
        other[np.uint64(keys[stop - np.uint64(1)]) >> shift & mask] += np.uint64(1)
    for b in range(np.uint64(BINS)):
        counts[row + b] += other[b]


@njit(nogil=True, cache=True)
def _scatter(keys, payload, start, stop, shift, mask, places, row, out_keys, out_payload):
    """Every key to the next place of its digit."""
    for i in range(start, stop):
        key = keys[i]
        entry = row + (np.uint64(key) >> shift & mask)
        to = places[entry]
        places[entry] = to + np.uint64(1)
        out_keys[to] = key
        _move(payload, i, out_payload, to)


@njit(nogil=True, cache=True)
def _insert(keys, payload, start, stop, window):
    """Insertion sort by the bits of `window`."""
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


@njit(nogil=True, cache=True)
def _sort_by_digits(keys, payload, other_keys, other_payload, start, stop, window):
    """LSD between two pairs of arrays; true if the result is in the other pair."""
    left = _differing(keys, start, start, stop) & window
    places = np.empty(BINS, np.uint64)
    moved = False
    while left:
        shift = np.uint64(0)
        while not left >> shift & np.uint64(1):
            shift += np.uint64(1)
        mask = left >> shift & np.uint64(BINS - 1)
        left &= ~(mask << shift)
        places[:] = 0
        _count(keys, start, stop, shift, mask, places, np.uint64(0))
        running = start
        for b in range(mask + np.uint64(1)):
            count = places[b]
            places[b] = running
            running += count
        _scatter(keys, payload, start, stop, shift, mask, places, np.uint64(0), other_keys, other_payload)
        keys, other_keys = other_keys, keys
        payload, other_payload = other_payload, payload
        moved = not moved
    return moved


@njit(nogil=True, cache=True)
def _sort_bucket(keys, payload, other_keys, other_payload, start, stop, moved, window):
    """One core; `moved`: the bucket lies in the other arrays. The result is in `keys` and `payload`."""
    if stop - start <= np.uint64(SMALL):
        if moved:
            _copy(other_keys, start, stop, keys)
            _copy(other_payload, start, stop, payload)
        _insert(keys, payload, start, stop, window)
        return
    if moved:
        moved = not _sort_by_digits(other_keys, other_payload, keys, payload, start, stop, window)
    else:
        moved = _sort_by_digits(keys, payload, other_keys, other_payload, start, stop, window)
    if moved:
        _copy(other_keys, start, stop, keys)
        _copy(other_payload, start, stop, payload)


@njit(parallel=True, nogil=True, cache=True)
def _sort_buckets(keys, payload, other_keys, other_payload, starts, stops, moved, cuts, window):
    """A share: the buckets from one cut to the next."""
    for share in prange(cuts.size - 1):
        for b in range(cuts[share], cuts[share + 1]):
            start, stop = np.uint64(starts[b]), np.uint64(stops[b])
            _sort_bucket(keys, payload, other_keys, other_payload, start, stop, moved[b], window)


@njit(parallel=True, nogil=True, cache=True)
def _split(keys, payload, other_keys, other_payload, start, stop, chunk, window, ends):
    """Move a range into buckets by its highest digit in use, and write where they end; false if all keys agree."""
    start, stop, chunk = np.uint64(start), np.uint64(stop), np.uint64(chunk)
    chunks = np.int64((stop - start + chunk - np.uint64(1)) // chunk)
    differing = np.empty(chunks, np.uint64)
    for t in prange(chunks):
        first = start + np.uint64(t) * chunk
        differing[t] = _differing(keys, start, first, min(first + chunk, stop))
    left = np.uint64(0)
    for t in range(chunks):
        left |= differing[t]
    left &= window
    shift = np.uint64(0)
    while left >> shift >= np.uint64(BINS):
        shift += np.uint64(1)
    mask = left >> shift
    places = np.zeros(chunks * BINS, np.uint64)
    for t in prange(chunks):
        first = start + np.uint64(t) * chunk
        _count(keys, first, min(first + chunk, stop), shift, mask, places, np.uint64(t) * np.uint64(BINS))
    running = start
    for b in range(BINS):
        for t in range(chunks):
            count = places[t * BINS + b]
            places[t * BINS + b] = running
            running += count
        ends[b] = running
    for t in prange(chunks if left else 0):
        first = start + np.uint64(t) * chunk
        row = np.uint64(t) * np.uint64(BINS)
        _scatter(keys, payload, first, min(first + chunk, stop), shift, mask, places, row, other_keys, other_payload)
    return left != 0


def _split_large(here, there, window):
    """Buckets as arrays `(starts, stops, moved)` in order, none of them large unless all its keys agree."""
    n = here[0].size
    large, buckets = [(0, n, False)], []
    while large:
        start, stop, moved = large.pop()
        ends = np.empty(BINS, np.int64)
        chunk = max(SERIAL // 4, -(-(stop - start) // SHARES))
        source, target = (there, here) if moved else (here, there)
        if not run_parallel(_split, *source, *target, start, stop, chunk, window, ends):
            buckets.append(np.array([[start, stop, moved]]))
            continue
        starts = np.concatenate([[start], ends[:-1]])
        found = np.stack([starts, ends, np.full(BINS, not moved)], axis=1)[ends > starts]
        is_large = found[:, 1] - found[:, 0] > max(SERIAL, 4 * n // SHARES)
        large += [(int(a), int(b), bool(m)) for a, b, m in found[is_large]]
        buckets.append(found[~is_large])
    buckets = np.concatenate(buckets)
    return buckets[buckets[:, 0].argsort()].T


@njit(parallel=True, nogil=True, cache=True)
def _sort_by_counting(keys, counts):
    """Keys that are nothing but their digit: count every value in `counts[piece, value]`, then write them in order."""
    pieces, values = np.uint64(counts.shape[0]), np.uint64(counts.shape[1])
    flat = counts.ravel()
    n = np.uint64(keys.size)
    for piece in prange(np.int64(pieces)):
        row = np.uint64(piece) * values
        for i in range(n * np.uint64(piece) // pieces, n * (np.uint64(piece) + np.uint64(1)) // pieces):
            flat[row + np.uint64(keys[i])] += np.uint64(1)
    at = np.uint64(0)
    for value in range(values):
        for piece in range(pieces):
            stop = at + flat[piece * values + value]
            for i in range(at, stop):
                keys[i] = value
            at = stop


def radix_sort(keys, payload, begin_bit, end_bit):
    window = np.uint64((1 << end_bit) - (1 << begin_bit))
    values = 1 << 8 * keys.itemsize if keys.itemsize < 4 else 0
    if values and payload is None and end_bit - begin_bit == 8 * keys.itemsize and keys.size > max(SERIAL, values):
        run_parallel(_sort_by_counting, keys, np.zeros((PIECES, values), np.uint64))
        return
    if values:  # two widths are compiled, not four
        wide = keys.astype(np.uint32)
        radix_sort(wide, payload, begin_bit, end_bit)
        keys[:] = wide
        return
    payload = None if payload is None else by_width(payload)
    here = keys, payload
    there = np.empty_like(keys), None if payload is None else np.empty_like(payload)
    if keys.size <= SERIAL:
        _sort_bucket(*here, *there, np.uint64(0), np.uint64(keys.size), False, window)
        return
    starts, stops, moved = _split_large(here, there, window)
    cuts = np.searchsorted(starts, np.arange(SHARES + 1) * (keys.size / SHARES))
    cuts[-1] = starts.size
    run_parallel(_sort_buckets, *here, *there, starts, stops, moved.astype(bool), cuts, window)
