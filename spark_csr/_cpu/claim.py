"""The first of all candidates for every place.

Design: a chunk of candidates is gone through from its end, storing without asking what is there: what stays is the first. Of
several chunks, each with a table of its own, the earliest that has one wins: no atomics, and no chunk waits for another.
"""

import numpy as np
from numba import prange

from spark_csr._cpu.cache import njit
from spark_csr._cpu.threads import run_parallel

SERIAL = 32768
"""Candidates up to which one core takes all. Not tuned."""

CHUNKS = 8
"""Tables at most. Not tuned."""


@njit(nogil=True, cache=True)
def _claim_chunk(places, start, stop, base, first):
    """Positions `start` to `stop` claim their places in the part of `first` behind `base`."""
    k, start, base = np.uint64(stop), np.uint64(start), np.uint64(base)
    while k > start:
        k -= np.uint64(1)
        first[base + np.uint64(places[k])] = k


@njit(parallel=True, nogil=True, cache=True)
def _claim_chunks(places, chunks, none, tables, first):
    n, k = first.size, places.size
    for c in prange(chunks):
        tables[c * n : (c + 1) * n] = none
        _claim_chunk(places, c * k // chunks, (c + 1) * k // chunks, c * n, tables)
    for v in prange(n):
        c = np.uint64(0)
        while c + np.uint64(1) < np.uint64(chunks) and tables[c * np.uint64(n) + np.uint64(v)] == none:
            c += np.uint64(1)
        first[v] = tables[c * np.uint64(n) + np.uint64(v)]


def claim(places, first):
    """For every place the first position in `places` that holds it; their number where there is none."""
    chunks = min(CHUNKS, places.size // first.size)
    if places.size <= SERIAL or chunks < 2:
        first.fill(places.size)
        _claim_chunk(places, 0, places.size, 0, first)
    else:
        run_parallel(_claim_chunks, places, chunks, places.size, np.empty(chunks * first.size, first.dtype), first)
