"""Eight items at a time: which ones pass a test, as bits; and those that bits select moved together, where the processor can
(AVX-512), else by eight stores."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8


@intrinsic
def pass_eight(typingctx, source, start, test):
    """Return which of eight unsigned items from `start` on pass `((item & mask) + shift) & width > limit`, as eight bits.

    `test` is `(mask, shift, width, limit)`, of 64 bits each.
    """

    def codegen(context, builder, sig, args):
        array = context.make_array(sig.args[0])(context, builder, args[0])
        wide, item = ir.VectorType(ir.IntType(64), LANES), context.get_data_type(sig.args[0].dtype)
        place = builder.bitcast(builder.gep(array.data, [args[1]]), ir.VectorType(item, LANES).as_pointer())
        items = builder.load(place, align=item.width // 8)
        items = items if item.width == 64 else builder.zext(items, wide)
        mask, shift, width, limit = (_fill(builder, wide, builder.extract_value(args[2], k)) for k in range(4))
        numbers = builder.and_(builder.add(builder.and_(items, mask), shift), width)
        passing = builder.icmp_unsigned(">", numbers, limit)
        return builder.zext(builder.bitcast(passing, ir.IntType(LANES)), ir.IntType(64))

    return types.uint64(source, types.uint64, test), codegen


def _fill(builder, vector, scalar):
    first = builder.insert_element(ir.Constant(vector, None), scalar, ir.IntType(32)(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _has_compress(context, item):
    """Return whether the processor moves such items. It is asked when a kernel is compiled; files are named by its features."""
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
