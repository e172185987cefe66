"""Loads of what a kernel for GPUs reads once and nobody writes meanwhile.

Design: such data streams through the caches, and would push out what is read again. `ld.global.cs.nc` marks it as the first to
go, in both caches; LLVM has no words for that. The instruction counts as a function of its address, so that it may be moved.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

GLOBAL = 1
"""The number of LLVM's address space for the memory of the device."""

FLOATS = {ir.FloatType: ("f32", "f"), ir.DoubleType: ("f64", "d")}
INTEGERS = {8: ("h", 16), 16: ("h", 16), 32: ("r", 32), 64: ("l", 64)}
"""By bits: the kind of register, and its bits."""


def _emit_load(builder, pointer):
    """Emit the load of a number at a pointer to the memory of the device."""
    kind = result = pointer.type.pointee
    if isinstance(kind, ir.IntType):
        (register, width), suffix = INTEGERS[kind.width], f"b{kind.width}"
        result = ir.IntType(width)
    else:
        suffix, register = FLOATS[type(kind)]
    load = ir.InlineAsm(ir.FunctionType(result, [pointer.type]), f"ld.global.cs.nc.{suffix} $0, [$1];", f"={register},l")
    loaded = builder.call(load, [pointer])
    return loaded if result == kind else builder.trunc(loaded, kind)


@intrinsic
def load_once(typingctx, pointer, position):
    """Return an element of an array of numbers that is passed as a pointer; position is an integer of 64 bits."""

    def codegen(context, builder, sig, args):
        whole = args[0].type.pointee
        base = builder.addrspacecast(args[0], ir.PointerType(whole, GLOBAL))
        place = builder.gep(base, [args[1]])
        if not isinstance(whole, ir.LiteralStructType):
            return _emit_load(builder, place)
        zero, value = ir.IntType(32)(0), ir.Constant(whole, ir.Undefined)
        for k in range(2):
            part = _emit_load(builder, builder.gep(place, [zero, ir.IntType(32)(k)]))
            value = builder.insert_value(value, part, k)
        return value

    if isinstance(pointer, types.CPointer) and position in (types.int64, types.uint64):
        return pointer.dtype(pointer, position), codegen
    return None
