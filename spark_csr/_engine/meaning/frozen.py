"""A function as it is now: a copy that no later change of its globals, helpers or arrays can reach.

Design: Numba compiles a function for new types when it is first called with them, and compiled helpers keep the globals that
they were compiled with. So what is compiled may mean something that the source no longer says, and a kernel that is kept on
disk under the digest of today's source may hold yesterday's code. Here kernels are made of copies only: `current` returns a
function whose globals are a dictionary of its own, in which helpers are fresh copies too and arrays are read-only copies. One
copy is made for each meaning, so functions of one meaning share their compiled code, wherever they were defined. Cost: a helper
is compiled once more for every function that calls it; a call asks whether anything has changed, which takes about a
microsecond.
"""

import collections
import functools
import types

import numpy as np

from spark_csr._engine.meaning.describe import describe, never_changes, settle
from spark_csr._engine.meaning.names import MISSING, codes_of, find_global, is_constant_module, is_own_module, names_in
from spark_csr._engine.meaning.raising import note_raising, says_raise
from spark_csr._engine.meaning.reads import content_of, is_unchanged
from spark_csr._engine.numba.objects import (
    compile_as,
    compile_universal_as,
    dispatcher_like,
    function_of_universal,
    is_for_cores,
    is_universal,
    options_of,
    universal_like,
)

RECENT = 256
"""Functions that are remembered with what they meant when they were last seen."""

VERSIONS = 8
"""Meanings that are remembered of one function."""

_recent = collections.OrderedDict()
"""By the identity of their code: what functions meant, the last one first."""

_copies = {}
"""By digest: the copies that kernels are made of."""

_fixed = set()
"""Functions and dispatchers that never change."""


class _Seen:
    """What a function meant when it was last looked at. It holds what it refers to, so identities stay unique."""

    def __init__(self, func, plain, copy, reads):
        self.func, self.plain, self.code, self.copy, self.reads = func, plain, plain.__code__, copy, reads
        self.options = None if func is plain else options_of(func)

    def is_now(self, func, plain):
        """Return whether a function of the same code means the same now."""
        if plain is not self.plain and (
            plain.__globals__ is not self.plain.__globals__
            or not _same(plain.__defaults__, self.plain.__defaults__)
            or not _same(plain.__kwdefaults__, self.plain.__kwdefaults__)
            or plain.__closure__ is not None
        ):
            return False
        if func is not self.func and (options_of(func) if func is not plain else None) != self.options:
            return False
        return is_unchanged(self.reads)


def _same(some, others):
    """Return whether default values are the same: identical, or equal numbers and texts of one type."""
    if not some or not others:
        return not some and not others
    if isinstance(some, dict):
        return some.keys() == others.keys() and _same(tuple(some.values()), tuple(others[name] for name in some))
    return len(some) == len(others) and all(
        a is b or (type(a) is type(b) and type(a) in (int, bool, str) and a == b) for a, b in zip(some, others, strict=True)
    )


def current(func):
    """Return a Python function or dispatcher as it is now; the same object for the same meaning.

    Functions of this package, and what this function returned before, come back as they are.
    """
    if func in _fixed:
        return func
    plain = getattr(func, "py_func", func)
    versions = _recent.get(id(plain.__code__))
    if versions is not None:
        for seen in versions:
            if seen.is_now(func, plain):
                return seen.copy
    if never_changes(plain):
        _fixed.add(func)
        return func
    return _look_up_copy(func, plain)


def _look_up_copy(func, plain):
    description, reads = describe(func)
    copy = _copies.get(description.digest)
    if copy is None:
        copy = _copies.setdefault(description.digest, _Freezer(description, reads.members).root(func))
        _fixed.add(copy)
    versions = _recent.setdefault(id(plain.__code__), [])
    versions.insert(0, _Seen(func, plain, copy, reads))
    del versions[VERSIONS:]
    while len(_recent) > RECENT:
        _recent.popitem(last=False)
    return copy


