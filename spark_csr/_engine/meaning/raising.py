"""Which functions can raise: a kernel that is made of one runs on one core.

Design: on several cores, whichever tile fails first would decide which exception is raised and what the other tiles have
written by then. On one core it is always the first. A function can raise if its code says `raise` or `assert`, or if it calls
what can raise: then its machine code returns other numbers than 0. A division by zero does not count, since users' functions
are compiled with NumPy's rules.
"""

import dis
import types
import weakref

from spark_csr._engine.numba.codes import returned_codes

_raising = weakref.WeakSet()

_RAISE = dis.opmap["RAISE_VARARGS"]


def says_raise(code):
    """Return whether code has a statement that raises."""
    return _RAISE in code.co_code[::2]


def note_raising(function):
    """Note that a function can raise."""
    _raising.add(function)


def can_raise(meaning):
    """Return whether a function, or what a dispatcher compiles, is known to be able to raise."""
    function = getattr(meaning, "py_func", meaning)
    return isinstance(function, types.FunctionType) and function in _raising


def note_if_raising(dispatcher, argument_types):
    """Look at the machine code of a dispatcher for these types, which must be compiled."""
    if not can_raise(dispatcher) and returned_codes(dispatcher, argument_types) - {"0"}:
        note_raising(dispatcher.py_func)
