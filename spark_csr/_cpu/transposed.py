"""`A.T @ x` and `A.T @ X` on the cores, without the transpose: rows scatter into Y, and into private sums that are added to it.

Design: the matrix is cut into parts (groups of tiles, by the pattern alone), and the rows of Y into blocks. The first part that
touches a block scatters into Y itself, every other one into a buffer as large as the block, so a banded matrix pays for
where bands meet and not for parts x columns. Of one or two columns, finding the block would take as long as the products:
there each part has a buffer for all columns from its first to its last. Buffers are added in the order of the parts: same bits
for every number of threads, no atomics. A few columns of X are done at a time, of a number that is compiled in.
"""

import functools
from typing import NamedTuple

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._cpu.cache import njit
from spark_csr._cpu.memory import ask_ahead, one_of
from spark_csr._cpu.team import for_tiles
from spark_csr._cpu.threads import as_argument, compiled, cores_for
from spark_csr._specialise import specialise
from spark_csr.half import product_meanings

BLOCK = 1024
"""Rows of the smallest block of Y. Not tuned."""

BLOCKS = 1024
"""Blocks of a large Y, about: a part knows each by a number of four bytes. Not tuned."""

SERIAL = 65536
"""Entries times columns up to which one core does it all, as for `A @ X`. Not tuned further."""

WIDTHS = (32, 16, 8, 4, 3, 2, 1)
"""Columns of X that are scattered at a time, if they divide their number; else all are. Not tuned further."""

NARROW = 2
"""Columns of X up to which each part has one buffer. With blocks one took 1.3 to 1.5 times as long, two 1.1 to 1.25 times,
on one core (five matrices; EPYC, family 25 model 17, 2026-11)."""

IN_RESULT, NOWHERE = -1, -2
"""Where the sums of a part and a block are: in Y itself; nowhere, for there are none. Else at a row of the buffers."""


def _clear(target, start, stop, columns, first, width, identity):
    """Set `width` columns from `first` on, of rows `start` to `stop`, to the identity."""
    for row in range(start, stop):
        for c in range(row * columns + first, row * columns + first + width):
            target[c] = identity


def _add_row(target, place, a, x, source, width):
    """Add `a` times a row of X, of `width` items, to the row at `place`."""
    for c in range(width):
        target[place + c] = scalar(add(target[place + c], scalar(multiply(a, scalar(x[source + c])))))


def _scatter_part(task, indptr, indices, data, x, rows, columns, cuts, identity, buffers, y):
    """Scatter `width` columns of a part into Y and the buffers."""
    tile_rows, items, parts, shift, places, offsets = cuts
    count, shift = np.uint64(parts.size - 1), np.uint64(shift)
    columns = np.uint64(fixed_width) if in_one_go else np.uint64(columns)
    width = np.uint64(fixed_width) if fixed_width else columns
    part, first = task % count, np.uint64(0) if in_one_go else task // count * width
    size = np.uint64(1) << shift
    below = size - np.uint64(1)
    for block in range(np.uint64(places.shape[1])):
        place, start = np.int64(places[part, block]), block << shift
        if place == IN_RESULT:
            clear(y, start, min(start + size, np.uint64(rows)), columns, first, width, identity)
        elif place >= 0:
            clear(buffers, np.uint64(place), np.uint64(place) + size, columns, first, width, identity)
    window, offset = one_of(count == np.uint64(1), y, buffers), np.uint64(offsets[part])
    tile, last_tile = np.uint64(parts[part]), np.uint64(parts[part + np.uint64(1)])
    row, end = np.uint64(tile_rows[tile]), np.uint64(indices.size) + np.uint64(indptr.size - 1)
    position = tile * np.uint64(items) - row
    stop = min(last_tile * np.uint64(items), end) - np.uint64(tile_rows[last_tile])
    while position < stop:
        row_end = min(np.uint64(indptr[row + np.uint64(1)]), stop)
        while position < row_end:
            ask_ahead(data, position)
            ask_ahead(indices, position)
            a, j, source = scalar(stored(data[position])), np.uint64(indices[position]), row * columns + first
            if windowed:
                add_row(window, (j + offset) * columns + first, a, x, source, width)
            else:
                place = np.int64(places[part, j >> shift])
                target, i = one_of(place < 0, y, buffers), j if place < 0 else np.uint64(place) + (j & below)
                add_row(target, i * columns + first, a, x, source, width)
            position += np.uint64(1)
        row += np.uint64(1)


def _combine_block(task, rows, columns, cuts, shared, identity, buffers, y):
    """Add what parts have of a block in buffers, in order, to what is in Y: the identity, if no part scattered there."""
    _, _, _, shift, places, _ = cuts
    block, shift, columns = np.uint64(shared[task]), np.uint64(shift), np.uint64(columns)
    start, stop = block << shift, min((block + np.uint64(1)) << shift, np.uint64(rows))
    target, begun = start * columns, False
    for part in range(places.shape[0]):
        begun |= np.int64(places[part, block]) == IN_RESULT
    if not begun:
        clear(y, start, stop, columns, np.uint64(0), columns, identity)
    for part in range(places.shape[0]):
        place = np.int64(places[part, block])
        if place >= 0:
            source = np.uint64(place) * columns
            for i in range((stop - start) * columns):
                y[target + i] = scalar(add(y[target + i], buffers[source + i]))


def _multiply_transposed(cores, indptr, indices, data, x, columns, strips, cuts, shared, identity, buffers, rows, y):
    """Scatter all parts, then combine them."""
    tasks = (cuts[2].size - 1) * strips
    for_tiles(cores, tasks, scatter_part, (indptr, indices, data, x, rows, columns, cuts, identity, buffers, y))
    for_tiles(cores, shared.size, combine_block, (rows, columns, cuts, shared, identity, buffers, y))


