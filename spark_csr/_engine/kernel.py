"""Compiled functions that Python calls.

Design: a kernel is a chain of C functions, one for each list of argument types that it was called with; see `numba.entry` for
them. The first one compares its arguments with its types, and calls the next one where they differ; the last one compiles.
Machine code is kept on disk and loaded without Numba's tables of types. A call takes a quarter of the time of Numba's
dispatcher (0.2 against 0.8 to 1.0 us for `A @ x`; EPYC, family 25 model 17, 2026-11).
"""

import functools
import itertools

import numpy as np
from numba import config, typeof, types

from spark_csr._engine import store
from spark_csr._engine.cache import cached_njit
from spark_csr._engine.meaning import can_raise, settled_description, source_digest
from spark_csr._engine.notice import count_time
from spark_csr._engine.numba import machine_code
from spark_csr._engine.numba.codegen import code_switches
from spark_csr._engine.numba.layouts import UnsupportedError
from spark_csr._engine.numba.lock import compiler_lock
from spark_csr._engine.numba.processor import target
from spark_csr._engine.signals import delay_signals

_unnamed = itertools.count()
"""Numbers of the kernels that have no name on disk."""


@functools.cache
def _sources():
    """Return the sources of what emits machine code besides Numba: this module, and those for the C functions."""
    return tuple(map(source_digest, (__name__, *machine_code.SOURCES)))


class Kernel:
    """A function that is compiled for the types that it is called with. It does not hold the interpreter's lock.

    Arrays are arguments only: it can return numbers, None and tuples of these. Other functions are called by Numba, which takes
    longer; so are those that can raise exceptions with arguments of their own. `packed`: LLVM may pack operations on neighbours
    into vectors (SLP), which Numba leaves off. `reads`: the names of parameters whose arrays are only read, as Numba then
    checks: one kernel takes arrays that may be written into and those that may not.
    """

    __slots__ = ("__weakref__", "_by_numba", "_known", "_options", "_packed", "_reads", "call", "py_func")

    def __init__(self, function, *, packed=False, reads=(), **options):
        self.py_func, self._options, self._known = function, {"nogil": True, **options}, {}
        self._reads = frozenset(map(function.__code__.co_varnames.index, reads))
        self._packed = packed or bool(config.SLP_VECTORIZE)
        self._by_numba = None
        self.call = self._call_by_numba if can_raise(function) else self._load_and_call

    def __call__(self, *args):
        return self.call(*args)

    def _load_and_call(self, *args):
        """Load or compile the kernel for new types of arguments, and call it."""
        args = tuple(map(_as_plain, args))
        signature = tuple(_read_only(typeof(x)) if k in self._reads else typeof(x) for k, x in enumerate(args))
        if signature not in self._known:
            with delay_signals(), compiler_lock:
                if signature not in self._known:
                    self._known[signature] = self._make_for(signature)
        return self.call(*args) if self._known[signature] else self._call_by_numba(*args)

    def _call_by_numba(self, *args):
        if self._by_numba is None:
            self._by_numba = cached_njit(self.py_func, **self._options)
        return self._by_numba(*args)

    def _make_for(self, signature):
        """Put the C function for these types in front, from the disk if it is there. Return whether there can be one."""
        name = self._name(signature)
        symbol = f"spark_csr_{name or next(_unnamed)}"
        content = None if name is None else store.read(name)
        if content is None:
            try:
                with count_time(signature, name is not None):
                    content = machine_code.make(self.py_func, self._options, signature, symbol, self._packed)
            except UnsupportedError:
                return False
            if name is not None:
                store.write(name, content)
        self.call = machine_code.load(content, symbol, self.py_func.__name__, self.call)
        return True

    def _name(self, signature):
        """Return the name of the file, or None for what no other process can know."""
        description = settled_description(self.py_func)
        if not description.lasting:
            return None
        switches = *code_switches(), self._packed
        made_by = *target(), _sources(), tuple(map(str, switches))
        parts = description.digest, sorted(self._options.items()), signature, made_by
        return store.file_name(self.py_func, parts, "object")


def _read_only(kind):
    """Return the type of an array that is only read, or of a tuple of such arrays; other types as they are."""
    if isinstance(kind, types.Array):
        return kind.copy(readonly=True)
    return types.Tuple(tuple(map(_read_only, kind))) if isinstance(kind, types.BaseTuple) else kind


def _as_plain(value):
    """Return an argument in a form that C functions know: no subclass of arrays, no other name of a NumPy type."""
    if type(value) is tuple:
        return tuple(map(_as_plain, value))
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
        return value.view(np.ndarray)
    if isinstance(value, np.generic):
        return np.dtype(value.dtype.str).type(value)  # C has two names for one width of integers
    return np.uint64(value) if type(value) is int and 1 << 63 <= value < 1 << 64 else value
