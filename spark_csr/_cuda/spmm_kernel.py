"""The kernel of `A @ X`: one block for each tile of the matrix and slice of the columns of X."""

import functools

import numpy as np
from numba import uint16

from spark_csr._array import SIMULATED
from spark_csr._cuda.segmented import BOX
from spark_csr._cuda.spmm_tile import add_sums, fetch_tile, multiply_entries
from spark_csr._engine import helper, specialise
from spark_csr._engine.gpu import WARP, Kernel, cuda, load_wide, shared_type, store_wide
from spark_csr._engine.holes import (
    ENTRIES,
    IDENTITY,
    LANES,
    THREADS,
    TILE,
    WIDTH,
    Hole,
    add,
    decode,
    position_type,
    scalar,
    shared_scalar,
    store_columns,
)
from spark_csr._shared.half import product_meanings

STOPS = Hole("STOPS: int", "`TILE + 1`: how many segments may have items in a tile, with the one that is open at its end.")
TEAMS = Hole("TEAMS: int", "How many teams of `LANES` lanes a block has.")

BLOCK = 2 * WARP if SIMULATED else 128
"""Threads of a block. Not tuned."""

GATHERS = 2 if SIMULATED else 4
"""Rows of X that a lane loads from at a time. Not tuned."""


def _multiply_tile(values, indptr, indices, x, tile_rows, entries, columns, slices, carry, y):
    """Write, for the block's tile and slice, the rows that end in the tile; store what is left in `carry`."""
    places = cuda.shared.array(TILE, position_type)
    factors = cuda.shared.array(TILE, shared_scalar)
    ends = cuda.shared.array(STOPS, uint16)
    firsts = cuda.shared.array(TEAMS, uint16)
    total = cuda.local.array(WIDTH, shared_scalar)
    thread, block = np.uint32(cuda.threadIdx.x), np.uint32(cuda.blockIdx.x)
    number = block // slices
    tile = np.int64(number)
    row = np.int64(tile_rows[tile])
    rows = np.uint32(tile_rows[tile + 1] - row)
    start = tile * TILE - row
    length = np.uint32(min(entries - tile * TILE, np.int64(TILE))) - rows
    empty = fetch_tile(values, indptr, indices, row, rows, start, length, columns, places, factors, ends, firsts)
    any_empty = cuda.syncthreads_or(np.int32(empty))

    team, lane = thread // LANES, thread & np.uint32(LANES - 1)
    slice_ = block - number * slices
    column = (slice_ * LANES + lane) * WIDTH
    begin = min(team * ENTRIES, length)
    stop = min(begin + ENTRIES, length)
    place = np.uint64(row) * np.uint64(columns) + np.uint64(column)
    first = np.uint64(0)
    behind = np.uint64(0)
    for v in range(WIDTH):
        total[v] = scalar(IDENTITY)
    if begin < stop and column < columns:
        first = np.uint64(firsts[team])
        here = place + first * np.uint64(columns)
        count = stop - begin
        behind = multiply_entries(places, factors, ends, first, np.uint64(begin), count, x, column, columns, y, here, total)
    cuda.syncthreads()
    for v in range(WIDTH):
        factors[thread + np.uint32(v * THREADS)] = total[v]
    cuda.syncthreads()

    if column < columns:
        row_start = np.uint32(ends[first - 1]) if first != 0 else np.uint32(0)
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
                before = np.uint32(ends[i - 1]) if i != 0 else np.uint32(0)
                if np.uint32(ends[i]) == before:
                    store_columns(y, place + np.uint64(i) * np.uint64(columns), np.uint64(0), total)
                i += TEAMS
        if team == 0:
            row_start = np.uint32(ends[rows - 1]) if rows != 0 else np.uint32(0)
            if row_start < length:
                teams = (length + np.uint32(ENTRIES - 1)) // ENTRIES
                add_sums(factors, teams, lane, row_start, total)
            store_columns(carry, np.uint64(tile) * np.uint64(columns), column, total)


@helper
def _value(values, position):
    return scalar(decode(values[0][position]))


@helper
def _permuted_value(values, position):
    return scalar(decode(values[0][np.int64(values[1][position])]))


@helper
def _load_plainly(x, position, held, first):
    for v in range(WIDTH):
        held[np.uint32(first + np.uint32(v))] = scalar(x[np.uint64(position) + np.uint64(v)])


@helper
def _store_plainly(y, place, position, held):
    for v in range(WIDTH):
        y[place + np.uint64(position) + np.uint64(v)] = scalar(held[v])


@helper
def _load_wide(x, position, held, first):
    load_wide(x, position, held, first, WIDTH)


@helper
def _store_wide(y, place, position, held):
    store_wide(y, place, position, held, WIDTH)


@functools.cache
def multiply_kernel(ring, dtype, half, permuted, lanes, width, position):
    """Return the kernel for teams of `lanes` lanes of `width` columns; if `permuted`, entry `p` has value `data[order[p]]`."""
    teams, plain = BLOCK // lanes, width == 1 or SIMULATED
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
        "THREADS": BLOCK,
        "TILE": BOX.tile,
        "WIDTH": width,
        "read_value": _permuted_value if permuted else _value,
        "load_columns": _load_plainly if plain else _load_wide,
        "store_columns": _store_plainly if plain else _store_wide,
    }
    return Kernel(specialise(_multiply_tile, **meanings), BLOCK)
