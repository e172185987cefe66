"""The clock, locks to sleep on, the pause of a loop that waits, and the processors of a thread.

They are C functions and instructions that Numba has no words for.

Compiled code names the C functions by symbols, which `binding.add_symbol` of llvmlite gives addresses in each process. Goes
when Numba compiles `time.perf_counter_ns` and locks.
"""

import ctypes
import platform
import sys
import time

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from spark_csr._engine.numba.intrinsics.record import address_of_word

_word, _code, _byte_pointer = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()
_long = ir.IntType(8 * ctypes.sizeof(ctypes.c_long))

WINDOWS = sys.platform == "win32"
X86, ARM = (platform.machine().lower() in names for names in (("x86_64", "amd64"), ("aarch64", "arm64")))
if WINDOWS:
    _clock, TICK = ctypes.windll.kernel32.QueryPerformanceCounter, round(1e9 * time.get_clock_info("perf_counter").resolution)
else:
    _clock, TICK = ctypes.CDLL(None).clock_gettime, time.CLOCK_MONOTONIC

SYMBOLS = {
    "spark_csr_clock": _clock,
    "spark_csr_acquire": ctypes.pythonapi.PyThread_acquire_lock,
    "spark_csr_release": ctypes.pythonapi.PyThread_release_lock,
    "spark_csr_ident": ctypes.pythonapi.PyThread_get_thread_ident,
}
"""C functions that compiled code knows by name."""

CAN_YIELD = hasattr(ctypes.pythonapi, "sched_yield")
if CAN_YIELD:
    SYMBOLS["spark_csr_yield"] = ctypes.pythonapi.sched_yield

CAN_MOVE = all(hasattr(ctypes.pythonapi, f"sched_{name}") for name in ("getcpu", "getaffinity", "setaffinity"))
"""Whether the C library can tell and set the processors of a thread, as on Linux."""
if CAN_MOVE:
    SYMBOLS |= {
        "spark_csr_getcpu": ctypes.pythonapi.sched_getcpu,
        "spark_csr_getaffinity": ctypes.pythonapi.sched_getaffinity,
        "spark_csr_setaffinity": ctypes.pythonapi.sched_setaffinity,
    }

for _name, _function in SYMBOLS.items():
    binding.add_symbol(_name, ctypes.cast(_function, ctypes.c_void_p).value)


def _call(builder, name, returned, *args):
    """Emit a call of a C function or of an instruction of the processor."""
    kind = ir.FunctionType(returned, [a.type for a in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@intrinsic
def clock(typingctx):
    """Return the time in nanoseconds since some moment."""

    def codegen(context, builder, sig, args):
        read = cgutils.alloca_once(builder, ir.ArrayType(_word, 2))
        first, second = (builder.gep(read, [_code(0), _code(k)]) for k in (0, 1))
        if WINDOWS:
            _call(builder, "spark_csr_clock", _code, first)
            return builder.mul(builder.load(first), _word(TICK))
        _call(builder, "spark_csr_clock", _code, _code(TICK), first)
        return builder.add(builder.mul(builder.load(first), _word(10**9)), builder.load(second))

    return types.int64(), codegen


@intrinsic
def sleep(typingctx, lock):
    """Wait until the lock is released."""

    def codegen(context, builder, sig, args):
        _call(builder, "spark_csr_acquire", _code, builder.inttoptr(args[0], _byte_pointer), _code(1))
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def release(typingctx, lock):
    """Release a lock."""

    def codegen(context, builder, sig, args):
        _call(builder, "spark_csr_release", ir.VoidType(), builder.inttoptr(args[0], _byte_pointer))
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def this_thread(typingctx):
    """Return the number by which Python knows this thread, `threading.get_ident()`."""

    def codegen(context, builder, sig, args):
        return builder.zext(_call(builder, "spark_csr_ident", _long), _word)

    return types.int64(), codegen


@intrinsic
def pause(typingctx):
    """Tell the processor that this is a loop that waits, where it has an instruction for that."""

    def codegen(context, builder, sig, args):
        if X86:
            _call(builder, "llvm.x86.sse2.pause", ir.VoidType())
        elif ARM:
            _call(builder, "llvm.aarch64.hint", ir.VoidType(), _code(1))
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def give_way(typingctx):
    """Let another thread that waits for this processor run first."""

    def codegen(context, builder, sig, args):
        if CAN_YIELD:
            _call(builder, "spark_csr_yield", _code)
        return context.get_dummy_value()

    return types.void(), codegen


MASK = 16
"""How many int64 hold a set of processors, `cpu_set_t` in C: a bit for each of 1,024."""


@intrinsic
def keep_off(typingctx, thread, kept):
    """Forbid a sleeping thread the processor that runs this one.

    The processors that it was allowed go to the `MASK` places of the record from `kept` on.
    Nothing changes where no processor is left, or where a thread cannot do this.
    """

    def codegen(context, builder, sig, args):
        if CAN_MOVE:
            number, place = builder.trunc(args[0], _code), address_of_word(builder, args[1])
            allowed = cgutils.alloca_once(builder, ir.ArrayType(_word, MASK))
            here = builder.zext(_call(builder, "spark_csr_getcpu", _code), _word)
            status = _affinity(builder, "get", number, place)
            builder.store(builder.load(builder.bitcast(place, allowed.type)), allowed)
            inside = builder.icmp_unsigned("<", here, _word(64 * MASK))
            with builder.if_then(builder.and_(inside, builder.icmp_signed("==", status, _code(0)))):
                word = builder.gep(allowed, [_code(0), builder.lshr(here, _word(6))])
                bit = builder.shl(_word(1), builder.and_(here, _word(63)))
                builder.store(builder.and_(builder.load(word), builder.not_(bit)), word)
                _affinity(builder, "set", number, allowed)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def run_on(typingctx, kept):
    """Let this thread run on the processors that `keep_off` wrote to the places from `kept` on."""

    def codegen(context, builder, sig, args):
        if CAN_MOVE:
            _affinity(builder, "set", _code(0), address_of_word(builder, args[0]))
        return context.get_dummy_value()

    return types.void(types.int64), codegen


def _affinity(builder, verb, thread, mask):
    """Emit a call of `sched_getaffinity` or `sched_setaffinity`; return its status."""
    mask = builder.bitcast(mask, _byte_pointer)
    return _call(builder, f"spark_csr_{verb}affinity", _code, thread, _word(8 * MASK), mask)
