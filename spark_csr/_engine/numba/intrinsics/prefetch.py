"""Prefetch, which asks for a cache line before it is needed: it never faults, whatever the address."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from spark_csr._engine.numba.intrinsics.copies import LINE

SECOND_CACHE = 2
"""LLVM's name of the second cache: what is asked for goes there. Asking for the first one took 1.3 to 1.6 times as long as not
asking, since it waits in the place of entries that are needed now (EPYC, family 25 model 17, 2026-11)."""


def _request(builder, address, locality):
    """Emit LLVM's prefetch: read, data cache; `locality` from 0 (read once) to 3 (kept near)."""
    byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
    request = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
    builder.call(request, [builder.bitcast(address, byte), word(0), word(locality), word(1)])


@intrinsic
def prefetch_beyond(typingctx, array, index, distance):
    """Prefetch what is `distance` bytes behind `array[index]` (contiguous, 1-D), for the second cache."""

    def codegen(context, builder, sig, args):
        values = context.make_array(sig.args[0])(context, builder, args[0])
        here = builder.bitcast(builder.gep(values.data, [args[1]]), ir.IntType(8).as_pointer())
        _request(builder, builder.gep(here, [args[2]]), SECOND_CACHE)
        return context.get_dummy_value()

    return types.void(array, index, types.uint64), codegen


@intrinsic
def prefetch_at(typingctx, array, index):
    """Prefetch the cache line of the item at `index` of an array in C order, to be kept near."""

    def codegen(context, builder, sig, args):
        values = context.make_array(sig.args[0])(context, builder, args[0])
        _request(builder, builder.bitcast(builder.gep(values.data, [args[1]]), ir.IntType(8).as_pointer()), locality=3)
        return context.get_dummy_value()

    return types.void(array, index), codegen


@intrinsic
def prefetch_range(typingctx, array, start, stop):
    """Prefetch the first four cache lines of a range of items, which holds at least one, to be kept near."""

    def codegen(context, builder, sig, args):
        values, size = context.make_array(sig.args[0])(context, builder, args[0]), ir.IntType(64)
        first, end = (builder.ptrtoint(builder.gep(values.data, [k]), size) for k in args[1:])
        last = builder.sub(end, size(1))
        for k in range(4):
            here = builder.add(first, size(k * LINE))
            here = builder.select(builder.icmp_unsigned("<", here, last), here, last)
            _request(builder, builder.inttoptr(here, ir.IntType(8).as_pointer()), locality=3)
        return context.get_dummy_value()

    return types.void(array, start, stop), codegen
