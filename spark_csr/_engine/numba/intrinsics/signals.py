"""Python's handlers of signals, called from compiled code.

Python runs handlers in its main thread only, between two of its instructions: Ctrl-C would wait until a kernel ends. So a
kernel that runs long asks Python now and then to run them. Numba has no words for these functions of Python's C interface.
Goes when Numba's loops can be interrupted.
"""

import ctypes

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_code = ir.IntType(32)

SYMBOLS = {f"spark_csr_{name}": name for name in ("PyGILState_Ensure", "PyErr_CheckSignals", "PyGILState_Release")}
"""C functions that compiled code knows by name."""

for _symbol, _name in SYMBOLS.items():
    binding.add_symbol(_symbol, ctypes.cast(getattr(ctypes.pythonapi, _name), ctypes.c_void_p).value)


@intrinsic
def handle_signals(typingctx):
    """Return whether a handler of a signal that has arrived raises. The exception is then set in this thread, which must be
    Python's main thread and may or may not hold the interpreter's lock."""

    def codegen(context, builder, sig, args):
        def call(name, returned, *given):
            kind = ir.FunctionType(returned, [each.type for each in given])
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"spark_csr_{name}"), given)

        state = call("PyGILState_Ensure", _code)
        raised = call("PyErr_CheckSignals", _code)
        call("PyGILState_Release", ir.VoidType(), state)
        return cgutils.is_not_null(builder, raised)

    return types.boolean(), codegen
