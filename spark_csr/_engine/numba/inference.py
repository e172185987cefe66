"""What Numba infers of types.

Numba documents `numba.from_dtype`, and not the way back. A dispatcher's type says what a call of it returns, as a kernel that
calls it would be told, and refuses what it cannot be called with; nothing public does, since `numba.typeof` knows values and
`Dispatcher.compile` does not type the call. Goes when Numba documents `as_dtype` and a question about calls.
"""

from numba import typeof
from numba.core.errors import TypingError, UnsupportedBytecodeError
from numba.np.numpy_support import as_dtype

from spark_csr._engine.signals import delay_signals

__all__ = ["as_dtype", "returned_type"]


def returned_type(dispatcher, argument_types):
    """Return the type that a call with arguments of these types returns; None if it is compiled with Python objects."""
    try:
        with delay_signals():
            signature = typeof(dispatcher).get_call_type(dispatcher.typingctx, argument_types, {})
    except UnsupportedBytecodeError as error:  # of a base of its own
        raise TypingError(str(error)) from error
    return None if signature is None else signature.return_type
