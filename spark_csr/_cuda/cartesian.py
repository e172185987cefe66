"""`cartesian_product`: all tuples of every segment. A visit to every item writes one, its rank in mixed
radix."""

import numpy as np

from spark_csr._cuda.search import visit_items
from spark_csr._engine.gpu import device_function


@device_function
def divide(a, b):
    """Return `a // b`, computed in 32 bits where both fit, which is several times cheaper."""
    if (a | b) >> 32 == 0:
        return np.uint64(np.uint32(a) // np.uint32(b))
    return a // b


@device_function
def _write_tuple(operands, position, row, rank):
    """Write a tuple. The last factor goes fastest; the first takes what is left, undivided."""
    starts, counts, segments, factors, stride, out = operands
    left = np.uint64(rank)
    f = factors - 1
    while f > 0:
        place = f * segments + row
        count = np.uint64(counts[place])
        whole = divide(left, count)
        out[f * stride + position] = starts[place] + np.int64(left - whole * count)
        left = whole
        f -= 1
    out[position] = starts[row] + np.int64(left)


def cartesian_product(tiles, out_offsets, starts, counts, factors, stride, out):
    operands = starts, counts, out_offsets.size - 1, factors, stride, out
    visit_items(_write_tuple, tiles, out_offsets, operands)
