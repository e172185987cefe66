"""Machine code of kernels, made and loaded as C functions that Python calls.

Design: see `entry` for what is emitted. Machine code that Numba loads itself is bound to its tables of types, whose making
takes half a second; here a file of machine code is handed to llvmlite alone. Cost: the linker must be told every function that
the code calls, Python's and those by which Numba manages memory (`numba.core.runtime._nrt_python.c_helpers`). Goes when Numba
loads machine code that it kept without typing the function again.
"""

import ctypes
import functools
import pickle

from llvmlite import binding
from numba import config
from numba.core.runtime import _nrt_python

from spark_csr._engine.numba.device import njit
from spark_csr._engine.numba.entry import emit
from spark_csr._engine.numba.layouts import OBJECTS, PREFIX, PYTHON, REPORT, UnsupportedError

METH_FASTCALL = 0x80

SOURCES = tuple(f"{__package__}.{name}" for name in ("codegen", "device", "entry", "integers", "layouts", "machine_code"))
"""The modules that decide what machine code a kernel becomes, besides Numba."""


class _Method(ctypes.Structure):
    """`PyMethodDef`."""

    _fields_ = [("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)]


_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.restype, _new_function.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)

_loaded = []
"""The methods of C functions and their machine code, which must live as long as the process."""


def _keep_for_ever(x):
    """Never free an object. When the interpreter ends, modules lose their values before the last C functions go, and the
    garbage collector reads the method of each."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(x))
    _loaded.append(x)


def make(function, options, signature, symbol, packed):
    """Return machine code of a kernel for these types, and of the C function `symbol` that calls it.

    UnsupportedError where Numba must call it. What Numba made of the kernel takes more memory, and is not kept. If `packed`,
    LLVM makes vectors of operations on neighbours.
    """
    dispatcher = njit(**options)(function)
    dispatcher.compile(signature)
    compiled = dispatcher.overloads[signature]
    content = compiled.library.machine_code(binding.parse_assembly(str(emit(compiled, symbol))), symbol, packed)
    if content is None:
        raise UnsupportedError(f"{function.__qualname__} needs its Python environment")
    return content


def load(content, symbol, doc, following):
    """Load machine code and return its C function, which passes on to `following` what is not of its types."""
    engine = _engine()
    code = binding.ObjectFileRef.from_data(content)
    engine.add_object_file(code)
    engine.finalize_object()
    method = _Method(doc.encode(), engine.get_function_address(symbol), METH_FASTCALL, None)
    _keep_for_ever((code, method))
    return _new_function(ctypes.addressof(method), following, None)


def _report(code, address):
    """Raise the exception of a kernel, which Numba has pickled into the machine code: it runs no more than that code may."""
    data, size = ctypes.c_void_p.from_address(address).value, ctypes.c_int32.from_address(address + 8).value
    kind, args, _ = pickle.loads(ctypes.string_at(data, size))
    raise kind(*args)


@functools.cache
def _engine():
    """Return the engine that loads machine code."""
    for name, value in {**OBJECTS, REPORT: _report}.items():
        binding.add_symbol(PREFIX + name, id(value))
    for name in PYTHON:
        binding.add_symbol(name, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value)
    for name, address in _nrt_python.c_helpers.items():  # memory within kernels is Numba's
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    lmm = getattr(config, "USE_LLVMLITE_MEMORY_MANAGER", None)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine, use_lmm=lmm)
