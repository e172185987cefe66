"""How a job is opened to workers, how they wait for one, and how its end is noticed."""

import ctypes
import threading

from spark_csr._engine.numba import njit
from spark_csr._engine.numba.intrinsics.record import add, change, peek, put, recall, remember
from spark_csr._engine.numba.intrinsics.signals import handle_signals
from spark_csr._engine.numba.intrinsics.threads import clock, give_way, keep_off, pause, release, run_on, sleep, this_thread
from spark_csr._engine.numba.jobs import ALL, SEVERAL, address_of, stop, take_part
from spark_csr._engine.team.record import (
    ACTIVE,
    ALLOWED,
    BLOCK,
    COST,
    EACH,
    ENDED,
    EPOCH,
    EXPECTED,
    HAND_OVER,
    JOB,
    LEAD,
    LIMIT,
    LOCK,
    LONGEST_WAKE,
    LOOKED,
    MAIN,
    OPENED,
    OWNER,
    PATIENCE,
    RARELY,
    SPIN,
    TEAM,
    THREAD,
    UNSHARED,
    WAKE,
    WAKING,
    WOKEN,
    WORKERS,
)

_SIGNALS = 100_000_000
"""Nanoseconds after which Python's main thread looks for signals again: a Ctrl-C is to be answered within a second."""

_QUICK = 1_000_000
"""Nanoseconds within which tiles must end for the clock to be read once for several of them."""


@njit
def _wake(worker):
    """Wake a worker, if it may take part and sleeps, on another processor than this thread's.

    A scheduler puts a woken thread beside the one that woke it if the other processors seem to be taken, as idle ones of a
    virtual machine do: both then work at half the speed for tens of milliseconds, while a processor is idle. `A @ x` of
    100,000 entries took 55 us then, in place of 21 (two processors of an EPYC, family 26 model 2, Linux 6.18).
    """
    place = WORKERS + EACH * worker
    if worker < peek(LIMIT) and peek(place) == 1 and change(place, 1, 0):
        keep_off(peek(place + THREAD), place + ALLOWED)
        release(peek(place + LOCK))


@njit
def _wake_next(worker):
    """Wake two workers, each of which wakes two more: many are awake soon."""
    _wake(2 * worker + 1)
    _wake(2 * worker + 2)


@njit
def _wait_for_workers():
    """Wait until no worker takes part. Look for a moment, then sleep, since a worker may not be running."""
    since = clock()
    while peek(ACTIVE) != 0:
        for _ in range(32):
            pause()
        if clock() - since > peek(PATIENCE):
            put(WORKERS, 1)
            if peek(ACTIVE) != 0 or not change(WORKERS, 1, 0):
                sleep(peek(WORKERS + LOCK))


@njit
def _leave():
    """Stop taking part; the last worker wakes the waiting thread if it sleeps."""
    add(ACTIVE, -1)
    if peek(ACTIVE) == 0 and peek(WORKERS) == 1 and change(WORKERS, 1, 0):
        release(peek(WORKERS + LOCK))


@njit
def _is_interrupted(block, now):
    """Let Python handle signals, if it did not for a while and this is its main thread. End the job if a handler raises."""
    if now - peek(LOOKED) < _SIGNALS or this_thread() != peek(MAIN):
        return False
    put(LOOKED, now)
    if not handle_signals():
        return False
    stop(block)
    return True


@njit
def _run_tiles(job, block):
    """Run tiles until none is left or a handler of a signal raises; return how many."""
    done, before, most = 0, clock(), 1
    while True:
        ran = take_part(job, block, 0, most)
        done += ran
        now = clock()
        if ran < most or _is_interrupted(block, now):
            return done
        most = SEVERAL if now - before < _QUICK else 1
        before = now


