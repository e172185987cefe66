"""Products of a block's tile: which entry of A each is of, its column and its value.

Design: marks where the products of A's entries begin are flooded right, so every product knows its entry without a search.
"""

import numpy as np

from spark_csr._engine import helper
from spark_csr._engine.gpu import cuda
from spark_csr._engine.holes import COMPUTES_VALUES, ITEMS, MASKED, MASKED_OUT, THREADS, flood_threads, multiply, scalar
from spark_csr._shared.bisection import first_at_least


@helper
def mark_products(before, first, stop, start, length, marks):
    """Write for each of a block's products, which begin at `start`, which of A's entries from `first` to `stop` it is of: 1 for
    the first of them. All threads call; a barrier must follow.
    """
    thread = np.uint32(cuda.threadIdx.x)
    for k in range(ITEMS):
        marks[thread + np.uint32(k * THREADS)] = np.uint32(0)
    cuda.syncthreads()
    entry = first + np.int64(thread)
    while entry < stop:
        head = max(before[entry], start)
        if before[entry + 1] > head:
            marks[np.uint32(head - start)] = np.uint32(entry - first + 1)
        entry += THREADS
    cuda.syncthreads()
    newest = np.uint32(0)
    for k in range(ITEMS):
        mark = marks[thread * ITEMS + np.uint32(k)]
        newest = mark if mark != 0 else newest
    current = flood_threads(thread, newest)
    for k in range(ITEMS):
        i = thread * ITEMS + np.uint32(k)
        mark = marks[i]
        current = mark if mark != 0 else current
        if i < length:
            marks[i] = current


@helper
def expand_products(a, b, mask, before, row, first, start, length, keys, values, sources, marks, owners):
    """Write the column and the value of each product, or the largest key if the mask forbids it. A barrier must follow."""
    _, a_indices, a_data = a
    b_indptr, b_indices, b_data = b
    for k in range(ITEMS):
        i = np.uint32(cuda.threadIdx.x) + np.uint32(k * THREADS)
        if i < length:
            entry = first + np.int64(marks[i] - 1)
            q = b_indptr[np.int64(a_indices[entry])] + (start + np.int64(i) - before[entry])
            column = b_indices[q]
            keys[i] = column
            if MASKED:
                here = row + np.int64(owners[i])
                stop = np.uint64(mask[0][here + 1])
                at = first_at_least(mask[1], mask[0][here], stop, np.int64(column))
                if at == stop or mask[1][at] != column:
                    keys[i] = MASKED_OUT
            if COMPUTES_VALUES:
                values[i] = scalar(multiply(scalar(a_data[entry]), scalar(b_data[q])))
                sources[i] = np.uint16(i)
