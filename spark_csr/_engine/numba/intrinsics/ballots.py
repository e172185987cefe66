"""Which lanes of a warp hold the same bits: a ballot for each bit, in five instructions.

Design: LLVM compares a bit once for the vote and again for its inverse. In the words of the assembler one comparison does for
both. The instructions stay in place: all lanes of a warp carry them out together.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

VOTE = """{{
.reg .pred has;
and.b32 $0, $1, {bit};
setp.ne.u32 has, $0, 0;
vote.sync.ballot.b32 $0, has, 0xffffffff;
@!has not.b32 $0, $0;
}}"""


@intrinsic(prefer_literal=True)
def lanes_alike(typingctx, word, bits):
    """Return the lanes of the warp, as bits, whose lowest `bits` bits (a constant) are those of this one. All lanes call."""

    def codegen(context, builder, sig, args):
        number = ir.IntType(32)
        function, same = ir.FunctionType(number, [number]), ir.Constant(number, -1)
        for b in range(sig.args[1].literal_value):
            vote = ir.InlineAsm(function, VOTE.format(bit=1 << b), "=&r,r", side_effect=True)
            same = builder.and_(same, builder.call(vote, [args[0]]))
        return same

    if word == types.uint32 and isinstance(bits, types.IntegerLiteral):
        return types.uint32(word, bits), codegen
    return None
