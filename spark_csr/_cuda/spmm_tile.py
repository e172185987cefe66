"""What a block does with a tile of `A @ X`: bring it into shared memory, walk its entries, and add up what teams hand on."""

import numpy as np

from spark_csr._engine import helper
from spark_csr._engine.gpu import cuda, load_once
from spark_csr._engine.holes import (
    ENTRIES,
    GROUP,
    IDENTITY,
    LANES,
    THREADS,
    WIDTH,
    Hole,
    add,
    multiply,
    position_type,
    scalar,
    shared_scalar,
    store_columns,
)

HELD = Hole("HELD: int", "`GROUP * WIDTH`: how many elements a thread holds that it has loaded and not used.")
read_value = Hole(
    "read_value(values, position) -> scalar",
    "Return the value of an entry of the pattern, for `values` of `(data,)` or `(data, order)`.",
)
load_columns = Hole(
    "load_columns(x, position, held, first)",
    "Load `WIDTH` neighbouring elements, from `x[position]` on, into the local array `held` from `first` on.",
)

NOWHERE = 0xFFFF
"""Where the row ends that is open at the end of the tile: tiles have fewer entries."""


@helper
def fetch_tile(values, indptr, indices, row, rows, start, length, columns, places, factors, ends, firsts):
    """Bring a tile into shared memory. Return whether this thread saw a row without entries.

    `places` gets where each entry's row of X begins, `factors` its value, `ends` where rows end, `firsts` the row of the first
    entry of each team.
    """
    thread = np.uint32(cuda.threadIdx.x)
    empty = False
    i = thread
    while i <= rows:
        here = row + np.int64(i)
        stop = np.uint32(indptr[here + 1] - start) if i < rows else length
        before = np.uint32(indptr[here] - start) if i != 0 else np.uint32(0)
        ends[i] = stop if i < rows else np.uint32(NOWHERE)
        if i < rows and stop == before:
            empty = True
        team = (before + np.uint32(ENTRIES - 1)) // ENTRIES
        while team * ENTRIES < stop:
            firsts[team] = i
            team += 1
        i += THREADS
    held = cuda.local.array(GROUP, position_type)
    own = cuda.local.array(GROUP, shared_scalar)
    i = thread
    while i < length:
        for k in range(GROUP):
            position = start + np.int64(min(i + np.uint32(k * THREADS), length - 1))
            held[k] = position_type(position_type(load_once(indices, position)) * position_type(columns))
            own[k] = read_value(values, position)
        for k in range(GROUP):
            p = i + np.uint32(k * THREADS)
            if p < length:
                places[p] = held[k]
                factors[p] = own[k]
        i += np.uint32(GROUP * THREADS)
    return empty


@helper
def multiply_entries(places, factors, ends, row, position, count, x, column, columns, y, place, total):
    """Add up a team's entries in order, and store each row that ends among them; return the row that is open behind them.

    `total` is what that row has so far, `place` where it is in `y`.
    """
    held = cuda.local.array(HELD, shared_scalar)
    rest = np.uint32(ends[row]) - np.uint32(position)  # entries of the row from here on
    while count >= GROUP:
        for k in range(GROUP):
            load_columns(x, position_type(places[position + np.uint64(k)] + position_type(column)), held, np.uint64(k * WIDTH))
        for k in range(GROUP):
            _add_products(scalar(factors[position + np.uint64(k)]), held, np.uint64(k * WIDTH), total)
            if rest == np.uint32(k + 1):
                row, rest, place = _close_row(ends, row, rest, position, columns, y, place, total)
        position += GROUP
        count -= GROUP
        rest -= GROUP
    while count != 0:
        load_columns(x, position_type(places[position] + position_type(column)), held, np.uint64(0))
        _add_products(scalar(factors[position]), held, np.uint64(0), total)
        if rest == 1:
            row, rest, place = _close_row(ends, row, rest, position, columns, y, place, total)
        position += 1
        count -= 1
        rest -= 1
    return row


@helper
def _add_products(factor, held, first, total):
    """Add the products of an entry and what is held of its row of X."""
    for v in range(WIDTH):
        total[v] = scalar(add(total[v], scalar(multiply(factor, scalar(held[first + np.uint64(v)])))))


@helper
def _close_row(ends, row, rest, position, columns, y, place, total):
    """Store a row that ends, and begin with the next one that has entries; return it, its entries from `position` on, and its
    place."""
    store_columns(y, place, np.uint64(0), total)
    for v in range(WIDTH):
        total[v] = scalar(IDENTITY)
    behind = rest
    while rest == behind:
        row += 1
        place += np.uint64(columns)
        rest = np.uint32(ends[row]) - np.uint32(position)
    return row, rest, place


@helper
def add_sums(sums, team, lane, row_start, total):
    """Set `total` to what the teams before `team` hand on for a row that starts at `row_start`, before the team's entries."""
    for v in range(WIDTH):
        total[v] = scalar(IDENTITY)
    more = True
    while more:
        team -= 1
        thread = team * LANES + lane
        for v in range(WIDTH):
            total[v] = scalar(add(scalar(sums[thread + np.uint32(v * THREADS)]), total[v]))
        more = team * ENTRIES > row_start
