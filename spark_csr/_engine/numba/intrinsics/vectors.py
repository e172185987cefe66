"""Up to sixteen neighbours at once, in two vectors of eight: what rows of a few items are reduced with.

Design: a loop over a few items ends where no processor predicts, and each of its additions waits for the one before. Here all
sixteen are read, those that are too many become the identity, and a tree of vectors combines them: no branch depends on how
many there are. Reduced so, rows of ten take a quarter of the time (EPYC 9005, 2026-11). Cost: named operators only, and
sixteen items must be there to be read. Numba has no vectors, so they are said in LLVM's words, which fit every processor.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
WIDE = 2 * LANES

_INT = ir.IntType(32)


def _numbers(first, count):
    return ir.Constant(ir.VectorType(_INT, count), [_INT(first + k) for k in range(count)])


def _fill(builder, value, count=LANES):
    """Emit a vector of `value` in every lane."""
    vector = ir.VectorType(value.type, count)
    undefined = ir.Constant(vector, ir.Undefined)
    zeros = ir.Constant(ir.VectorType(_INT, count), [_INT(0)] * count)
    return builder.shuffle_vector(builder.insert_element(undefined, value, _INT(0)), undefined, zeros)


def _load(context, builder, array_type, array, start, first):
    """Emit eight items of a one-dimensional contiguous array, from `start + first` on."""
    data = context.make_array(array_type)(context, builder, array).data
    address = builder.gep(data, [builder.add(start, start.type(first))])
    vector = ir.VectorType(context.get_data_type(array_type.dtype), LANES)
    return builder.load(builder.bitcast(address, vector.as_pointer()), align=array_type.dtype.bitwidth // 8)


def _are_within(builder, count, first):
    """Emit which of eight lanes from `first` on are among the first `count`."""
    return builder.icmp_unsigned("<", _numbers(first, LANES), _fill(builder, builder.trunc(count, _INT)))


def _is_float(vector):
    return not isinstance(vector.type.element, ir.IntType)


def _add(builder, a, b, signed):
    return builder.fadd(a, b) if _is_float(a) else builder.add(a, b)


def _multiply(builder, a, b, signed):
    return builder.fmul(a, b) if _is_float(a) else builder.mul(a, b)


def _make_extreme(sign):
    def combine(builder, a, b, signed):
        """Emit the extreme of each lane: of floats without NaN, see `_prefer_nan`."""
        if _is_float(a):
            wins = builder.fcmp_ordered(sign, a, b)
        else:
            wins = (builder.icmp_signed if signed else builder.icmp_unsigned)(sign, a, b)
        return builder.select(wins, a, b)

    return combine


def _prefer_nan(builder, a, b, total):
    """Emit `total`, or NaN where one of eight and eight floats is: one look at all, and none at each step."""
    lanes = builder.bitcast(builder.fcmp_unordered("uno", a, b), ir.IntType(LANES))
    is_nan = builder.icmp_unsigned("!=", lanes, ir.IntType(LANES)(0))
    return builder.select(is_nan, ir.Constant(total.type, float("nan")), total)


def _reduction(name, combine):
    """Return `short(array, start, count, identity)`, which combines items `start` to `start + count`.

    At most 16 items are combined, and 16 must be there.
    """

    def short(typingctx, array, start, count, identity):
        def codegen(context, builder, sig, args):
            array, start, count, identity = args
            signed, filling = getattr(sig.args[0].dtype, "signed", True), _fill(builder, identity)
            parts = []
            for first in (0, LANES):
                items = _load(context, builder, sig.args[0], array, start, first)
                parts.append(builder.select(_are_within(builder, count, first), items, filling))
            total, lanes = combine(builder, *parts, signed), LANES
            while lanes > 1:
                lanes //= 2
                halves = (builder.shuffle_vector(total, total, _numbers(first, lanes)) for first in (0, lanes))
                total = combine(builder, *halves, signed)
            total = builder.extract_element(total, _INT(0))
            return _prefer_nan(builder, *parts, total) if _is_float(parts[0]) and name in ("min", "max") else total

        return array.dtype(array, start, count, array.dtype), codegen

    short.__name__ = f"short_{name}"
    return intrinsic(short)


SHORT = {
    name: _reduction(name, combine)
    for name, combine in {"sum": _add, "prod": _multiply, "min": _make_extreme("<"), "max": _make_extreme(">")}.items()
}
"""By the name of the operator."""


@intrinsic
def first_equal(typingctx, array, start, count, value):
    """Return the rank of the first of items `start` to `start + count` that is `value`, else 16.

    At most 16 items are looked at, and 16 must be there.
    """

    def codegen(context, builder, sig, args):
        array, start, count, value = args
        wanted, found = _fill(builder, value), []
        for first in (0, LANES):
            items = _load(context, builder, sig.args[0], array, start, first)
            same = (builder.fcmp_ordered if _is_float(items) else builder.icmp_unsigned)("==", items, wanted)
            found.append(builder.and_(same, _are_within(builder, count, first)))
        bits = builder.bitcast(builder.shuffle_vector(*found, _numbers(0, WIDE)), ir.IntType(WIDE))
        rank = builder.cttz(builder.or_(builder.zext(bits, _INT), _INT(1 << WIDE)), ir.IntType(1)(1))
        return builder.zext(rank, ir.IntType(64))

    return types.uint64(array, start, count, array.dtype), codegen


@intrinsic
def keep_first(typingctx, count, identity, items):
    """Return a tuple of scalars, integers or floats, in which those from `count` on are the identity; without a branch.

    Processors without mask registers compile the choice between two scalars to a branch, and that between vectors to none.
    """

    def codegen(context, builder, sig, args):
        count, identity, items = args
        parts = cgutils.unpack_tuple(builder, items)
        lanes = len(parts)
        vector = ir.Constant(ir.VectorType(identity.type, lanes), ir.Undefined)
        for k, part in enumerate(parts):
            vector = builder.insert_element(vector, part, _INT(k))
        numbers = ir.Constant(ir.VectorType(count.type, lanes), [count.type(k) for k in range(lanes)])
        within = builder.icmp_unsigned("<", numbers, _fill(builder, count, lanes))
        kept = builder.select(within, vector, _fill(builder, identity, lanes))
        scalars = [builder.extract_element(kept, _INT(k)) for k in range(lanes)]
        return context.make_tuple(builder, sig.return_type, scalars)

    return items(types.uint64, items.dtype, items), codegen
