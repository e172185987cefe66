"""All tuples of every segment, run after run.

Design: a tile of the output finds its first tuple by division; from there on it writes runs in which the last index counts
up and the others stand still, loops that the compiler turns into wide stores. Between two runs the earlier indices are
counted on, as on an odometer. `unrank` and `advance` say what is counted: products here, combinations in `choose`.
"""

import functools

import numpy as np
from numba import prange

from spark_csr._cpu.cache import njit
from spark_csr._cpu.segmented import on_one_core
from spark_csr._cpu.threads import compiled_both_ways, run_parallel
from spark_csr._specialise import specialise


def _write_tuples(out_offsets, tile_rows, items, total, starts, apart, counts, less, stride, digits_of_tiles, out):
    """A tile writes its tuples. `digits` are the ranks of the one in hand: `starts[f * apart + row] + digits[f] - f * less` is
    its index into factor f.
    """
    segments = np.uint64(out_offsets.size - 1)
    factors = np.uint64(digits_of_tiles.shape[1])
    last = factors - np.uint64(1)
    for t in prange(tile_rows.size - 1):
        digits = digits_of_tiles[t]
        tile = np.uint64(t)
        row = np.uint64(tile_rows[tile])
        position = tile * np.uint64(items) - row
        entry = min((tile + np.uint64(1)) * np.uint64(items), segments + np.uint64(total))
        stop = entry - np.uint64(tile_rows[tile + np.uint64(1)])
        while position < stop:
            row_start = np.uint64(out_offsets[row])
            row_end = min(np.uint64(out_offsets[row + np.uint64(1)]), stop)
            limit = np.uint64(0)
            if position < row_end:
                limit = unrank(position - row_start, counts, segments, row, factors, digits)
            while position < row_end:
                run = min(row_end - position, limit - digits[last])
                for f in range(last):
                    first = f * np.uint64(stride) + position
                    value = scalar(np.uint64(starts[f * np.uint64(apart) + row]) + digits[f] - f * np.uint64(less))
                    for p in range(first, first + run):
                        out[p] = value
                first = last * np.uint64(stride) + position
                value = scalar(np.uint64(starts[last * np.uint64(apart) + row]) + digits[last] - last * np.uint64(less))
                for p in range(run):
                    out[first + p] = scalar(value + scalar(p))
                position += run
                advance(counts, segments, row, factors, digits)
            row += np.uint64(1)


@njit(forceinline=True)
def _unrank(rank, counts, segments, row, factors, digits):
    """Write `rank` in mixed radix, last factor fastest; returns where the last digit ends."""
    left, f = rank, factors - np.uint64(1)
    while f > np.uint64(0):
        digits[f] = left
        if left > np.uint64(0):
            count = np.uint64(counts[f * segments + row])
            whole = left // count
            digits[f] = left - whole * count
            left = whole
        f -= np.uint64(1)
    digits[f] = left
    return np.uint64(counts[(factors - np.uint64(1)) * segments + row])


@njit(forceinline=True)
def _advance(counts, segments, row, factors, digits):
    """The first tuple after those that differ in the last digit only."""
    f = factors - np.uint64(1)
    digits[f] = np.uint64(0)
    while f > np.uint64(0):
        f -= np.uint64(1)
        digits[f] += np.uint64(1)
        if digits[f] < np.uint64(counts[f * segments + row]):
            break
        digits[f] = np.uint64(0)


@functools.cache
def _kernels(unrank, advance, dtype):
    kernel = specialise(_write_tuples, unrank=unrank, advance=advance, scalar=dtype.type)
    return compiled_both_ways(kernel)


def write_tuples(unrank, advance, tiles, out_offsets, starts, apart, counts, less, factors, stride, out):
    """Tuples in the order of `unrank` and `advance`."""
    serial, parallel = _kernels(unrank, advance, out.dtype)
    total = tiles.entries - (out_offsets.size - 1)
    digits = np.empty((tiles.rows.size - 1, factors), np.uint64)
    args = out_offsets, tiles.rows, tiles.items, total, starts, apart, counts, less, stride, digits, out
    if on_one_core(tiles):
        serial(*args)
    else:
        run_parallel(parallel, *args)


def cartesian_product(tiles, out_offsets, starts, counts, factors, stride, out):
    write_tuples(_unrank, _advance, tiles, out_offsets, starts, out_offsets.size - 1, counts, 0, factors, stride, out)
