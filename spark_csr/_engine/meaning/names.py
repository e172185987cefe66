"""Names that code may look up, what they are bound to, and which of them are bound to the same thing in every process."""

import builtins
import dis
import sys
import types

from spark_csr._engine.holes import Hole

PACKAGE = __name__.partition(".")[0]

CONSTANT = frozenset(("builtins", "cmath", "enum", "llvmlite", "math", "numba", "numba_cuda_mlir", "numpy", "operator"))
"""Packages whose members mean the same in every process that has the same versions of them."""

EXTENDED_ARG, RESUME, IDLE = dis.EXTENDED_ARG, dis.opmap["RESUME"], bytes((dis.opmap["NOP"], 0))
READ_CONSTANT = frozenset(dis.hasconst)
"""Instructions of Python that `normalize` looks at."""

MISSING = object()
"""The value of a name that is not bound."""


def is_own(function):
    """Return whether a function is one of this package's."""
    return root_of(function) == PACKAGE


def codes_of(function):
    """Return the code of a function, then that of the functions defined inside of it."""
    return list(_walk_codes(function.__code__))


def _walk_codes(code):
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _walk_codes(inner)


def normalize(code):
    """Return bytecode and the constants that it reads, numbered in the order of reading.

    A docstring is a constant that no code reads. `python -OO` leaves it out, which numbers the others anew; Python 3.11 then
    also has an instruction in its place that does nothing.
    """
    text, order = bytearray(code.co_code), {}
    for at in range(0, len(text), 2):
        if text[at] in READ_CONSTANT:
            if at and text[at - 2] == EXTENDED_ARG:  # there are more than 256 constants
                return code.co_code, code.co_consts
            text[at + 1] = order.setdefault(text[at + 1], len(order))
    begin = next((at + 2 for at in range(0, len(text), 2) if text[at] == RESUME), 0)
    if text[begin : begin + 2] == IDLE:
        del text[begin : begin + 2]
    return bytes(text), tuple(code.co_consts[at] for at in order)


def names_in(function):
    """Return all names that a function's code may look up, as globals or as attributes, be it by `getattr`."""
    codes = codes_of(function)
    texts = {text for code in codes for text in normalize(code)[1] if isinstance(text, str) and text.isidentifier()}
    return sorted({name for code in codes for name in code.co_names} | texts)


def find_global(function, name):
    """Return what a function finds under a global name: its own global, or what users put among the builtins; else `MISSING`.

    A hole is `MISSING`: modules import holes for their kernels, and other functions there have attributes of the same names.
    """
    if name in function.__globals__:
        value = function.__globals__[name]
        return MISSING if isinstance(value, Hole) else value
    builtin = vars(builtins).get(name, MISSING)
    return MISSING if is_member(builtin) else builtin


def is_member(x):
    """Return whether `x` is what its module, one of those that do not change, has under its name."""
    module = sys.modules.get(getattr(x, "__module__", None) or "")
    if module is None or _package(module.__name__) not in CONSTANT:
        return False
    for name in getattr(x, "__qualname__", "").split("."):
        module = getattr(module, name, MISSING)
    return module is x


def is_constant_module(module):
    """Return whether the members of a module need no look."""
    return _package(module.__name__) in CONSTANT


def is_own_module(module):
    """Return whether a module is one of this package's."""
    return _package(module.__name__) == PACKAGE


def _package(name):
    return (name or "").partition(".")[0]


def root_of(x):
    """Return the name of the package that defines `x`."""
    return _package(getattr(x, "__module__", None))


def is_usual(name, part):
    """Return whether a member of a package is what came with it: a function, class, module or object of a class of its own."""
    if isinstance(part, types.ModuleType):
        return is_constant_module(part)
    if getattr(part, "__name__", None) == name:
        return is_member(part)
    return root_of(part) in CONSTANT and root_of(type(part)) in CONSTANT - {"builtins", "numpy"}
