"""`A.T @ x` and `A.T @ X` on the cores, without the transpose: rows scatter into Y, and into private sums that are added to it.

Design: the matrix is cut into parts (groups of tiles, by the pattern alone), and the rows of Y into blocks. The first part that
touches a block scatters into Y itself, every other one into a buffer as large as the block, so a banded matrix pays for
where bands meet and not for parts x columns. For one or two columns, finding the block would take as long as the products:
they are done by `windows`. Buffers are added in the order of the parts: same bits for every number of threads, no atomics. The
number of columns is compiled in, so that a row of X and one of sums are in registers.
"""

import functools
from typing import NamedTuple

import numpy as np

from spark_csr._array import index_dtype
from spark_csr._cpu.memory import prefetch_ahead
from spark_csr._cpu.tuning import TUNING
from spark_csr._cpu.windows import bounds_of_step, prepare_windows, steps_of, windows_of
from spark_csr._engine import as_argument, compile_kernel, cores_for, for_tiles, helper, njit, specialise
from spark_csr._engine.holes import PREFETCH_DISTANCE_BYTES, WIDTH, add, decode, multiply, scalar
from spark_csr._engine.numba.intrinsics.copies import one_of
from spark_csr._engine.numba.intrinsics.registers import register_array
from spark_csr._shared.half import product_meanings
from spark_csr._shared.merge_path import tile_bounds

IN_RESULT, NOWHERE = -1, -2
"""Where the sums of a part and a block are: in Y itself; nowhere, for there are none. Else at a row of the buffers."""


@helper
def _clear_sums(target, start, stop, identity):
    """Set rows `start` to `stop` to the identity."""
    for i in range(start * WIDTH, stop * WIDTH):
        target[i] = identity


@helper(inlined=False)
def _scatter_products(part, step, steps, indptr, indices, data, x, rows, cuts, identity, buffers, y):
    """Scatter one step of a part into Y and the buffers, which the first step clears."""
    tile_rows, items, parts, shift, places = cuts
    width, shift = np.uint64(WIDTH), np.uint64(shift)
    size = 1 << shift
    below = size - 1
    for block in range(np.uint64(places.shape[1]) if step == 0 else np.uint64(0)):
        place, start = np.int64(places[part, block]), block << shift
        if place == IN_RESULT:
            _clear_sums(y, start, min(start + size, np.uint64(rows)), identity)
        elif place >= 0:
            _clear_sums(buffers, np.uint64(place), np.uint64(place) + size, identity)
    tile, last_tile = bounds_of_step(step, steps, parts[part], parts[part + 1])
    entries = np.uint64(indices.size) + np.uint64(indptr.size - 1)
    row, _, position, stop = tile_bounds(tile, last_tile, tile_rows, items, entries, np.uint64(0))
    held, sums = register_array(identity, WIDTH), register_array(identity, WIDTH)
    while position < stop:
        row_end = min(np.uint64(indptr[row + 1]), stop)
        for c in range(width):
            held[c] = scalar(x[row * width + c])
        while position < row_end:
            prefetch_ahead(data, position, PREFETCH_DISTANCE_BYTES)
            prefetch_ahead(indices, position, PREFETCH_DISTANCE_BYTES)
            a, j = scalar(decode(data[position])), np.uint64(indices[position])
            place = np.int64(places[part, j >> shift])
            target, i = one_of(place < 0, y, buffers), j if place < 0 else np.uint64(place) + (j & below)
            for c in range(width):
                sums[c] = target[i * width + c]
            for c in range(width):
                target[i * width + c] = scalar(add(sums[c], scalar(multiply(a, held[c]))))
            position += 1
        row += 1


@helper(inlined=False)
def _combine_block(task, rows, cuts, shared, identity, buffers, y):
    """Add, in order, what parts have of a block in buffers to what is in Y: the identity, if no part scattered there."""
    _, _, _, shift, places = cuts
    block, shift, width = np.uint64(shared[task]), np.uint64(shift), np.uint64(WIDTH)
    start, stop = block << shift, min((block + 1) << shift, np.uint64(rows))
    target, begun = start * width, False
    for part in range(places.shape[0]):
        begun |= places[part, block] == IN_RESULT
    if not begun:
        _clear_sums(y, start, stop, identity)
    for part in range(places.shape[0]):
        place = np.int64(places[part, block])
        if place >= 0:
            source = np.uint64(place) * width
            for i in range((stop - start) * width):
                y[target + i] = scalar(add(y[target + i], buffers[source + i]))


