"""Blocks of a matrix, transposed in registers."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

SIDE = 8
"""Rows and columns of a block that is transposed in registers: a cache line of eight bytes each."""


def _exchange(builder, vectors, distance):
    """Exchange items between vectors that are `distance` apart: three of these steps transpose eight vectors."""
    numbers = ir.VectorType(ir.IntType(32), SIDE)
    kept = [j if not j & distance else SIDE + j - distance for j in range(SIDE)]
    moved = [j + distance if not j & distance else SIDE + j for j in range(SIDE)]
    result = list(vectors)
    for i in range(SIDE):
        if not i & distance:
            pair = vectors[i], vectors[i + distance]
            result[i] = builder.shuffle_vector(*pair, ir.Constant(numbers, kept))
            result[i + distance] = builder.shuffle_vector(*pair, ir.Constant(numbers, moved))
    return result


@intrinsic
def transpose_block(typingctx, x, row, column, out):
    """Copy `SIDE` rows and columns from `row, column` on of `x` (in Fortran order) to `out` (in C order)."""

    def codegen(context, builder, sig, args):
        x, row, column, out = args
        x, out = (context.make_array(sig.args[k])(context, builder, array) for k, array in ((0, x), (3, out)))
        item = sig.args[0].dtype.bitwidth // 8
        vector = ir.VectorType(context.get_data_type(sig.args[0].dtype), SIDE).as_pointer()
        rows, columns = cgutils.unpack_tuple(builder, x.shape)

        def address(array, major, minor, k, length):
            start = builder.add(builder.mul(builder.add(major, major.type(k)), length), minor)
            return builder.bitcast(builder.gep(array.data, [start]), vector)

        vectors = [builder.load(address(x, column, row, k, rows), align=item) for k in range(SIDE)]
        for distance in (1, 2, 4):
            vectors = _exchange(builder, vectors, distance)
        for k in range(SIDE):
            builder.store(vectors[k], address(out, row, column, k, columns), align=item)
        return context.get_dummy_value()

    return types.void(x, types.uint64, types.uint64, out), codegen
