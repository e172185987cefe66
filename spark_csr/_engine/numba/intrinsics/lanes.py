"""Vectors of two or four numbers as values in Numba's code: the products of neighbouring entries at once.

Design: products of a row are summed in four lanes. The values of four entries are loaded at once, and the columns of two by one
load, since entries of one row lie side by side; only the entries of `x` are loaded one by one. Processors have instructions
that gather, but they took twice as long (EPYC, family 25 model 17, 2026-11). LLVM makes of these vectors what the processor
has: AVX2, SSE2 or NEON.
"""

import sys

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

LANES = 4
"""Numbers in a vector. Eight were not faster (EPYC, family 25 model 17, 2026-11)."""

_lane, _word = ir.IntType(32), ir.IntType(64)


class Vector(types.Type):
    """The type of a few numbers, each in a lane."""

    def __init__(self, dtype, lanes):
        self.dtype, self.lanes = dtype, lanes
        super().__init__(name=f"Vector({dtype}, {lanes})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.VectorType(manager.lookup(kind.dtype).get_value_type(), kind.lanes))


def _address(context, builder, kind, array, position):
    """Emit the address of an element of a contiguous array."""
    return builder.gep(context.make_array(kind)(context, builder, array).data, [position])


def _load(builder, address, kind, align):
    return builder.load(builder.bitcast(address, kind.as_pointer()), align=align)


def _numbers(first, count):
    return ir.Constant(ir.VectorType(_lane, count), [_lane(first + k) for k in range(count)])


def _fill(builder, value, count):
    """Emit a vector of `count` lanes with a value in each."""
    vector = ir.Constant(ir.VectorType(value.type, count), ir.Undefined)
    for k in range(count):
        vector = builder.insert_element(vector, value, _lane(k))
    return vector


@intrinsic
def fill(typingctx, value):
    """Return a vector of four lanes with a number in each."""
    return Vector(value, LANES)(value), lambda context, builder, sig, args: _fill(builder, args[0], LANES)


@intrinsic
def fill_wide(typingctx, value):
    """Return a vector of eight lanes with a number in each."""
    return Vector(value, 2 * LANES)(value), lambda context, builder, sig, args: _fill(builder, args[0], 2 * LANES)


@intrinsic
def load(typingctx, like, array, position):
    """Return `array[position : position + lanes]`, for as many lanes as the vector `like` has."""

    def codegen(context, builder, sig, args):
        kind, vector = sig.args[1], context.get_value_type(sig.return_type)
        return _load(builder, _address(context, builder, kind, *args[1:]), vector, kind.dtype.bitwidth // 8)

    return like(like, array, types.uint64), codegen


@intrinsic
def load_strided(typingctx, like, array, position, stride):
    """Return every `stride`-th element of `array` from `position` on, as many as the vector `like` has lanes."""

    def codegen(context, builder, sig, args):
        _, array, position, stride = args
        vector = ir.Constant(context.get_value_type(sig.return_type), ir.Undefined)
        for k in range(like.lanes):
            item = builder.load(_address(context, builder, sig.args[1], array, position))
            vector = builder.insert_element(vector, item, _lane(k))
            position = builder.add(position, stride)
        return vector

    return like(like, array, types.uint64, types.uint64), codegen


@intrinsic
def put(typingctx, array, position, vector):
    """Write the lanes of a vector to `array[position : position + lanes]`."""

    def codegen(context, builder, sig, args):
        address = _address(context, builder, sig.args[0], *args[:2])
        builder.store(args[2], builder.bitcast(address, args[2].type.as_pointer()), align=vector.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, vector), codegen


@intrinsic
def gather(typingctx, like, array, indices, position, first):
    """Return `array[first + indices[position : position + lanes]]`; indices have 32 or 64 bits and are not negative."""

    def codegen(context, builder, sig, args):
        _, array, indices, position, first = args
        _, kind, index, *_ = sig.args
        begin = _address(context, builder, kind, array, first)
        width = index.dtype.bitwidth
        here = builder.bitcast(_address(context, builder, index, indices, position), ir.IntType(width).as_pointer())
        vector = ir.Constant(context.get_value_type(sig.return_type), ir.Undefined)
        for k in range(0, like.lanes, 64 // width):
            word = _load(builder, builder.gep(here, [_word(k)]), _word, width // 8)
            for j, place in enumerate(_split_word(builder, word, 64 // width)):
                item = builder.load(builder.gep(begin, [place]))
                vector = builder.insert_element(vector, item, _lane(k + j))
        return vector

    return like(like, array, indices, types.uint64, types.uint64), codegen


def _split_word(builder, word, count):
    """Emit the one or two indices that a word holds, in the order in which they are in memory."""
    if count == 1:
        return [word]
    halves = builder.zext(builder.trunc(word, _lane), _word), builder.lshr(word, _word(32))
    return halves if sys.byteorder == "little" else halves[::-1]


@intrinsic
def add_lanes(typingctx, a, b):
    """Return the sums of two vectors of floats, lane by lane."""
    return a(a, a), lambda context, builder, sig, args: builder.fadd(*args)


@intrinsic
def multiply_lanes(typingctx, a, b):
    """Return the products of two vectors of floats, lane by lane."""
    return a(a, a), lambda context, builder, sig, args: builder.fmul(*args)


@intrinsic
def clear_rest(typingctx, vector, count):
    """Return the vector with zeros in the lanes from `count` on, without a branch."""

    def codegen(context, builder, sig, args):
        value, count = args
        lanes = _fill(builder, builder.trunc(count, _lane), vector.lanes)
        within = builder.icmp_unsigned("<", _numbers(0, vector.lanes), lanes)
        return builder.select(within, value, ir.Constant(value.type, None))

    return vector(vector, types.uint64), codegen


@intrinsic
def halve(typingctx, vector):
    """Return the sums of the first two and the last two of four lanes."""

    def codegen(context, builder, sig, args):
        halves = (builder.shuffle_vector(args[0], args[0], _numbers(first, LANES // 2)) for first in (0, LANES // 2))
        return builder.fadd(*halves)

    return Vector(vector.dtype, LANES // 2)(vector), codegen


@intrinsic
def sum_pair(typingctx, pair):
    """Return the sum of two lanes."""
    return pair.dtype(pair), lambda context, builder, sig, args: builder.fadd(
        *(builder.extract_element(args[0], _lane(k)) for k in (0, 1))
    )
