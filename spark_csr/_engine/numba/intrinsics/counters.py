"""Counters in the memory of a GPU that many threads change: Numba's `cuda.atomic` takes arrays, and kernels get pointers.

An array that knows its size is seven parameters in place of one, and each index is tested for its sign. Goes when `cuda.atomic`
takes pointers.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from spark_csr._engine.numba.intrinsics.once import GLOBAL

WORDS = types.uint32, types.uint64, types.int64


def _change(pointer, position, value, operation):
    """Return the signature and the code of an operation on an element, which returns what was there before."""

    def codegen(context, builder, sig, args):
        base = builder.addrspacecast(args[0], ir.PointerType(args[0].type.pointee, GLOBAL))
        return builder.atomic_rmw(operation, builder.gep(base, [args[1]]), args[2], "monotonic")

    return value(pointer, position, value), codegen


def _are_counter_and_value(pointer, position, value, kinds):
    return pointer == types.CPointer(value) and value in kinds and position in (types.int64, types.uint64)


@intrinsic
def fetch_add(typingctx, pointer, position, value):
    """Add to an element of 32 or 64 bits in one step for all blocks; return what it was before."""
    return _change(pointer, position, value, "add") if _are_counter_and_value(pointer, position, value, WORDS) else None


@intrinsic
def fetch_max(typingctx, pointer, position, value):
    """Raise an int64 to `value` if it is less, in one step for all blocks; return what it was before."""
    return (
        _change(pointer, position, value, "max") if _are_counter_and_value(pointer, position, value, (types.int64,)) else None
    )
