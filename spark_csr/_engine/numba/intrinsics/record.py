"""Words that all threads see: at one address that compiled code knows by name, or at addresses that it is given.

Compiled code names the words by a symbol instead of their address, which differs from process to process: so it can be kept.
Numba has no atomic loads and stores of its own. Goes when it has them, and a way to name memory of the process.
"""

from llvmlite import binding, ir
from numba import types
from numba.extending import intrinsic

SYMBOL = "spark_csr_team"

word = ir.IntType(64)


def share(words):
    """Let compiled code know an array of int64, which must live as long as the process."""
    binding.add_symbol(SYMBOL, words.ctypes.data)


def address_of_word(builder, k):
    """Emit the address of place `k` of the record."""
    record = builder.module.globals.get(SYMBOL)
    if record is None:
        record = ir.GlobalVariable(builder.module, ir.ArrayType(word, 0), SYMBOL)
    return builder.gep(record, [word(0), k])


@intrinsic
def peek(typingctx, k):
    """Return the value at place `k`."""

    def codegen(context, builder, sig, args):
        return builder.load_atomic(address_of_word(builder, args[0]), "seq_cst", 8)

    return types.int64(types.int64), codegen


@intrinsic
def put(typingctx, k, value):
    """Write a value at place `k`."""

    def codegen(context, builder, sig, args):
        builder.store_atomic(args[1], address_of_word(builder, args[0]), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def add(typingctx, k, amount):
    """Add to the value at place `k`."""

    def codegen(context, builder, sig, args):
        builder.atomic_rmw("add", address_of_word(builder, args[0]), args[1], "seq_cst")
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def change(typingctx, k, before, after):
    """Replace the value `before` at place `k` by `after`; return whether `before` was there."""

    def codegen(context, builder, sig, args):
        found = builder.cmpxchg(address_of_word(builder, args[0]), args[1], args[2], "seq_cst", "seq_cst")
        return builder.extract_value(found, 1)

    return types.boolean(types.int64, types.int64, types.int64), codegen


@intrinsic
def recall(typingctx, memory):
    """Return the value at an address."""

    def codegen(context, builder, sig, args):
        return builder.load_atomic(builder.inttoptr(args[0], word.as_pointer()), "monotonic", 8)

    return types.int64(types.int64), codegen


@intrinsic
def remember(typingctx, memory, value):
    """Write a value at an address."""

    def codegen(context, builder, sig, args):
        builder.store_atomic(args[1], builder.inttoptr(args[0], word.as_pointer()), "monotonic", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen
