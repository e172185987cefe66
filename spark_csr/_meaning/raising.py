"""Which functions can raise: an exception that another core raises never reaches the caller.

Design: Numba drops the exceptions of the threads of a parallel kernel, and what the thread had still to write stays unwritten.
So a kernel that is made of a function which can raise runs on one core, where exceptions arrive. Such are functions that say
`raise` or `assert`, which their code shows, and those that call what can raise: their machine code returns other numbers than
0. Divisions by zero are none: users' functions are compiled by NumPy's rules.
"""

import dis
import re
import types
import weakref

from numba.core.compiler_lock import global_compiler_lock

_raising = weakref.WeakSet()

_RAISE = dis.opmap["RAISE_VARARGS"]


def says_raise(code):
    """Whether code has a statement that raises."""
    return _RAISE in code.co_code[::2]


def note_raising(function):
    """Note that a function can raise."""
    _raising.add(function)


def can_raise(meaning):
    """Whether a function, or what a dispatcher compiles, is known to be able to raise."""
    function = getattr(meaning, "py_func", meaning)
    return isinstance(function, types.FunctionType) and function in _raising


def note_if_raising(dispatcher, argument_types):
    """Look at the machine code of a dispatcher for these types, which must be compiled."""
    compiled = dispatcher.overloads[argument_types]
    if can_raise(dispatcher) or not getattr(compiled.library, "_final_module", None):
        return
    with global_compiler_lock:  # a process may be forked only while no thread is inside of LLVM
        text = compiled.library.get_llvm_str()
    name = re.escape(compiled.fndesc.llvm_func_name)
    body = re.search(rf'^define [^\n]*@"?{name}"?\(.*?^}}', text, re.DOTALL | re.MULTILINE)
    if body and set(re.findall(r"\bret i32 (\S+)", body[0])) - {"0"}:
        note_raising(dispatcher.py_func)
