"""Keep the entries of a matrix that pass a test of unsigned numbers, and the offsets of what is left of its rows.

Design: as `compact`, no branch on the test. Eight entries are tested at once, columns and values of those that pass are moved
together, and the eight bits are noted with the place they went to: a row's new end is that place and a look at eight bits.
Tiles are moved from the last one on: what was counted last is in the cache still.

In place nothing is counted. Tiles are worked on in rounds: the cores write what each tile keeps into a buffer in their caches,
then the numbers of a round are summed, then the cores copy the buffers to the front, past the cache. A round never writes
behind what it has read. That is one pass, and needs no new memory. Cost: two barriers a round, which wait for a core that other
programs are using. Of 16M float64 entries, half of them zero, two cores of an EPYC 9004 (Zen 4, 2026-11) take 10.5 ms, with
stores through the cache 15 ms, by the other way 14.5 ms and up to 90 ms in fresh memory, SciPy's loop 93 ms. With both cores
shared with two other programs each they took 53 ms, SciPy 124 ms.
"""

import numba
import numpy as np
from numba import prange

from spark_csr._cpu.cache import njit
from spark_csr._cpu.memory import finish_stores, stream_items
from spark_csr._cpu.select import count_bits, pass_eight, select_eight
from spark_csr._cpu.threads import compiled_both_ways, run_parallel
from spark_csr.bisection import first_at_least

TILE = 16384
"""Entries a tile takes, a multiple of eight. 65536 and 262144 measured alike, 4096 a quarter slower (EPYC, 2026-11)."""

SERIAL = 32768
"""Entries up to which one core does it all. Not tuned."""

ROUND = 16
"""Tiles of a round for each core: their buffers fit its cache. 8 and 32 measured alike, 2 a third slower (EPYC, 2026-11)."""


