"""`A @ X` on a GPU: a block takes a tile of the matrix and a slice of the columns of X.

Design: the block brings its entries into shared memory, side by side, so it reads them once for all columns of the slice. Then
each team of lanes walks as many neighbouring entries, wherever rows end, and each lane has a few columns: it loads those of
four rows of X, up to 16 bytes at once, before it adds the first. What a team has of a row that began in an earlier team is
added to the sums of these through shared memory, and rows that tiles cut are finished by `carries`. The order is fixed. Cost: a
team has a power of two of lanes, so up to half of them are idle.
Sources: Yang, Buluç & Owens, *Design Principles for Sparse Matrix Multiplication on the GPU*, Euro-Par 2018 (merge path);
Huang et al., *GE-SpMM*, SC20 (entries in shared memory).
"""

import functools

import numpy as np
from numba import uint16

from spark_csr._array import to_host_scalar
from spark_csr._cuda.carries import carries_of, carry_adder
from spark_csr._cuda.launch import Kernel
from spark_csr._cuda.segmented import BOX
from spark_csr._cuda.spmm_tile import add_earlier_sums, add_products_of_entry, load_tile, store_closed_row, walk_entries
from spark_csr._cuda.target import SIMULATED, WARP, blocks_for, cuda, device_function, load_wide, shared_type, store_wide
from spark_csr._cuda.tuning import TUNING
from spark_csr._cuda.workspace import Workspace
from spark_csr._holes import (
    ENTRIES,
    IDENTITY,
    LANES,
    STOPS,
    TEAMS,
    TILE,
    WIDTH,
    add,
    add_sums,
    decode,
    fetch_tile,
    multiply_entries,
    position_type,
    scalar,
    shared_scalar,
    store_columns,
)
from spark_csr._shared.half import product_meanings
from spark_csr._specialise import specialise

THREADS = 2 * WARP if SIMULATED else 128
"""Threads of a block. Not tuned."""

GATHERS = 2 if SIMULATED else 4
"""Rows of X that a lane loads from at a time. Not tuned."""

WIDE = 16
"""Bytes that a lane loads at once."""


