"""Binomial coefficients in whole numbers, and the combination at a rank: the same on every device.

Design: no square root and no reciprocal. A rank is turned into a combination by binary searches over exact counts, which
is right wherever the counts fit 64 bits. Source of the order: combinatorial number system (Lehmer, 1964; Knuth, *The Art
of Computer Programming* 4A, 7.2.1.3).
"""

import numpy as np

from spark_csr._engine import njit

LARGEST = 2.0**62
"""Counts above are refused: nothing of that size can be stored, and floating point tells them from 2**63 without doubt."""


@njit(forceinline=True)
def binomial(x, n):
    """Return how many combinations of `n` out of `x` there are, for unsigned numbers; the result must fit 64 bits."""
    if n > x:
        return np.uint64(0)
    n = min(n, x - n)
    if n == 2:
        return (x >> 1) * ((x - 1) | 1)
    result = np.uint64(1)
    for i in range(n):
        # result * (x - i) / (i + 1), which is whole, with no intermediate number larger than it
        divisor, factor = i + 1, x - i
        whole = result // divisor
        result = whole * factor + (result - whole * divisor) * factor // divisor
    return result


@njit
def checked_binomial(x, n):
    """Return how many combinations of `n` out of `x` there are, or -1 if there are more than `LARGEST`."""
    about = 1.0
    if n <= x and x > 62:  # below, even all subsets are fewer
        for i in range(min(n, x - n)):
            about *= (x - i) / (i + 1.0)
            if about > LARGEST:
                return np.int64(-1)
    return np.int64(binomial(np.uint64(x), np.uint64(n)))


@njit(forceinline=True)
def find_first_element(rank, first, x, n):
    """Return the least element of the combination at `rank`, and the rank at which combinations begin with it.

    Combinations are those of `n` out of `first, first + 1, ..., x - 1`, in the order of `itertools.combinations`.
    """
    every = binomial(x - first, n)
    low, high = first, x - n
    while low < high:
        middle = (low + high + 1) >> 1
        if every - binomial(x - middle, n) <= rank:
            low = middle
        else:
            high = middle - 1
    return low, every - binomial(x - low, n)
