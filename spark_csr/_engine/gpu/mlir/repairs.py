"""What numba-cuda-mlir 0.6.0 gets wrong for our kernels, put right. Each function says when it can go."""

import contextlib
import functools
import itertools
import operator

from numba_cuda_mlir import cuda, extending, lowering_utilities, mlir_optimization, tools
from numba_cuda_mlir._mlir.dialects import arith, nvvm
from numba_cuda_mlir.lowering import math
from numba_cuda_mlir.numba_cuda import types
from numba_cuda_mlir.numba_cuda.cpython.unsafe.numbers import viewer

from spark_csr._engine.gpu.mlir.words import integer


@contextlib.contextmanager
def pretend_device(capability):
    """Compile for a GPU of this capability, whether there is one or not. One thread may do so at a time.

    The compiler asks the driver for the GPU, also where it is told the capability. It asks once, and remembers the answer.
    Goes when `compile(cc=...)` asks no driver.
    """
    asked = tools._cached_cc
    tools._cached_cc = capability
    try:
        yield
    finally:
        tools._cached_cc = asked


def keep_variables_in_registers():
    """Let the compiler begin by turning variables into values.

    It keeps a variable that is set in several places in memory, for LLVM to find a register for it. But passes of MLIR merge
    blocks that differ in the variable only; then LLVM knows neither, and both stay in local memory. Goes when the compiler
    itself begins with `mem2reg`.
    """
    make = mlir_optimization.get_base_pipeline
    begin = "builtin.module("
    first = f"{begin}gpu.module(gpu.func(mem2reg),func.func(mem2reg)),"
    mlir_optimization.get_base_pipeline = lambda: make().replace(begin, first, 1)


def infer_memory_of_arrays():
    """Let an array of which nothing is known be in any memory, as LLVM then finds out; the compiler says global memory.

    Else an atomic function changes the memory of the device where it is given an array in shared memory through a variable or a
    function. Goes when arrays keep their address space in variables and calls.
    """
    known = lowering_utilities.memref_llvm_address_space
    lowering_utilities.memref_llvm_address_space = lambda kind: known(kind) if kind.memory_space is not None else 0


def _shuffle_halves(builder, target, args, kwargs):
    mask, value, lane = map(builder.load_var, args)
    half, whole, kind = integer(32), integer(64), value.type
    bits = value if kind == whole else arith.bitcast(whole, value)
    mask, lane = builder.mlir_convert(mask, half), builder.mlir_convert(lane, half)
    last, shift = arith.constant(half, 31), arith.constant(whole, 32)
    halves = arith.trunci(half, bits), arith.trunci(half, arith.shrui(bits, shift))
    low, high = (arith.extui(whole, nvvm.shfl_sync(mask, part, lane, last, nvvm.ShflKind.idx)) for part in halves)
    bits = arith.ori(low, arith.shli(high, shift))
    builder.store_var(target, bits if kind == whole else arith.bitcast(kind, bits))


def shuffle_all_bits():
    """Let `cuda.shfl_sync` move all of a number of 64 bits; it moves the lower half of an integer, and a float64 as a float32.

    Goes when it does.
    """
    for kind in (types.int64, types.uint64, types.float64):
        extending.lower_builtin(cuda.shfl_sync, types.Integer, kind, types.Integer)(_shuffle_halves)


def _view(builder, target, args, kwargs):
    value, kind = builder.load_var(args[0]), builder.get_mlir_type(builder.get_numba_type(target.name))
    builder.store_var(target, value if value.type == kind else arith.bitcast(kind, value))


def view_numbers():
    """Let `x.view(kind)` of a number have code. Goes when it has."""
    for key in (viewer, (types.Float, "view"), (types.Integer, "view")):
        extending.lower_builtin(key, types.Number, types.DTypeSpec)(_view)


def compare_nan():
    """Let `x != y` of floats be true where one of them is NaN, also for `x != x`. Goes when it is."""
    math._operator_mapping()[operator.ne].float = functools.partial(arith.cmpf, arith.CmpFPredicate.UNE)


def compare_unsigned():
    """Let `min` and `max` of unsigned integers compare them as such; they are compared as signed ones. Goes when they are."""
    for function, operation in ((min, arith.minui), (max, arith.maxui)):

        def choose(builder, target, args, kwargs, operation=operation):
            kind = builder.get_mlir_type(builder.get_numba_type(target.name))
            numbers = [builder.load_var(x) for x in args]
            builder.store_var(target, operation(*(x if x.type == kind else arith.extui(kind, x) for x in numbers)))

        for a, b in itertools.product((types.uint8, types.uint16, types.uint32, types.uint64), repeat=2):
            extending.lower_builtin(function, a, b)(choose)


def make_large_constants():
    """Let a constant be an integer of 2**63 or more: what has the same bits is given. Goes when such integers are taken."""
    make = arith.ConstantOp.__init__

    def take(self, result, value, **rest):
        make(self, result, value - (1 << 64) if type(value) is int and value >= 1 << 63 else value, **rest)

    arith.ConstantOp.__init__ = take


keep_variables_in_registers()
infer_memory_of_arrays()
shuffle_all_bits()
view_numbers()
compare_nan()
compare_unsigned()
make_large_constants()
extending.refresh_registries()
