"""Steps of the modified Gram-Schmidt process: take away the share of one vector, and find that of the next, in one pass.

SciPy's loop passes seven times over a vector for each vector of the basis, on one core. Sums have four terms at a time, in
float64.
"""

import numpy as np

from spark_csr._engine import compile_kernel, cores_for, for_tiles, njit

ITEMS = 1 << 14
"""Elements of a tile. Not tuned."""


@njit
def _subtract_tile(tile, x, away, share, other, sums):
    start = tile * ITEMS
    stop = min(start + ITEMS, np.uint64(x.size))
    a = b = c = d = 0.0
    i = start
    while i + 4 <= stop:
        j, k, m = i + 1, i + 2, i + 3
        x[i] -= share * away[i]
        x[j] -= share * away[j]
        x[k] -= share * away[k]
        x[m] -= share * away[m]
        a += np.float64(x[i]) * np.float64(other[i])
        b += np.float64(x[j]) * np.float64(other[j])
        c += np.float64(x[k]) * np.float64(other[k])
        d += np.float64(x[m]) * np.float64(other[m])
        i += 4
    while i < stop:
        x[i] -= share * away[i]
        a += np.float64(x[i]) * np.float64(other[i])
        i += 1
    sums[tile] = (a + b) + (c + d)


@compile_kernel
def _subtract(cores, x, away, share, other, sums):
    for_tiles(cores, sums.size, _subtract_tile, (x, away, share, other, sums))


def subtract_share(x, away, share, other):
    """Subtract `share * away` from `x` in place, and return the inner product of the result with `other`, which may be `x`."""
    sums = np.empty(-(-x.size // ITEMS))
    _subtract(cores_for(_subtract), x, away, x.dtype.type(share), other, sums)
    return float(sums.sum())
