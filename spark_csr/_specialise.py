"""One kernel source, many meanings.

A kernel is written once, as an ordinary module-level function that says `add(total, item(operands, p))`. Which operator
`add` is, what `item` reads and which type `scalar` computes in are global names of that function; `specialise` makes a
copy of it in which those names mean something definite.

Design: closures would do too, but Numba cannot keep a compiled closure over functions on disk (its cache key holds an
identity that changes with every process). A copy under a name of its own can be kept: `cache=True` works for every
named operator and for the users' own. The name holds a digest of the operators' code, so a changed operator is compiled
anew. Cost: a reader must know that the operators of a kernel are filled in here.
"""

import hashlib
import types

import numpy as np


def specialise(kernel, **meanings):
    """A copy of the function `kernel` whose global names are bound to `meanings` (functions, types or constants).

    Meanings that the kernel does not mention are ignored, so kernels that differ in nothing are the same kernel.
    """
    meanings = {name: value for name, value in meanings.items() if name in kernel.__code__.co_names}
    copy = types.FunctionType(kernel.__code__, {**kernel.__globals__, **meanings}, kernel.__name__, kernel.__defaults__)
    copy.__doc__ = kernel.__doc__
    copy.__module__ = kernel.__module__
    copy.__qualname__ = f"{kernel.__qualname__}_{digest(meanings)}"
    return copy


_CONSTANT = frozenset(("builtins", "cmath", "math", "numba", "numpy", "operator"))
"""Packages whose attributes do not change between two processes."""


def digest(meaning):
    """A short text that is the same for the same meaning in every process, and differs when code or value differs."""
    return hashlib.sha256(_describe(meaning, set()).encode()).hexdigest()[:12]


def _describe(meaning, seen):
    """Names, bytecode, constants, closure and defaults of a function and of all that it mentions; the repr of anything else."""
    if isinstance(meaning, dict):
        return ";".join(f"{name}={_describe(value, seen)}" for name, value in sorted(meaning.items(), key=str))
    function = getattr(meaning, "py_func", meaning)
    code = getattr(function, "__code__", None)
    if isinstance(meaning, np.ndarray):
        return f"{meaning.dtype}{meaning.shape}{hashlib.sha256(meaning.tobytes()).hexdigest()}"
    if code is None:
        return repr(meaning)
    if function in seen:
        return function.__qualname__
    seen.add(function)
    codes = list(_with_inner(code))
    names = {name for one in codes for name in one.co_names}
    lasting = _reached({name: function.__globals__[name] for name in names & function.__globals__.keys()}, names)
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    lasting |= {f"cell {name}": value for name, value in zip(code.co_freevars, cells, strict=True)}
    lasting["options"] = getattr(meaning, "targetoptions", {})
    lasting["defaults"] = dict(enumerate(function.__defaults__ or ())) | (function.__kwdefaults__ or {})
    text = ";".join(f"{one.co_code.hex()}:{one.co_names}:{_constants(one)!r}" for one in codes)
    return f"{function.__module__}.{function.__qualname__}:{text}:{_describe(lasting, seen)}"


def _with_inner(code):
    """The code of a function, then that of the functions defined inside of it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _with_inner(inner)


def _constants(code):
    return [c for c in code.co_consts if not isinstance(c, types.CodeType)]


def _reached(mentioned, names, visited=()):
    """What code reaches by its names: in place of a module that may change stand those parts of it that they could mean."""
    lasting = {}
    for name, value in mentioned.items():
        if not isinstance(value, types.ModuleType):
            lasting[name] = value
        elif value.__name__.partition(".")[0] not in _CONSTANT and value not in visited:
            parts = {f"{name}.{part}": getattr(value, part) for part in names if hasattr(value, part)}
            lasting |= _reached(parts, names, (*visited, value))
    return lasting
