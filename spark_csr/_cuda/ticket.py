"""The block that ends last goes on alone, with what all blocks have written: the start of the next kernel, without a launch.

No block waits for another, so it does not matter how many run at a time. Source: NVIDIA, sample *threadFenceReduction*.
"""

import functools

import numpy as np
from numba import int64, uint32

from spark_csr import _ops as ops
from spark_csr._cuda.block import block_carry_in
from spark_csr._engine import inline
from spark_csr._engine.gpu import cuda, device_function, fetch_add
from spark_csr._engine.holes import ITEMS, THREADS, TILE, carry_in


@device_function
def is_last_block(counters, number):
    """Return whether all other blocks have come here before; `counters[number]` was 0 when the kernel began. All threads call.

    What the others wrote before their last barrier can be read then.
    """
    last = cuda.shared.array(1, uint32)
    if cuda.threadIdx.x == 0:
        cuda.threadfence()
        before = fetch_add(counters, np.int64(number), np.int64(1))
        cuda.threadfence()
        last[0] = np.uint32(1) if before + 1 == cuda.gridDim.x else np.uint32(0)
    cuda.syncthreads()
    return last[0] != 0


def _scan_counts(counts, n):
    """Replace each of `n` counts by the sum of those before it; return the sum of all. All threads of one block call."""
    total = cuda.shared.array(1, int64)
    thread = np.uint32(cuda.threadIdx.x)
    before, start = np.int64(0), np.int64(0)
    while start < n:
        first = start + np.int64(thread * ITEMS)
        mine = np.int64(0)
        for k in range(ITEMS):
            if first + k < n:
                mine += counts[first + k]
        running, handed_on = carry_in(thread, mine, False, before)
        for k in range(ITEMS):
            if first + k < n:
                count = counts[first + k]
                counts[first + k] = running
                running += count
        if thread == np.uint32(THREADS - 1):
            total[0] = handed_on
        cuda.syncthreads()
        before = total[0]
        start += TILE
    return before


@functools.cache
def count_scanner(box):
    """Return the device function `_scan_counts` for blocks of `box`."""
    shape = {"TILE": box.tile, "ITEMS": box.items, "THREADS": box.threads}
    carry_in = block_carry_in(box.threads, ops.plus, np.dtype(np.int64), copy=1)
    return inline(_scan_counts, carry_in=carry_in, **shape)
