"""The counterparts of our intrinsics, by their names: what `_engine/numba/intrinsics` says in llvmlite's terms, in MLIR's.

A function that emits code gets the variables of a call and sets the variable of its result.
"""

from numba_cuda_mlir._mlir import ir
from numba_cuda_mlir._mlir.dialects import arith, llvm, memref
from numba_cuda_mlir._mlir.dialects import complex as complex_
from numba_cuda_mlir.extending import intrinsic
from numba_cuda_mlir.numba_cuda import types

from spark_csr._engine.numba.intrinsics.ballots import VOTE

GLOBAL = 1
"""The number of LLVM's address space for the memory of the device."""

AT_RUN_TIME = -(1 << 31)
"""Says that an index of an address is no constant."""

INTEGERS = {8: ("h", 16), 16: ("h", 16), 32: ("r", 32), 64: ("l", 64)}
"""By bits: the kind of register, and its bits."""


def integer(bits):
    """Return MLIR's type of an integer."""
    return ir.IntegerType.get_signless(bits)


def _place(builder, pointer, *positions):
    """Emit the address of an element, a pointer and positions that add up; return it and the type of what is stored there."""
    kind = builder.get_storage_type(builder.get_numba_type(pointer.name).dtype)
    space = llvm.PointerType.get(GLOBAL)
    base = llvm.addrspacecast(space, builder.load_var(pointer))
    index, *others = (builder.mlir_convert(builder.load_var(position), integer(64)) for position in positions)
    for other in others:
        index = arith.addi(index, other)
    stored = kind
    if isinstance(kind, ir.ComplexType):
        stored = llvm.StructType.get_literal([kind.element_type, kind.element_type])
    return llvm.getelementptr(space, base, [index], [AT_RUN_TIME], stored, None), kind


def _elements(builder, array, first, count):
    """Emit the positions of `count` elements of a local array; return the array and these."""
    first = builder.mlir_convert(builder.load_var(first), integer(64)) if first else arith.constant(integer(64), 0)
    sums = [arith.addi(first, arith.constant(integer(64), k)) for k in range(count)]
    return builder.load_var(array), [arith.index_cast(ir.IndexType.get(), k) for k in sums]


def _register(kind):
    """Return the letter for a register that holds a number, the type of what it holds, and the suffix of instructions."""
    if isinstance(kind, ir.IntegerType):
        letter, bits = INTEGERS[kind.width]
        return letter, integer(bits), f"b{kind.width}"
    return ("f", kind, "f32") if isinstance(kind, ir.F32Type) else ("d", kind, "f64")


def _load_once(here, kind):
    letter, whole, suffix = _register(kind)
    loaded = llvm.inline_asm(whole, [here], f"ld.global.cs.nc.{suffix} $0, [$1];", f"={letter},l", has_side_effects=False)
    return loaded if whole == kind else arith.trunci(kind, loaded)


@intrinsic
def load_once(typingctx, pointer, position):
    """See `intrinsics/once.py`."""

    def codegen(builder, target, args, kwargs):
        here, kind = _place(builder, *args)
        if isinstance(kind, ir.ComplexType):
            part = kind.element_type
            places = [llvm.getelementptr(here.type, here, [], [k], part, None) for k in range(2)]
            builder.store_var(target, complex_.create_(kind, *(_load_once(place, part) for place in places)))
        else:
            builder.store_var(target, builder.from_storage(pointer.dtype, _load_once(here, kind)))

    return pointer.dtype(pointer, position), codegen


@intrinsic
def load_volatile(typingctx, pointer, position):
    """See `intrinsics/volatile.py`."""

    def codegen(builder, target, args, kwargs):
        here, kind = _place(builder, *args)
        letter, _, suffix = _register(kind)
        text, constraints = f"ld.volatile.global.{suffix} $0, [$1];", f"={letter},l,~{{memory}}"
        builder.store_var(target, llvm.inline_asm(kind, [here], text, constraints, has_side_effects=True))

    return pointer.dtype(pointer, position), codegen


