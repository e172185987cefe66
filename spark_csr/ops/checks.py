"""What is asked of a function that is to become part of kernels."""

import functools

import numpy as np
from numba import njit
from numba.core.errors import NumbaError
from numba.np.numpy_support import from_dtype

from spark_csr._array import SIMULATED


def check_function(function, role):
    """Operators become part of compiled kernels that are kept: only module-level functions have a lasting identity."""
    plain = getattr(function, "py_func", function)
    if not callable(plain) or not hasattr(plain, "__code__"):
        raise TypeError(f"{role} must be a module-level Python function of two scalars, got {function!r}")
    if plain.__closure__ or "<" in plain.__qualname__:
        raise TypeError(
            f"{role} must be a module-level Python function (a lambda or a nested function would be compiled again at "
            f"every call), got {plain.__qualname__!r}: move it to the top level of its module"
        )
    if plain.__code__.co_argcount != 2:
        raise TypeError(f"{role} must take two arguments, got {plain.__qualname__!r} with {plain.__code__.co_argcount}")
    return function if hasattr(function, "py_func") else njit(forceinline=True)(function)


@functools.cache
def check_compiles(function, dtype):
    """TypeError that names the function where Numba cannot compile it for two scalars of `dtype`."""
    if SIMULATED or dtype == np.float16:
        return
    kind = from_dtype(dtype)
    try:
        function.compile((kind, kind))
    except NumbaError as error:
        first_line = str(error).strip().splitlines()
        reason = next((line for line in first_line[1:] if line.strip()), first_line[0])
        raise TypeError(
            f"{function.py_func.__qualname__!r} does not compile for two {dtype} scalars: {reason.strip()}"
        ) from error