class _Freezer:
    """Copies a function and what it mentions; each thing once."""

    def __init__(self, description, members):
        self.description, self.members = description, members
        self.copies, self.count, self.raises = {}, 0, False

    def root(self, func):
        """Return the copy of the function that is asked for.

        `inline="always"` would make it a part of the kernel, and give its integers the types of those of kernels.
        """
        make = self.function if isinstance(func, types.FunctionType) else functools.partial(self.dispatcher, inline="never")
        copy = self.copy_once(func, make)
        if self.raises:
            note_raising(getattr(copy, "py_func", copy))
        return copy

    def replace(self, x):
        """Return what is to replace `x`."""
        if isinstance(x, (np.ndarray, np.void)) and not x.dtype.hasobject:
            return self.copy_once(x, _read_only_copy)
        if isinstance(x, tuple):
            return self.tuple(x)
        if isinstance(x, types.ModuleType) and (id(x) in self.members or not (is_constant_module(x) or is_own_module(x))):
            return self.copy_once(x, self.module)
        if is_for_cores(x) and not never_changes(x.py_func):
            return self.copy_once(x, self.dispatcher)
        return self.copy_once(x, self.universal_function) if is_universal(x) else x

    def copy_once(self, x, make):
        if id(x) not in self.copies:
            self.copies[id(x)] = make(x)
        return self.copies[id(x)]

    def tuple(self, x):
        parts = [self.replace(part) for part in x]
        if all(a is b for a, b in zip(parts, x, strict=True)):
            return x
        return type(x)._make(parts) if hasattr(x, "_make") else tuple(parts)

    def module(self, x):
        """Return a module with copies of the members that were described; a constant module keeps its other members."""
        copy = self.copies[id(x)] = types.ModuleType(x.__name__)
        if is_constant_module(x):
            vars(copy).update(vars(x))
        for name in self.members.get(id(x), ()):
            setattr(copy, name, self.replace(vars(x)[name]))
        return copy

    def dispatcher(self, x, **options):
        """Return a dispatcher of a copy, compiled for the types that `x` is for, if `x` is for no others."""
        function = self.empty(x.py_func)
        # An exception of a division would be lost on another core.
        copy = self.copies[id(x)] = dispatcher_like(x, function, error_model="numpy", **options)
        self.fill(function, x.py_func)
        _fixed.add(copy)
        compile_as(copy, x)
        return copy

    def universal_function(self, x):
        """Do as `dispatcher` for a NumPy universal function that Numba makes."""
        original = function_of_universal(x)
        function = self.empty(original)
        self.fill(function, original)
        copy = self.copies[id(x)] = universal_like(x, function)
        compile_universal_as(copy, x)
        return copy

    def function(self, x):
        copy = self.copies[id(x)] = self.empty(x)
        self.fill(copy, x)
        return copy

    def empty(self, x):
        """Return a copy that knows no globals yet, under a name of its own: two kernels on disk may both hold a helper of one
        name.
        """
        scope = {name: x.__globals__[name] for name in ("__name__", "__builtins__") if name in x.__globals__}
        cells = tuple(self.cell(cell) for cell in x.__closure__ or ())
        self.raises |= any(map(says_raise, codes_of(x)))
        copy = types.FunctionType(x.__code__, scope, x.__name__, self.replace(x.__defaults__), cells or None)
        copy.__kwdefaults__ = {name: self.replace(value) for name, value in (x.__kwdefaults__ or {}).items()} or None
        copy.__module__, copy.__doc__ = x.__module__, x.__doc__
        copy.__qualname__, copy.shown_as = f"{x.__qualname__}_{self.description.digest}", name_of(x)
        settle(copy, self.description._replace(digest=f"{self.description.digest}.{self.count}"))
        self.count += 1
        return copy

    def cell(self, x):
        content = content_of(x)
        return types.CellType() if content is MISSING else types.CellType(self.replace(content))

    def fill(self, copy, x):
        """Give a copy its globals."""
        found = {name: find_global(x, name) for name in names_in(x)}
        copy.__globals__.update({name: self.replace(v) for name, v in found.items() if v is not MISSING})


def name_of(func):
    """Return how a function is called in messages."""
    func = getattr(func, "py_func", func)
    return getattr(func, "shown_as", func.__qualname__)


def _read_only_copy(x):
    if isinstance(x, np.void):
        return x.copy()
    copy = np.array(x, order="K", subok=True)
    copy.setflags(write=False)
    return copy
