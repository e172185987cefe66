"""What Numba does not say of memory: copies of blocks, and prefetch, which asks for a cache line before it is needed (it never
faults, whatever the address)."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

AHEAD = 4096
"""Bytes between the item in hand and the one asked for. 2 to 16 KiB measured alike, 1 KiB too near (EPYC 9005, 2026-11)."""


def _request(builder, address, locality=0):
    """Emit LLVM's prefetch: read, data cache; `locality` from 0 (read once) to 3 (kept near)."""
    byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
    request = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    builder.call(request, [builder.bitcast(address, byte), word(0), word(locality), word(1)])


@intrinsic
def ask_ahead(typingctx, array, index):
    """Ask for what a loop over `array` (contiguous, 1-D) will reach `AHEAD` bytes after `array[index]`."""

    def codegen(context, builder, sig, args):
        values = context.make_array(sig.args[0])(context, builder, args[0])
        here = builder.bitcast(builder.gep(values.data, [args[1]]), ir.IntType(8).as_pointer())
        _request(builder, builder.gep(here, [ir.IntType(64)(AHEAD)]))
        return context.get_dummy_value()

    return types.void(array, index), codegen


@intrinsic
def ask_at(typingctx, array, index):
    """Ask for the cache line of `array[index]` (contiguous, 1-D), to be kept near."""

    def codegen(context, builder, sig, args):
        values = context.make_array(sig.args[0])(context, builder, args[0])
        _request(builder, builder.bitcast(builder.gep(values.data, [args[1]]), ir.IntType(8).as_pointer()), locality=3)
        return context.get_dummy_value()

    return types.void(array, index), codegen


@intrinsic
def copy_items(typingctx, source, start, count, target, place):
    """Copy `count` items of `source` from `start` on to `target` from `place` on, as one block of bytes (contiguous, 1-D)."""

    def codegen(context, builder, sig, args):
        source, start, count, target, place = args
        byte, size = ir.IntType(8).as_pointer(), ir.IntType(64)
        array = context.make_array(sig.args[0])(context, builder, source)
        origin = builder.bitcast(builder.gep(array.data, [start]), byte)
        array = context.make_array(sig.args[3])(context, builder, target)
        goal = builder.bitcast(builder.gep(array.data, [place]), byte)
        width = context.get_abi_sizeof(context.get_data_type(sig.args[0].dtype))
        move = builder.module.declare_intrinsic("llvm.memcpy", [byte, byte, size])
        builder.call(move, [goal, origin, builder.mul(count, size(width)), ir.IntType(1)(0)])
        return context.get_dummy_value()

    return types.void(source, start, count, target, place), codegen
