"""Counters in the memory of a GPU that many threads change: Numba's `cuda.atomic` takes arrays, and kernels get pointers.

An array that knows its size is seven parameters in place of one, and each index is tested for its sign. Goes when `cuda.atomic`
takes pointers.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from spark_csr._numba.intrinsics.once import GLOBAL


def _change(pointer, position, value, operation):
    """Return the signature and the code of an operation on an element, which returns what was there before."""

    def codegen(context, builder, sig, args):
        base = builder.addrspacecast(args[0], ir.PointerType(args[0].type.pointee, GLOBAL))
        return builder.atomic_rmw(operation, builder.gep(base, [args[1]]), args[2], "monotonic")

    if pointer == types.CPointer(types.int64) and position in (types.int64, types.uint64) and value == types.int64:
        return types.int64(pointer, position, value), codegen
    return None


@intrinsic
def add_at(typingctx, pointer, position, value):
    """Add to a number; return what it was before."""
    return _change(pointer, position, value, "add")


@intrinsic
def raise_at(typingctx, pointer, position, value):
    """Raise a number to `value` if it is less; return what it was before."""
    return _change(pointer, position, value, "max")
