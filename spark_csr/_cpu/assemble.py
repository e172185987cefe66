"""Entries with two indices each, in any order, to the three arrays of a compressed matrix.

Design: a stable split by the major index gives every core buckets that fit its cache, with ranges of the major index that no
two share. Keys in a bucket hold the bits in use only: in most matrices four bytes. There a bucket is sorted by the minor
index (LSD), where that is asked for, and placed by the major one, whose counts are the offsets of its rows. Buckets are made
of fine bins by how many entries these hold, so crowded rows get buckets of their own. A stable order is unique, so no choice
made here can be seen in the result. Cost: an array of keys and one like the payload; entries move twice through memory.
Source: as `radix`.
"""

import numpy as np

from spark_csr._array import by_width
from spark_csr._cpu.digits import sort_between
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, for_tiles, njit, run_on_all_cores
from spark_csr._shared.bisection import segment_of

LINE = 8
"""Counters on a cache line: as many are left unused between those of two chunks, which two cores may count at once."""


@njit
def _count_chunk(tile, major, chunk, shift, counts):
    """Count the entries of every bin in one chunk, in its own row of `counts`."""
    shift, chunk = np.uint64(shift), np.uint64(chunk)
    row = counts[tile]
    row[:] = 0
    for i in range(tile * chunk, min((tile + 1) * chunk, np.uint64(major.size))):
        row[np.uint64(major[i]) >> shift] += 1


@compile_kernel
def _count_bins(cores, major, chunk, shift, counts):
    for_tiles(cores, counts.shape[0], _count_chunk, (major, chunk, shift, counts))


@njit
def _split_chunk(major, minor, offsets, data, start, stop, shift, minor_bits, bucket_of, places, keys, payload):
    """Move entries to the next positions of their buckets. If `minor` is None, it is the segment of `offsets`; if `data` is
    None, the payload is the position. A key drops the bits that do not fit `keys`: they belong to the bucket.
    """
    row = np.uint64(0)
    if offsets is not None:
        row = np.uint64(segment_of(offsets, offsets.size - 1, start))
    for i in range(np.uint64(start), np.uint64(stop)):
        first = np.uint64(major[i])
        bucket = bucket_of[first >> shift]
        to = places[bucket]
        places[bucket] = to + 1
        if offsets is not None:
            while np.uint64(offsets[row + 1]) <= i:
                row += 1
        keys[to] = first << minor_bits | (row if minor is None else np.uint64(minor[i]))
        payload[to] = i if data is None else data[i]


@njit
def _split_tile(tile, major, minor, offsets, data, chunk, shift, minor_bits, bucket_of, places, keys, payload):
    """Move the entries of one chunk to their part of every bucket."""
    shift, bits = np.uint64(shift), np.uint64(minor_bits)
    start = np.int64(tile) * chunk
    stop = min(start + chunk, major.size)
    mine = places[tile].copy()  # neighbouring rows may lie on one cache line
    _split_chunk(major, minor, offsets, data, start, stop, shift, bits, bucket_of, mine, keys, payload)


@compile_kernel(reads=("major", "minor", "offsets", "data"))
def _split(cores, major, minor, offsets, data, chunk, shift, minor_bits, bucket_of, places, keys, payload):
    args = major, minor, offsets, data, chunk, shift, minor_bits, bucket_of, places, keys, payload
    for_tiles(cores, places.shape[0], _split_tile, args)


@njit
def _place(keys, payload, base, minor_bits, start, ends, indices, out):
    """Count the entries of every row of a bucket in `ends`, from row `base` on; write the entries from `start` on."""
    ends[:] = 0
    low = np.uint64(base) << minor_bits
    mask = np.uint64(keys.dtype.type(-1))
    for i in range(np.uint64(keys.size)):
        ends[(np.uint64(keys[i]) - low & mask) >> minor_bits] += 1
    running = np.uint64(start)
    for r in range(np.uint64(ends.size)):
        count = np.uint64(ends[r])
        ends[r] = running
        running += count
    minors = (1 << minor_bits) - 1
    for i in range(np.uint64(keys.size)):
        r = (np.uint64(keys[i]) - low & mask) >> minor_bits
        to = np.uint64(ends[r])
        ends[r] = to + 1
        indices[to] = np.uint64(keys[i]) & minors
        out[to] = payload[i]


@njit
def finish(keys, payload, start, stop, base, top, minor_bits, ordered, indptr, indices, out):
    """Write one bucket: entries `start` to `stop`, which are all entries of rows `base` to `top`."""
    bits = np.uint64(minor_bits)
    mine, carried = keys[start:stop], payload[start:stop]
    if ordered:
        other, other_carried = np.empty(mine.size, keys.dtype), np.empty(mine.size, payload.dtype)
        window = (1 << bits) - 1
        if mine.size and sort_between(mine, carried, other, other_carried, np.uint64(0), np.uint64(mine.size), window):
            mine, carried = other, other_carried
    _place(mine, carried, base, bits, start, indptr[base + 1 : top + 1], indices, out)


