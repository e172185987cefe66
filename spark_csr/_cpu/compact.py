"""Keep the elements that a mask selects: count them tile by tile, then every tile writes from where it starts.

Design: no branch on the mask, which no processor predicts where half of the elements are kept. Every element is stored, and
the place to store at moves on behind a kept one only. A tile stops when it has written what it counted, so it never stores
into the next one's places. Source: Ross, *Selection Conditions in Main Memory*, ACM TODS 2004.
"""

import numpy as np
from numba import prange

from spark_csr._cpu.cache import njit
from spark_csr._cpu.threads import run_parallel

TILE = 16384
"""Elements a tile takes. Not tuned."""

SERIAL = 32768
"""Elements up to which one core does it all. Not tuned."""


def _tile(n):
    return TILE if n > SERIAL else max(n, 1)


def compact_tiles(n):
    """How many tiles `n` elements make."""
    return -(-n // _tile(n))


@njit(nogil=True, cache=True)
def _count(mask, start, end):
    kept = np.uint64(0)
    for i in range(np.uint64(start), np.uint64(end)):
        kept += np.uint64(mask[i] != 0)
    return kept


@njit(parallel=True, nogil=True, cache=True)
def _count_tiles(mask, tile, before):
    """Kept elements before every tile, and in all."""
    for t in prange(before.size - 1):
        before[t + 1] = _count(mask, t * tile, min((t + 1) * tile, mask.size))
    before[0] = 0
    for t in range(before.size - 1):
        before[t + 1] += before[t]


def kept_before(mask, before):
    if before.size == 2:
        before[0], before[1] = 0, _count(mask, 0, mask.size)
    else:
        run_parallel(_count_tiles, mask, _tile(mask.size), before)


@njit(nogil=True, cache=True)
def _keep(x, mask, start, end, first, stop, out):
    """Write the kept ones of elements `start` to `end` (their positions, where `x` is None) to places `first` to `stop`."""
    i, end = np.uint64(start), np.uint64(end)
    k, stop = np.uint64(first), np.uint64(stop)
    eight = np.uint64(8)
    while k + eight <= stop and i + eight <= end:
        for j in range(eight):
            here = i + j
            out[k] = here if x is None else x[here]
            k += np.uint64(mask[here] != 0)
        i += eight
    while k < stop and i < end:
        out[k] = i if x is None else x[i]
        k += np.uint64(mask[i] != 0)
        i += np.uint64(1)


@njit(parallel=True, nogil=True, cache=True)
def _keep_tiles(x, mask, tile, before, out):
    for t in prange(before.size - 1):
        end = min((t + 1) * tile, mask.size)
        _keep(x, mask, t * tile, end, before[t], min(before[t + 1], out.size), out)


def compact(x, mask, before, out):
    """The kept elements of `x`, or where it is None their positions."""
    if before.size == 2:
        _keep(x, mask, 0, mask.size, 0, out.size, out)
    else:
        run_parallel(_keep_tiles, x, mask, _tile(mask.size), before, out)


@njit(nogil=True, cache=True)
def _part(x, mask, start, end, first, total, out):
    """Write elements `start` to `end`: kept ones from `first` on, the others behind all `total` kept ones."""
    k, total = np.uint64(first), np.uint64(total)
    for i in range(np.uint64(start), np.uint64(end)):
        kept = mask[i] != 0
        out[k if kept else total + i - k] = x[i]
        k += np.uint64(kept)


@njit(parallel=True, nogil=True, cache=True)
def _part_tiles(x, mask, tile, before, out):
    total = before[before.size - 1]
    for t in prange(before.size - 1):
        _part(x, mask, t * tile, min((t + 1) * tile, mask.size), before[t], total, out)


def partition(x, mask, before, out):
    if before.size == 2:
        _part(x, mask, 0, mask.size, 0, before[1], out)
    else:
        run_parallel(_part_tiles, x, mask, _tile(mask.size), before, out)
