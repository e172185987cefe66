"""Code of kernels: optimised once, as a whole, for a level of processors.

Design: Numba optimises each function that a kernel calls, with wrappers for calls from Python and C, and makes machine code of
it, before it is linked into the kernel and optimised again. Of functions that are only ever compiled into others, that is half
of the time of a first call. Here a library holds what Numba lowered, and is optimised when machine code of it is asked for.
Cost: `_internal_codegen` of Numba's context, and the methods of its libraries that are overridden, are Numba's own; tests ask
whether they do what is said here. Source: `numba.core.codegen`, `numba.core.cpu.CPUContext`.
"""

import contextlib
import functools
import gc

from numba.core import codegen, config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target

from spark_csr._numba.processor import target


class _Library(codegen.JITCodeLibrary):
    """The functions of one compilation, as Numba lowered them."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self):
        """Leave it to `optimized`."""

    def _finalize_specific(self):
        """Leave it to `get_pointer_to_function`."""

    def optimized(self, module, packed=False):
        """Return a module as Numba optimises it; if `packed`, operations on neighbours are made vectors (SLP)."""
        held, self._final_module = self._final_module, module
        before, config.SLP_VECTORIZE = config.SLP_VECTORIZE, int(packed)
        try:
            super()._optimize_final_module()
            return self._final_module
        finally:
            self._final_module, config.SLP_VECTORIZE = held, before

    def machine_code(self, entry, symbol, packed):
        """Return machine code of the function `symbol` of the module `entry`, and of the functions of this library in it."""
        module = self._final_module.clone()
        entry.data_layout = self._codegen._data_layout
        module.link_in(entry)
        for part in (*module.functions, *module.global_variables):
            if not part.is_declaration and part.name != symbol:
                part.linkage = "internal"
        return self._codegen._tm.emit_object(self.optimized(module, packed))

    def get_llvm_str(self):
        return str(self.optimized(self._final_module.clone()))

    def get_pointer_to_function(self, name):
        """Return the address of a function, 0 if there is none: of wrappers of functions that are not this package's."""
        self._ensure_finalized()
        engine = self._codegen._engine
        if not engine.is_symbol_defined(name) and any(function.name == name for function in self.get_defined_functions()):
            engine.add_module(self.optimized(self._final_module.clone()))
        return super().get_pointer_to_function(name)


class _Codegen(codegen.JITCPUCodegen):
    """What makes code of kernels."""

    _library_class = _Library

    def _get_host_cpu_name(self):
        return target().processor

    def _get_host_cpu_features(self):
        return target().features

    def _add_module(self, module):
        """Leave it to `_Library.get_pointer_to_function`."""

    def set_env(self, env_name, env):
        if self._engine.is_symbol_defined(env_name):
            super().set_env(env_name, env)


@functools.cache
def _codegen():
    return _Codegen("spark_csr")


@contextlib.contextmanager
def _without_collection():
    """Let nobody look for cycles among Numba's millions of objects, which takes an eighth of the time; nearly all die alone."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextlib.contextmanager
def compiling():
    """Let this thread alone compile, and let it make code of kernels."""
    with global_compiler_lock, _without_collection():
        context = cpu_target.target_context
        before, context._internal_codegen = context._internal_codegen, _codegen()
        try:
            yield
        finally:
            context._internal_codegen = before
