"""Dtypes of matrices: which there are, and in which of them kernels compute."""

import numpy as np

from spark_csr._array import DTYPES

_NATIVE = frozenset("?bBhHiIlLqQefdFD")


def is_native(dtype):
    """Return whether kernels compute in a dtype, in this byte order."""
    return dtype.char in _NATIVE and dtype.isnative


def dtype_of(x, name="data"):
    """Return the dtype of `x`, in native byte order; raise TypeError if no kernel computes in it."""
    return x.dtype if is_native(x.dtype) else check_dtype(x.dtype, name)


def check_dtype(dtype, name="dtype"):
    """Return `dtype` as a NumPy dtype of the supported ones; raise TypeError for any other."""
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype not in DTYPES:
        raise TypeError(f"{name} has dtype {dtype}: use bool, (u)int8..64, float16/32/64 or complex64/128")
    return np.dtype(dtype.type)


def computed_dtype(dtype):
    """Return the dtype that products of this result dtype are summed in."""
    return np.dtype(np.float32) if dtype == np.float16 else dtype


LONG = 4096
"""Numbers for each sum from which on those of 32 bits are added in 64. Not tuned."""


def dtype_of_long_sums(dtype, numbers, sums):
    """Return the dtype to add in: of 64 bits where many numbers are added to few sums one by one, which loses digits in 32."""
    is_long = dtype.kind in "fc" and numbers > LONG * sums
    return np.result_type(dtype, np.float64) if is_long else dtype
