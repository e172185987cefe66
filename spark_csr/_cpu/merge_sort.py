"""Merge sort, stable, in three regimes: tiny runs in registers, chunks within a core's cache, and merges of all cores.

Design: runs of eight are sorted by odd-even transposition, a network of adjacent exchanges without branches, which keeps
equal elements in order. A chunk stays on one core and in its cache until it is sorted. From there on there are fewer runs
than would keep cores busy, so every pair of runs is cut into equal tiles of its merge (merge path), for all cores alike.
Elements go back and forth between the array and one of scratch; runs are first written where an even number of moves is
left. Cost: log2(n / tile size) + 1 passes over memory.
"""

import numpy as np

from spark_csr._cpu.merge import merge_ranges
from spark_csr._cpu.textbook.networks import compare_exchange
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit
from spark_csr._shared.merge_path import split

RUN = 8
"""Elements of a tiny run: what `_sort_run` holds in registers."""


@njit(forceinline=True)
def _sort_run(keys, payload, start, stop):
    """Sort at most RUN elements by odd-even transposition."""
    for step in range(stop - start):
        i = start + (step & 1)
        while i + 1 < stop:
            compare_exchange(keys, payload, i, i + 1)
            i += 2


@njit
def _merge_runs(keys, payload, out, out_payload, start, stop, width):
    """Merge neighbouring runs of `width` elements between `start` and `stop`, two by two."""
    while start < stop:
        middle = min(start + width, stop)
        end = min(middle + width, stop)
        merge_ranges(keys, payload, start, middle, keys, payload, middle, end, out, out_payload, start)
        start = end


@njit
def _sort_chunk(chunk, size, in_spare, keys, payload, spare, spare_payload):
    """Sort one chunk of `size` elements into `spare` or back into `keys`."""
    start = chunk * np.uint64(size)
    stop = min(start + np.uint64(size), np.uint64(keys.size))
    run = np.uint64(RUN)
    for first in range(start, stop, run):
        _sort_run(keys, payload, first, min(first + run, stop))
    width = run
    here = True
    while width < np.uint64(size):
        if here:
            _merge_runs(keys, payload, spare, spare_payload, start, stop, width)
        else:
            _merge_runs(spare, spare_payload, keys, payload, start, stop, width)
        here = not here
        width += width
    if here and in_spare:
        _copy(keys, payload, spare, spare_payload, start, stop)
    elif not here and not in_spare:
        _copy(spare, spare_payload, keys, payload, start, stop)


@njit
def _copy(keys, payload, out, out_payload, start, stop):
    for i in range(start, stop):
        out[i] = keys[i]
        if out_payload is not None:
            out_payload[i] = payload[i]


@compile_kernel
def _sort_chunks(cores, chunks, size, in_spare, keys, payload, spare, spare_payload):
    for_tiles(cores, chunks, _sort_chunk, (size, in_spare, keys, payload, spare, spare_payload))


@njit
def _merge_tile(tile, size, width, keys, payload, out, out_payload):
    """Write one tile of the result from its part of the pair of runs it lies in."""
    n = np.uint64(keys.size)
    start = tile * np.uint64(size)
    first = start - start % (2 * np.uint64(width))
    second = min(first + np.uint64(width), n)
    end = min(second + np.uint64(width), n)
    stop = min(start + np.uint64(size), end)
    a_length, b_length = second - first, end - second
    i = split(keys, first, a_length, keys, second, b_length, start - first)
    i_stop = split(keys, first, a_length, keys, second, b_length, stop - first)
    j, j_stop = start - first - i, stop - first - i_stop
    merge_ranges(keys, payload, first + i, first + i_stop, keys, payload, second + j, second + j_stop, out, out_payload, start)


@compile_kernel
def _merge_in_tiles(cores, tiles, size, width, keys, payload, out, out_payload):
    """Merge runs of `width` elements two by two."""
    for_tiles(cores, tiles, _merge_tile, (size, width, keys, payload, out, out_payload))


def merge_sort(keys, payload):
    """Sort `keys` (unsigned) in place; `payload`, if any, moves along."""
    n, size = keys.size, TUNING.merge_sort_tile
    chunks = -(-n // size)
    rounds = max(chunks - 1, 0).bit_length()
    spare = np.empty(n, keys.dtype)
    spare_payload = None if payload is None else np.empty(n, payload.dtype)
    cores = 1 if chunks <= 1 else cores_for(_sort_chunks)
    if chunks:
        _sort_chunks(cores, chunks, size, rounds % 2 == 1, keys, payload, spare, spare_payload)
    here, there = (keys, payload), (spare, spare_payload)
    if rounds % 2:
        here, there = there, here
    for step in range(rounds):
        _merge_in_tiles(cores, chunks, size, size << step, *here, *there)
        here, there = there, here
