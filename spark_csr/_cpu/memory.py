"""What Numba does not say of memory: copies of blocks, and prefetch, which asks for a cache line before it is needed (it never
faults, whatever the address)."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from spark_csr._numba import njit

AHEAD = 4096
"""Bytes between the item in hand and the one asked for. 4 and 8 KiB measured alike, 2 KiB a third slower on a stencil (EPYC,
family 25 model 17, 2026-11)."""

LINE = 64
"""Bytes of a cache line, of the processors that streaming was measured on."""

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
def ask_ahead(typingctx, array, index):
    """Ask for what a loop over `array` (contiguous, 1-D) will reach `AHEAD` bytes after `array[index]`."""

    def codegen(context, builder, sig, args):
        values = context.make_array(sig.args[0])(context, builder, args[0])
        here = builder.bitcast(builder.gep(values.data, [args[1]]), ir.IntType(8).as_pointer())
        _request(builder, builder.gep(here, [ir.IntType(64)(AHEAD)]), SECOND_CACHE)
        return context.get_dummy_value()

    return types.void(array, index), codegen


@intrinsic
def ask_at(typingctx, array, index):
    """Ask for the cache line of the item at `index` of an array in C order, to be kept near."""

    def codegen(context, builder, sig, args):
        values = context.make_array(sig.args[0])(context, builder, args[0])
        _request(builder, builder.bitcast(builder.gep(values.data, [args[1]]), ir.IntType(8).as_pointer()), locality=3)
        return context.get_dummy_value()

    return types.void(array, index), codegen


@njit(forceinline=True)
def ask_row(rows, k, stop, ahead, indptr, indices, data):
    """Ask for the beginning of row `rows[k + ahead]`, two cache lines of columns and of values; for its offset as far again
    ahead. Nothing is asked for near `stop`, where `rows` ends."""
    if k + np.uint64(2 * ahead) < stop:
        ask_at(indptr, np.uint64(rows[k + np.uint64(2 * ahead)]))
        start = np.uint64(indptr[np.uint64(rows[k + np.uint64(ahead)])])
        ask_at(indices, start)
        ask_at(indices, start + np.uint64(15))
        ask_at(data, start)
        ask_at(data, start + np.uint64(7))


@intrinsic
def ask_range(typingctx, array, start, stop):
    """Ask for the first four cache lines of a range of items, which holds at least one, to be kept near."""

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
def _stream_lines(typingctx, source, start, lines, target, place):
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
def _address(typingctx, array):
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


@njit
def stream_items(source, start, count, target, place):
    """`copy_items` past the cache: without reading the lines that are written."""
    each = np.uint64(LINE // target.itemsize)
    first = _address(target) // np.uint64(target.itemsize) + place
    head = min(count, (np.uint64(0) - first) % each)
    lines = (count - head) // each
    tail = count - head - lines * each
    copy_items(source, start, head, target, place)
    _stream_lines(source, start + head, lines, target, place + head)
    copy_items(source, start + count - tail, tail, target, place + count - tail)