class Parts(NamedTuple):
    """Tiles `tile_of[p]:tile_of[p+1]` are part `p`. Its sums of block `b`, of `2**shift` columns, are at `places[p, b]`; if
    they are all in one buffer, or in Y, those of column `j` are at `j + offsets[p]`.

    Blocks `shared` are not touched by one part alone that scatters into Y; the buffers have `buffered` rows.
    """

    tile_of: np.ndarray
    places: np.ndarray
    offsets: np.ndarray
    shared: np.ndarray
    buffered: int


class Plan(NamedTuple):
    """The tiles; parts whose buffers are blocks, and parts with one buffer each, None where those would be few."""

    tile_rows: np.ndarray
    items: int
    shift: int
    blocks: Parts
    windows: Parts | None


@njit
def _touch_blocks(tile, indices, tile_rows, items, shift, touched):
    """Note which blocks of columns a tile touches."""
    following = tile + np.uint64(1)
    start = tile * np.uint64(items) - np.uint64(tile_rows[tile])
    stop = min(following * np.uint64(items) - np.uint64(tile_rows[following]), np.uint64(indices.size))
    for p in range(start, stop):
        touched[tile, np.uint64(indices[p]) >> np.uint64(shift)] = True


@compiled
def _touched_blocks(cores, indices, tile_rows, items, shift, touched):
    for_tiles(cores, tile_rows.size - 1, _touch_blocks, (indices, tile_rows, items, shift, touched))


def plan_transposed(tiles, indptr, indices, columns):
    """Buffers take at most a quarter of the result and an eighth of the matrix; of one or two columns, a result more."""
    count, shift = tiles.rows.size - 1, max(BLOCK, columns // BLOCKS).bit_length() - 1
    touched = np.zeros((count, (columns >> shift) + 1), bool)
    cores = 1 if tiles.entries <= SERIAL else cores_for(_touched_blocks)
    _touched_blocks(cores, indices, tiles.rows, tiles.items, shift, touched)
    by_block = _parts(touched, shift, columns / 4 + indices.size / 8, windowed=False)
    by_window = _parts(touched, shift, columns * 1.25 + indices.size / 8, windowed=True)
    few = by_window.offsets.size * 4 <= by_block.offsets.size
    return Plan(tiles.rows, tiles.items, shift, by_block, None if few else by_window)


def _parts(touched, shift, most, windowed):
    """As many parts as need no more than `most` rows of buffers; at least one, which needs none."""
    for count in (64, 32, 16, 8, 4, 2, 1):
        tile_of = np.unique(np.linspace(0, len(touched), count + 1).astype(np.int64))
        by_part = np.logical_or.reduceat(touched, tile_of[:-1], axis=0)
        if windowed and tile_of.size > 2:
            from_left, from_right = (np.logical_or.accumulate(x, axis=1) for x in (by_part, by_part[:, ::-1]))
            by_part = from_left & from_right[:, ::-1]
            buffered = by_part
        else:
            buffered = by_part & (np.cumsum(by_part, axis=0) > 1)
        rows = np.count_nonzero(buffered) << shift
        if rows <= most:
            break
    places = np.where(by_part, IN_RESULT, NOWHERE)
    places[buffered] = np.arange(0, rows, 1 << shift)
    first = buffered.argmax(axis=1)
    starts = places[np.arange(first.size), first]
    offsets = np.where(starts >= 0, starts - (first << shift), 0)
    shared = np.flatnonzero(buffered.any(axis=0) | ~by_part.any(axis=0))
    return Parts(tile_of, places.astype(index_dtype(rows)), offsets, shared, rows)


@functools.cache
def _kernel(ring, dtype, half, fixed_width, in_one_go, windowed):
    """Return the kernel."""
    meanings = product_meanings(ring, dtype, half) | {"fixed_width": fixed_width, "in_one_go": in_one_go, "windowed": windowed}
    meanings["clear"], meanings["add_row"] = (njit(forceinline=True)(specialise(f, **meanings)) for f in (_clear, _add_row))
    scatter, combine = (njit(specialise(body, **meanings)) for body in (_scatter_part, _combine_block))
    return compiled(specialise(_multiply_transposed, scatter_part=scatter, combine_block=combine))


def _fixed_width(columns):
    """How many columns of X are scattered at a time; 0, all of them, if none of `WIDTHS` but one divides their number."""
    width = next(width for width in WIDTHS if columns % width == 0)
    return width if width > 1 or columns == 1 else 0


def prepare_transposed(plan, ring, indptr, indices, stored, dtype, columns):
    """Return `launch(data, x, y)`, which holds all that repeated products with so many columns share."""
    half, width = stored == np.float16, _fixed_width(columns)
    windowed = columns <= NARROW and plan.windows is not None
    parts = plan.windows if windowed else plan.blocks
    kernel, identity = _kernel(ring, dtype, half, width, width == columns, windowed), as_argument(ring.add.identity_for(dtype))
    strips = columns // width if width else 1
    cuts = plan.tile_rows, plan.items, parts.tile_of, plan.shift, parts.places, parts.offsets

    def launch(data, x, y):
        data = data.view(np.uint16) if half else data
        buffers = np.empty(parts.buffered * columns, dtype)
        cores = 1 if (indices.size + y.shape[0]) * columns <= SERIAL else cores_for(kernel)
        given = indptr, indices, data, x.reshape(-1), columns, strips, cuts, parts.shared
        kernel(cores, *given, identity, buffers, y.shape[0], y.reshape(-1))

    return launch
