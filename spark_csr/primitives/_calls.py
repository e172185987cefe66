"""Check a user's function and the arrays and numbers that it is given beside the item it is called for."""

from __future__ import annotations

import functools
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import from_dtype, types

from spark_csr._array import DTYPES, SIMULATED, is_array, refuse_masked, same_device
from spark_csr._engine import LEAN
from spark_csr.primitives import _functions

if TYPE_CHECKING:
    from spark_csr._types import Array

INT64 = np.dtype(np.int64)


def check_state(state: Any, like: Array, name: str = "state") -> tuple[Any, ...]:
    """Return `state`, a tuple of numbers and of contiguous arrays of one axis on the device of `like`.

    Raise ValueError or TypeError for anything else, with the `name` of the parameter.
    """
    if not isinstance(state, tuple):
        raise TypeError(f"state must be a tuple of arrays and numbers, as in (distance,), got {type(state).__name__}")
    for i, part in enumerate(state):
        if is_array(part):
            same_device(like, part)
            refuse_masked(f"{name}[{i}]", part)
            if part.ndim != 1 or not part.flags.c_contiguous:
                raise ValueError(f"{name}[{i}] must be a contiguous array of one axis, got shape {part.shape}")
            if part.dtype not in DTYPES or part.dtype == np.float16:
                raise TypeError(
                    f"{name}[{i}] has dtype {part.dtype}, in which kernels do not compute: "
                    f"convert it, as in x.astype(numpy.float32)"
                )
        elif not isinstance(part, numbers.Number) and not isinstance(part, np.generic):
            raise TypeError(f"{name}[{i}] must be an array or a number, got {type(part).__name__}")
        elif np.asarray(part).dtype not in DTYPES or isinstance(part, np.float16):
            raise TypeError(f"{name}[{i}] must be a number that kernels compute with, got {part!r}: use float()")
    return state


def compile_test(
    func: Any, named: dict[str, np.dtype[Any]], state: tuple[Any, ...], *, tests: bool = True, name: str = "state"
) -> Any:
    """Return `func` as an `@njit` function of arguments `named` with their dtypes, and of state.

    Raise TypeError unless it returns a bool; with `tests` False it may return anything.
    """
    func = _functions.freeze(func, lambda: _argument_names(named, state, name))
    return _compile(func, tuple(named.items()), tuple(map(_kind_of, state)), tests, name)


def _argument_names(named, state, name):
    """Return the names of the arguments that a function is given."""
    return (*named, *(f"{name}[{i}]" for i in range(len(state))))


@functools.lru_cache(256)
def _compile(func, named, kinds, tests, name):
    """Do the work of `compile_test`, once for each function: inferring types takes longer than a visit to a few edges."""
    taken = _argument_names(dict(named), kinds, name)
    if SIMULATED:  # only a call would show what the function returns, and the function may write
        return _functions.compile_function(func, taken)
    given = (*(from_dtype(dtype) for _, dtype in named), *map(_type_of, kinds))
    asked = f"take ({', '.join(taken)})" + " and return a bool" * tests
    func, returned = _compile_leanly(func, taken, given, asked)
    if tests and returned != types.boolean:
        raise TypeError(f"func must {asked}, got {returned}: return a comparison, as in x != 0")
    return func


def _compile_leanly(func, taken, given, asked):
    """Return the function and the type that it returns; see `_engine.numba.lean`.

    A function that allocates, which only cores can do, is compiled as usual.
    """
    try:
        lean = _functions.compile_function(func, taken, **LEAN)
        return lean, _functions.infer_type(lean, given, asked)
    except TypeError:
        counting = _functions.compile_function(func, taken)
        return counting, _functions.infer_type(counting, given, asked)


def _kind_of(part):
    """Return the dtype of an array or number, and whether it is an array that may be written into; None for a number."""
    return (part.dtype, getattr(part.flags, "writeable", True)) if is_array(part) else (np.asarray(part).dtype, None)


def infer_dtype(func: Any, named: dict[str, np.dtype[Any]], state: tuple[Any, ...], find_example: Any) -> np.dtype[Any]:
    """Return the dtype of a compiled function's results; raise TypeError if it is not a number.

    `find_example()` returns arguments to call the function with where it is not compiled, or nothing if there are none.
    """
    if SIMULATED:
        example = find_example()
        return np.asarray(func(*example, *state)).dtype if example else [*named.values()][-1]
    given = (*map(from_dtype, named.values()), *(_type_of(_kind_of(part)) for part in state))
    asked = f"take ({', '.join(named)}, ...) and return a number"
    return _functions.dtype_of_type(_functions.infer_type(func, given, asked), asked)


def _type_of(kind):
    """Return the Numba type of such a part of the state."""
    dtype, writeable = kind
    return from_dtype(dtype) if writeable is None else types.Array(from_dtype(dtype), 1, "C", readonly=not writeable)
