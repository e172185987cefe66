"""Call a function of another library by its address, such as one of BLAS, from a kernel.

Numba calls such functions through ctypes, whose address becomes a constant of the machine code: that is right for one process
only. Here the address is an argument, so that the kernel can be kept on disk. Goes when Numba takes addresses as arguments.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_POINTER = ir.IntType(8).as_pointer()


@intrinsic
def call_by_reference(typingctx, address, operands):
    """Call a function without a result. Of each operand of the tuple it gets the address: of the first item of an array, or of
    a copy of a number.
    """

    def codegen(context, builder, signature, arguments):
        address, operands = arguments
        pointers = []
        kinds = signature.args[1].types
        for kind, operand in zip(kinds, cgutils.unpack_tuple(builder, operands, len(kinds)), strict=True):
            if isinstance(kind, types.Array):
                pointer = context.make_array(kind)(context, builder, operand).data
            else:
                pointer = cgutils.alloca_once_value(builder, context.get_value_as_data(builder, kind, operand))
            pointers.append(builder.bitcast(pointer, _POINTER))
        function = ir.FunctionType(ir.VoidType(), [_POINTER] * len(pointers)).as_pointer()
        builder.call(builder.inttoptr(address, function), pointers)
        return context.get_dummy_value()

    return types.none(types.intp, operands), codegen
