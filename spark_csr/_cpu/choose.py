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
    for k in range(factors - 1):
        if left > 0:
            found, before = find_first_element(left, first, x, factors - k)
            left -= before
            first = found
        digits[k] = first
        first += 1
    digits[factors - 1] = first + left
    return x


@njit(forceinline=True)
def _advance_prefix(counts, segments, row, factors, digits):
    """Replace `digits` by the first combination with the next prefix, which is all digits but the last."""
    x = np.uint64(counts[row])
    f = factors - 1
    while f > 0:
        f -= 1
        if digits[f] + (factors - f) < x:
            break
    value = digits[f]
    for g in range(f, factors):
        value += 1
        digits[g] = value


def combinations(tiles, out_offsets, starts, counts, less, n, stride, out):
    write_tuples(_unrank, _advance_prefix, tiles, out_offsets, starts, 0, counts, less, n, stride, out)
