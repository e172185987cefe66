"""Bits of a word: instructions of the processor that Python has no words for."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def count_bits(typingctx, word):
    """Return how many bits of a word are set."""

    def codegen(context, builder, sig, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def lowest_bit(typingctx, word):
    """Return the number of the lowest bit that is set; `word` must not be 0."""

    def codegen(context, builder, sig, args):
        return builder.cttz(args[0], ir.IntType(1)(1))

    return types.uint64(types.uint64), codegen
