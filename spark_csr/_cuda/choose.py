"""All combinations of every segment: a visit to every item unranks its rank.

With replacement, digits are those of a longer segment: digit f is f more than the rank it stands for.
"""

import numpy as np

from spark_csr._cuda.search import visit_items
from spark_csr._engine.gpu import device_function
from spark_csr._shared.binomials import find_first_element


@device_function
def _write_combination(operands, position, row, rank):
    """Write a combination, the least element first; the last element takes what is left of the rank."""
    starts, counts, less, n, stride, out = operands
    x, start = np.uint64(counts[row]), np.int64(starts[row])
    left = np.uint64(rank)
    first, place = np.uint64(0), position
    f = np.int64(0)
    while f < n - 1:
        found, before = find_first_element(left, first, x, np.uint64(n - f))
        out[place] = start + np.int64(found) - f * less
        left -= before
        first = found + 1
        place += stride
        f += 1
    out[place] = start + np.int64(first + left) - f * less


def combinations(tiles, out_offsets, starts, counts, less, n, stride, out):
    operands = starts, counts, less, n, stride, out
    visit_items(_write_combination, tiles, out_offsets, operands)