@intrinsic
def store_volatile(typingctx, pointer, position, value):
    """See `intrinsics/volatile.py`."""

    def codegen(builder, target, args, kwargs):
        here, kind = _place(builder, *args[:2])
        letter, _, suffix = _register(kind)
        stored = builder.as_storage(pointer.dtype, builder.load_var(args[2]))
        text, constraints = f"st.volatile.global.{suffix} [$0], $1;", f"l,{letter},~{{memory}}"
        llvm.inline_asm(None, [here, stored], text, constraints, has_side_effects=True)

    return types.void(pointer, position, value), codegen


def _change(pointer, position, value, operation):
    """Return the signature and the code of an operation on an element, which returns what was there before."""

    def codegen(builder, target, args, kwargs):
        here, _ = _place(builder, *args[:2])
        operand = builder.as_storage(pointer.dtype, builder.load_var(args[2]))
        builder.store_var(target, llvm.atomicrmw(operation, here, operand, llvm.AtomicOrdering.monotonic))

    return value(pointer, position, value), codegen


@intrinsic
def fetch_add(typingctx, pointer, position, value):
    """See `intrinsics/counters.py`."""
    return _change(pointer, position, value, llvm.AtomicBinOp.add)


@intrinsic
def fetch_max(typingctx, pointer, position, value):
    """See `intrinsics/counters.py`."""
    return _change(pointer, position, value, llvm.AtomicBinOp.max)


@intrinsic
def lanes_alike(typingctx, word, bits):
    """See `intrinsics/ballots.py`."""
    if not isinstance(bits, types.IntegerLiteral):
        return None

    def codegen(builder, target, args, kwargs):
        number, own = integer(32), builder.mlir_convert(builder.load_var(args[0]), integer(32))
        same = arith.constant(number, -1)
        for b in range(bits.literal_value):
            vote = llvm.inline_asm(number, [own], VOTE.format(bit=1 << b), "=&r,r", has_side_effects=True)
            same = arith.andi(same, vote)
        builder.store_var(target, same)

    return types.uint32(word, bits), codegen


@intrinsic
def load_wide(typingctx, pointer, position, own, first, count):
    """See `intrinsics/wide.py`."""
    if not isinstance(count, types.IntegerLiteral):
        return None

    def codegen(builder, target, args, kwargs):
        (here, kind), number = _place(builder, *args[:2]), count.literal_value
        vector = ir.VectorType.get([number], kind)
        loaded = llvm.load(vector, here, alignment=number * pointer.dtype.bitwidth // 8, invariant=True)
        array, places = _elements(builder, args[2], args[3], number)
        for k, place in enumerate(places):
            memref.store(llvm.extractelement(loaded, arith.constant(integer(32), k)), array, [place])

    return types.void(pointer, position, own, first, count), codegen


@intrinsic
def store_wide(typingctx, pointer, base, position, own, count):
    """See `intrinsics/wide.py`."""
    if not isinstance(count, types.IntegerLiteral):
        return None

    def codegen(builder, target, args, kwargs):
        (here, kind), number = _place(builder, *args[:3]), count.literal_value
        array, places = _elements(builder, args[3], None, number)
        value = llvm.mlir_undef(ir.VectorType.get([number], kind))
        for k, place in enumerate(places):
            value = llvm.insertelement(value, memref.load(array, [place]), arith.constant(integer(32), k))
        llvm.store(value, here, alignment=number * pointer.dtype.bitwidth // 8)

    return types.void(pointer, base, position, own, count), codegen


WORDS = {
    "fetch_add": fetch_add,
    "fetch_max": fetch_max,
    "lanes_alike": lanes_alike,
    "load_once": load_once,
    "load_volatile": load_volatile,
    "load_wide": load_wide,
    "store_volatile": store_volatile,
    "store_wide": store_wide,
}
