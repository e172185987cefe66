"""The first of all candidates for every place.

Design: the loop over a chunk of candidates runs backwards and always stores, so what stays is the first candidate of a place.
Each chunk has a table of its own, and the earliest chunk with a candidate wins: no atomics, and no chunk waits for another.
"""

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit


@njit
def _claim(places, start, stop, base, first):
    """Let positions `start` to `stop` claim their places in the part of `first` behind `base`."""
    k, start, base = np.uint64(stop), np.uint64(start), np.uint64(base)
    while k > start:
        k -= 1
        first[base + np.uint64(places[k])] = k


@njit
def _claim_chunk(tile, places, chunks, none, tables, n):
    """Fill the table of one chunk."""
    c, k = np.int64(tile), places.size
    tables[c * n : (c + 1) * n] = none
    _claim(places, c * k // chunks, (c + 1) * k // chunks, c * n, tables)


@njit
def _take_first(tile, items, chunks, none, tables, first):
    """For each place of a block, take the first position that any table has."""
    n, start = np.uint64(first.size), tile * np.uint64(items)
    for v in range(start, min(start + np.uint64(items), n)):
        c = np.uint64(0)
        while c + 1 < np.uint64(chunks) and tables[c * n + v] == none:
            c += 1
        first[v] = tables[c * n + v]


@compile_kernel
def _claim_chunks(cores, places, chunks, items, none, tables, first):
    n = first.size
    if chunks == 1:
        first[:] = none
        _claim(places, 0, places.size, 0, first)
        return
    for_tiles(cores, chunks, _claim_chunk, (places, chunks, none, tables, n))
    for_tiles(cores, (n + items - 1) // items, _take_first, (items, chunks, none, tables, first))


def claim(places, first):
    """Write for every place the first position in `places` that holds it, or their number if none does."""
    cores = 1 if places.size <= TUNING.claim_serial else cores_for(_claim_chunks)
    chunks = 1 if cores == 1 else max(1, min(TUNING.claim_tables * cores, places.size // first.size))
    tables = np.empty(chunks * first.size if chunks > 1 else 0, first.dtype)
    _claim_chunks(cores, places, chunks, TUNING.claim_block, places.size, tables, first)
