"""Check functions that are to become part of kernels, and prepare them for it."""

import functools

import numpy as np
from numba import NumbaError, from_dtype, types

from spark_csr._array import SIMULATED
from spark_csr._engine import answer, current, name_of, njit, note_if_raising, returned_type
from spark_csr._ops.scalars import COMPILED_FOR


def check_function(function, role):
    """Return a function of two scalars that closes over nothing; raise TypeError for anything else."""
    plain = getattr(function, "py_func", function)
    if not callable(plain) or not hasattr(plain, "__code__"):
        raise TypeError(f"{role} must be a Python function of two scalars, got {function!r}: wrap it in a function or lambda")
    if plain.__closure__:
        names = ", ".join(plain.__code__.co_freevars)
        raise TypeError(
            f"{role} must not close over variables, got {plain.__qualname__!r} with {names}: make them constants of its "
            f"module, or defaults of its arguments, as in lambda a, b, c=c: a + c * b"
        )
    if plain.__code__.co_argcount - len(plain.__defaults__ or ()) > 2 or plain.__code__.co_argcount < 2:
        raise TypeError(f"{role} must take two arguments, got {plain.__qualname__!r} with {plain.__code__.co_argcount}")
    return function


def freeze_operator(function):
    """Return an operator as it is now, ready to become part of a kernel; equal meanings give the same object."""
    return _compile(current(function))


@functools.cache
def _compile(function):
    return function if hasattr(function, "py_func") else njit(forceinline=True, error_model="numpy")(function)


def _infer_return_type(function, argument_types):
    """Return the type that a function returns for two arguments; others have defaults."""
    returned = returned_type(function, argument_types)
    if argument_types in function.signatures:
        note_if_raising(function, argument_types)
    return returned


@functools.cache
def check_compiles(function, dtype):
    """Raise TypeError that names the function if Numba cannot compile it for two scalars of `dtype`."""
    dtype = np.dtype(dtype)
    if SIMULATED or dtype.kind in COMPILED_FOR.get(function, ""):
        return
    kind = from_dtype(np.dtype(np.float32) if dtype == np.float16 else dtype)
    try:
        returned = answer(_infer_return_type, function, (kind, kind))
    except NumbaError as error:
        first_line = str(error).strip().splitlines()
        reason = next((line for line in first_line[1:] if line.strip()), first_line[0])
        raise TypeError(f"{name_of(function)!r} does not compile for two {dtype} scalars: {reason.strip()}") from error
    if isinstance(returned, types.Complex) and dtype.kind != "c":
        raise TypeError(f"{name_of(function)!r} returns complex numbers for two {dtype} scalars: convert the operands first")
