"""Keep the entries of a matrix that pass a test of unsigned numbers, and the offsets of what is left of its rows.

Design: as `compact`, no branch on the test. Eight entries are tested at once, columns and values of those that pass are moved
together, and the eight bits are noted with the place they went to: a row's new end is that place and a look at eight bits.
Tiles are moved from the last one on: what was counted last is in the cache still.

In place nothing is counted. Tiles are worked on in rounds: the cores write what each tile keeps into a buffer in their caches,
then the numbers of a round are summed, then the cores copy the buffers to the front, past the cache. A round never writes
behind what it has read. That is one pass, and needs no new memory. Cost: each round waits twice for its last tile. Of 16M
float64 entries, half of them zero, two cores of an EPYC 9004 (Zen 4, 2026-11, with OpenMP's threads) took 10.5 ms, with stores
through the cache 15 ms, by the other way 14.5 ms and up to 90 ms in fresh memory, SciPy's loop 93 ms.
"""

import numpy as np

from spark_csr._cpu.memory import stream_items
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit
from spark_csr._engine.numba.intrinsics.bits import count_bits
from spark_csr._engine.numba.intrinsics.copies import finish_stores
from spark_csr._engine.numba.intrinsics.select import pass_eight, select_eight
from spark_csr._shared.bisection import first_at_least