@njit
def _lead(job, block, tiles, cores, memory):
    """Run a job of two tiles or more; see the module. A core that is alone looks at the clock after each tile.

    What a tile took is kept at the address `memory`, for the next job from the same place.
    """
    if cores == 1:
        _run_tiles(job, block)
        return
    begin = before = clock()
    done, ahead, least = 0, tiles * recall(memory), peek(HAND_OVER)
    while ahead < least:
        if take_part(job, block, 0, 1) == 0:
            remember(memory, (before - begin) // max(done, 1))
            return
        done += 1
        now = clock()
        if _is_interrupted(block, now):
            return
        ahead = (tiles - done) * max(now - before, (now - begin) // done)
        before = now
    if not change(OWNER, 0, 1):
        _run_tiles(job, block)
        return
    cost = max(peek(COST), peek(WAKE))
    unshared = ahead + (peek(UNSHARED) if before - peek(ENDED) < peek(SPIN) else 0)
    waking = max(unshared, peek(EXPECTED) - before) >= cost
    waking |= unshared >= peek(WAKE) and before - peek(WOKEN) > peek(RARELY) * cost
    put(JOB, job)
    put(BLOCK, block)
    put(LIMIT, cores)
    put(WAKING, waking)
    put(OPENED, before)
    add(EPOCH, 1)
    begin, done = before, 0
    while not waking and take_part(job, block, 0, 1):
        done += 1
        waking = clock() - begin >= cost
    if waking:
        put(OPENED, clock())
        put(WOKEN, peek(OPENED))
        put(WAKING, 1)
        _wake_next(0)
        begin, done = clock(), _run_tiles(job, block)
    remember(memory, (clock() - begin) // max(done, 1))
    add(EPOCH, 1)
    _wait_for_workers()
    put(UNSHARED, 0 if waking else unshared)
    put(ENDED, clock())
    put(OWNER, 0)


@njit
def expect_jobs(nanoseconds):
    """Announce that jobs follow each other for some nanoseconds: workers are then woken although each job is shorter than
    waking them.
    """
    put(EXPECTED, clock() + nanoseconds)


def publish(hand_over, spin, wake, longest_wake, patience, rarely):
    """Say the numbers that workers go by, then where `_lead` is: from then on jobs are opened to workers."""
    put(HAND_OVER, hand_over)
    put(SPIN, spin)
    put(WAKE, wake)
    put(LONGEST_WAKE, longest_wake)
    put(PATIENCE, patience)
    put(RARELY, rarely)
    put(LEAD, address_of(_lead))


def serve(worker):
    """Wait for jobs and take part in them, as long as the process lives.

    A worker that has looked for a job for a quarter of its time lets other threads run first. Else it would keep the threads of
    a BLAS library waiting: SciPy's `cg` with 30,000 to 100,000 unknowns took 1.4 times as long (EPYC, family 26 model 2,
    2026-11). Cost: beside other busy processes, operations of several steps lose a tenth.
    """
    place = WORKERS + EACH * worker
    seen, since = 0, clock()
    while True:
        epoch = peek(EPOCH)
        if epoch & 1 and epoch != seen:
            add(ACTIVE, 1)
            if peek(EPOCH) == epoch and worker < peek(LIMIT):
                if peek(WAKING):
                    _wake_next(worker)
                take_part(peek(JOB), peek(BLOCK), worker, ALL)
            _leave()
            seen, since = epoch, clock()
        else:
            for _ in range(32):
                pause()
            idle = clock() - since
            if idle > peek(SPIN) // 4:
                give_way()
            if idle > peek(SPIN):
                put(place, 1)
                epoch = peek(EPOCH)
                if epoch & 1 and epoch != seen and change(place, 1, 0):
                    continue  # this job may have been opened before others could see that the worker sleeps
                sleep(peek(place + LOCK))
                since = clock()
                run_on(place + ALLOWED)
                took = min(max(since - peek(OPENED), 0), peek(LONGEST_WAKE))
                put(COST, min(took, (3 * peek(COST) + took) // 4))


_allocate, _acquire = ctypes.pythonapi.PyThread_allocate_lock, ctypes.pythonapi.PyThread_acquire_lock
_allocate.restype, _acquire.argtypes = ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_int)


def add_lock(number):
    """Give a worker, or the thread whose job is open, a lock to sleep on."""
    lock = _allocate()
    _acquire(lock, 0)
    TEAM[WORKERS + EACH * number + LOCK] = lock


def add_thread(number):
    """Note the system's number of this thread, which is a worker."""
    TEAM[WORKERS + EACH * number + THREAD] = threading.get_native_id()


def forget_workers():
    """Clear the record in a forked process, which has none of its parent's threads but this one."""
    TEAM[:] = 0
    TEAM[MAIN] = threading.get_ident()
