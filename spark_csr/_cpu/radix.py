"""Radix sort: the highest digit on all cores (`_split`), the others core by core in the cache (`_sort_buckets`).

Design: a stable split by the highest eight bits in which keys differ leaves buckets that no core shares. A bucket fits
the cache of the core that sorts it, from its lowest digit to its highest (LSD), skipping bits in which its keys agree.
What is still large after a split (many keys that begin alike) is split again. A stable order is unique, so no choice made
here can be seen in the result. Cost: one array like `keys` and one like `payload`; for positions alone next to nothing: the
split moves them and not the keys, which every core fetches bucket by bucket.
Source: Knuth, *The Art of Computer Programming* 3, 5.2.5; the mix of both directions as in Maus, 2002, and many since.
"""

import numpy as np

from spark_csr._array import by_width
from spark_csr._cpu.counting import sort_by_counting
from spark_csr._cpu.digits import BINS, count_digits, differing_bits, is_sorted, scatter, sort_bucket
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, for_tiles, njit, run_on_all_cores

LINE = 8
"""Counters on a cache line: as many are left unused between those of two cores."""

STEPS = 16
"""Steps of a sort whose progress is reported. Not tuned."""

ROW = BINS + LINE
"""From the counters of a chunk to those of the next."""


@njit
def _sort_share(share, keys, payload, other_keys, other_payload, starts, stops, moved, cuts, window, short):
    """Sort the buckets from one cut to the next."""
    for b in range(cuts[share], cuts[share + 1]):
        start, stop = np.uint64(starts[b]), np.uint64(stops[b])
        sort_bucket(keys, payload, other_keys, other_payload, start, stop, moved[b], window, short)


@compile_kernel
def _sort_buckets(cores, keys, payload, other_keys, other_payload, starts, stops, moved, cuts, window, short):
    args = keys, payload, other_keys, other_payload, starts, stops, moved, cuts, window, short
    for_tiles(cores, cuts.size - 1, _sort_share, args)


@njit
def _argsort_share(share, keys, order, starts, stops, cuts, window, short):
    """Fetch the keys of each bucket from one cut to the next, and sort their positions by them."""
    first, last = cuts[share], cuts[share + 1]
    most = 0
    for b in range(first, last):
        most = max(most, stops[b] - starts[b])
    fetched, other_keys = np.empty(most, keys.dtype), np.empty(most, keys.dtype)
    other_order = np.empty(most, order.dtype)
    for b in range(first, last):
        bucket = order[starts[b] : stops[b]]
        size = np.uint64(bucket.size)
        for i in range(size):
            fetched[i] = keys[bucket[i]]
        sort_bucket(fetched, bucket, other_keys, other_order, np.uint64(0), size, False, window, short)


@compile_kernel
def _argsort_buckets(cores, keys, order, starts, stops, cuts, window, short):
    for_tiles(cores, cuts.size - 1, _argsort_share, (keys, order, starts, stops, cuts, window, short))


@njit
def _fetch_block(tile, keys, order, size, out):
    """Write the keys at one block of `size` positions."""
    first = tile * np.uint64(size)
    for i in range(first, min(first + np.uint64(size), np.uint64(order.size))):
        out[i] = keys[order[i]]


