"""How a parallel kernel is entered.

Numba runs `prange` through TBB, OpenMP or its own `workqueue`, whichever it finds first. `workqueue` aborts the process
when two Python threads enter it at once, so there, and only there, callers take turns.

A process that was forked after its parent had started threads has none of them, and OpenMP ends it where it asks for them.
There every kernel runs on one core, compiled without threads; the bits are the same, since they depend on tiles alone.
"""

import contextlib
import functools
import os
import sys
import threading
import types
import warnings

import numba
from numba.core.compiler_lock import global_compiler_lock

from spark_csr._cpu.cache import njit
from spark_csr._cpu.team import MOST, forget_workers, work
from spark_csr._meaning import can_raise
from spark_csr._specialise import specialise
from spark_csr.config import config

_first_call = threading.Lock()
_turn = None
_forked = False
"""Whether this process was forked after its parent had started threads."""


def _after_fork():
    """In the child: the threads of the parent are gone, and so is whoever held a lock."""
    global _forked, _turn, _first_call, _starting, _workers
    parallel = sys.modules.get("numba.np.ufunc.parallel")
    _forked = _forked or (parallel is not None and parallel._is_initialized)
    _turn, _first_call, _starting, _workers = None, threading.Lock(), threading.Lock(), 0
    forget_workers()
    global_compiler_lock.release()


# A fork waits until no other thread compiles: the child could not go on from the middle of it.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=global_compiler_lock.acquire, after_in_parent=global_compiler_lock.release, after_in_child=_after_fork
    )


@njit(parallel=True, cache=True)
def _probe():
    total = 0
    for i in numba.prange(2):
        total += i
    return total


def _first_turn():
    """A lock under `workqueue`, else nothing to wait for. Known only once a parallel kernel has run."""
    global _turn
    with _first_call:
        if _turn is None:
            _probe()
            _turn = threading.Lock() if numba.threading_layer() == "workqueue" else contextlib.nullcontext()
    return _turn


def compiled_both_ways(kernel):
    """`kernel` for one core and for all. Under two names: Numba's cache on disk would hand the one compiled first to both."""
    return _on_one_core(kernel), compiled_for_all(kernel)


def compiled_for_all(kernel):
    """`kernel` for all cores; for one if it can raise."""
    return _on_one_core(kernel) if can_raise(kernel) else njit(parallel=True, nogil=True, cache=True)(kernel)


def _on_one_core(kernel):
    """A Python function compiled without threads."""
    serial = types.FunctionType(kernel.__code__, kernel.__globals__, kernel.__name__, kernel.__defaults__)
    serial.__module__, serial.__doc__ = kernel.__module__, kernel.__doc__
    serial.__qualname__ = f"{kernel.__qualname__}_on_one_core"
    return njit(nogil=True, cache=True)(serial)


@functools.cache
def _without_threads(kernel):
    """A parallel kernel on one core."""
    return _on_one_core(kernel.py_func)


def _alone(kernel, *args):
    """Run a parallel kernel in a process that cannot start threads, and say so once."""
    if config.threads != 1:
        _warn_of_fork()
    return _without_threads(kernel)(*args)


@functools.cache
def _warn_of_fork():
    warnings.warn(
        "this process was forked after its parent had started threads, so kernels run on one core here: start workers by "
        "multiprocessing's 'spawn' or 'forkserver' to use all cores, or set spark_csr.config.threads = 1",
        RuntimeWarning,
        stacklevel=2,
    )


@njit(forceinline=True)
def _only_core():
    return 0


@njit(forceinline=True)
def _this_core():
    return numba.get_thread_id()


def compiled_by_core(kernel, **meanings):
    """`compiled_both_ways` of a kernel that asks `core()` which core runs it."""
    serial, _ = compiled_both_ways(specialise(kernel, core=_only_core, **meanings))
    _, parallel = compiled_both_ways(specialise(kernel, core=_this_core, **meanings))
    return serial, parallel


def as_argument(scalar):
    """Return a NumPy scalar as a Python number where Numba gives both one type: it takes 0.3 us less to look at."""
    number = scalar.item()
    return number if numba.typeof(number) == numba.typeof(scalar) else scalar


def run_parallel(kernel, *args):
    """Call a parallel kernel on as many cores as `config.threads` allows."""
    if _forked:
        return _alone(kernel, *args)
    threads = config.threads
    with _turn or _first_turn():
        if threads is None:
            return kernel(*args)
        before = numba.get_num_threads()
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
        try:
            return kernel(*args)
        finally:
            numba.set_num_threads(before)


_starting = threading.Lock()
_workers = 0
"""How many workers this process has started."""


def _start_workers(count):
    """Start workers until there are `count`. They are daemons: a process ends without waiting for them."""
    global _workers
    with _starting:
        for worker in range(_workers + 1, count + 1):
            threading.Thread(target=work, args=(worker,), name=f"spark_csr worker {worker}", daemon=True).start()
            _workers = worker


def cores_for(kernel):
    """Return how many cores `kernel` may use: at most `config.threads`; one if it can raise, so that the first error counts."""
    threads = config.threads
    cores = MOST if threads is None else min(threads, MOST)
    if cores > 1 and can_raise(kernel):
        return 1
    if cores > _workers + 1:
        _start_workers(cores - 1)
    return cores


def compiled(kernel):
    """Compile `kernel(cores, ...)`, which hands out tiles."""
    return njit(nogil=True, cache=True)(kernel)


def on_all_cores(kernel, *args):
    """Call `kernel(cores, *args)` with as many cores as it may use."""
    return kernel(cores_for(kernel), *args)
