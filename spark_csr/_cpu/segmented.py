"""Reduce the items of every segment: the engine under `segmented_reduce` and `A @ x`.

Design: the list "items of row 0, end of row 0, items of row 1, end of row 1, ..." is cut into equal tiles (merge path,
Merrill & Garland, SC16), so neither a row of a million items nor a million empty rows lands on one core. A tile writes
each row that ends in it, and stores the partial sum of the row that continues into the next tile; these carries are added
in tile order. The cuts depend on the offsets alone: same bits for every number of threads.
"""

import functools

import numpy as np

from spark_csr import _ops as ops
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, helper, inline, njit, specialise
from spark_csr._engine.holes import Hole, add, read_item, reduce_range, scalar
from spark_csr._engine.numba.intrinsics.vectors import SHORT, WIDE
from spark_csr._shared.merge_path import cut, tile_bounds

reduce_in_order = Hole(
    "reduce_in_order(operands, start, stop, total) -> scalar",
    "Add items `start` to `stop` to `total`, left to right. What fills this hole may fill `reduce_range` too: then `total` is "
    "the identity at first.",
)
reduce_short = Hole(
    "reduce_short(x, start, count, identity) -> scalar",
    "Reduce `count` elements from `start` on, at most `vectors.WIDE`; the array has at least `vectors.WIDE` from there on.",
)
prefetch_items = Hole(
    "prefetch_items(operands, position)", "Prefetch the memory of later items than the one at a position, or do nothing."
)

HANDED_ON = 1024
"""Items after which the eight sums of a long range are added to its total. Not tuned."""


