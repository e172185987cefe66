"""Tiles in a chain: totals pass from one to the next, whoever comes first."""

import threading

import numpy as np
import pytest
from numba import njit

from spark_csr._cpu import chain

pytestmark = pytest.mark.usefixtures("cpu_only")


@njit(nogil=True)
def _total_before(totals, tile, own):
    return chain.total_before(totals, tile, own)


@njit(nogil=True)
def _next_tiles(taken, out):
    for k in range(out.size):
        out[k] = chain.next_tile(taken)


def unknown(tiles):
    totals = np.full(tiles + 1, chain.UNKNOWN)
    totals[0] = 0
    return totals


def test_totals_in_order():
    totals = unknown(4)
    assert [_total_before(totals, tile, own) for tile, own in enumerate([3, 0, 5, 1])] == [0, 3, 3, 8]
    assert totals.tolist() == [0, 3, 3, 8, 9]


def test_who_comes_too_early_waits():
    tiles = 30
    totals, got = unknown(tiles), [None] * tiles

    def run(tile):
        got[tile] = _total_before(totals, tile, tile)

    run_last = [threading.Thread(target=run, args=(tile,), daemon=True) for tile in reversed(range(1, tiles))]
    _total_before(unknown(1), 0, 0)  # compiled before
    for thread in run_last:
        thread.start()
    assert got == [None] * tiles
    run(0)
    for thread in run_last:
        thread.join(60)
    assert got == [tile * (tile - 1) // 2 for tile in range(tiles)]


def test_every_tile_is_taken_once():
    taken, outs = np.zeros(1, np.int64), np.empty((4, 20_000), np.int64)
    threads = [threading.Thread(target=_next_tiles, args=(taken, out)) for out in outs]
    _next_tiles(np.zeros(1, np.int64), np.empty(1, np.int64))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(np.sort(outs.reshape(-1)), np.arange(80_000))
    assert taken[0] == 80_000
