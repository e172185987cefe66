"""The order that sorts go by: does one element come before another?

Both backends compile these into their kernels. NaN comes last; -0.0 and 0.0 are equal. float16 arrives as its bits.

Design: there is one order. To sort from the largest down, flip the bits of all elements (of a float its sign alone, so
that NaN stay last), sort, and flip back: two more passes, half the kernels to compile.
"""

import numpy as np
from numba import njit

from spark_csr._array import by_width, namespace_of


@njit(forceinline=True)
def _less(a, b):
    return a < b


@njit(forceinline=True)
def less(a, b):
    """Does `a` come before `b`? No branch: a merge could not predict it."""
    return (a == a) & (not (b <= a))


@njit(forceinline=True)
def _half_rank(bits):
    """An integer that orders float16 as its value does, NaN above all."""
    magnitude = np.int32(np.int32(bits) & np.int32(0x7FFF))
    if magnitude > np.int32(0x7C00):
        return np.int32(0x8000)
    return np.int32(-magnitude) if (np.int32(bits) & np.int32(0x8000)) != 0 else magnitude


@njit(forceinline=True)
def _half_less(a, b):
    return _half_rank(a) < _half_rank(b)


@njit(forceinline=True)
def _differs_from_itself(a):
    return a != a


@njit(forceinline=True)
def _never(a):
    return False


def comes_before(dtype):
    """The function `before(a, b)` for elements of `dtype`, as `comparable` gives them."""
    if dtype == np.float16:
        return _half_less
    return less if dtype.kind == "f" else _less


def comes_before_numbers(dtype):
    """`(before, is_nan)`: a cheaper `before` for where neither is NaN. Without such, the one above, and what is never true."""
    if dtype in (np.float32, np.float64):
        return _less, _differs_from_itself
    return comes_before(dtype), _never


def comparable(x):
    """`x` as kernels compare it: bool and float16 by their bits, all else as it is."""
    if x.dtype == np.float16:
        return x.view(np.uint16)
    return x.view(np.uint8) if x.dtype.kind == "b" else x


def flip(keys, dtype, out=None):
    """Turn the order of comparable `keys` of `dtype` round, in `out` or a new array. Twice is nothing."""
    bits = by_width(keys)
    mask = 1 << 8 * dtype.itemsize - 1 if dtype.kind == "f" else np.iinfo(bits.dtype).max
    flipped = namespace_of(keys).bitwise_xor(bits, bits.dtype.type(mask), out=None if out is None else by_width(out))
    return flipped.view(keys.dtype)
