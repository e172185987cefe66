"""Describe what a function means to the compiler, so completely that equal descriptions make equal machine code.

Design: the description of a function lists its bytecode and, by name, every value that the bytecode can reach: globals, closure
variables, defaults, members of modules. Functions among these values are described in the same way; one that was met before is
written as its number. Modules are described last, by those members whose names occur anywhere in the code: a helper may get a
module as an argument, or the name of a member as a text. Packages that do not change between two processes are described by
the names of their members. What cannot be described (a foreign pointer, an overload that is registered elsewhere) gets a
number that holds in this process only, and the description says so: it is not `lasting`. Cost: some hundred microseconds for a
function that was not described before; functions of this package and frozen ones (see `frozen`) are described once.
"""

import __future__

import builtins
import enum
import functools
import hashlib
import importlib.util
import itertools
import threading
import types
import weakref
from typing import NamedTuple

import numpy as np

from spark_csr._engine.meaning.names import (
    CONSTANT,
    MISSING,
    PACKAGE,
    find_global,
    is_constant_module,
    is_member,
    is_own,
    is_usual,
    names_in,
    normalize,
    root_of,
)
from spark_csr._engine.meaning.reads import Reads, content_of, form_of, snapshot
from spark_csr._engine.numba.objects import (
    definition_of,
    function_of_universal,
    is_dispatcher,
    is_for_cores,
    is_intrinsic,
    is_type,
    is_universal,
    options_of,
    options_of_universal,
)
from spark_csr._engine.numba.overloads import sources_of

_PLAIN = frozenset((type(None), bool, int, float, complex, str, bytes, type(...)))


class Description(NamedTuple):
    """`digest`: a short text, the same in every process if `lasting`."""

    digest: str
    lasting: bool


_settled = weakref.WeakKeyDictionary()
"""The descriptions of functions that never change."""

_being_settled = threading.local()
"""`functions`: those that this thread is describing, one inside of the other."""

_numbers = itertools.count()
_numbered = {}
"""By identity: objects that cannot be described, with their numbers. They are kept, so that no other gets their identity."""


def describe(value):
    """Return the `Description` of any value, and its `Reads`."""
    walk = _Walk()
    (walk.function if isinstance(value, types.FunctionType) else walk.value)(value)
    walk.members_of_modules()
    return walk.description(), walk.reads


def digest(value):
    """Return a text of twenty characters that differs for values that mean different things to the compiler."""
    return describe(value)[0].digest


def settle(function, description):
    """Note that a function never changes, and how it is described."""
    _settled[function] = description


def settled_description(function):
    """Return the description of a function that never changes."""
    found = _settled.get(function)
    if found is None:
        open_functions = vars(_being_settled).setdefault("functions", set())
        if function in open_functions:
            return Description(f"{function.__module__}.{function.__qualname__} again", True)
        open_functions.add(function)
        try:
            walk = _Walk()
            walk.body(function)
            walk.members_of_modules()
            found = _settled[function] = walk.description()
        finally:
            open_functions.discard(function)
    return found


def never_changes(function):
    """Return whether a Python function is described once and for all."""
    return function in _settled or is_own(function)


