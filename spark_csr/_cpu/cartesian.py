"""`cartesian_product`: all tuples of every segment, run after run.

Design: a tile of the output finds its first tuple by division; from there on it writes runs in which the last index counts
up and the others stand still, loops that the compiler turns into wide stores. Between two runs the earlier indices are
counted on, as on an odometer. `unrank` and `advance_prefix` say what is counted: products here, combinations in `choose`.
"""

import functools

import numpy as np

from spark_csr._cpu.segmented import is_for_one_core
from spark_csr._engine import compile_kernel, cores_for, for_tiles_by_core, helper, njit, specialise
from spark_csr._engine.holes import Hole, scalar
from spark_csr._engine.numba.intrinsics.copies import LINE
from spark_csr._shared.merge_path import tile_bounds

unrank = Hole(
    "unrank(rank, counts, segments, row, factors, digits) -> uint64",
    "Write into `digits` the tuple of segment `row` at a rank; return what its last digit stays below.",
)
advance_prefix = Hole(
    "advance_prefix(counts, segments, row, factors, digits)",
    "Replace `digits` by the first tuple or combination with the next prefix, which is all digits but the last.",
)


@helper(inlined=False)
def _write_tile(core, tile, out_offsets, tile_rows, items, total, starts, apart, counts, less, factors, stride, room, out):
    """Write the tuples of a tile.

    `digits` are the ranks of the current tuple: `starts[f * apart + row] + digits[f] - f * less` is its index into factor `f`.
    They lie in the row of `room` that belongs to the core.
    """
    segments = np.uint64(out_offsets.size - 1)
    factors, digits = np.uint64(factors), room[core]
    last = factors - 1
    row, _, position, stop = tile_bounds(tile, tile + 1, tile_rows, items, segments + np.uint64(total), np.uint64(0))
    while position < stop:
        row_start = np.uint64(out_offsets[row])
        row_end = min(np.uint64(out_offsets[row + 1]), stop)
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
            advance_prefix(counts, segments, row, factors, digits)
        row += 1


def _write_tiles(cores, out_offsets, tile_rows, items, total, starts, apart, counts, less, factors, stride, room, out):
    args = out_offsets, tile_rows, items, total, starts, apart, counts, less, factors, stride, room, out
    for_tiles_by_core(cores, tile_rows.size - 1, _write_tile, args)


@njit(forceinline=True)
def _unrank(rank, counts, segments, row, factors, digits):
    """Write `rank` in mixed radix, last factor fastest; return where the last digit ends."""
    left, f = rank, factors - 1
    while f > 0:
        digits[f] = left
        if left > 0:
            count = np.uint64(counts[f * segments + row])
            whole = left // count
            digits[f] = left - whole * count
            left = whole
        f -= 1
    digits[f] = left
    return np.uint64(counts[(factors - 1) * segments + row])


@njit(forceinline=True)
def _advance_prefix(counts, segments, row, factors, digits):
    """Replace `digits` by the first tuple with the next prefix: all digits but the last are counted on, the last is 0."""
    f = factors - 1
    digits[f] = np.uint64(0)
    while f > 0:
        f -= 1
        digits[f] += 1
        if digits[f] < np.uint64(counts[f * segments + row]):
            break
        digits[f] = np.uint64(0)


@functools.cache
def _kernel(unrank, advance_prefix, dtype):
    return compile_kernel(specialise(_write_tiles, unrank=unrank, advance_prefix=advance_prefix, scalar=dtype.type))


def write_tuples(unrank, advance_prefix, tiles, out_offsets, starts, apart, counts, less, factors, stride, out):
    """Write the tuples of every segment, in the order of `unrank` and `advance_prefix`."""
    kernel = _kernel(unrank, advance_prefix, out.dtype)
    total = tiles.entries - (out_offsets.size - 1)
    cores = 1 if is_for_one_core(tiles) else cores_for(kernel)
    room = np.empty((cores, factors + LINE // 8), np.uint64)  # no cache line has digits of two cores
    kernel(cores, out_offsets, tiles.rows, tiles.items, total, starts, apart, counts, less, factors, stride, room, out)


def cartesian_product(tiles, out_offsets, starts, counts, factors, stride, out):
    write_tuples(_unrank, _advance_prefix, tiles, out_offsets, starts, out_offsets.size - 1, counts, 0, factors, stride, out)
