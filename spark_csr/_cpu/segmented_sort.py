"""Sort every segment on its own, stably, with a strategy for every length.

Design: segments go to the cores in tiles of equal work. A few elements are inserted one by one where they belong;
longer segments are equal runs of that kind, merged level by level between the output and a scratch array that stays in the
cache; a segment longer than a tile is cut into pieces for all cores, which then share each merge (merge path). All cuts
follow from the offsets alone. Source of the shared merge: Odeh, Green, Mwassi, Shmueli & Birk, *Merge Path*, 2012.
"""

import numpy as np

from spark_csr._array import as_positions
from spark_csr._cpu.merge import merge_ranges
from spark_csr._cpu.runs import insert_run, sort_range
from spark_csr._cpu.segmented import tile_size
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit, run_on_all_cores
from spark_csr._shared.merge_path import split


def sort_tile_size(total):
    """Return how many items and segment ends a tile takes."""
    return tile_size(total)


def is_picking_faster(longest):
    """Return whether to pick few elements of segments of up to `longest` by one thread each is faster than to sort."""
    return True


@njit
def _sort_tile(tile, x, offsets, tile_rows, longest, run, keys, index):
    """Sort the segments that end in a tile, up to `longest` elements each. Up to `run` elements are inserted."""
    zero = np.uint64(0)
    first_row, last_row = np.uint64(tile_rows[tile]), np.uint64(tile_rows[tile + 1])
    most = zero
    for row in range(first_row, last_row):
        length = np.uint64(offsets[row + 1]) - np.uint64(offsets[row])
        if length <= np.uint64(longest):
            most = max(most, length)
    scratch = np.empty(most if most > np.uint64(run) else zero, keys.dtype)
    scratch_index = np.empty(scratch.size, index.dtype) if index is not None else index
    for row in range(first_row, last_row):
        start, stop = np.uint64(offsets[row]), np.uint64(offsets[row + 1])
        if stop - start <= np.uint64(run):
            insert_run(x, start, stop, keys, index, zero)
        elif stop - start <= np.uint64(longest):
            sort_range(x, start, stop, run, keys, index, zero, scratch, scratch_index, zero - start)


@compile_kernel
def _sort_tiles(cores, x, offsets, tile_rows, longest, run, keys, index):
    for_tiles(cores, tile_rows.size - 1, _sort_tile, (x, offsets, tile_rows, longest, run, keys, index))


@njit
def _sort_piece(piece, x, start, stop, levels, run, keys, index, base, other_keys, other_index, other_base):
    """Sort one of `2**levels` equal pieces of a segment into `keys[base + start:]`."""
    length = stop - start
    begin = start + (length * piece >> levels)
    end = start + (length * (piece + 1) >> levels)
    sort_range(x, begin, end, run, keys, index, base, other_keys, other_index, other_base)


@compile_kernel
def _sort_pieces(cores, x, start, stop, levels, run, keys, index, base, other_keys, other_index, other_base):
    pieces = 1 << np.int64(levels)
    args = x, start, stop, levels, run, keys, index, base, other_keys, other_index, other_base
    for_tiles(cores, pieces, _sort_piece, args)


@njit
def _merge_share(share, start, stop, levels, level, keys, index, base, other_keys, other_index, other_base):
    """Write one of `2**levels` equal ranges of the output, which lies in the merge of one pair of sorted ranges."""
    length = stop - start
    run = share >> (levels - level) & ~np.uint64(1)
    left = start + (length * run >> level)
    right = start + (length * (run + 1) >> level)
    right_stop = start + (length * (run + 2) >> level)
    begin = start + (length * share >> levels) - left
    end = start + (length * (share + 1) >> levels) - left
    first = split(keys, base + left, right - left, keys, base + right, right_stop - right, begin)
    last = split(keys, base + left, right - left, keys, base + right, right_stop - right, end)
    merge_ranges(
        keys, index, base + left + first, base + left + last,
        keys, index, base + right + (begin - first), base + right + (end - last),
        other_keys, other_index, other_base + left + begin,
    )  # fmt: skip


@compile_kernel
def _merge_pieces(cores, start, stop, levels, level, keys, index, base, other_keys, other_index, other_base):
    """Merge the `2**level` sorted ranges of one segment in pairs."""
    shares = 1 << np.int64(levels)
    args = start, stop, levels, level, keys, index, base, other_keys, other_index, other_base
    for_tiles(cores, shares, _merge_share, args)


def _long_segments(tiles, offsets, longest):
    """Return the segments of more than `longest` elements: at least a tile's, so that each is the first to end in its tile."""
    rows = as_positions(tiles.rows[:-1][tiles.rows[:-1] < tiles.rows[1:]])
    starts, stops = offsets[rows].astype(np.int64), offsets[rows + 1].astype(np.int64)
    return [(int(a), int(b)) for a, b in zip(starts, stops, strict=True) if b - a > longest]


def _sort_long(x, start, stop, keys, index, scratch, scratch_index):
    """Sort one segment on all cores: sort pieces, then merge them back and forth between the output and the scratch arrays."""
    levels = max(TUNING.segmented_sort_levels, (-(-(stop - start) // TUNING.segmented_sort_tile) - 1).bit_length())
    start, stop = np.uint64(start), np.uint64(stop)
    here = (keys, index, np.uint64(0))
    there = (scratch, scratch_index, np.uint64((-int(start)) % 2**64))
    if levels % 2:
        here, there = there, here
    run_on_all_cores(_sort_pieces, x, start, stop, np.uint64(levels), TUNING.segmented_sort_run, *here, *there)
    for level in range(levels, 0, -1):
        run_on_all_cores(_merge_pieces, start, stop, np.uint64(levels), np.uint64(level), *here, *there)
        here, there = there, here


def segmented_sort(tiles, offsets, x, keys, index):
    longest = max(TUNING.segmented_sort_long, tiles.items)
    cores = 1 if tiles.entries <= TUNING.segmented_sort_serial else cores_for(_sort_tiles)
    _sort_tiles(cores, x, offsets, tiles.rows, longest, TUNING.segmented_sort_run, keys, index)
    long = _long_segments(tiles, offsets, longest)
    if long:
        most = max(stop - start for start, stop in long)
        scratch = np.empty(most, keys.dtype), None if index is None else np.empty(most, index.dtype)
        for start, stop in long:
            _sort_long(x, start, stop, keys, index, *scratch)
