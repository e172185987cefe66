"""Prefix scans, whole or by segments: reduce every tile, scan the tile totals, scan every tile from its carry."""

import functools

import numpy as np
from numba import njit, prange

from spark_csr._cpu.threads import run_parallel
from spark_csr._specialise import specialise
from spark_csr.ops import flipped

TILE = 16384
"""Elements a tile takes: its second reading comes from the cache. Not tuned."""


def _scan_tiles(x, heads, tile, identity, initial, exclusive, reverse, out, total):
    """`heads` is None, or true where a segment begins. In reverse a segment begins where the next one's head stands."""
    n = np.int64(x.size)
    tiles = (n + tile - 1) // tile
    sums = np.empty(tiles, out.dtype)
    broken = np.zeros(tiles, np.bool_)
    for t in prange(tiles):
        running = identity
        for k in range(np.uint64(t * tile), np.uint64(min(n, (t + 1) * tile))):
            i = np.uint64(n - 1) - k if reverse else k
            if heads is not None and starts(heads, i, n, reverse):
                running = identity
                broken[t] = True
            running = scalar(add(running, scalar(x[i])))
        sums[t] = running
    running = initial
    for t in range(tiles):
        mine = sums[t]
        sums[t] = running
        running = mine if broken[t] else scalar(add(running, mine))
    total[0] = running
    for t in prange(tiles):
        running = sums[t]
        for k in range(np.uint64(t * tile), np.uint64(min(n, (t + 1) * tile))):
            i = np.uint64(n - 1) - k if reverse else k
            if heads is not None and starts(heads, i, n, reverse):
                running = identity
            after = scalar(add(running, scalar(x[i])))
            out[i] = running if exclusive else after
            running = after


@njit(forceinline=True)
def starts(heads, i, n, reverse):
    """Does a segment start at `i`, in the direction of the scan?"""
    if reverse:
        return i + np.uint64(1) == np.uint64(n) or heads[i + np.uint64(1)]
    return heads[i]


@functools.cache
def _kernel(monoid, dtype, reverse):
    kernel = specialise(_scan_tiles, add=flipped(monoid.op) if reverse else monoid.op, scalar=dtype.type)
    return njit(parallel=True, nogil=True, cache=True)(kernel), monoid.identity_for(dtype)


def scan(monoid, x, heads, initial, exclusive, reverse, out, total):
    kernel, identity = _kernel(monoid, out.dtype, reverse)
    initial = identity if initial is None else out.dtype.type(initial)
    run_parallel(kernel, x, heads, TILE, identity, initial, exclusive, reverse, out, total)