@compile_kernel
def _fetch(cores, keys, order, size, out):
    for_tiles(cores, -(-order.size // size), _fetch_block, (keys, order, size, out))


@njit(forceinline=True)
def _chunk_bounds(tile, start, stop, chunk):
    """Return where a chunk of a range begins and ends."""
    first = start + tile * chunk
    return first, min(first + chunk, stop)


@njit
def _compare_chunk(tile, keys, start, stop, chunk, differing):
    """Write the bits in which keys of one chunk differ from the first key of the range."""
    first, last = _chunk_bounds(tile, start, stop, chunk)
    differing[tile] = differing_bits(keys, start, first, last)


@njit
def _count_chunk(tile, keys, start, stop, chunk, shift, mask, places):
    """Count the digits of one chunk."""
    first, last = _chunk_bounds(tile, start, stop, chunk)
    count_digits(keys, first, last, shift, mask, places, tile * ROW)


@njit
def _scatter_chunk(tile, keys, payload, other_keys, other_payload, start, stop, chunk, shift, mask, places):
    """Move the keys of one chunk to its places in the buckets."""
    first, last = _chunk_bounds(tile, start, stop, chunk)
    scatter(keys, payload, first, last, shift, mask, places, tile * ROW, other_keys, other_payload)


@compile_kernel
def _split(cores, keys, payload, other_keys, other_payload, start, stop, chunk, window, ends):
    """Move a range into buckets by its highest digit in use, and write where they end; false if all keys agree.

    As in `scatter`, keys may stay where they are, and a payload may be their positions.
    """
    start, stop, chunk = np.uint64(start), np.uint64(stop), np.uint64(chunk)
    chunks = np.int64((stop - start + chunk - 1) // chunk)
    differing = np.empty(chunks, np.uint64)
    for_tiles(cores, chunks, _compare_chunk, (keys, start, stop, chunk, differing))
    left = np.uint64(0)
    for t in range(chunks):
        left |= differing[t]
    left &= window
    shift = np.uint64(0)
    while left >> shift >= BINS:
        shift += 1
    mask = left >> shift
    places = np.zeros(chunks * ROW, np.uint64)
    for_tiles(cores, chunks, _count_chunk, (keys, start, stop, chunk, shift, mask, places))
    running = start
    for b in range(BINS):
        for t in range(chunks):
            count = places[t * ROW + b]
            places[t * ROW + b] = running
            running += count
        ends[b] = running
    if left:
        args = keys, payload, other_keys, other_payload, start, stop, chunk, shift, mask, places
        for_tiles(cores, chunks, _scatter_chunk, args)
    return left != 0


def _chunk_size(length):
    """Return how many keys of a range a chunk takes."""
    return max(TUNING.radix_serial // 4, -(-length // TUNING.radix_tiles))


def _large_size(n):
    """Return how many keys a bucket may have without being split again."""
    return max(TUNING.radix_serial, 4 * n // TUNING.radix_tiles)


def _cuts(starts, n):
    """Return which buckets every share takes, from their starts."""
    cuts = np.searchsorted(starts, np.arange(TUNING.radix_tiles + 1) * (n / TUNING.radix_tiles))
    cuts[-1] = starts.size
    return cuts


def _split_large(here, there, window):
    """Return the buckets as arrays `(starts, stops, moved)` in order. None of them is large unless all its keys agree."""
    n = here[0].size
    large, buckets = [(0, n, False)], []
    while large:
        start, stop, moved = large.pop()
        ends = np.empty(BINS, np.int64)
        source, target = (there, here) if moved else (here, there)
        if not run_on_all_cores(_split, *source, *target, start, stop, _chunk_size(stop - start), window, ends):
            buckets.append(np.array([[start, stop, moved]]))
            continue
        starts = np.concatenate([[start], ends[:-1]])
        found = np.stack([starts, ends, np.full(BINS, not moved)], axis=1)[ends > starts]
        is_large = found[:, 1] - found[:, 0] > _large_size(n)
        large += [(int(a), int(b), bool(m)) for a, b, m in found[is_large]]
        buckets.append(found[~is_large])
    buckets = np.concatenate(buckets)
    return buckets[buckets[:, 0].argsort()].T


def _window(begin_bit, end_bit):
    return np.uint64((1 << end_bit) - (1 << begin_bit))


_is_sorted = compile_kernel(is_sorted)


@compile_kernel
def _sort_alone(keys, payload, other_keys, other_payload, most, window, short):
    """Sort the keys if there are at most `most`; return whether they are in order then."""
    if is_sorted(keys, window):
        return True
    if keys.size <= most:
        start, stop = np.uint64(0), np.uint64(keys.size)
        sort_bucket(keys, payload, other_keys, other_payload, start, stop, False, window, short)
    return keys.size <= most


def _run_shares(kernel, before, starts, n, after, report):
    """Run a kernel on all shares of the buckets; in steps, of which all but the last are reported, if somebody asks."""
    cuts = _cuts(starts, n)
    step = cuts.size - 1 if report is None else max((cuts.size - 1) // STEPS, 1)
    for first in range(0, cuts.size - 1, step):
        some = cuts[first : first + step + 1]
        run_on_all_cores(kernel, *before, some, *after)
        if report is not None and some[-1] < starts.size:
            report(int(starts[some[-1]]), n)


def radix_sort(keys, payload, begin_bit, end_bit, report=None):
    """Sort `keys` (unsigned) in place; `payload`, if any, moves along. `report` is given how many are done, and all."""
    values = 1 << 8 * keys.itemsize if keys.itemsize < 4 else 0
    if values and payload is None and end_bit - begin_bit == 8 * keys.itemsize and keys.size > max(TUNING.radix_serial, values):
        sort_by_counting(keys, values, _chunk_size(keys.size))
        return
    if values:  # two widths are compiled, not four
        wide = keys.astype(np.uint32)
        radix_sort(wide, payload, begin_bit, end_bit, report)
        keys[:] = wide
        return
    n, window = keys.size, _window(begin_bit, end_bit)
    here = keys, None if payload is None else by_width(payload)
    there = np.empty_like(keys), None if payload is None else np.empty_like(here[1])
    short = TUNING.radix_short
    if _sort_alone(*here, *there, TUNING.radix_serial, window, short):
        return
    starts, stops, moved = _split_large(here, there, window)
    _run_shares(_sort_buckets, (*here, *there, starts, stops, moved.astype(bool)), starts, n, (window, short), report)


def radix_argsort(keys, order, begin_bit, end_bit, report=None):
    """Fill `order` with the positions that sort `keys` (unsigned, of no use afterwards). `report` as in `radix_sort`."""
    n, order, window = keys.size, by_width(order), _window(begin_bit, end_bit)
    keys = keys if keys.itemsize >= 4 else keys.astype(np.uint32)
    if n <= TUNING.radix_serial or _is_sorted(keys, window):
        order[:] = np.arange(n, dtype=order.dtype)
        if n <= TUNING.radix_serial:
            radix_sort(keys, order, begin_bit, end_bit)
        return
    ends = np.empty(BINS, np.int64)
    run_on_all_cores(_split, keys, None, None, order, 0, n, _chunk_size(n), window, ends)
    starts = np.concatenate([[0], ends[:-1]])
    large = ends - starts > _large_size(n)
    for start, stop in zip(starts[large], ends[large], strict=True):
        bucket = order[start:stop]
        fetched = np.empty(bucket.size, keys.dtype)
        run_on_all_cores(_fetch, keys, bucket, TUNING.radix_block, fetched)
        radix_sort(fetched, bucket, begin_bit, end_bit)
    starts, stops = starts[~large], ends[~large]
    _run_shares(_argsort_buckets, (keys, order, starts, stops), starts, n, (window, TUNING.radix_short), report)
