"""Keep the elements that a mask selects: count them tile by tile, scan the counts, then every tile writes its own.

Design: a block ranks its tile's elements in shared memory, two bytes each, whatever their width; then its threads write
side by side and read `x` in rising order, of kept elements only. Nothing is counted by atomics: stable, same result every run.
Source: Billeter, Olsson & Assarsson, *Efficient Stream Compaction on Wide SIMD Many-Core Architectures*, HPG 2009.
"""

import functools

import numpy as np
from numba import uint8, uint16

from spark_csr._cuda.kept import BOX, count_earlier_selected, count_kept, load_flags, meanings
from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, blocks_for, cuda, device_function
from spark_csr._engine.holes import ITEMS, THREADS, TILE, Hole, store_selected
from spark_csr._shared.visits import is_set

WRITES_UNSELECTED = Hole(
    "WRITES_UNSELECTED: bool",
    "Whether the elements that the mask does not select are written as well, after the selected ones.",
)


def compact_tiles(n):
    """Return how many tiles `n` elements make."""
    return blocks_for(n, BOX.tile)


@device_function
def _store_element(operands, place, position):
    operands[0][place] = operands[1][position]


@device_function
def _store_position(operands, place, position):
    operands[0][place] = position


def _write_tile(operands, mask, n, before, limit):
    """Store the selected elements of one tile per block from `before` on, none past `limit`.

    If WRITES_UNSELECTED, also store the others, behind all selected ones.
    """
    flags = cuda.shared.array(TILE, uint8)
    order = cuda.shared.array(TILE, uint16)
    tile = np.int64(cuda.blockIdx.x)
    start = tile * TILE
    kept_first = before[tile]
    kept_here = np.uint32(before[tile + 1] - kept_first)
    length = load_flags(mask, n, flags)
    carried, _ = count_earlier_selected(flags)
    place = np.uint32(carried)
    thread = np.uint32(cuda.threadIdx.x)
    first = thread * ITEMS
    for k in range(ITEMS):
        i = first + np.uint32(k)
        if flags[i] != 0:
            order[place] = np.uint16(i)
            place += 1
        elif WRITES_UNSELECTED and i < length:
            order[kept_here + i - place] = np.uint16(i)
    cuda.syncthreads()
    shown = np.uint32(min(np.int64(kept_here), max(limit - kept_first, np.int64(0))))
    j = thread
    while j < shown:
        store_selected(operands, kept_first + np.int64(j), start + np.int64(order[j]))
        j += THREADS
    if WRITES_UNSELECTED:
        others_first = before[np.int64(cuda.gridDim.x)] + start - kept_first
        j = thread
        while kept_here + j < length:
            store_selected(operands, others_first + np.int64(j), start + np.int64(order[kept_here + j]))
            j += THREADS


@functools.cache
def write_kernel(store_selected, part, views=False):
    """Return the kernel `_write_tile`, for the selected elements or both parts."""
    meanings_here = {"store_selected": store_selected, "WRITES_UNSELECTED": part, **meanings(is_set)}
    return Kernel(specialise(_write_tile, **meanings_here), BOX.threads, views=views)


def count_selected(is_selected, operands, n, before, *, calls_user=False):
    """Count how many of `n` elements are selected before every tile, and in all."""
    count_kept(is_selected, operands, n, before, views=calls_user)


def visit_selected(store_selected, operands, mask, before):
    """Call `store_selected` for every selected element, once. Arrays arrive with their sizes."""
    write_kernel(store_selected, False, True)(before.size - 1, operands, mask, mask.size, before, mask.size)


def compact(x, mask, before, out):
    """Write the selected elements of `x`, or their positions if `x` is None."""
    store, operands = (_store_position, (out,)) if x is None else (_store_element, (out, x))
    write_kernel(store, False)(before.size - 1, operands, mask, mask.size, before, out.size)


def partition(x, mask, before, out):
    write_kernel(_store_element, True)(before.size - 1, (out, x), mask, mask.size, before, x.size)
