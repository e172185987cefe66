"""The record of the team: what the threads tell each other, at one address that compiled code knows by name.

Its places are read and written by intrinsics; here are also those for the clock, for locks and for the code of a job.
"""

import ctypes
import platform
import sys
import time

import numpy as np
from llvmlite import binding, ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from spark_csr import _cgroups

EPOCH, ACTIVE, OWNER, COST, LEAD, WOKEN = 0, 16, 32, 40, 41, 42
"""Places in the record of the team: the number of the job, odd while it is open; how many workers take part; whether a job has
the team; what waking a worker costs; the address of `_lead`, 0 as long as there are no workers; when workers were woken last.
Places that change often are on cache lines of their own."""

JOB, BLOCK, LIMIT, WAKING, OPENED, EXPECTED, ENDED, UNSHARED = 48, 49, 50, 51, 52, 53, 54, 55
"""Places that describe the open job: its code, its arguments, how many cores may take part, whether to wake sleeping workers,
and when it was opened; until when more jobs are expected to follow; when the last job ended; and the nanoseconds of work for
which nobody was woken, in jobs that followed each other."""

WORKERS, EACH, LOCK = 64, 16, 1
"""Where the workers' places begin, how many each has, and which of them is its lock; the first says whether it sleeps. Number 0
is the thread whose job is open."""

MOST = 1 if config.DISABLE_JIT else min(config.NUMBA_NUM_THREADS, _cgroups.cores())
"""How many cores a job may use: as many as Numba would, and as a container allows; one where nothing is compiled."""
TEAM = np.zeros(WORKERS + EACH * (MOST + 1), np.int64)
"""The record, at one address as long as the process lives; compiled code knows it by name."""
ctypes.pythonapi.Py_IncRef(ctypes.py_object(TEAM))  # a worker may read it while the interpreter ends and frees its modules

word, code, byte_pointer = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()
job_type = ir.FunctionType(word, [byte_pointer, word, word])


def _c_function(function):
    return ctypes.cast(function, ctypes.c_void_p).value


WINDOWS = sys.platform == "win32"
X86, ARM = (platform.machine().lower() in names for names in (("x86_64", "amd64"), ("aarch64", "arm64")))
if WINDOWS:
    _clock, TICK = ctypes.windll.kernel32.QueryPerformanceCounter, round(1e9 * time.get_clock_info("perf_counter").resolution)
else:
    _clock, TICK = ctypes.CDLL(None).clock_gettime, time.CLOCK_MONOTONIC
binding.add_symbol("spark_csr_team", TEAM.ctypes.data)
binding.add_symbol("spark_csr_clock", _c_function(_clock))
binding.add_symbol("spark_csr_acquire", _c_function(ctypes.pythonapi.PyThread_acquire_lock))
binding.add_symbol("spark_csr_release", _c_function(ctypes.pythonapi.PyThread_release_lock))


def place(builder, k):
    """Emit the address of place `k` of the record."""
    record = builder.module.globals.get("spark_csr_team")
    if record is None:
        record = ir.GlobalVariable(builder.module, ir.ArrayType(word, 0), "spark_csr_team")
    return builder.gep(record, [word(0), k])


def call_c(builder, name, returned, *args):
    kind = ir.FunctionType(returned, [a.type for a in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@intrinsic
def peek(typingctx, k):
    """Return the value at place `k`."""

    def codegen(context, builder, sig, args):
        return builder.load_atomic(place(builder, args[0]), "seq_cst", 8)

    return types.int64(types.int64), codegen


@intrinsic
def put(typingctx, k, value):
    def codegen(context, builder, sig, args):
        builder.store_atomic(args[1], place(builder, args[0]), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def add(typingctx, k, amount):
    def codegen(context, builder, sig, args):
        builder.atomic_rmw("add", place(builder, args[0]), args[1], "seq_cst")
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def change(typingctx, k, before, after):
    """Replace the value `before` at place `k` by `after`; return whether `before` was there."""

    def codegen(context, builder, sig, args):
        found = builder.cmpxchg(place(builder, args[0]), args[1], args[2], "seq_cst", "seq_cst")
        return builder.extract_value(found, 1)

    return types.boolean(types.int64, types.int64, types.int64), codegen


@intrinsic
def clock(typingctx):
    """Return the time in nanoseconds since some moment."""

    def codegen(context, builder, sig, args):
        read = cgutils.alloca_once(builder, ir.ArrayType(word, 2))
        first, second = (builder.gep(read, [code(0), code(k)]) for k in (0, 1))
        if WINDOWS:
            call_c(builder, "spark_csr_clock", code, first)
            return builder.mul(builder.load(first), word(TICK))
        call_c(builder, "spark_csr_clock", code, code(TICK), first)
        return builder.add(builder.mul(builder.load(first), word(10**9)), builder.load(second))

    return types.int64(), codegen


@intrinsic
def sleep(typingctx, lock):
    """Wait until the lock is released."""

    def codegen(context, builder, sig, args):
        call_c(builder, "spark_csr_acquire", code, builder.inttoptr(args[0], byte_pointer), code(1))
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def release(typingctx, lock):
    def codegen(context, builder, sig, args):
        call_c(builder, "spark_csr_release", ir.VoidType(), builder.inttoptr(args[0], byte_pointer))
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def pause(typingctx):
    """Tell the processor that this is a loop that waits, where it has an instruction for that."""

    def codegen(context, builder, sig, args):
        if X86:
            call_c(builder, "llvm.x86.sse2.pause", ir.VoidType())
        elif ARM:
            call_c(builder, "llvm.aarch64.hint", ir.VoidType(), code(1))
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def take_part(typingctx, job, block, core, most):
    """Run tiles of a job until none is left, `most` at most, and return how many were run."""

    def codegen(context, builder, sig, args):
        job, block, core, most = args
        return builder.call(builder.inttoptr(job, job_type.as_pointer()), [builder.inttoptr(block, byte_pointer), core, most])

    return types.int64(types.int64, types.int64, types.int64, types.int64), codegen


@intrinsic
def recall(typingctx, memory):
    """Return the value at an address."""

    def codegen(context, builder, sig, args):
        return builder.load_atomic(builder.inttoptr(args[0], word.as_pointer()), "monotonic", 8)

    return types.int64(types.int64), codegen


@intrinsic
def remember(typingctx, memory, value):
    def codegen(context, builder, sig, args):
        builder.store_atomic(args[1], builder.inttoptr(args[0], word.as_pointer()), "monotonic", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen
