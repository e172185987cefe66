"""A few sums kept in processor registers: an array on the stack, of a size known to the compiler.

A loop over such an array is unrolled, its items become variables, and LLVM's SLP vectoriser, which Numba leaves off, packs
those variables back into vectors (`compile_kernel(kernel, packed=True)`). Generic over the operators, unlike the vectors of
`lanes`.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic(prefer_literal=True)
def register_array(typingctx, example, size):
    """Return an uninitialised 1-D array of `size` (a constant) items of the type of `example`; it must not outlive the call."""
    if not isinstance(size, types.IntegerLiteral):
        return None
    array = types.Array(example, 1, "C")

    def codegen(context, builder, sig, args):
        length, item = size.literal_value, context.get_data_type(example)
        space = cgutils.alloca_once(builder, ir.ArrayType(item, length))
        word, itemsize = ir.IntType(64), context.get_abi_sizeof(item)
        result = context.make_array(array)(context, builder)
        context.populate_array(
            result,
            data=builder.bitcast(space, item.as_pointer()),
            shape=[word(length)],
            strides=[word(itemsize)],
            itemsize=word(itemsize),
            meminfo=None,
        )
        return result._getvalue()

    return array(example, size), codegen