def _multiply_transposed(cores, steps, indptr, indices, data, x, cuts, shared, identity, buffers, rows, y):
    """Scatter all parts, then combine them."""
    for step in range(steps):
        args = step, steps, indptr, indices, data, x, rows, cuts, identity, buffers, y
        for_tiles(cores, cuts[2].size - 1, _scatter_products, args)
    for_tiles(cores, shared.size, _combine_block, (rows, cuts, shared, identity, buffers, y))


class Parts(NamedTuple):
    """Parts of a matrix: tiles `tile_of[p]:tile_of[p+1]` are part `p`.

    The sums of part `p` for block `b`, of `2**shift` columns, are at `places[p, b]`. Blocks `shared` are not touched by one
    part alone that scatters into Y; the buffers have `buffered` rows.
    """

    tile_of: np.ndarray
    shift: int
    places: np.ndarray
    shared: np.ndarray
    buffered: int


class Plan:
    """What products of one pattern share; computed when a product first needs it."""

    def __init__(self, tiles, indices, columns):
        self.tiles, self._given = tiles, (tiles, indices, columns)

    @functools.cached_property
    def windows(self):
        return windows_of(*self._given)

    @functools.cached_property
    def parts(self):
        return _parts_of(*self._given)


@njit
def _touch_tile(tile, indices, tile_rows, items, entries, shift, touched):
    """Note which blocks of columns a tile touches."""
    _, _, start, stop = tile_bounds(tile, tile + 1, tile_rows, items, entries, np.uint64(0))
    for p in range(start, stop):
        touched[tile, np.uint64(indices[p]) >> np.uint64(shift)] = True


@compile_kernel
def _touch_tiles(cores, indices, tile_rows, items, entries, shift, touched):
    for_tiles(cores, tile_rows.size - 1, _touch_tile, (indices, tile_rows, items, entries, shift, touched))


def plan_transposed(tiles, indptr, indices, columns):
    """Return the `Plan`."""
    return Plan(tiles, indices, columns)


def _parts_of(tiles, indices, columns):
    """Return as many parts as need buffers of a quarter of the result and an eighth of the matrix; at least one."""
    count, shift = tiles.rows.size - 1, max(TUNING.transposed_block, columns // TUNING.transposed_blocks).bit_length() - 1
    touched = np.zeros((count, (columns >> shift) + 1), bool)
    cores = 1 if tiles.entries <= TUNING.transposed_serial else cores_for(_touch_tiles)
    _touch_tiles(cores, indices, *tiles, shift, touched)
    for parts in (64, 32, 16, 8, 4, 2, 1):
        tile_of = np.unique(np.linspace(0, count, parts + 1).astype(np.int64))
        by_part = np.logical_or.reduceat(touched, tile_of[:-1], axis=0)
        buffered = by_part & (np.cumsum(by_part, axis=0) > 1)
        rows = int(np.count_nonzero(buffered)) << shift
        if rows <= columns / 4 + indices.size / 8:
            break
    places = np.where(by_part, IN_RESULT, NOWHERE)
    places[buffered] = np.arange(0, rows, 1 << shift)
    shared = np.flatnonzero(buffered.any(axis=0) | ~by_part.any(axis=0))
    return Parts(tile_of, shift, places.astype(index_dtype(rows)), shared, rows)


@functools.cache
def _kernel(ring, dtype, half, width, ahead):
    """Return the kernel."""
    meanings = product_meanings(ring, dtype, half) | {"WIDTH": width, "PREFETCH_DISTANCE_BYTES": ahead}
    reads = "indptr", "indices", "data", "x"
    return compile_kernel(specialise(_multiply_transposed, **meanings), packed=True, reads=reads)


def order_by_column(plan, data):
    """Return None: the cores read entries in the order in which they are."""


def prepare_transposed(plan, ring, indptr, indices, stored, dtype, columns, by_column=False):
    """Return `launch(data, x, y)`, which holds all that repeated products with `columns` columns share."""
    half, identity = stored == np.float16, as_argument(ring.add.identity_for(dtype))
    if columns <= TUNING.windows_vectors:
        return prepare_windows(plan.windows, ring, indptr, indices, half, dtype, identity, columns)
    parts, tiles = plan.parts, plan.tiles
    kernel = _kernel(ring, dtype, half, columns, TUNING.memory_ahead)
    cuts = tiles.rows, tiles.items, parts.tile_of, parts.shift, parts.places

    def launch(data, x, y):
        data = data.view(np.uint16) if half else data
        buffers = np.empty(parts.buffered * columns, dtype)
        cores = 1 if (indices.size + y.shape[0]) * columns <= TUNING.transposed_serial else cores_for(kernel)
        steps = steps_of(indices.size * columns, parts.places.shape[0])
        given = indptr, indices, data, x.reshape(-1), cuts, parts.shared, identity, buffers, y.shape[0]
        kernel(cores, steps, *given, y.reshape(-1))

    return launch