def _tile(n):
    return TUNING.keep_tile if n > TUNING.keep_serial else max(-(-n // 8) * 8, 8)


def keep_tiles(n):
    """Return how many tiles `n` entries make."""
    return -(-n // _tile(n))


@njit(forceinline=True)
def _is_selected(value, test):
    mask, shift, width, limit = test
    return (np.uint64(value) & mask) + shift & width > limit


@njit
def _count_tile(tile, tested, test, items, before):
    """Count the entries of a tile that pass."""
    start, kept = tile * np.uint64(items), np.uint64(0)
    for i in range(start, min(start + np.uint64(items), np.uint64(tested.size))):
        kept += np.uint64(_is_selected(tested[i], test))
    before[tile + 1] = kept


@compile_kernel(reads=("tested",))
def _count_tiles(cores, tested, test, items, before):
    for_tiles(cores, before.size - 1, _count_tile, (tested, test, items, before))
    before[0] = 0
    for t in range(before.size - 1):
        before[t + 1] += before[t]


def _cores(kernel, tiles):
    """Return how many cores work on `tiles` tiles: one on a single tile."""
    return 1 if tiles == 1 else cores_for(kernel)


def count_selected_entries(tested, test, before):
    """Count the entries that pass before every tile, and in all; `test` is `(mask, shift, width, limit)`, see
    `_operations.form.keep`.
    """
    _count_tiles(_cores(_count_tiles, before.size - 1), tested, test, _tile(tested.size), before)


@njit
def _move(tested, test, indices, data, start, stop, first, last, out_indices, out_data, passed, before):
    """Write the entries from `start` to `stop` that pass to positions `first` to `last`; note which of every eight pass, and
    the position.

    Return the position behind the last entry written.
    """
    eight = np.uint64(8)
    i, stop, k, last = np.uint64(start), np.uint64(stop), np.uint64(first), np.uint64(last)
    group = np.uint64(0)
    while k + eight <= last and i + eight <= stop:
        bits = pass_eight(tested, i, test)
        select_eight(indices, i, bits, out_indices, k)
        select_eight(data, i, bits, out_data, k)
        passed[group], before[group] = bits, k
        k += count_bits(bits)
        i, group = i + eight, group + 1
    while i < stop:
        passed[group], before[group] = 0, k
        for bit in range(min(eight, stop - i)):
            if _is_selected(tested[i], test):
                out_indices[k], out_data[k] = indices[i], data[i]
                passed[group] |= np.uint8(1 << bit)
                k += 1
            i += 1
        group += 1
    passed[group], before[group] = 0, k
    return k


@njit
def _end_rows(passed, before, first, indptr, start, stop, whole, out_indptr):
    """Write where rows that start in the tile start now; for the last tile, also write those that start at its end."""
    top = np.uint64(indptr.size) if stop == whole else first_at_least(indptr, 0, indptr.size, stop)
    for row in range(first_at_least(indptr, 0, indptr.size, start), top):
        at = np.uint64(indptr[row]) - np.uint64(start)
        group, below = at >> 3, (1 << (at & 7)) - 1
        out_indptr[row] = first + before[group] + count_bits(passed[group] & below)


@njit(forceinline=True)
def _make_notes(tile):
    """Return memory for what `_move` notes of a tile."""
    return np.empty(tile // 8 + 2, np.uint8), np.empty(tile // 8 + 2, np.uint64)


@njit
def _keep_tile(tile, tested, test, matrix, items, before, out):
    """Move the entries of a tile that pass, and write where its rows start."""
    indptr, indices, data = matrix
    out_indptr, out_indices, out_data = out
    t = before.size - 2 - np.int64(tile)
    start, stop = t * items, min((t + 1) * items, tested.size)
    passed, places = _make_notes(stop - start)
    _move(tested, test, indices, data, start, stop, before[t], before[t + 1], out_indices, out_data, passed, places)
    _end_rows(passed, places, np.uint64(0), indptr, start, stop, tested.size, out_indptr)


@compile_kernel(reads=("tested", "indptr", "indices", "data"))
def _keep_tiles(cores, tested, test, indptr, indices, data, items, before, out_indptr, out_indices, out_data):
    matrix, out = (indptr, indices, data), (out_indptr, out_indices, out_data)
    for_tiles(cores, before.size - 1, _keep_tile, (tested, test, matrix, items, before, out))


def keep(tested, test, indptr, indices, data, before, out_indptr, out_indices, out_data):
    """Write the entries that pass, and the offsets of their rows."""
    cores, items = _cores(_keep_tiles, before.size - 1), _tile(tested.size)
    _keep_tiles(cores, tested, test, indptr, indices, data, items, before, out_indptr, out_indices, out_data)


@njit
def _write_to_front(kept_indices, kept_data, kept, indices, data, first):
    """Write the entries that a tile keeps to `indices` and `data` from `first` on, past the cache."""
    stream_items(kept_indices, np.uint64(0), kept, indices, first)
    stream_items(kept_data, np.uint64(0), kept, data, first)
    finish_stores()


@njit
def _fill_buffer(tile, begin, tested, test, indices, data, items, buffers, firsts):
    """Write the entries of a tile that pass into the buffer of the tile. The round starts at entry `begin`."""
    start = min(begin + np.int64(tile) * items, tested.size)
    stop = min(start + items, tested.size)
    kept_indices, kept_data, passed, places = buffers
    out = kept_indices[tile], kept_data[tile], passed[tile], places[tile]
    firsts[tile + 1] = _move(tested, test, indices, data, start, stop, 0, items + 8, *out)


@njit
def _empty_buffer(tile, begin, indptr, indices, data, items, buffers, firsts, out_indptr):
    """Copy the entries that a tile keeps to their final position, and write where its rows start."""
    start = min(begin + np.int64(tile) * items, indices.size)
    stop = min(start + items, indices.size)
    kept_indices, kept_data, passed, places = buffers
    first, kept = firsts[tile], firsts[tile + 1] - firsts[tile]
    if first + kept < np.uint64(stop):
        _write_to_front(kept_indices[tile], kept_data[tile], kept, indices, data, first)
    if start < stop:
        _end_rows(passed[tile], places[tile], first, indptr, start, stop, indices.size, out_indptr)


@compile_kernel
def _move_in_rounds(cores, tested, test, indptr, indices, data, items, tiles, out_indptr):
    kept_indices, kept_data = np.empty((tiles, items + 8), indices.dtype), np.empty((tiles, items + 8), data.dtype)
    passed, places = np.empty((tiles, items // 8 + 2), np.uint8), np.empty((tiles, items // 8 + 2), np.uint64)
    buffers = kept_indices, kept_data, passed, places
    firsts = np.zeros(tiles + 1, np.uint64)
    for begin in range(0, tested.size, items * tiles):
        for_tiles(cores, tiles, _fill_buffer, (begin, tested, test, indices, data, items, buffers, firsts))
        for t in range(tiles):
            firsts[t + 1] += firsts[t]
        for_tiles(cores, tiles, _empty_buffer, (begin, indptr, indices, data, items, buffers, firsts, out_indptr))
        firsts[0] = firsts[tiles]


def keep_in_place(tested, test, indptr, indices, data, out_indptr):
    """Move the entries that pass to the front of `indices` and `data`, and write the offsets of their rows."""
    tiles = keep_tiles(tested.size)
    cores = _cores(_move_in_rounds, tiles)
    at_once = min(tiles, TUNING.keep_round * cores)
    _move_in_rounds(cores, tested, test, indptr, indices, data, _tile(tested.size), at_once, out_indptr)
