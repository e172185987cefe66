"""How often each value of each digit comes among the keys of a radix sort, for all digits in one read of the keys.

Design: a block counts in shared memory, for as many tiles as there are for each block, and then adds what it has counted to the
counts of all. So a pass of the sort need not read the keys before it moves them.
Source: Adinets & Merrill, *Onesweep: A Faster Least Significant Digit Radix Sort for GPUs*, 2022.
"""

import functools

import numpy as np
from numba import uint32

from spark_csr._cuda.radix_digits import BINS, BITS, digit_of
from spark_csr._cuda.tuning import TUNING
from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, blocks_for, box, cuda, fetch_add
from spark_csr._engine.holes import ITEMS, THREADS, TILE, WORDS, digit, key_type, position_type

BOX = box(256, 16)  # a thread for each value of a digit; not tuned


def _count_digits(keys, n, bits, counts):
    """Count the digits that hold `bits`, as `list_digits` lists them, in every so many tiles as there are blocks."""
    bins = cuda.shared.array(WORDS, uint32)
    own = cuda.local.array(ITEMS, key_type)
    thread = np.uint32(cuda.threadIdx.x)
    for first in range(0, WORDS, THREADS):
        bins[thread + np.uint32(first)] = np.uint32(0)
    cuda.syncthreads()
    start = np.int64(cuda.blockIdx.x) * TILE
    while start < n:
        length = np.uint32(min(n - start, np.int64(TILE)))
        here = start + np.int64(thread)
        if length == TILE:
            for k in range(ITEMS):
                own[k] = keys[here + k * THREADS]
        else:
            for k in range(ITEMS):
                own[k] = key_type(0)
                if thread + np.uint32(k * THREADS) < length:
                    own[k] = keys[here + k * THREADS]
        rest, row = bits, np.uint32(0)
        while rest != 0:
            below = (rest & (~rest + 1)) - 1
            shift = np.uint32(cuda.popc(below))
            mask = np.uint32(rest >> np.uint64(shift) & np.uint64(BINS - 1))
            if length == TILE:
                for k in range(ITEMS):
                    cuda.atomic.add(bins, row + digit(own[k], shift, mask), np.uint32(1))
            else:
                for k in range(ITEMS):
                    if thread + np.uint32(k * THREADS) < length:
                        cuda.atomic.add(bins, row + digit(own[k], shift, mask), np.uint32(1))
            rest &= ~(np.uint64(mask) << np.uint64(shift))
            row += BINS
        start += np.int64(cuda.gridDim.x) * TILE
    cuda.syncthreads()
    for first in range(0, WORDS, THREADS):
        i = thread + np.uint32(first)
        if bins[i] != 0:
            fetch_add(counts, np.int64(i), position_type(bins[i]))


@functools.cache
def _kernel(key, position):
    meanings = {"TILE": BOX.tile, "ITEMS": BOX.items, "THREADS": BOX.threads, "WORDS": -(-8 * key.itemsize // BITS) * BINS}
    meanings |= {"key_type": key.type, "position_type": position.type, "digit": digit_of(key)}
    return Kernel(specialise(_count_digits, **meanings), BOX.threads)


def count_digits(keys, bits, counts):
    """Add to `counts`, a row of `BINS` for each digit, how many keys have each value of the digits that hold `bits`."""
    blocks = min(blocks_for(keys.size, BOX.tile), TUNING.radix_blocks)
    _kernel(keys.dtype, counts.dtype)(blocks, keys, keys.size, np.uint64(bits), counts)
