"""One kernel source, many meanings.

A kernel is written once, as an ordinary module-level function that says `add(total, item(operands, p))`. Which operator
`add` is, what `item` reads and which type `scalar` computes in are global names of that function; `specialise` makes a
copy of it in which those names mean something definite.

Design: closures would do too, but Numba cannot keep a compiled closure over functions on disk (its cache key holds an
identity that changes with every process). A copy under a name of its own can be kept: `cache=True` works for every
named operator and for the users' own. The name holds a digest of the operators' code, so a changed operator is compiled
anew. Cost: a reader must know that the operators of a kernel are filled in here.
"""

import types

from spark_csr._meaning import can_raise, digest, note_raising
from spark_csr._numba import njit


def specialise(kernel, **meanings):
    """A copy of the function `kernel` whose global names are bound to `meanings` (functions, types or constants).

    Meanings that the kernel does not mention are ignored, so kernels that differ in nothing are the same kernel.
    """
    meanings = {name: value for name, value in meanings.items() if name in kernel.__code__.co_names}
    copy = types.FunctionType(kernel.__code__, {**kernel.__globals__, **meanings}, kernel.__name__, kernel.__defaults__)
    copy.__doc__ = kernel.__doc__
    copy.__module__ = kernel.__module__
    copy.__qualname__ = f"{kernel.__qualname__}_{digest(meanings)}"
    if any(map(can_raise, meanings.values())):
        note_raising(copy)
    return copy


def inlined(function, **meanings):
    """Return `specialise(function, **meanings)`, compiled into each kernel that calls it."""
    return njit(forceinline=True)(specialise(function, **meanings))
