"""Keep the elements that a mask selects: count them tile by tile, then every tile writes from where it starts.

Design: no branch on the mask, which no processor predicts where half of the elements are kept. Every element is stored, and
the place to store at moves on behind a kept one only. A tile stops when it has written what it counted, so it never stores
into the next one's places. Source: Ross, *Selection Conditions in Main Memory*, ACM TODS 2004.
"""

import functools

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, helper, njit, specialise
from spark_csr._engine.holes import is_selected, store_selected


def _tile(n):
    return TUNING.compact_tile if n > TUNING.compact_serial else max(n, 1)


def compact_tiles(n):
    """Return how many tiles `n` elements make."""
    return -(-n // _tile(n))


@helper(inlined=False)
def _count_tile(tile, operands, n, items, before):
    """Count the selected elements of a tile."""
    start, kept = tile * np.uint64(items), np.uint64(0)
    for i in range(start, min(start + np.uint64(items), np.uint64(n))):
        kept += np.uint64(is_selected(operands, i))
    before[tile + 1] = kept


def _count_tiles(cores, operands, n, items, before):
    """Count the selected elements before every tile, and in all."""
    for_tiles(cores, before.size - 1, _count_tile, (operands, n, items, before))
    before[0] = 0
    for t in range(before.size - 1):
        before[t + 1] += before[t]


def _cores(kernel, before):
    """Return how many cores work on the tiles of `before`: one on a single tile."""
    return 1 if before.size == 2 else cores_for(kernel)


@functools.cache
def _count_kernel(is_selected):
    return compile_kernel(specialise(_count_tiles, is_selected=is_selected))


def count_selected(is_selected, operands, n, before, *, calls_user=False):
    """Count how many of `n` elements are selected before every tile, and in all."""
    kernel = _count_kernel(is_selected)
    kernel(_cores(kernel, before), operands, n, _tile(n), before)


@njit
def _keep_tile(tile, x, mask, items, before, out):
    """Write the selected elements of a tile, or their positions if `x` is None."""
    i = tile * np.uint64(items)
    end = min(i + np.uint64(items), np.uint64(mask.size))
    k, stop = np.uint64(before[tile]), min(np.uint64(before[tile + 1]), np.uint64(out.size))
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
        i += 1


@compile_kernel
def _keep_tiles(cores, x, mask, items, before, out):
    for_tiles(cores, before.size - 1, _keep_tile, (x, mask, items, before, out))


def compact(x, mask, before, out):
    """Write the selected elements of `x`, or their positions if `x` is None."""
    _keep_tiles(_cores(_keep_tiles, before), x, mask, _tile(mask.size), before, out)


@helper(inlined=False)
def _visit_tile(tile, operands, mask, items, before):
    """List the selected elements of a tile, then store what is written for each: so no branch waits for the mask here, too."""
    start, first, kept = tile * np.uint64(items), np.uint64(before[tile]), np.uint64(0)
    listed = np.empty(np.uint64(before[tile + 1]) - first + 1, np.uint32)
    for i in range(min(np.uint64(items), np.uint64(mask.size) - start)):
        listed[kept] = i
        kept += np.uint64(mask[start + i] != 0)
    for k in range(kept):
        store_selected(operands, first + k, start + np.uint64(listed[k]))


def _visit_tiles(cores, operands, mask, items, before):
    for_tiles(cores, before.size - 1, _visit_tile, (operands, mask, items, before))


@functools.cache
def _visit_kernel(store_selected):
    return compile_kernel(specialise(_visit_tiles, store_selected=store_selected))


def visit_selected(store_selected, operands, mask, before):
    """Call `store_selected` for every selected element, once."""
    kernel = _visit_kernel(store_selected)
    kernel(_cores(kernel, before), operands, mask, _tile(mask.size), before)


@njit
def _partition_tile(tile, x, mask, items, before, out):
    """Write the elements of a tile: selected ones behind those of earlier tiles, the others behind all selected ones."""
    i = tile * np.uint64(items)
    end = min(i + np.uint64(items), np.uint64(mask.size))
    k, total = np.uint64(before[tile]), np.uint64(before[before.size - 1])
    other = total + i - k
    while i < end:
        kept = np.uint64(mask[i] != 0)
        out[k if kept else other] = x[i]
        k += kept
        other += 1 - kept
        i += 1


@compile_kernel
def _partition_tiles(cores, x, mask, items, before, out):
    for_tiles(cores, before.size - 1, _partition_tile, (x, mask, items, before, out))


def partition(x, mask, before, out):
    _partition_tiles(_cores(_partition_tiles, before), x, mask, _tile(mask.size), before, out)
