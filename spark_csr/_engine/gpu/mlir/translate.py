"""Copies of kernels in which what they mention is numba-cuda-mlir's: device functions, types, `cuda`, and intrinsics.

It has types of its own, and takes neither Numba's types nor its dispatchers for what they are. Functions are inlined before
types are inferred: a shared array of a function that is called is lost otherwise (see `repairs`). A call with `*args` cannot be
inlined there, and becomes a call of a function that LLVM inlines.
"""

import types as kinds

from numba import types
from numba_cuda_mlir import cuda
from numba_cuda_mlir.numba_cuda import types as own

from spark_csr._engine.gpu.mlir.words import WORDS
from spark_csr._engine.meaning import codes_of
from spark_csr._engine.numba.objects import definition_of, is_dispatcher, is_intrinsic


def translate(kernel):
    """Return a copy of a kernel's Python function that numba-cuda-mlir compiles."""
    return _Translator().copy(kernel)


def translate_signature(signature):
    """Return the signature of a kernel. Raise NotImplementedError for complex numbers, which launches pass in two parts."""
    if any(isinstance(kind, types.Complex) for kind in signature.args):
        raise NotImplementedError(f"numba-cuda-mlir takes a complex number as one parameter of its own layout: {signature}")
    return own.void(*map(translate_type, signature.args))


def translate_type(kind):
    """Return numba-cuda-mlir's type of the same name as one of Numba's."""
    if isinstance(kind, types.CPointer):
        return own.CPointer(translate_type(kind.dtype))
    if isinstance(kind, types.BaseTuple):
        return own.Tuple([translate_type(part) for part in kind])
    if isinstance(kind, types.Array):
        return own.Array(translate_type(kind.dtype), kind.ndim, kind.layout)
    return own.boolean if kind == types.boolean else getattr(own, kind.name)


class _Translator:
    """Copies a function and what it mentions, each thing once."""

    def __init__(self):
        self.copies = {}

    def value(self, x):
        """Return what is to replace `x`."""
        if is_dispatcher(x):
            return self.copies[id(x)] if id(x) in self.copies else self.device_function(x)
        if is_intrinsic(x):
            return _word(x)
        if isinstance(x, types.Type):
            return translate_type(x)
        if isinstance(x, tuple) and type(x) is tuple:
            return tuple(map(self.value, x))
        return cuda if isinstance(x, kinds.ModuleType) and x.__name__ == "numba.cuda" else x

    def device_function(self, x):
        function = self.empty(x.py_func)
        copy = self.copies[id(x)] = cuda.jit(device=True, inline=_is_inlined)(function)
        self.fill(function, x.py_func)
        return copy

    def copy(self, function):
        copy = self.empty(function)
        self.fill(copy, function)
        return copy

    def empty(self, x):
        """Return a copy that knows no globals yet."""
        scope = {name: x.__globals__[name] for name in ("__name__", "__builtins__") if name in x.__globals__}
        cells = tuple(kinds.CellType(self.value(cell.cell_contents)) for cell in x.__closure__ or ())
        copy = kinds.FunctionType(x.__code__, scope, x.__name__, x.__defaults__, cells or None)
        copy.__module__, copy.__qualname__ = x.__module__, x.__qualname__
        return copy

    def fill(self, copy, x):
        """Give a copy its globals."""
        names = {name for code in codes_of(x) for name in code.co_names}
        copy.__globals__.update({name: self.value(x.__globals__[name]) for name in names if name in x.__globals__})


def _is_inlined(call, caller, callee):
    return call.vararg is None


def _word(intrinsic):
    name = definition_of(intrinsic)[0].__name__
    if name not in WORDS:
        raise NotImplementedError(
            f"numba-cuda-mlir has no counterpart of the intrinsic `{name}`: write one in gpu/mlir/words.py"
        )
    return WORDS[name]
