"""Check users' functions that become part of kernels, and find out what they return."""

import functools
import inspect
from types import FunctionType

import numpy as np
from numba import NumbaError, from_dtype

from spark_csr._array import DTYPES, SIMULATED
from spark_csr._engine import answer, as_dtype, current, name_of, njit, note_if_raising, returned_type

_compiled: dict[object, object] = {}
"""The `@njit` functions made of Python functions as they were at some time, by function and options."""


def freeze(func, taken):
    """Return a user's function as it is now (see `current`); raise TypeError if it is not a Python function.

    `taken()` returns the names of its arguments.
    """
    if not isinstance(getattr(func, "py_func", func), FunctionType):
        raise TypeError(f"func must be a Python function of ({', '.join(taken())}), got {func!r}: wrap it in a lambda")
    return current(func)


def find_required(func, names, least):
    """Return the names of the arguments that a function is given: as many as it requires, but at least the first `least`.

    A function that takes any number of arguments is given all of them.
    """
    code = getattr(getattr(func, "py_func", func), "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARARGS:
        return names
    required = code.co_argcount - len(getattr(func, "py_func", func).__defaults__ or ())
    return names[: max(required, least)]


def compile_function(func, taken, **options):
    """Return an `@njit` function of plain Python code as it is now; functions of the same meaning give the same object.

    TypeError is raised if `func` is not such a function. `taken` names the arguments that it will be given; options are
    Numba's.
    """
    known = freeze(func, lambda: taken), taken, *options.items()
    found = _compiled.get(known)
    return _compiled.setdefault(known, _compile(*known[:2], options)) if found is None else found


def _compile(func, taken, options):
    plain = getattr(func, "py_func", func)
    refuse_closure(plain)
    if plain.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise TypeError(f"func must return a number, and {name_of(plain)!r} is a generator or coroutine: use return")
    if plain.__code__.co_kwonlyargcount:
        raise TypeError(f"func must take no keyword-only arguments, which Numba does not compile, got {name_of(plain)!r}")
    try:
        inspect.signature(plain).bind(*taken)
    except TypeError as error:
        raise TypeError(f"func must take ({', '.join(taken)}), got {name_of(plain)!r}: {error}") from None
    return func if plain is not func else njit(error_model="numpy", **options)(func)


def refuse_closure(plain):
    """Raise TypeError for a closure: kernels are kept under names made of their parts, and closed-over variables have none."""
    if plain.__closure__:
        names = ", ".join(plain.__code__.co_freevars)
        raise TypeError(
            f"func must not close over variables, got {name_of(plain)!r} with {names}: make them constants of its module, "
            f"or defaults of its arguments, as in lambda v, c=c: v * c"
        )


@functools.cache
def result_dtype(func, dtypes, taken):
    """Return the dtype that Numba infers for an `@njit` function of scalars of `dtypes`; raise TypeError if it is no number."""
    if SIMULATED:  # njit leaves functions as they are
        with np.errstate(all="ignore"):
            return _number(np.asarray(func(*(dtype.type(1) for dtype in dtypes))).dtype)
    asked = f"take {taken} and return a number"
    return dtype_of_type(infer_type(func, tuple(map(from_dtype, dtypes)), asked), asked)


def _number(dtype):
    if dtype not in DTYPES:
        raise TypeError(f"func must return a number of a dtype that arrays can have, got {dtype}")
    return dtype


def dtype_of_type(returned, asked):
    """Return the dtype of a Numba type; raise TypeError, saying what is `asked` of the function, if it is not a number."""
    try:
        return _number(as_dtype(returned))
    except (NumbaError, NotImplementedError) as error:
        raise TypeError(f"func must {asked}: {error}") from error


def _infer_return_type(func, given):
    """Return the type that a function returns for arguments of these types; None if it is compiled with Python objects."""
    returned = returned_type(func, given)
    if given in func.signatures:
        note_if_raising(func, given)
    return returned


@functools.cache
def infer_type(func, given, asked):
    """Return the Numba type that an `@njit` function returns for arguments of the types `given`.

    TypeError is raised, saying what is `asked` of the function, if it does not compile.
    """
    try:
        returned = answer(_infer_return_type, func, given)
        if returned is None:
            raise TypeError(f"func must {asked}, and must be compiled without Python objects: leave forceobj out")
        return returned
    except NotImplementedError as error:  # a type that Numba has no numbers of, such as float16
        raise TypeError(f"func must {asked}: Numba does not compute in {error}") from error
    except NumbaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = [line.removeprefix(">>> ") for line in lines if not line.startswith("Failed in")][:2]
        if reason and not reason[0].endswith(":"):
            del reason[1:]
        raise TypeError(f"func must {asked}: {' '.join(reason)}") from error
