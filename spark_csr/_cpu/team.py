"""Hand out the tiles of a job to all cores: every parallel kernel is built on `for_tiles`.

Design: a kernel calls `for_tiles(cores, tiles, body, args)`, and whichever core is free takes the next tile from an atomic
counter, so a core that is taken away costs the tile it holds and no more. One core begins. It opens the job to the others once
the work that is left takes longer than handing it over, and wakes sleeping workers once it takes longer than waking them. What
a tile takes is known from the last job of the same place in the code, or measured while the job runs. Workers are Python
threads that stay in compiled code: they look for a job for a moment, then sleep on a lock. Results depend on the tiles, never
on which core took them.

Numba's `prange` is not used, since its threads wait for each other: beside other busy processes on two cores, the median
product of 500,000 entries took 32 ms with OpenMP and 0.7 ms with this module (EPYC, family 25 model 17, 2026-11). A kernel is
also compiled once instead of twice, without the passes of `prange`.

One job runs at a time: a second Python thread, or a job inside of a job, finds the workers taken and works alone.
"""

import ctypes
import platform
import sys
import time

import numpy as np
from llvmlite import binding, ir
from numba import config, types
from numba.core import cgutils
from numba.core.callconv import Status, excinfo_ptr_t
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic, overload

from spark_csr import cgroups
from spark_csr._cpu.cache import njit

HAND_OVER = 20_000
"""Nanoseconds of work that is left from which a job is opened to workers that are awake."""

SPIN = 150_000
"""Nanoseconds for which a worker looks for the next job before it sleeps: about as long as waking it takes, so that it wastes
at most what it saves."""

WAKE = 50_000
"""Nanoseconds that waking a worker is taken to need before it is measured, and the least that is assumed afterwards."""

LONGEST_WAKE = 4_000_000
"""Nanoseconds that waking a worker is taken to need at most, however long it took on a busy machine."""

PATIENCE = 100_000
"""Nanoseconds for which a thread that has no tiles left looks whether the others are done, before it sleeps."""

RARELY = 32
"""How many times as long as waking a worker took is waited before a job that is shorter than that wakes workers again: so
machines that become quiet are noticed, and busy ones lose a thirtieth."""

EPOCH, ACTIVE, OWNER, COST, LEAD, WOKEN = 0, 16, 32, 40, 41, 42
"""Places in the record of the team: the number of the job, odd while it is open; how many workers take part; whether a job has
the team; what waking a worker costs; the address of `_lead`, 0 as long as there are no workers; when workers were woken last.
Places that change often are on cache lines of their own."""

JOB, BLOCK, LIMIT, WAKING, OPENED, EXPECTED = 48, 49, 50, 51, 52, 53
"""Places that describe the open job: its code, its arguments, how many cores may take part, whether to wake sleeping workers,
and when it was opened; and until when more jobs are expected to follow."""

WORKERS, EACH, LOCK = 64, 16, 1
"""Where the workers' places begin, how many each has, and which of them is its lock; the first says whether it sleeps. Number 0
is the thread whose job is open."""

MOST = 1 if config.DISABLE_JIT else min(config.NUMBA_NUM_THREADS, cgroups.cores())
"""How many cores a job may use: as many as Numba would, and as a container allows; one where nothing is compiled."""
TEAM = np.zeros(WORKERS + EACH * (MOST + 1), np.int64)
"""The record, at one address as long as the process lives; compiled code knows it by name."""
ctypes.pythonapi.Py_IncRef(ctypes.py_object(TEAM))  # a worker may read it while the interpreter ends and frees its modules

_word, _code, _byte = ir.IntType(64), ir.IntType(32), ir.IntType(8).as_pointer()
_job = ir.FunctionType(_word, [_byte, _word, _word])


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


def _place(builder, k):
    """Emit the address of place `k` of the record."""
    record = builder.module.globals.get("spark_csr_team")
    if record is None:
        record = ir.GlobalVariable(builder.module, ir.ArrayType(_word, 0), "spark_csr_team")
    return builder.gep(record, [_word(0), k])


