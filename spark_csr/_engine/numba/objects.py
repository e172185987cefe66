"""What Numba makes of functions, taken apart and made again: dispatchers, universal functions, intrinsics.

Why: a kernel is made of copies of functions as they are now, and named after all that they mean; Numba documents neither how to
find out what a dispatcher was made of, nor how to make another one like it. Goes when Numba has a public `options` of a
dispatcher, and a copy of it with another function.
"""

from llvmlite import ir
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.registry import CPUDispatcher
from numba.np.ufunc.dufunc import DUFunc

from spark_csr._engine.numba.device import DeviceFunction


def is_dispatcher(x):
    """Return whether `x` is a compiled function, of any kind."""
    return isinstance(x, Dispatcher)


def is_for_cores(x):
    """Return whether `x` is a compiled function for cores that is nothing else besides."""
    return type(x) in (CPUDispatcher, DeviceFunction)


def options_of(dispatcher):
    """Return how a function is compiled, as a text."""
    options = sorted(dispatcher.targetoptions.items())
    fixed = "" if dispatcher._can_compile else f"{dispatcher.nopython_signatures}"
    return f"{type(dispatcher).__name__}{options!r}{dispatcher.locals!r}{fixed}"


def dispatcher_like(x, function, **options):
    """Return a `DeviceFunction` of another function, compiled as `x` is but for these options. It has compiled nothing yet."""
    options = {**x.targetoptions, **options}
    return DeviceFunction(function, dict(x.locals), options, pipeline_class=x._compiler.pipeline_class)


def compile_as(copy, x):
    """Compile a copy of a dispatcher for the types that `x` is for, if `x` is for no others."""
    if not x._can_compile:
        for signature in x.nopython_signatures:
            copy.compile(signature)
        copy.disable_compile()


def is_universal(x):
    """Return whether `x` is a NumPy universal function that Numba makes."""
    return isinstance(x, DUFunc)


def function_of_universal(x):
    """Return the Python function that a universal function is made of."""
    return x._dispatcher.py_func


def options_of_universal(x):
    """Return how a universal function is compiled, as texts."""
    return repr(x.identity), repr(x.types if x._frozen else ""), repr(sorted(x._dispatcher.targetoptions.items()))


def universal_like(x, function):
    """Return a universal function of another function, compiled as `x` is."""
    options = {name: value for name, value in x._dispatcher.targetoptions.items() if name != "nopython"}
    return DUFunc(function, identity=x.identity, targetoptions=options)


def compile_universal_as(copy, x):
    """Compile a copy of a universal function for the types that `x` is for, if `x` is for no others."""
    if x._frozen:
        for compiled in x._dispatcher.overloads.values():
            copy.add(compiled.signature)
        copy.disable_compile()


def is_intrinsic(x):
    """Return whether `x` is a function whose code is emitted by a Python function."""
    return isinstance(x, _Intrinsic)


def definition_of(intrinsic):
    """Return the Python function that emits the code of an intrinsic, and whether it is given constants as types."""
    return intrinsic._defn, intrinsic._prefer_literal


def is_type(x):
    """Return whether `x` is a type of Numba's or of LLVM's, whose `repr` says all of it."""
    return isinstance(x, (types.Type, ir.Type))