@njit
def _finish_bucket(tile, keys, payload, starts, bases, minor_bits, ordered, indptr, indices, out):
    """Finish bucket `tile`."""
    after = tile + 1
    start, stop, base, top = starts[tile], starts[after], bases[tile], bases[after]
    finish(keys, payload, start, stop, base, top, minor_bits, ordered, indptr, indices, out)


@compile_kernel
def _finish_buckets(cores, keys, payload, starts, bases, minor_bits, ordered, indptr, indices, out):
    args = keys, payload, starts, bases, minor_bits, ordered, indptr, indices, out
    for_tiles(cores, starts.size - 1, _finish_bucket, args)


@compile_kernel(reads=("major", "minor", "offsets", "data"))
def _assemble_alone(major, minor, offsets, data, minor_bits, ordered, keys, payload, indptr, indices, out):
    """Assemble all entries on one core, as one bucket."""
    places, bucket_of = np.zeros(1, np.uint64), np.zeros(1, np.uint16)
    bits, shift = np.uint64(minor_bits), np.uint64(63)
    _split_chunk(major, minor, offsets, data, 0, major.size, shift, bits, bucket_of, places, keys, payload)
    finish(keys, payload, 0, major.size, 0, indptr.size - 1, minor_bits, ordered, indptr, indices, out)


def _make_buckets(counts, majors, shift):
    """Return the bucket of every bin, where buckets begin among entries and rows, and where chunks write in each bucket."""
    of_bin = counts.sum(axis=0)
    before = np.cumsum(of_bin) - of_bin
    share = max(-(-int(of_bin.sum()) // TUNING.assemble_buckets), TUNING.assemble_serial // 4)
    number = before // share
    is_first = np.concatenate([[True], number[1:] != number[:-1]])
    bucket_of, first_bins = np.cumsum(is_first) - 1, np.flatnonzero(is_first)
    totals = np.add.reduceat(counts, first_bins, axis=1)
    starts = np.concatenate([[0], np.cumsum(totals.sum(axis=0))]).astype(np.int64)
    places = starts[:-1] + np.cumsum(totals.astype(np.int64), axis=0) - totals.astype(np.int64)
    return bucket_of.astype(np.uint16), starts, np.append(first_bins << shift, majors), places.astype(np.uint64)


def _make_room(span, minor_bits, n, out):
    """Return empty arrays: keys for `span` rows, and a payload like `out`."""
    wide = max(span - 1, 0).bit_length() + minor_bits > 32
    return np.empty(n, np.uint64 if wide else np.uint32), np.empty(n, out.dtype)


def split_by_major(major, minor, offsets, data, bits, majors, n, out):
    """Return keys and payload by bucket, and where buckets begin among entries and rows."""
    shift, chunk = (
        max((majors - 1).bit_length() - TUNING.assemble_bins.bit_length() + 1, 0),
        max(-(-n // TUNING.assemble_tiles), TUNING.assemble_serial // 16),
    )
    bins = ((majors - 1) >> shift) + 1
    counts = np.empty((-(-n // chunk), bins + LINE), np.uint64)
    run_on_all_cores(_count_bins, major, chunk, shift, counts)
    bucket_of, starts, bases, places = _make_buckets(counts[:, :bins], majors, shift)
    keys, payload = _make_room(int(np.diff(bases).max()), bits, n, out)
    run_on_all_cores(_split, major, minor, offsets, data, chunk, shift, bits, bucket_of, places, keys, payload)
    return keys, payload, starts, bases


def gather_rows(major, minor, offsets, data, minors, ordered, indptr, indices, out):
    """Do as `assemble`, but `minor` may be None: then it is the segment of `offsets`."""
    n, majors, out = major.size, indptr.size - 1, by_width(out)
    bits = max(minors - 1, 0).bit_length()
    data = None if data is None else by_width(data)
    indptr[0] = 0
    if n <= TUNING.assemble_serial:
        keys, payload = _make_room(majors, bits, n, out)
        _assemble_alone(major, minor, offsets, data, bits, ordered, keys, payload, indptr, indices, out)
        return
    keys, payload, starts, bases = split_by_major(major, minor, offsets, data, bits, majors, n, out)
    run_on_all_cores(_finish_buckets, keys, payload, starts, bases, bits, ordered, indptr, indices, out)


def assemble(major, minor, data, minors, ordered, indptr, indices, out):
    """Write entries by row `major`, stably, and if `ordered` by `minor` in a row. If `data` is None, `out` takes positions.

    Return False: whether a position has two entries is not looked at.
    """
    gather_rows(by_width(major), by_width(minor), None, data, minors, ordered, indptr, indices, out)
    return False
