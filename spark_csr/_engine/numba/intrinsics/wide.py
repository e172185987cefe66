"""Neighbouring elements that a thread of a GPU loads or stores at once: 16 bytes, of two or four of them.

Design: a warp then moves four times as much with one instruction as with loads of four bytes. LLVM has vectors and marks what
nobody writes meanwhile, so that `ld.global.nc` and `st.global` with `.v2` or `.v4` come of it. The elements go into a local
array, which becomes registers where all positions in it are known to the compiler.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from spark_csr._engine.numba.intrinsics.once import GLOBAL


def _place(builder, pointer, positions):
    """Emit the address of an element of the device's memory, a pointer and positions that add up."""
    here = builder.addrspacecast(pointer, ir.PointerType(pointer.type.pointee, GLOBAL))
    for position in positions:
        here = builder.gep(here, [builder.zext(position, ir.IntType(64)) if position.type.width < 64 else position])
    return here


def _own(context, builder, kind, array, first, count):
    """Emit the addresses of `count` elements of a local array."""
    data = context.make_array(kind)(context, builder, array).data
    first = builder.zext(first, ir.IntType(64)) if first.type.width < 64 else first
    return [builder.gep(data, [builder.add(first, ir.IntType(64)(k))]) for k in range(count)]


def _as_vector(pointer, count):
    kind = pointer.type.pointee
    width = kind.width // 8 if isinstance(kind, ir.IntType) else 4 if isinstance(kind, ir.FloatType) else 8
    return ir.PointerType(ir.VectorType(kind, count), GLOBAL), count * width


@intrinsic(prefer_literal=True)
def load_wide(typingctx, pointer, position, own, first, count):
    """Load `count` elements, a constant, from `pointer[position]` on into `own[first]` and those behind it.

    The first address is a multiple of their size, and nobody writes there while the kernel runs.
    """
    if not isinstance(count, types.IntegerLiteral):
        return None

    def codegen(context, builder, sig, args):
        pointer, position, own, first, _ = args
        number = count.literal_value
        here = _place(builder, pointer, (position,))
        vector, size = _as_vector(here, number)
        loaded = builder.load(builder.bitcast(here, vector), align=size)
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        for k, target in enumerate(_own(context, builder, sig.args[2], own, first, number)):
            builder.store(builder.extract_element(loaded, ir.IntType(32)(k)), target)
        return context.get_dummy_value()

    return types.void(pointer, _unsigned(position), own, _unsigned(first), count), codegen


@intrinsic(prefer_literal=True)
def store_wide(typingctx, pointer, base, position, own, count):
    """Store the first `count` elements, a constant, of a local array at `pointer[base + position]` and behind it."""
    if not isinstance(count, types.IntegerLiteral):
        return None

    def codegen(context, builder, sig, args):
        pointer, base, position, own, _ = args
        number = count.literal_value
        here = _place(builder, pointer, (base, position))
        vector, size = _as_vector(here, number)
        value = ir.Constant(vector.pointee, ir.Undefined)
        for k, source in enumerate(_own(context, builder, sig.args[3], own, ir.IntType(64)(0), number)):
            value = builder.insert_element(value, builder.load(source), ir.IntType(32)(k))
        builder.store(value, builder.bitcast(here, vector), align=size)
        return context.get_dummy_value()

    return types.void(pointer, _unsigned(base), _unsigned(position), own, count), codegen


def _unsigned(number):
    return types.uint32 if number == types.uint32 else types.uint64
