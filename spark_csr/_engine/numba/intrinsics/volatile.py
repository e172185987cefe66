"""Words in the memory of a GPU through which blocks of one launch tell each other something.

Design: a plain load may be answered by the first cache, which sees no writes of other blocks, or be moved out of a loop that
waits. `ld.volatile` and `st.volatile` reach the memory that all blocks share, each time, in one piece: PTX calls them relaxed.
They order no other accesses: what a block is told must be in the word itself. LLVM's builder has no words for them.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from spark_csr._engine.numba.intrinsics.once import GLOBAL, INTEGERS


def _place(builder, pointer, position):
    return builder.gep(builder.addrspacecast(pointer, ir.PointerType(pointer.type.pointee, GLOBAL)), [position])


def _are_word_and_position(pointer, position):
    words = types.uint32, types.uint64
    return isinstance(pointer, types.CPointer) and pointer.dtype in words and position in (types.int64, types.uint64)


@intrinsic
def load_volatile(typingctx, pointer, position):
    """Return an element, unsigned, of 32 or 64 bits, as other blocks have left it; position is an integer of 64 bits."""

    def codegen(context, builder, sig, args):
        place = _place(builder, *args)
        kind = place.type.pointee
        register, _ = INTEGERS[kind.width]
        signature = ir.FunctionType(kind, [place.type])
        text = f"ld.volatile.global.b{kind.width} $0, [$1];"
        return builder.call(ir.InlineAsm(signature, text, f"={register},l,~{{memory}}", side_effect=True), [place])

    return (pointer.dtype(pointer, position), codegen) if _are_word_and_position(pointer, position) else None


@intrinsic
def store_volatile(typingctx, pointer, position, value):
    """Set an element, unsigned, of 32 or 64 bits, for other blocks to see; position is an integer of 64 bits."""

    def codegen(context, builder, sig, args):
        place, value = _place(builder, *args[:2]), args[2]
        register, _ = INTEGERS[value.type.width]
        signature = ir.FunctionType(ir.VoidType(), [place.type, value.type])
        text = f"st.volatile.global.b{value.type.width} [$0], $1;"
        builder.call(ir.InlineAsm(signature, text, f"l,{register},~{{memory}}", side_effect=True), [place, value])
        return context.get_dummy_value()

    if _are_word_and_position(pointer, position) and value == pointer.dtype:
        return types.void(pointer, position, value), codegen
    return None
