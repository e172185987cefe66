"""Code of kernels: optimised once, as a whole, for a level of processors.

Design: Numba optimises each function that a kernel calls, with wrappers for calls from Python and C, and makes machine code of
it, before it is linked into the kernel and optimised again. For functions used only inside kernels, this work is half of the
time of a first call, and is skipped here: a library holds what Numba lowered, and is optimised when machine code of it is asked
for. Cost: `_internal_codegen` of Numba's context, and the methods of its libraries that are overridden, are Numba's own; tests
ask whether they do what is said here. Source: `numba.core.codegen`, `numba.core.cpu.CPUContext`. Goes when Numba can make a
library without optimising it, for a processor of the caller's choice.
"""

import contextlib
import functools
import re

from llvmlite import binding
from numba.core import codegen, config
from numba.core.registry import cpu_target

from spark_csr._engine.numba.integers import integer_types_on_cores
from spark_csr._engine.numba.lock import compiler_lock
from spark_csr._engine.numba.memory import disable_collection
from spark_csr._engine.numba.processor import target
from spark_csr._engine.signals import delay_signals

ENVIRONMENT = "_ZN08NumbaEnv"
"""How Numba names the places where functions find their Python environment: what `print` and `objmode` need."""

UNRESOLVED = codegen.RuntimeLinker.PREFIX

_READ = re.compile(rf'(?<!^)@"?({ENVIRONMENT}[^"\s,]*)', re.MULTILINE)
"""The name of an environment where it is read: not at the beginning of a line, where it is declared."""


class _Library(codegen.JITCodeLibrary):
    """The functions of one compilation, as Numba lowered them.

    The first that links a library takes its module, and bitcode is kept: a module, and the copy for linking that Numba makes,
    take twenty times the memory.
    """

    _bitcode = _module = None

    @property
    def _final_module(self):
        """The module, as Numba calls it."""
        return binding.parse_bitcode(self._bitcode) if self._module is None else self._module

    @_final_module.setter
    def _final_module(self, module):
        self._module = module

    def _take_module(self):
        """Return a module of these functions that the caller may change."""
        self._ensure_finalized()
        if self._bitcode is None:
            self._bitcode = self._module.as_bitcode()
        module, self._module = self._final_module, None
        return module

    def _get_module_for_linking(self):
        module = self._take_module()
        for function in module.functions:
            if not function.is_declaration and function.linkage == binding.Linkage.external:
                function.linkage = "linkonce_odr"
        return module

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout
        self._codegen.environments_read |= set(_READ.findall(str(ll_module)))

    def _optimize_final_module(self):
        """Leave it to `optimize_module`."""

    def _finalize_specific(self):
        """Leave machine code to `get_pointer_to_function`."""
        _resolve(self._final_module)

    def optimize_module(self, module, packed=False):
        """Return a module as Numba optimises it; if `packed`, operations on neighbours are made vectors (SLP).

        Numba has one switch for all of a process, `config.SLP_VECTORIZE`: it is changed while nobody else compiles, and put
        back. Goes when a function can be compiled with passes of its own.
        """
        with compiler_lock:
            held, self._module = self._module, module
            before, config.SLP_VECTORIZE = config.SLP_VECTORIZE, int(packed)
            try:
                super()._optimize_final_module()
                return self._module
            finally:
                self._module, config.SLP_VECTORIZE = held, before

    def machine_code(self, entry, symbol, packed):
        """Return machine code of the function `symbol` of the module `entry`, and of the functions of this library in it.

        None if a function needs its Python environment, as `print` does: only Numba's own code knows where that is.
        """
        module = self._take_module()
        if any(part.name in self._codegen.environments_read for part in module.global_variables):
            return None
        entry.data_layout = self._codegen._data_layout
        module.link_in(entry)
        for part in (*module.functions, *module.global_variables):
            if not part.is_declaration and part.name != symbol:
                part.linkage = "internal"
        module = self.optimize_module(module, packed)
        if any(part.name.startswith(UNRESOLVED) for part in module.global_variables if part.is_declaration):
            return None
        return self._codegen._tm.emit_object(module)

    def serialize_using_object_code(self):
        """Return this library in the form that Numba writes into its own cache."""
        code = self._codegen._tm.emit_object(self.optimize_module(self._take_module()))
        return self.name, "object", (code, self._get_module_for_linking().as_bitcode())

    def get_llvm_str(self):
        return str(self.optimize_module(self._take_module()))

    def get_pointer_to_function(self, name):
        """Return the address of a function, 0 if there is none: of wrappers of functions that are not this package's."""
        self._ensure_finalized()
        engine = self._codegen._engine
        if not engine.is_symbol_defined(name) and any(function.name == name for function in self.get_defined_functions()):
            engine.add_module(self.optimize_module(self._take_module()))
        return super().get_pointer_to_function(name)


def code_switches():
    """Return the settings of Numba that change what code it makes."""
    return config.OPT, config.LOOP_VECTORIZE, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT, config.USING_SVML


def _resolve(module):
    """Define the pointers through which functions call others that were not compiled yet: themselves, and each other."""
    defined = {function.name for function in module.functions if not function.is_declaration}
    for pointer in [part.name for part in module.global_variables if part.name.startswith(UNRESOLVED)]:
        called = pointer.removeprefix(UNRESOLVED)
        if called in defined:
            text = f'declare void @"{called}"()\n@"{pointer}" = linkonce_odr global ptr @"{called}"'
            module.link_in(_parse(text, module))


def _parse(text, like):
    """Return a module of this text, for the same system as another module."""
    module = binding.parse_assembly(text)
    module.triple, module.data_layout = like.triple, like.data_layout
    return module


class _Codegen(codegen.JITCPUCodegen):
    """The code generator for kernels. `numbas` is Numba's own, which is used for all other functions."""

    _library_class = _Library

    def __init__(self, name, numbas):
        self.numbas, self.environments_read = numbas, set()
        super().__init__(name)

    def _get_host_cpu_name(self):
        return target().processor

    def _get_host_cpu_features(self):
        return target().features

    def _add_module(self, module):
        """Leave it to `_Library.get_pointer_to_function`."""

    def set_env(self, env_name, env):
        """Note the environment of a function, where functions that Numba compiles will look for it too."""
        if self._engine.is_symbol_defined(env_name):
            super().set_env(env_name, env)
        if env_name in self.environments_read:
            if not self.numbas._engine.is_symbol_defined(env_name):
                self.numbas._add_module(_parse(f'@"{env_name}" = common global ptr null', self._llvm_module))
            self.numbas.set_env(env_name, env)


@functools.cache
def _codegen_for(numbas):
    return _Codegen("spark_csr", numbas)


@contextlib.contextmanager
def lock_compiler():
    """Let this thread alone compile, undisturbed by signals, and let it make code of kernels."""
    with delay_signals(), compiler_lock, disable_collection(), integer_types_on_cores():
        context = cpu_target.target_context
        before = context._internal_codegen
        try:
            context._internal_codegen = before if isinstance(before, _Codegen) else _codegen_for(before)
            yield
        finally:
            context._internal_codegen = before
