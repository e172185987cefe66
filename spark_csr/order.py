"""The order that sorts go by: does one element come before another?

Both backends compile these into their kernels. NaN comes last whatever the direction; -0.0 and 0.0 are equal. float16
arrives as its bits.
"""

import numpy as np
from numba import njit


@njit(forceinline=True)
def _less(a, b):
    return a < b


@njit(forceinline=True)
def _greater(a, b):
    return a > b


@njit(forceinline=True)
def _less_nan_last(a, b):
    return (a < b) | ((b != b) & (a == a))


@njit(forceinline=True)
def _greater_nan_last(a, b):
    return (a > b) | ((b != b) & (a == a))


@njit(forceinline=True)
def _half_rank(bits, sign):
    """An integer that orders float16 as its value times `sign` does, NaN above all."""
    magnitude = np.int32(np.int32(bits) & np.int32(0x7FFF))
    if magnitude > np.int32(0x7C00):
        return np.int32(0x8000)
    negative = (np.int32(bits) & np.int32(0x8000)) != 0
    return np.int32(-sign * magnitude) if negative else np.int32(sign * magnitude)


@njit(forceinline=True)
def _half_less(a, b):
    return _half_rank(a, np.int32(1)) < _half_rank(b, np.int32(1))


@njit(forceinline=True)
def _half_greater(a, b):
    return _half_rank(a, np.int32(-1)) < _half_rank(b, np.int32(-1))


@njit(forceinline=True)
def _differs_from_itself(a):
    return a != a


@njit(forceinline=True)
def _never(a):
    return False


def comes_before(dtype, descending=False):
    """The function `before(a, b)` for elements of `dtype`: bool and float16 as unsigned integers of their width."""
    if dtype == np.float16:
        return _half_greater if descending else _half_less
    if dtype.kind == "f":
        return _greater_nan_last if descending else _less_nan_last
    return _greater if descending else _less


def comes_before_numbers(dtype, descending=False):
    """`(before, is_nan)`: a cheaper `before` for where neither is NaN. Without such, the one above, and what is never true."""
    if dtype.kind == "f" and dtype != np.float16:
        return (_greater if descending else _less), _differs_from_itself
    return comes_before(dtype, descending), _never


def comparable(x):
    """`x` as kernels compare it: bool and float16 by their bits, all else as it is."""
    if x.dtype == np.float16:
        return x.view(np.uint16)
    return x.view(np.uint8) if x.dtype.kind == "b" else x
