"""Eight items at a time, those that bits select: moved together where the processor can (AVX-512), else by eight stores."""

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8

SPREAD = 0x0102040810204080
"""A word of eight bytes that are 0 or 1, times this, has them as the bits of its highest byte, the first one lowest."""


@njit(forceinline=True)
def bits_of(notes):
    """A word of eight bytes that are 0 or 1, as eight bits."""
    return notes * np.uint64(SPREAD) >> np.uint64(56)


def _has_compress(context, item):
    """Asked when a kernel is compiled; Numba keeps kernels on disk by the features of the processor."""
    return "+avx512vl" in context.codegen().magic_tuple()[2].split(",") and item in (ir.IntType(32), ir.IntType(64))


def _store_together(builder, item, bits, source, out):
    """Load eight, move the selected ones to the front of the register, store eight."""
    vector, mask = ir.VectorType(item, LANES), ir.VectorType(ir.IntType(1), LANES)
    kind = ir.FunctionType(vector, [vector, vector, mask])
    name = f"llvm.x86.avx512.mask.compress.v{LANES}i{item.width}"
    compress = cgutils.get_or_insert_function(builder.module, kind, name)
    selected = builder.bitcast(builder.trunc(bits, ir.IntType(LANES)), mask)
    loaded = builder.load(builder.bitcast(source, vector.as_pointer()), align=item.width // 8)
    packed = builder.call(compress, [loaded, ir.Constant(vector, None), selected])
    builder.store(packed, builder.bitcast(out, vector.as_pointer()), align=item.width // 8)


def _store_in_turn(builder, item, bits, source, out):
    """Store every item; the place to store at moves on behind a selected one only."""
    word = ir.IntType(64)
    for lane in range(LANES):
        builder.store(builder.load(builder.gep(source, [word(lane)])), out)
        out = builder.gep(out, [builder.and_(builder.lshr(bits, word(lane)), word(1))])


@intrinsic
def select_eight(typingctx, source, start, bits, out, place):
    """Write those of the eight items of `source` from `start` on whose bit is set to `out` from `place` on.

    All eight places there must exist: behind the selected ones anything may be written. The arrays are contiguous, 1-D, of
    one dtype, and do not overlap.
    """

    def codegen(context, builder, sig, args):
        arrays = (context.make_array(sig.args[k])(context, builder, args[k]) for k in (0, 3))
        first, to = (builder.gep(x.data, [at]) for x, at in zip(arrays, (args[1], args[4]), strict=True))
        item = context.get_data_type(sig.args[0].dtype)
        store = _store_together if _has_compress(context, item) else _store_in_turn
        store(builder, item, args[2], first, to)
        return context.get_dummy_value()

    return types.void(source, types.uint64, types.uint64, out, types.uint64), codegen
