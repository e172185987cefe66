"""Random numbers that are a function of a key and a counter: there is no state, so the order of draws does not matter.

Design: Philox 4x32-10, whose products of two 32-bit numbers fit in 64 bits and are exact on every device. Source: Salmon,
Moraes, Dror & Shaw, *Parallel Random Numbers: As Easy as 1, 2, 3*, SC 2011.
"""

from __future__ import annotations

import operator

import numpy as np

from spark_csr._engine import njit

LOW = 0xFFFFFFFF
UNIT = 2.0**-53


def seed_of(seed: int) -> tuple[int, int]:
    """Return the lower and the upper half of a seed, as kernels take it; raise ValueError if it does not fit in 64 bits."""
    seed = operator.index(seed)
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed must lie in [0, 2**64), got {seed}")
    return seed & LOW, seed >> 32


@njit(forceinline=True)
def random_bits(key_low, key_high, first, second):
    """Return 64 random bits for a key, given in halves, and a counter of two numbers of 64 bits each."""
    low, half = np.uint64(LOW), np.uint64(32)
    k0, k1 = np.uint64(key_low), np.uint64(key_high)
    c0, c1 = np.uint64(first) & low, np.uint64(first) >> half
    c2, c3 = np.uint64(second) & low, np.uint64(second) >> half
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> half) ^ c1 ^ k0, p1 & low, (p0 >> half) ^ c3 ^ k1, p0 & low
        k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low
    return c0 | c1 << half


@njit(forceinline=True)
def random_unit(key_low, key_high, first, second):
    """Return a random number in [0, 1), a multiple of 2**-53."""
    return np.float64(np.int64(random_bits(key_low, key_high, first, second) >> 11)) * UNIT