class _Walk:
    """Writes a description down, part by part."""

    def __init__(self):
        self.parts, self.seen, self.lasting = [], {}, True
        self.names, self.modules = set(), {}
        self.reads = Reads([], [], [], [], [], {})

    def description(self):
        text = "\0".join(self.parts).encode("utf-8", "surrogatepass")
        return Description(hashlib.sha256(text).hexdigest()[:20], self.lasting)

    def say(self, *parts):
        self.parts.extend(parts)

    def met(self, x):
        """Return whether an object was described before: then its number is enough."""
        if id(x) in self.seen:
            self.say("again", str(self.seen[id(x)]))
            return True
        self.seen[id(x)] = len(self.seen)
        return False

    def value(self, x):
        """Describe a value by the first rule that fits it."""
        kind = type(x)
        if kind in _PLAIN:
            self.say(kind.__name__, repr(x))
            if kind is str and x.isidentifier():
                self.names.add(x)
        elif kind is slice and {type(part) for part in (x.start, x.stop, x.step)} <= _PLAIN:
            self.say(repr(x))  # Python 3.14 makes constants of slices
        elif is_dispatcher(x):
            self.say("dispatcher", options_of(x))
            self.function(x.py_func)
            self.lasting &= is_for_cores(x)
        elif isinstance(x, types.FunctionType):
            self.plain_function(x)
        elif isinstance(x, types.CodeType):
            self.code(x)
        elif isinstance(x, (np.ndarray, np.void)):
            self.array(x)
        elif isinstance(x, np.generic):
            self.say("scalar", repr(x.dtype), x.tobytes().hex())
        elif isinstance(x, (tuple, list, set, frozenset, dict)):
            self.container(x)
        elif isinstance(x, types.ModuleType):
            self.module(x)
        elif isinstance(x, enum.Enum):
            self.value(kind)
            self.say("member", x.name)
        elif isinstance(x, type):
            self.class_(x)
        else:
            self.callable_or_other(x)

    def callable_or_other(self, x):
        """Describe what compilers provide: types, builtins, universal functions, intrinsics."""
        if isinstance(x, np.dtype) or is_type(x):
            self.say(type(x).__name__, repr(x))
        elif isinstance(x, (types.BuiltinFunctionType, types.MethodType)):
            self.say("bound", str(x.__module__), x.__qualname__)
            self.value(x.__self__)
        elif is_universal(x):
            self.say("ufunc", *options_of_universal(x))
            self.function(function_of_universal(x))
        elif isinstance(x, np.ufunc) and getattr(np, x.__name__, None) is x:
            self.say("numpy ufunc", x.__name__)
        elif is_intrinsic(x):
            function, literal = definition_of(x)
            self.say("intrinsic", repr(literal))
            self.function(function)
            self.lasting &= is_own(function)
        elif isinstance(x, functools.partial) and root_of(x.func) in CONSTANT | {PACKAGE}:
            self.say("partial")
            self.value((x.func, x.args, x.keywords))
        elif is_member(x):
            self.say("constant", x.__module__, x.__qualname__)
        else:
            self.unknown(x)

    def unknown(self, x):
        """Number an object of which nothing is known: the number holds in this process only."""
        number, _ = _numbered.setdefault(id(x), (next(_numbers), x))
        self.say("object", str(number))
        self.lasting = False

    def plain_function(self, x):
        """Describe a function that is not compiled: it stands for an overload, which only its module knows."""
        if root_of(x) in CONSTANT and x.__module__ != "builtins":
            self.say("constant", x.__module__, x.__qualname__)
            return
        self.say("plain")
        self.function(x)
        if is_own(x):
            self.say(*map(source_digest, (x.__module__, *sources_of(x))))
        else:
            self.lasting = False

    def function(self, x):
        """Describe a Python function: by its number if it was met before, by its digest if it never changes."""
        if self.met(x):
            return
        if never_changes(x):
            own = settled_description(x)
            self.say("settled", own.digest)
            self.lasting &= own.lasting
        else:
            self.body(x)

    def body(self, x):
        """Describe what a function is made of, and all that it mentions."""
        self.seen.setdefault(id(x), len(self.seen))
        self.reads.functions.append((x, x.__code__, x.__defaults__, dict(x.__kwdefaults__ or {})))
        self.say("function", str(x.__module__), x.__qualname__)
        names = names_in(x)
        self.names.update(names)
        self.code(x.__code__)
        self.value(x.__defaults__)
        self.value(x.__kwdefaults__)
        for name in names:
            value = find_global(x, name)
            for holder in (x.__globals__,) if name in x.__globals__ else (x.__globals__, vars(builtins)):
                self.reads.names.append((holder, name, holder.get(name, MISSING)))
            if value is not MISSING:
                self.say("global", name)
                self.value(value)
        for name, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
            self.reads.cells.append((cell, content_of(cell)))
            self.say("cell", name)
            self.value(content_of(cell))

    def module(self, x):
        """Describe a module by its name now, and by its members when all code was seen."""
        self.say("module", x.__name__)
        self.modules.setdefault(id(x), x)

    def members_of_modules(self):
        """Describe the members of modules that the code can mean, until they bring no new modules or names."""
        done = set()
        while new := [(x, name) for x in self.modules.values() for name in sorted(self.names) if (id(x), name) not in done]:
            for x, name in new:
                done.add((id(x), name))
                self.member(x, name)

    def member(self, x, name):
        """Describe a member of a module, if there is one and it is not what every process finds there."""
        part = vars(x).get(name, MISSING)
        self.reads.names.append((vars(x), name, part))
        if part is not MISSING and not (is_constant_module(x) and is_usual(name, part)):
            self.reads.members.setdefault(id(x), []).append(name)
            self.say("member", x.__name__, name)
            self.value(part)

    def code(self, x):
        """Describe code without its place in a file."""
        text, constants = normalize(x)
        self.say("code", text.hex(), x.co_exceptiontable.hex())
        # How a module writes annotations changes no code, nor does a docstring, of which a flag tells from Python 3.14 on.
        flags = x.co_flags & ~(__future__.annotations.compiler_flag | 0x4000000)
        counts = x.co_argcount, x.co_posonlyargcount, x.co_kwonlyargcount, flags
        self.say(repr((counts, x.co_names, x.co_varnames, x.co_cellvars, x.co_freevars)))
        for constant in constants:
            self.value(constant)

    def array(self, x):
        """Describe an array by its contents."""
        if x.dtype.hasobject:
            self.unknown(x)
            return
        form, content = form_of(x), x.tobytes()
        self.reads.arrays.append((x, form, content))
        self.say(type(x).__name__, repr(form), hashlib.sha256(content).hexdigest())

    def container(self, x):
        """Describe a collection by what is in it."""
        if isinstance(x, (list, set, dict)):
            if self.met(x):
                return
            self.reads.mutable.append((x, snapshot(x)))
        self.say(type(x).__name__, str(len(x)))
        if type(x) not in (tuple, list, set, frozenset, dict):
            self.value(type(x))
        if isinstance(x, dict):
            for key in sorted(x, key=repr):
                self.value(key)
                self.value(x[key])
        else:
            for part in sorted(x, key=repr) if isinstance(x, (set, frozenset)) else x:
                self.value(part)

    def class_(self, x):
        """Describe a class: by name where its package does not change, else by its members."""
        if is_member(x) or root_of(x) == PACKAGE:
            self.say("class", x.__module__, x.__qualname__)
            return
        if self.met(x):
            return
        self.say("class", x.__module__, x.__qualname__)
        for base in x.__mro__[1:]:
            self.value(base)
        if isinstance(x, enum.EnumMeta):
            self.value({name: member.value for name, member in x.__members__.items()})
        elif issubclass(x, tuple) and hasattr(x, "_fields"):
            self.value((x._fields, x._field_defaults))
        else:  # an exception too: who catches it means this very class
            self.unknown(x)


@functools.cache
def source_digest(name):
    """Return a digest of the source of one of this package's modules, wherever it was loaded from."""
    spec = importlib.util.find_spec(name)
    source = spec.loader.get_source(name) if hasattr(spec.loader, "get_source") else None
    return hashlib.sha256((source or "").encode()).hexdigest()