def _tile(n):
    return TILE if n > SERIAL else max(-(-n // 8) * 8, 8)


def keep_tiles(n):
    """How many tiles `n` entries make."""
    return -(-n // _tile(n))


@njit(forceinline=True)
def _passes(value, test):
    mask, shift, width, limit = test
    return (np.uint64(value) & mask) + shift & width > limit


@njit(nogil=True, cache=True)
def _count(tested, test, start, stop):
    kept = np.uint64(0)
    for i in range(np.uint64(start), np.uint64(stop)):
        kept += np.uint64(_passes(tested[i], test))
    return kept


@njit(parallel=True, nogil=True, cache=True)
def _count_tiles(tested, test, tile, before):
    for t in prange(before.size - 1):
        before[t + 1] = _count(tested, test, t * tile, min((t + 1) * tile, tested.size))
    before[0] = 0
    for t in range(before.size - 1):
        before[t + 1] += before[t]


def kept_entries(tested, test, before):
    """Entries that pass before every tile, and in all; `test` is `(mask, shift, width, limit)`: see `operations.keep`."""
    if before.size == 2:
        before[0], before[1] = 0, _count(tested, test, 0, tested.size)
    else:
        run_parallel(_count_tiles, tested, test, _tile(tested.size), before)


@njit(nogil=True, cache=True)
def _move(tested, test, indices, data, start, stop, first, last, out_indices, out_data, passed, before):
    """Write what passes of entries `start` to `stop` to places `first` to `last`; note which of every eight, and the place.

    Returns the place behind the last one written to.
    """
    eight, one = np.uint64(8), np.uint64(1)
    i, stop, k, last = np.uint64(start), np.uint64(stop), np.uint64(first), np.uint64(last)
    group = np.uint64(0)
    while k + eight <= last and i + eight <= stop:
        bits = pass_eight(tested, i, test)
        select_eight(indices, i, bits, out_indices, k)
        select_eight(data, i, bits, out_data, k)
        passed[group], before[group] = bits, k
        k += count_bits(bits)
        i, group = i + eight, group + one
    while i < stop:
        passed[group], before[group] = 0, k
        for bit in range(min(eight, stop - i)):
            if _passes(tested[i], test):
                out_indices[k], out_data[k] = indices[i], data[i]
                passed[group] |= np.uint8(one << bit)
                k += one
            i += one
        group += one
    passed[group], before[group] = 0, k
    return k


@njit(nogil=True, cache=True)
def _end_rows(passed, before, first, indptr, start, stop, whole, out_indptr):
    """Write where rows that start in the tile start now; of the last tile also those that start at its end."""
    top = np.uint64(indptr.size) if stop == whole else first_at_least(indptr, 0, indptr.size, stop)
    for row in range(first_at_least(indptr, 0, indptr.size, start), top):
        at = np.uint64(indptr[row]) - np.uint64(start)
        group, below = at >> np.uint64(3), (np.uint64(1) << (at & np.uint64(7))) - np.uint64(1)
        out_indptr[row] = first + before[group] + count_bits(passed[group] & below)


@njit(forceinline=True)
def _notes(tile):
    """Room for what `_move` notes of a tile."""
    return np.empty(tile // 8 + 2, np.uint8), np.empty(tile // 8 + 2, np.uint64)


@njit(nogil=True, cache=True)
def _keep_tile(tested, test, indptr, indices, data, start, stop, first, last, out_indptr, out_indices, out_data):
    passed, before = _notes(stop - start)
    _move(tested, test, indices, data, start, stop, first, last, out_indices, out_data, passed, before)
    _end_rows(passed, before, np.uint64(0), indptr, start, stop, tested.size, out_indptr)


@njit(parallel=True, nogil=True, cache=True)
def _keep_tiles(tested, test, indptr, indices, data, tile, before, out_indptr, out_indices, out_data):
    tiles = before.size - 1
    for k in prange(tiles):
        t = tiles - 1 - k
        start, stop = t * tile, min((t + 1) * tile, tested.size)
        first, last = before[t], before[t + 1]
        _keep_tile(tested, test, indptr, indices, data, start, stop, first, last, out_indptr, out_indices, out_data)


def keep(tested, test, indptr, indices, data, before, out_indptr, out_indices, out_data):
    """The entries that pass, and the offsets of their rows."""
    if before.size == 2:
        span = 0, tested.size, 0, out_indices.size
        _keep_tile(tested, test, indptr, indices, data, *span, out_indptr, out_indices, out_data)
    else:
        tile = _tile(tested.size)
        run_parallel(_keep_tiles, tested, test, indptr, indices, data, tile, before, out_indptr, out_indices, out_data)


@njit(nogil=True, cache=True)
def _to_front(kept_indices, kept_data, kept, indices, data, first):
    """Write what a tile keeps to `indices` and `data` from `first` on, past the cache."""
    stream_items(kept_indices, np.uint64(0), kept, indices, first)
    stream_items(kept_data, np.uint64(0), kept, data, first)
    finish_stores()


def _move_in_rounds(tested, test, indptr, indices, data, tile, tiles, out_indptr):
    n, room = tested.size, np.uint64(tile + 8)
    kept_indices, kept_data = np.empty((tiles, tile + 8), indices.dtype), np.empty((tiles, tile + 8), data.dtype)
    passed, places = np.empty((tiles, tile // 8 + 2), np.uint8), np.empty((tiles, tile // 8 + 2), np.uint64)
    firsts = np.zeros(tiles + 1, np.uint64)
    for begin in range(0, n, tile * tiles):
        for t in prange(tiles):
            start, stop = min(begin + t * tile, n), min(begin + (t + 1) * tile, n)
            out = kept_indices[t], kept_data[t], passed[t], places[t]
            firsts[t + 1] = _move(tested, test, indices, data, start, stop, np.uint64(0), room, *out)
        for t in range(tiles):
            firsts[t + 1] += firsts[t]
        for t in prange(tiles):
            start, stop = min(begin + t * tile, n), min(begin + (t + 1) * tile, n)
            first, kept = firsts[t], firsts[t + 1] - firsts[t]
            if first + kept < np.uint64(stop):
                _to_front(kept_indices[t], kept_data[t], kept, indices, data, first)
            if start < stop:
                _end_rows(passed[t], places[t], first, indptr, start, stop, n, out_indptr)
        firsts[0] = firsts[tiles]


_move_alone, _move_together = compiled_both_ways(_move_in_rounds)


def keep_in_place(tested, test, indptr, indices, data, out_indptr):
    """Move the entries that pass to the front of `indices` and `data`, and write the offsets of their rows."""
    tile = _tile(tested.size)
    tiles = min(keep_tiles(tested.size), ROUND * numba.config.NUMBA_NUM_THREADS)
    args = tested, test, indptr, indices, data, tile, tiles, out_indptr
    if tiles == 1:
        _move_alone(*args)
    else:
        run_parallel(_move_together, *args)