def _multiply_tile(values, indptr, indices, x, tile_rows, entries, columns, slices, carry, y):
    """Write, for the block's tile and slice, the rows that end in the tile; store what is left in `carry`."""
    places = cuda.shared.array(TILE, position_type)
    factors = cuda.shared.array(TILE, shared_scalar)
    ends = cuda.shared.array(STOPS, uint16)
    firsts = cuda.shared.array(TEAMS, uint16)
    total = cuda.local.array(WIDTH, shared_scalar)
    thread, block = np.uint32(cuda.threadIdx.x), np.uint32(cuda.blockIdx.x)
    number = np.uint32(block // np.uint32(slices))
    tile = np.int64(number)
    row = np.int64(tile_rows[tile])
    rows = np.uint32(np.int64(tile_rows[tile + 1]) - row)
    start = tile * np.int64(TILE) - row
    length = np.uint32(np.uint32(min(np.int64(entries) - tile * np.int64(TILE), np.int64(TILE))) - rows)
    empty = fetch_tile(values, indptr, indices, row, rows, start, length, columns, places, factors, ends, firsts)
    any_empty = cuda.syncthreads_or(np.int32(empty))

    team, lane = np.uint32(thread // np.uint32(LANES)), np.uint32(thread & np.uint32(LANES - 1))
    slice_ = np.uint32(block - np.uint32(number * np.uint32(slices)))
    column = np.uint32(np.uint32(np.uint32(slice_ * np.uint32(LANES)) + lane) * np.uint32(WIDTH))
    begin = min(np.uint32(team * np.uint32(ENTRIES)), length)
    stop = min(np.uint32(begin + np.uint32(ENTRIES)), length)
    place = np.uint64(row) * np.uint64(columns) + np.uint64(column)
    first = np.uint64(0)
    behind = np.uint64(0)
    for v in range(WIDTH):
        total[v] = scalar(IDENTITY)
    if begin < stop and column < np.uint32(columns):
        first = np.uint64(firsts[team])
        here = place + first * np.uint64(columns)
        count = np.uint32(stop - begin)
        behind = multiply_entries(places, factors, ends, first, np.uint64(begin), count, x, column, columns, y, here, total)
    cuda.syncthreads()
    for v in range(WIDTH):
        factors[np.uint32(thread + np.uint32(v * THREADS))] = total[v]
    cuda.syncthreads()

    if column < np.uint32(columns):
        row_start = np.uint32(ends[first - np.uint64(1)]) if first != 0 else np.uint32(0)
        if behind != first and row_start < begin:
            add_sums(factors, team, lane, row_start, total)
            here = place + first * np.uint64(columns)
            for v in range(WIDTH):
                y[here + np.uint64(v)] = scalar(add(total[v], scalar(y[here + np.uint64(v)])))
        for v in range(WIDTH):
            total[v] = scalar(IDENTITY)
        if any_empty:
            i = team
            while i < rows:
                before = np.uint32(ends[np.uint32(i - np.uint32(1))]) if i != 0 else np.uint32(0)
                if np.uint32(ends[i]) == before:
                    store_columns(y, place, np.uint32(i * np.uint32(columns)), total)
                i = np.uint32(i + np.uint32(TEAMS))
        if team == 0:
            row_start = np.uint32(ends[np.uint32(rows - np.uint32(1))]) if rows != 0 else np.uint32(0)
            if row_start < length:
                teams = np.uint32(np.uint32(length + np.uint32(ENTRIES - 1)) // np.uint32(ENTRIES))
                add_sums(factors, teams, lane, row_start, total)
            store_columns(carry, np.uint64(tile) * np.uint64(columns), column, total)


def _value(values, position):
    return scalar(decode(values[0][position]))


def _permuted_value(values, position):
    return scalar(decode(values[0][np.int64(values[1][position])]))


def _load_plainly(x, position, held, first):
    for v in range(WIDTH):
        held[np.uint32(first + np.uint32(v))] = scalar(x[np.uint64(position) + np.uint64(v)])


def _store_plainly(y, place, position, held):
    for v in range(WIDTH):
        y[place + np.uint64(position) + np.uint64(v)] = scalar(held[v])


def _load_wide(x, position, held, first):
    load_wide(x, position, held, first, WIDTH)


def _store_wide(y, place, position, held):
    store_wide(y, place, position, held, WIDTH)


@functools.cache
def _kernel(ring, dtype, half, permuted, lanes, width, position):
    """Return the kernel for teams of `lanes` lanes of `width` columns; if `permuted`, entry `p` has value `data[order[p]]`."""
    teams = THREADS // lanes
    meanings = product_meanings(ring, dtype, half) | {
        "IDENTITY": ring.add.identity_for(dtype).item(),
        "shared_scalar": shared_type(dtype),
        "position_type": position,
        "GROUP": GATHERS,
        "HELD": GATHERS * width,
        "LANES": lanes,
        "TEAMS": teams,
        "ENTRIES": -(-BOX.tile // teams),
        "STOPS": BOX.tile + 1,
        "THREADS": THREADS,
        "TILE": BOX.tile,
        "WIDTH": width,
    }
    plain = width == 1 or SIMULATED
    parts = {
        "read_value": _permuted_value if permuted else _value,
        "load_columns": _load_plainly if plain else _load_wide,
        "store_columns": _store_plainly if plain else _store_wide,
        "add_products": add_products_of_entry,
        "close_row": store_closed_row,
        "fetch_tile": load_tile,
        "multiply_entries": walk_entries,
        "add_sums": add_earlier_sums,
    }
    for name, part in parts.items():
        meanings[name] = device_function(specialise(part, **meanings))
    return Kernel(specialise(_multiply_tile, **meanings), THREADS)


def _shape(columns, dtype, wide):
    """Return how many lanes a team has, and how many columns a lane: sums of all threads fit where a tile's values were."""
    wide = wide and dtype.kind in "iuf" and dtype.itemsize in (4, 8)
    width = min(WIDE // dtype.itemsize, BOX.tile // THREADS) if wide else 1
    while columns % width or width == columns:  # a team has two lanes at least: teams of one read shared memory with conflicts
        width //= 2
    lanes = 1
    while lanes < WARP and lanes * width < columns:
        lanes *= 2
    return lanes, width


def prepare_columns(tiles, ring, indptr, indices, stored, dtype, columns, permuted=False):
    """Return `launch(values, x, y)` for `Y = A @ X`, with the values of A in `values`: `(data,)`, or `(data, order)` if
    `permuted`.
    """
    half = stored == np.float16
    count, entries = tiles.rows.size - 1, np.int64(tiles.entries)
    longest = int(to_host_scalar((indptr[1:] - indptr[:-1]).max()))
    few = longest <= TUNING.spmv_few_tiles * BOX.tile
    add_carries = carry_adder(ring.add, dtype, count, few, columns)
    workspace = Workspace(carries_of(count) * columns, dtype)

    @functools.cache
    def launcher(wide, position):
        lanes, width = _shape(columns, dtype, wide)
        kernel = _kernel(ring, dtype, half, permuted, lanes, width, position).launcher()
        return kernel, blocks_for(columns, lanes * width)

    def launch(values, x, y):
        position = np.uint32 if x.size <= np.iinfo(np.uint32).max else np.uint64
        multiply_tiles, slices = launcher(_is_aligned(x) and _is_aligned(y), position)
        if half:
            values = (values[0].view(np.uint16), *values[1:])
        x, y = x.reshape(-1), y.reshape(-1)
        sizes = entries, np.uint32(columns), np.uint32(slices)
        with workspace as carry:
            multiply_tiles(count * slices, values, indptr, indices, x, tiles.rows, *sizes, carry, y)
            add_carries(tiles.rows, carry, y)

    return launch


def _is_aligned(x):
    return SIMULATED or x.data.ptr % WIDE == 0


def prepare_spmm(tiles, ring, indptr, indices, stored, dtype, columns):
    """Return `launch(data, x, y)`; an `x` in Fortran order is copied to C order."""
    multiply = prepare_columns(tiles, ring, indptr, indices, stored, dtype, columns)
    return lambda data, x, y: multiply((data,), x, y)