def tile_size(total):
    """Return how many items and row ends a tile takes."""
    return max(min(TUNING.reduce_tile, total), -(-total // TUNING.reduce_tiles), 1)


@compile_kernel
def _cut(offsets, segments, items, rows):
    for tile in range(rows.size):
        cut(tile, offsets, segments, items, rows)


def cut_segments(offsets, segments, items, rows):
    """Write how many segments end before each tile of `items` items begins."""
    _cut(offsets, segments, items, rows)


def is_for_one_core(tiles):
    """Return whether these tiles are too few to wake a second core."""
    return tiles.entries <= TUNING.reduce_serial


def _reduce_in_order(operands, start, stop, total):
    """Add items `start` to `stop` to `total`, left to right."""
    while start < stop:
        total = scalar(add(total, read_item(operands, start)))
        start += 1
    return total


def _reduce_interleaved(operands, start, stop, identity):
    """Reduce items `start` to `stop` by an `add` that commutes. Long ranges keep eight sums, as each addition waits for the
    last, and hand them on before they have grown large beside the items, which would round off more.
    """
    total = identity
    while stop - start >= 16:
        a, b, c, d, e, f, g, h = identity, identity, identity, identity, identity, identity, identity, identity
        turn = min(stop, start + HANDED_ON)
        while start + 8 <= turn:
            prefetch_items(operands, start)
            a = scalar(add(a, read_item(operands, start)))
            b = scalar(add(b, read_item(operands, start + 1)))
            c = scalar(add(c, read_item(operands, start + 2)))
            d = scalar(add(d, read_item(operands, start + 3)))
            e = scalar(add(e, read_item(operands, start + 4)))
            f = scalar(add(f, read_item(operands, start + 5)))
            g = scalar(add(g, read_item(operands, start + 6)))
            h = scalar(add(h, read_item(operands, start + 7)))
            start += 8
        left = scalar(add(scalar(add(a, e)), scalar(add(c, g))))
        right = scalar(add(scalar(add(b, f)), scalar(add(d, h))))
        total = scalar(add(total, scalar(add(left, right))))
    return reduce_in_order(operands, start, stop, total)


def _reduce_vectors(operands, start, stop, identity):
    """Reduce up to sixteen items by vector loads. Use the loop for more, and near the end of the array: loads would pass it."""
    x, count = operands[0], stop - start
    if count <= WIDE and start + WIDE <= np.uint64(x.size):
        total = reduce_short(x, start, count, identity)
    else:
        total = reduce_range(operands, start, stop, identity)
    return total


@helper(inlined=False)
def _reduce_tile(tile, operands, offsets, tile_rows, items, identity, out, carry):
    """Reduce the rows that end in a tile, then the part of the next row that lies in the tile."""
    rows = np.uint64(out.size)
    base = np.uint64(offsets[0])
    entries = np.uint64(offsets[rows]) - base + rows
    row, last_row, position, stop = tile_bounds(tile, tile + 1, tile_rows, items, entries, base)
    while row < last_row:
        row_end = np.uint64(offsets[row + 1])
        out[row] = reduce_range(operands, position, row_end, identity)
        position = row_end
        row += 1
    carry[tile] = reduce_range(operands, position, stop, identity)


def _reduce_tiles(cores, operands, offsets, tile_rows, items, identity, out):
    """Reduce each tile, then add the carries in order."""
    tiles = tile_rows.size - 1
    carry = np.empty(tiles, out.dtype)
    for_tiles(cores, tiles, _reduce_tile, (operands, offsets, tile_rows, items, identity, out, carry))
    running = identity
    for t in range(tiles - 1):
        running = scalar(add(running, carry[t]))
        cut_row = tile_rows[t + 1]
        if tile_rows[t + 2] > cut_row:
            out[cut_row] = scalar(add(running, out[cut_row]))
            running = identity


@njit(forceinline=True)
def prefetch_nothing(operands, position):
    """Ask for no memory. It pays neither for one array read from end to end, which processors foresee, nor for what one core
    works on alone, which is in its cache.
    """


def interleaved_reducer(reduce_in_order, prefetch_items, meanings):
    """Return `_reduce_interleaved`, with a loop for ranges that are too short."""
    return inline(_reduce_interleaved, reduce_in_order=reduce_in_order, prefetch_items=prefetch_items, **meanings)


def reduce_kernel(reduce_range, meanings, **options):
    """Return the kernel `_reduce_tiles`; `reduce_range(operands, start, stop, identity)` reduces one row.

    Options are those of `Kernel`.
    """
    return compile_kernel(specialise(_reduce_tiles, reduce_range=reduce_range, **meanings), **options)


@njit(forceinline=True)
def _value(operands, position):
    return operands[0][position]


def _widened(operands, position):
    return scalar(operands[0][position])


@functools.cache
def _value_in(dtype):
    """Return `_value` for elements that are cast to a dtype as they are read."""
    return inline(_widened, scalar=dtype.type)


def range_reducer(monoid, dtype, read_item=_value, prefetch_items=prefetch_nothing):
    """Return a function `(operands, start, stop, identity)` that reduces a range of items.

    `read_item` defines them; by default they are the elements of `operands[0]`. A user's operator may not commute, so it is
    applied in order; all named operators commute. Complex numbers that `read_item` computes are also reduced in order:
    computing them takes longer than adding them.
    """
    meanings = {"add": monoid.op, "scalar": dtype.type, "read_item": read_item}
    reduce_in_order = inline(_reduce_in_order, **meanings)
    if monoid not in ops.MONOIDS.values() or (dtype.kind == "c" and read_item is not _value):
        return reduce_in_order
    reduce_range = interleaved_reducer(reduce_in_order, prefetch_items, meanings)
    if read_item is _value and monoid.name in SHORT and dtype.kind in "iuf":
        reduce_range = inline(_reduce_vectors, reduce_short=SHORT[monoid.name], reduce_range=reduce_range)
    return reduce_range


@functools.cache
def _kernels(monoid, dtype, read_item):
    """Return the kernel and the identity."""
    # Packed, sums of 50 floats and more take a fifth to a third less, but maxima of 20 a fifth more (EPYC 25/17, 2026-11).
    packed = monoid is ops.MONOIDS["sum"]
    kernel = reduce_kernel(range_reducer(monoid, dtype, read_item), {"add": monoid.op, "scalar": dtype.type}, packed=packed)
    return kernel, monoid.identity_for(dtype)


def segmented_reduce(tiles, monoid, offsets, x, out):
    reduce_items(tiles, monoid, _value if x.dtype == out.dtype else _value_in(out.dtype), (x,), offsets, out)


def reduce_items(tiles, monoid, read_item, operands, offsets, out):
    """Reduce the items `read_item(operands, position)` of every segment into `out`, in its dtype."""
    kernel, identity = _kernels(monoid, out.dtype, read_item)
    cores = 1 if is_for_one_core(tiles) else cores_for(kernel)
    kernel(cores, operands, offsets, tiles.rows, tiles.items, identity, out)
