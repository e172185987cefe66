"""All combinations of every segment, run after run: `cartesian.write_tuples`, counting combinations.

`digits` ascend strictly. With replacement they are those of a longer segment: digit f is f more than the rank it stands for.
"""

import numpy as np

from spark_csr._cpu.cartesian import write_tuples
from spark_csr._engine import njit
from spark_csr._shared.binomials import find_first_element


@njit(forceinline=True)
def _unrank(rank, counts, segments, row, factors, digits):
    """Write the combination at `rank`; return where the last digit ends."""
    x, first, left = np.uint64(counts[row]), np.uint64(0), rank
    for k in range(factors - np.uint64(1)):
        if left > np.uint64(0):
            found, before = find_first_element(left, first, x, factors - np.uint64(k))
            left -= before
            first = found
        digits[np.uint64(k)] = first
        first += np.uint64(1)
    digits[factors - np.uint64(1)] = first + left
    return x


@njit(forceinline=True)
def _advance_prefix(counts, segments, row, factors, digits):
    """Replace `digits` by the first combination with the next prefix, which is all digits but the last."""
    x = np.uint64(counts[row])
    f = factors - np.uint64(1)
    while f > np.uint64(0):
        f -= np.uint64(1)
        if digits[f] + (factors - f) < x:
            break
    value = digits[f]
    for g in range(f, factors):
        value += np.uint64(1)
        digits[np.uint64(g)] = value


def combinations(tiles, out_offsets, starts, counts, less, n, stride, out):
    write_tuples(_unrank, _advance_prefix, tiles, out_offsets, starts, 0, counts, less, n, stride, out)
