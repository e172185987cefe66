"""The first of all candidates for every place.

Design: a chunk of candidates is gone through from its end, storing without asking what is there: what stays is the first. Of
several chunks, each with a table of its own, the earliest that has one wins: no atomics, and no chunk waits for another.
"""

import numpy as np

from spark_csr._cpu.team import for_tiles
from spark_csr._cpu.threads import compiled, cores_for
from spark_csr._cpu.tuning import TUNING
from spark_csr._numba import njit


@njit
def _claim(places, start, stop, base, first):
    """Positions `start` to `stop` claim their places in the part of `first` behind `base`."""
    k, start, base = np.uint64(stop), np.uint64(start), np.uint64(base)
    while k > start:
        k -= np.uint64(1)
        first[base + np.uint64(places[k])] = k


@njit
def _claim_chunk(tile, places, chunks, none, tables, n):
    """Fill the table of one chunk."""
    c, k = np.int64(tile), places.size
    tables[c * n : (c + 1) * n] = none
    _claim(places, c * k // chunks, (c + 1) * k // chunks, c * n, tables)


@njit
def _first_of_block(tile, items, chunks, none, tables, first):
    """For a block of places, take the first position that any table has."""
    n, start = np.uint64(first.size), tile * np.uint64(items)
    for v in range(start, min(start + np.uint64(items), n)):
        c = np.uint64(0)
        while c + np.uint64(1) < np.uint64(chunks) and tables[c * n + v] == none:
            c += np.uint64(1)
        first[v] = tables[c * n + v]


@compiled
def _claim_chunks(cores, places, chunks, items, none, tables, first):
    n = first.size
    if chunks == 1:
        first[:] = none
        _claim(places, 0, places.size, 0, first)
        return
    for_tiles(cores, chunks, _claim_chunk, (places, chunks, none, tables, n))
    for_tiles(cores, (n + items - 1) // items, _first_of_block, (items, chunks, none, tables, first))


def claim(places, first):
    """For every place the first position in `places` that holds it; their number where there is none."""
    chunks = 1 if places.size <= TUNING.claim_serial else max(1, min(TUNING.claim_tiles, places.size // first.size))
    tables = np.empty(chunks * first.size if chunks > 1 else 0, first.dtype)
    cores = cores_for(_claim_chunks) if chunks > 1 else 1
    _claim_chunks(cores, places, chunks, TUNING.claim_block, places.size, tables, first)
