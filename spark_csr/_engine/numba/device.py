"""`njit` for functions that are compiled into kernels.

Why: Numba makes wrappers for Python and C of every function, and compiles a function again for each constant that it is called
with. Cost: a class of Numba's own is derived from, its compiler's options are replaced, and `get_call_template`, by which Numba
asks for the types of a call, is overridden. Goes when `numba.njit` has options for both.
"""

import numba
from numba import types
from numba.core.registry import CPUDispatcher

from spark_csr._engine.numba.codegen import lock_compiler
from spark_csr._engine.numba.integers import with_integer_types
from spark_csr._engine.numba.memory import call_with_room


class DeviceFunction(CPUDispatcher):
    """A function that kernels call: it has no wrappers for calls from Python, and no machine code of its own.

    Python may call it all the same: Numba then compiles it once more.
    """

    def __init__(self, py_func, locals=None, targetoptions=None, **others):
        super().__init__(py_func, locals, targetoptions, **others)
        options = {**self.targetoptions, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        self._compiler.targetoptions = options
        self._called = None

    def compile(self, sig):
        if sig in self.overloads:  # Numba asks again for each call of a function
            return self.overloads[sig].entry_point
        with lock_compiler():
            return call_with_room(super().compile, sig)

    def get_call_template(self, args, kws):
        """Return the call template for these argument types. In functions of this package a constant counts as any other value
        of its type: else each constant would be compiled for."""
        if (self.py_func.__module__ or "").partition(".")[0] == __name__.partition(".")[0]:
            args = tuple(map(types.unliteral, args))
        return super().get_call_template(args, kws)

    def __call__(self, *args, **kwargs):
        if self._called is None:
            self._called = with_integer_types(CPUDispatcher(self.py_func, dict(self.locals), self.targetoptions))
        return self._called(*args, **kwargs)


def njit(function=None, **options):
    """Return the `DeviceFunction` of a Python function. Options are those of `numba.njit`."""
    if function is None:
        return lambda function: njit(function, **options)
    if numba.config.DISABLE_JIT and not numba.config.ENABLE_CUDASIM:
        raise ImportError(
            "spark_csr cannot be used with NUMBA_DISABLE_JIT=1, since its kernels cannot run as Python: unset that variable"
        )
    if numba.config.DISABLE_JIT:
        return function
    return DeviceFunction(function, {}, {"nopython": True, "boundscheck": None, **options})
