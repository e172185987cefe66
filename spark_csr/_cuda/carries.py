"""Rows that tiles cut: add what the tiles of a row hand on to the part in the tile where it ends.

Design: what a tile hands on belongs to the row that is open at its end. A block scans the carries of as many tiles side by
side, by segments of tiles with one open row, and finishes the rows that end among them. What it hands on itself is the carry of
a larger tile, for the next launch; so even a row of all entries takes two or three short ones. If no row has more than a few
tiles, one thread adds the carries of each. The order is fixed.
"""

import functools

import numpy as np

from spark_csr._cuda.block import block_carry_in
from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, blocks_for, box, cuda
from spark_csr._engine.holes import IDENTITY, ITEMS, THREADS, TILE, Hole, add, carry_in, scalar

MANY = Hole("MANY: bool", "Whether a result has several columns, so that each carry and each row has so many elements.")

BOX = box(256, 8)  # not tuned


def _add_carries(tile_rows, tiles, count, stride, base, columns, carry, out):
    """Finish the rows that end among the carries of the block, and write what the block hands on behind all carries.

    There are `count` carries from `base` on, each of `stride` tiles. If there are many columns, a block has one of them.
    """
    thread = np.uint32(cuda.threadIdx.x)
    block = np.int64(cuda.blockIdx.x)
    step = np.int64(columns) if MANY else np.int64(1)
    column = block % step if MANY else np.int64(0)
    block = block // step if MANY else block
    start = block * TILE
    stop = min(start + TILE, count)
    first = start + np.int64(thread * ITEMS)
    total = scalar(IDENTITY)
    broken = np.bool_(False)  # Numba would compile `carry_in` for a literal first
    for k in range(ITEMS):
        u = first + k
        if u < stop:
            row = np.int64(tile_rows[min((u + 1) * stride, tiles)])
            if u == start or tile_rows[u * stride] != row:
                total = scalar(IDENTITY)
                broken = True
            total = scalar(add(total, scalar(carry[(base + u) * step + column])))
    running, _ = carry_in(thread, total, broken, scalar(IDENTITY))
    for k in range(ITEMS):
        u = first + k
        if u < stop:
            row = np.int64(tile_rows[min((u + 1) * stride, tiles)])
            if u == start or tile_rows[u * stride] != row:
                running = scalar(IDENTITY)
            running = scalar(add(running, scalar(carry[(base + u) * step + column])))
            if u + 1 == stop:
                carry[(base + count + block) * step + column] = running
            elif tile_rows[min((u + 2) * stride, tiles)] != row:
                row = row * step + column
                out[row] = scalar(add(running, scalar(out[row])))


def _add_few_carries(tile_rows, tiles, columns, carry, out):
    """Finish each cut row by the thread of the tile in which it begins, and of the column if there are many."""
    tile = np.int64(cuda.blockIdx.x) * THREADS + cuda.threadIdx.x
    step = np.int64(columns) if MANY else np.int64(1)
    column = tile % step if MANY else np.int64(0)
    tile = tile // step if MANY else tile
    if tile + 1 < tiles:
        row = np.int64(tile_rows[tile + 1])
        if tile == 0 or tile_rows[tile] != row:
            total = scalar(IDENTITY)
            while tile_rows[tile + 1] == row:
                total = scalar(add(total, scalar(carry[tile * step + column])))
                tile += 1
            row = row * step + column
            out[row] = scalar(add(total, scalar(out[row])))


def carries_of(tiles):
    """Return how many carries there are in all, of tiles and of larger ones."""
    return sum(count for _, count, _, _ in _levels(tiles)) + 1


@functools.cache
def _levels(tiles):
    """Return for each launch its blocks, its carries, how many tiles each of them stands for, and where they are."""
    found, count, stride, base = [], tiles, 1, 0
    while count > 1:
        blocks = blocks_for(count, BOX.tile)
        found.append((blocks, count, stride, base))
        count, stride, base = blocks, stride * BOX.tile, base + count
    return found


@functools.cache
def _kernels(monoid, dtype, many):
    """Return the kernels `_add_carries` and `_add_few_carries`."""
    meanings = {"add": monoid.op, "scalar": dtype.type, "IDENTITY": monoid.identity_for(dtype).item(), "THREADS": BOX.threads}
    meanings |= {"MANY": many, "TILE": BOX.tile, "ITEMS": BOX.items, "carry_in": block_carry_in(BOX.threads, monoid.op, dtype)}
    return tuple(Kernel(specialise(kernel, **meanings), BOX.threads) for kernel in (_add_carries, _add_few_carries))


def carry_adder(monoid, dtype, tiles, few=False, columns=1):
    """Return `launch(tile_rows, carry, out)` for repeated use; `carry` has `carries_of(tiles)` elements, the first of which the
    tiles have written, or as many times `columns`, in C order as `out`.

    With `few`, no row has more than a few tiles.
    """
    by_blocks, by_threads = _kernels(monoid, dtype, columns > 1)
    kernel, levels = (by_threads if few else by_blocks).launcher(), _levels(tiles)

    def launch_few(tile_rows, carry, out):
        kernel(blocks_for((tiles - 1) * columns, BOX.threads), tile_rows, tiles, columns, carry, out)

    def launch(tile_rows, carry, out):
        for blocks, count, stride, base in levels:
            kernel(blocks * columns, tile_rows, tiles, count, stride, base, columns, carry, out)

    return launch_few if few else launch