def _call_c(builder, name, returned, *args):
    kind = ir.FunctionType(returned, [a.type for a in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@intrinsic
def _peek(typingctx, k):
    """Return the value at place `k`."""

    def codegen(context, builder, sig, args):
        return builder.load_atomic(_place(builder, args[0]), "seq_cst", 8)

    return types.int64(types.int64), codegen


@intrinsic
def _put(typingctx, k, value):
    def codegen(context, builder, sig, args):
        builder.store_atomic(args[1], _place(builder, args[0]), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def _add(typingctx, k, amount):
    def codegen(context, builder, sig, args):
        builder.atomic_rmw("add", _place(builder, args[0]), args[1], "seq_cst")
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def _change(typingctx, k, before, after):
    """Replace the value `before` at place `k` by `after`; return whether `before` was there."""

    def codegen(context, builder, sig, args):
        found = builder.cmpxchg(_place(builder, args[0]), args[1], args[2], "seq_cst", "seq_cst")
        return builder.extract_value(found, 1)

    return types.boolean(types.int64, types.int64, types.int64), codegen


@intrinsic
def _now(typingctx):
    """Return the time in nanoseconds since some moment."""

    def codegen(context, builder, sig, args):
        read = cgutils.alloca_once(builder, ir.ArrayType(_word, 2))
        first, second = (builder.gep(read, [_code(0), _code(k)]) for k in (0, 1))
        if WINDOWS:
            _call_c(builder, "spark_csr_clock", _code, first)
            return builder.mul(builder.load(first), _word(TICK))
        _call_c(builder, "spark_csr_clock", _code, _code(TICK), first)
        return builder.add(builder.mul(builder.load(first), _word(10**9)), builder.load(second))

    return types.int64(), codegen


@intrinsic
def _sleep(typingctx, lock):
    """Wait until the lock is released."""

    def codegen(context, builder, sig, args):
        _call_c(builder, "spark_csr_acquire", _code, builder.inttoptr(args[0], _byte), _code(1))
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def _release(typingctx, lock):
    def codegen(context, builder, sig, args):
        _call_c(builder, "spark_csr_release", ir.VoidType(), builder.inttoptr(args[0], _byte))
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def _pause(typingctx):
    """Tell the processor that this is a loop that waits, where it has an instruction for that."""

    def codegen(context, builder, sig, args):
        if X86:
            _call_c(builder, "llvm.x86.sse2.pause", ir.VoidType())
        elif ARM:
            _call_c(builder, "llvm.aarch64.hint", ir.VoidType(), _code(1))
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def _take_part(typingctx, job, block, core, most):
    """Run tiles of a job until none is left, `most` at most, and return how many were run."""

    def codegen(context, builder, sig, args):
        job, block, core, most = args
        return builder.call(builder.inttoptr(job, _job.as_pointer()), [builder.inttoptr(block, _byte), core, most])

    return types.int64(types.int64, types.int64, types.int64, types.int64), codegen


@intrinsic
def _recall(typingctx, memory):
    """Return the value at an address."""

    def codegen(context, builder, sig, args):
        return builder.load_atomic(builder.inttoptr(args[0], _word.as_pointer()), "monotonic", 8)

    return types.int64(types.int64), codegen


@intrinsic
def _remember(typingctx, memory, value):
    def codegen(context, builder, sig, args):
        builder.store_atomic(args[1], builder.inttoptr(args[0], _word.as_pointer()), "monotonic", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@njit
def _wake(worker):
    """Wake a worker, if it may take part and sleeps."""
    place = WORKERS + EACH * worker
    if worker < _peek(LIMIT) and _peek(place) == 1 and _change(place, 1, 0):
        _release(_peek(place + LOCK))


@njit
def _wake_next(worker):
    """Wake two workers, each of which wakes two more: many are awake soon."""
    _wake(2 * worker + 1)
    _wake(2 * worker + 2)


@njit
def _wait_for_workers():
    """Wait until no worker takes part. Look for a moment, then sleep, since a worker may not be running."""
    since = _now()
    while _peek(ACTIVE) != 0:
        for _ in range(32):
            _pause()
        if _now() - since > PATIENCE:
            _put(WORKERS, 1)
            if _peek(ACTIVE) != 0 or not _change(WORKERS, 1, 0):
                _sleep(_peek(WORKERS + LOCK))


@njit
def _leave():
    """Stop taking part; the last worker wakes the waiting thread if it sleeps."""
    _add(ACTIVE, -1)
    if _peek(ACTIVE) == 0 and _peek(WORKERS) == 1 and _change(WORKERS, 1, 0):
        _release(_peek(WORKERS + LOCK))


ALL = 1 << 62
"""More tiles than there are."""

_LEAD = types.none, (types.int64,) * 5
"""What `_lead` returns and takes."""


@njit(cache=True)
def _lead(job, block, tiles, cores, memory):
    """Run a job of two tiles or more; see the module. A core that is alone looks at the clock after each tile.

    What a tile took is kept at the address `memory`, for the next job from the same place.
    """
    begin = before = _now()
    done, ahead = 0, tiles * _recall(memory)
    while ahead < HAND_OVER:
        if _take_part(job, block, 0, 1) == 0:
            _remember(memory, (before - begin) // max(done, 1))
            return
        done += 1
        now = _now()
        ahead = (tiles - done) * max(now - before, (now - begin) // done)
        before = now
    if not _change(OWNER, 0, 1):
        _take_part(job, block, 0, ALL)
        return
    cost = max(_peek(COST), WAKE)
    waking = max(ahead, _peek(EXPECTED) - before) >= cost or (ahead >= WAKE and before - _peek(WOKEN) > RARELY * cost)
    _put(JOB, job)
    _put(BLOCK, block)
    _put(LIMIT, cores)
    _put(WAKING, waking)
    _put(OPENED, before)
    _add(EPOCH, 1)
    begin, done = before, 0
    while not waking and _take_part(job, block, 0, 1):
        done += 1
        waking = _now() - begin >= cost
    if waking:
        _put(OPENED, _now())
        _put(WOKEN, _peek(OPENED))
        _put(WAKING, 1)
        _wake_next(0)
        begin, done = _now(), _take_part(job, block, 0, ALL)
    _remember(memory, (_now() - begin) // max(done, 1))
    _add(EPOCH, 1)
    _wait_for_workers()
    _put(OWNER, 0)


@njit
def expect_jobs(nanoseconds):
    """Say that jobs follow each other for so long: workers are then woken although each job is shorter than waking them."""
    _put(EXPECTED, _now() + nanoseconds)


@njit(nogil=True, cache=True)
def serve(worker):
    """Wait for jobs and take part in them, as long as the process lives."""
    place = WORKERS + EACH * worker
    seen, since = 0, _now()
    while True:
        epoch = _peek(EPOCH)
        if epoch & 1 and epoch != seen:
            _add(ACTIVE, 1)
            if _peek(EPOCH) == epoch and worker < _peek(LIMIT):
                if _peek(WAKING):
                    _wake_next(worker)
                _take_part(_peek(JOB), _peek(BLOCK), worker, ALL)
            _leave()
            seen, since = epoch, _now()
        else:
            for _ in range(32):
                _pause()
            if _now() - since > SPIN:
                _put(place, 1)
                epoch = _peek(EPOCH)
                if epoch & 1 and epoch != seen and _change(place, 1, 0):
                    continue  # this job may have been opened before others could see that the worker sleeps
                _sleep(_peek(place + LOCK))
                since = _now()
                took = min(since - _peek(OPENED), LONGEST_WAKE)
                _put(COST, min(took, (3 * _peek(COST) + took) // 4))


COUNTER, TILES, CODE, EXCEPTION, ARGS = range(5)
"""What a block holds: the next tile, on a cache line of its own; how many there are; the code and the exception of a tile that
failed; what `body` is given."""


def _block_type(args):
    return ir.LiteralStructType([ir.ArrayType(_word, 16), _word, _code, excinfo_ptr_t, args])


def _field(builder, block, k):
    return builder.gep(block, [_code(0), _code(k)])


def _borrowed(context, builder, kind, value):
    """Return the value without the owners of its arrays: tiles would count references that all cores fight for."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):
        items = cgutils.unpack_tuple(builder, value, len(kind))
        items = [_borrowed(context, builder, each, item) for each, item in zip(kind, items, strict=True)]
        return context.make_tuple(builder, kind, items)
    return value


def _emit_job(context, builder, body, args, block_type, by_core):
    """Emit the function that runs tiles of this body."""
    signature, compiled = body
    context.add_linking_libs((compiled.library,))
    function = ir.Function(builder.module, _job, builder.module.get_unique_name("spark_csr_job"))
    function.linkage = "internal"
    address, core, most = function.args
    inner = ir.IRBuilder(function.append_basic_block("entry"))
    look, take, work, failed, next_one, end = (
        function.append_basic_block(name) for name in ("look", "take", "work", "failed", "next", "end")
    )
    block = inner.bitcast(address, block_type.as_pointer())
    counter = inner.gep(block, [_code(0), _code(COUNTER), _code(0)])
    tiles = inner.load(_field(inner, block, TILES))
    items = cgutils.unpack_tuple(inner, inner.load(_field(inner, block, ARGS)), len(args))
    items = [_borrowed(context, inner, kind, item) for kind, item in zip(args, items, strict=True)]
    run = cgutils.alloca_once_value(inner, _word(0))
    inner.branch(look)
    inner.position_at_end(look)
    inner.cbranch(inner.icmp_signed("<", inner.load(run), most), take, end)
    inner.position_at_end(take)
    tile = inner.atomic_rmw("add", counter, _word(1), "monotonic")
    inner.cbranch(inner.icmp_signed("<", tile, tiles), work, end)
    inner.position_at_end(work)
    place = [core, tile] if by_core else [tile]
    status, _ = context.call_internal_no_propagate(inner, compiled.fndesc, signature, [*place, *items])
    inner.cbranch(status.is_error, failed, next_one)
    inner.position_at_end(failed)
    first = inner.cmpxchg(_field(inner, block, CODE), _code(0), status.code, "seq_cst", "seq_cst")
    with inner.if_then(inner.extract_value(first, 1)):
        inner.store(status.excinfoptr, _field(inner, block, EXCEPTION))
    inner.store_atomic(tiles, counter, "seq_cst", 8)
    inner.branch(end)
    inner.position_at_end(next_one)
    inner.store(inner.add(inner.load(run), _word(1)), run)
    inner.branch(look)
    inner.position_at_end(end)
    inner.ret(inner.load(run))
    return function


def _for_tiles(typingctx, cores, tiles, body, args, by_core):
    place = (types.uint64, types.uint64) if by_core else (types.uint64,)
    body_signature = body.get_call_type(typingctx, (*place, *args.types), {})
    compiled = body.dispatcher.get_compile_result(body_signature)

    def codegen(context, builder, sig, values):
        cores, tiles, _, args = values
        block_type = _block_type(args.type)
        job = _emit_job(context, builder, (body_signature, compiled), sig.args[3].types, block_type, by_core)
        block = cgutils.alloca_once(builder, block_type)
        block.align = 64
        builder.store(_word(0), builder.gep(block, [_code(0), _code(COUNTER), _code(0)]))
        builder.store(tiles, _field(builder, block, TILES))
        builder.store(_code(0), _field(builder, block, CODE))
        builder.store(args, _field(builder, block, ARGS))
        lead = builder.load_atomic(_place(builder, _word(LEAD)), "monotonic", 8)
        several = builder.and_(builder.icmp_signed(">", cores, _word(1)), builder.icmp_signed(">", tiles, _word(1)))
        with builder.if_else(builder.and_(several, cgutils.is_not_null(builder, lead))) as (together, alone):
            with together:
                kind = context.call_conv.get_function_type(*_LEAD)
                results = (cgutils.alloca_once(builder, pointer.pointee) for pointer in kind.args[:2])
                memory = cgutils.add_global_variable(builder.module, _word, "spark_csr_cost")
                memory.initializer, memory.linkage = _word(0), "internal"
                addresses = [builder.ptrtoint(each, _word) for each in (job, block, memory)]
                arguments = [*results, *addresses[:2], tiles, cores, addresses[2]]
                builder.call(builder.inttoptr(lead, kind.as_pointer()), arguments)
            with alone:
                builder.call(job, [builder.bitcast(block, _byte), _word(0), _word(ALL)])
        code = builder.load(_field(builder, block, CODE))
        with cgutils.if_unlikely(builder, cgutils.is_not_null(builder, code)):
            status = Status(code, *[None] * 6, builder.load(_field(builder, block, EXCEPTION)))
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, body, args), codegen


@intrinsic
def _tiles(typingctx, cores, tiles, body, args):
    return _for_tiles(typingctx, cores, tiles, body, args, by_core=False)


@intrinsic
def _tiles_by_core(typingctx, cores, tiles, body, args):
    return _for_tiles(typingctx, cores, tiles, body, args, by_core=True)


def for_tiles(cores, tiles, body, args):
    """Call `body(tile, *args)` for every tile, on at most `cores` cores, in any order; on one core in order.

    `tile` is a uint64. Once a tile raises, no further tile begins, and the kernel raises the same exception.
    """
    for tile in range(tiles):
        body(np.uint64(tile), *args)


def for_tiles_by_core(cores, tiles, body, args):
    """Do as `for_tiles` with `body(core, tile, *args)`: `core` is a uint64 below `cores`, and runs one tile at a time."""
    for tile in range(tiles):
        body(np.uint64(0), np.uint64(tile), *args)


@overload(for_tiles, jit_options={"forceinline": True})
def _compiled_for_tiles(cores, tiles, body, args):
    return lambda cores, tiles, body, args: _tiles(cores, tiles, body, args)


@overload(for_tiles_by_core, jit_options={"forceinline": True})
def _compiled_for_tiles_by_core(cores, tiles, body, args):
    return lambda cores, tiles, body, args: _tiles_by_core(cores, tiles, body, args)


_allocate, _acquire = ctypes.pythonapi.PyThread_allocate_lock, ctypes.pythonapi.PyThread_acquire_lock
_allocate.restype, _acquire.argtypes = ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_int)


def add_lock(number):
    """Give a worker, or the thread whose job is open, a lock to sleep on."""
    lock = _allocate()
    _acquire(lock, 0)
    TEAM[WORKERS + EACH * number + LOCK] = lock


def work(worker):
    """Run a worker in this thread. It does not return."""
    with global_compiler_lock:  # a process may be forked only while no thread is inside of LLVM
        lead = _lead.get_compile_result(types.void(*_LEAD[1]))
        serve.compile((types.int64,))
        TEAM[LEAD] = lead.library.get_pointer_to_function(lead.fndesc.llvm_func_name)
    serve(worker)


def forget_workers():
    """Clear the record in a forked process, which has none of its parent's threads."""
    TEAM[:] = 0
