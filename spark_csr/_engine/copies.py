"""One kernel source, many meanings.

A kernel is written once, as an ordinary module-level function that says `add(total, read_item(operands, p))`. Which
operator `add` is, what `read_item` returns and which type `scalar` computes in are holes (see `holes`). `specialise` returns a
copy of the kernel with its holes filled in. A function that kernels call and that has holes of its own is marked as a `helper`:
`specialise` fills its holes with the same meanings.

Design: closures would do too, but Numba cannot keep a compiled closure over functions on disk (its cache key holds an
identity that changes with every process). A copy under a name of its own can be kept, for every named operator and for the
users' own (see `store`). The name holds a digest of the operators' code, so a changed operator is compiled anew. Cost: the
value of a hole is found at a call of `specialise`, not in the kernel.
"""

import dis
import functools
import types

from spark_csr._engine.holes import DECLARED, Hole
from spark_csr._engine.meaning import can_raise, codes_of, digest, note_raising, settled_description
from spark_csr._engine.numba import njit

_compiled = {}
"""By whether they are inlined, and by what they mean: the functions that `inline` made, and the helpers of kernels."""


def helper(function=None, /, *, inlined=True):
    """Mark a function as a helper of the kernels that mention it, or that get it as the meaning of a hole.

    It is compiled into the kernel; unless it is `inlined`, as a function of its own, such as one that `for_tiles` runs.
    """
    if function is None:
        return functools.partial(helper, inlined=inlined)
    function.is_inlined_helper = inlined
    return function


def specialise(kernel, **meanings):
    """Return a copy of the function `kernel` whose holes are filled with `meanings` (functions, types or constants).

    The holes of its helpers, and of their helpers, are filled with the same meanings. Meanings that none of them mentions are
    ignored, so kernels that differ in nothing are the same kernel. Raises TypeError if a keyword is no declared hole, if no
    keyword fills a hole that is mentioned, or if a function has another number of parameters than its hole.
    """
    for name in meanings:
        if name not in DECLARED:
            raise TypeError(_undeclared_message(name))
    values = meanings | _compile_helpers(kernel, meanings)
    if left := _open_holes(kernel, values):
        holes, passed = ", ".join(f"`{hole.signature}`" for hole in left), ", ".join(f"{hole.name}=..." for hole in left)
        raise TypeError(f"{kernel.__module__}.{kernel.__qualname__} mentions {holes}: pass {passed} to specialise as well")
    for name in _names_in(kernel) & values.keys():
        if isinstance(hole := kernel.__globals__.get(name), Hole):
            hole.check_parameters(values[name])
    return rebind(kernel, **values)


def inline(function, **meanings):
    """Return `specialise(function, **meanings)`, compiled into each kernel that calls it.

    It is the same object for the same meaning, so it is compiled once for all of these kernels.
    """
    return _compile(specialise(function, **meanings), True)


def _compile(function, inlined):
    """Return what Numba makes of a specialised function; the same object for the same meaning."""
    key = inlined, settled_description(function).digest
    return _compiled.get(key) or _compiled.setdefault(key, njit(forceinline=True)(function) if inlined else njit(function))


def _compile_helpers(kernel, meanings):
    """Return the helpers of a kernel, by the names of functions or holes that it mentions them by."""
    named = {name: meanings.get(name, kernel.__globals__.get(name)) for name in _names_in(kernel)}
    helpers = {name: x for name, x in named.items() if isinstance(x, types.FunctionType) and hasattr(x, "is_inlined_helper")}
    return {name: _compile(specialise(x, **meanings), x.is_inlined_helper) for name, x in helpers.items()}


def rebind(function, **values):
    """Return a copy of a function in which the global names that it mentions have these `values`; others are ignored.

    In the copy, holes that stay open are undefined names; so they are for `digest`.
    """
    names = _names_in(function)
    values = {name: value for name, value in values.items() if name in names}
    scope = {name: value for name, value in function.__globals__.items() if not isinstance(value, Hole)}
    copy = types.FunctionType(function.__code__, scope | values, function.__name__, function.__defaults__)
    copy.__doc__ = function.__doc__
    copy.__module__ = function.__module__
    copy.__qualname__ = f"{function.__qualname__}_{digest(values)}"
    if any(map(can_raise, values.values())):
        note_raising(copy)
    return copy


def _open_holes(kernel, meanings):
    """Return the holes that a kernel mentions and no meaning fills."""
    scope = {**kernel.__globals__, **meanings}
    left = {name for name in _names_in(kernel) if isinstance(scope.get(name), Hole)}
    return [scope[name] for name in sorted(left & _globals_of(kernel))] if left else []


def _names_in(function):
    """Return the names of globals and attributes that a function and the functions inside of it look up."""
    return {name for code in codes_of(function) for name in code.co_names}


def _globals_of(function):
    """Return the names of globals alone. It takes much longer than `_names_in`."""
    instructions = (x for code in codes_of(function) for x in dis.get_instructions(code))
    return {x.argval for x in instructions if x.opname in ("LOAD_GLOBAL", "LOAD_NAME")}


def _undeclared_message(name):
    """Return the message about a keyword that is no hole."""
    import difflib  # loading it takes a millisecond

    near = difflib.get_close_matches(name, DECLARED, n=1, cutoff=0)
    return f"`{name}` is not a declared hole: did you mean `{near[0]}`?"
