"""The order that merges and networks go by: does one element come before another?

Both backends compile `is_less` into their kernels. NaN comes last; -0.0 and 0.0 are equal.

Design: there is one order. To sort from the largest down, flip the bits of all elements (of a float its sign alone, so
that NaN stay last), sort, and flip back: two more passes, half the kernels to compile.
"""

import numpy as np

from spark_csr._array import as_operand, by_width, namespace_of
from spark_csr._engine import njit


@njit(forceinline=True)
def is_less(a, b):
    """Return whether `a` comes before `b`. There is no branch: a merge could not predict it."""
    return (a == a) & (not (b <= a))


@njit(forceinline=True)
def is_more(a, b):
    """Return whether `a` comes before `b` from the largest down. NaN come last here too."""
    return (a == a) & (not (a <= b))


def as_comparable(x):
    """Return `x` contiguous, as kernels compare it: bool as uint8, float16 as float32."""
    if x.dtype == np.float16:
        return x.astype(np.float32)
    x = as_operand(x)
    return x.view(np.uint8) if x.dtype == bool else x


def restore(keys, dtype):
    """Return the array of `dtype` that `as_comparable` made `keys` of."""
    return keys.view(bool) if dtype == bool else keys.astype(dtype, copy=False)


def flip(keys, out=None):
    """Turn the order of `keys` round, in `out` or a new array. To do it twice changes nothing."""
    bits = by_width(keys)
    mask = 1 << 8 * keys.dtype.itemsize - 1 if keys.dtype.kind == "f" else np.iinfo(bits.dtype).max
    flipped = namespace_of(keys).bitwise_xor(bits, bits.dtype.type(mask), out=None if out is None else by_width(out))
    return flipped.view(keys.dtype)
