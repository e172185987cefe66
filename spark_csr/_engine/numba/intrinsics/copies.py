"""Blocks of memory: copied as bytes, past the cache, or chosen without a branch."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LINE = 64
"""Bytes of a cache line, of the processors that streaming was measured on."""


@intrinsic
def one_of(typingctx, condition, yes, no):
    """Return the first of two arrays (contiguous, 1-D, of one type) or the second, without a branch, to index and nothing else:
    its size is that of the first, and it does not own its memory."""

    def codegen(context, builder, sig, args):
        condition, yes, no = args
        first, second = (context.make_array(sig.args[1])(context, builder, array) for array in (yes, no))
        first.data = builder.select(condition, first.data, second.data)
        first.meminfo = cgutils.get_null_value(first.meminfo.type)
        return first._getvalue()

    return yes(types.boolean, yes, yes), codegen


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


@intrinsic
def stream_lines(typingctx, source, start, lines, target, place):
    """Copy whole cache lines past the cache; `target` begins one at `place`."""

    def codegen(context, builder, sig, args):
        source, start, lines, target, place = args
        line = ir.VectorType(ir.IntType(64), LINE // 8).as_pointer()
        arrays = (context.make_array(sig.args[k])(context, builder, x) for k, x in ((0, source), (3, target)))
        origin, goal = (builder.bitcast(builder.gep(x.data, [k]), line) for x, k in zip(arrays, (start, place), strict=True))
        with cgutils.for_range(builder, lines, intp=ir.IntType(64)) as loop:
            items = builder.load(builder.gep(origin, [loop.index]), align=1)
            store = builder.store(items, builder.gep(goal, [loop.index]), align=LINE)
            store.set_metadata("nontemporal", builder.module.add_metadata([ir.IntType(32)(1)]))
        return context.get_dummy_value()

    return types.void(source, types.uint64, types.uint64, target, types.uint64), codegen


@intrinsic
def address_of(typingctx, array):
    """Return the address of the first item of an array."""

    def codegen(context, builder, sig, args):
        return builder.ptrtoint(context.make_array(sig.args[0])(context, builder, args[0]).data, ir.IntType(64))

    return types.uint64(array), codegen


@intrinsic
def finish_stores(typingctx):
    """Wait until what was stored past the cache can be seen by other cores."""

    def codegen(context, builder, sig, args):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen
