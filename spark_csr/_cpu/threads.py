"""How a parallel kernel is entered.

Numba runs `prange` through TBB, OpenMP or its own `workqueue`, whichever it finds first. `workqueue` aborts the process
when two Python threads enter it at once, so there, and only there, callers take turns.
"""

import contextlib
import os
import threading
import types

import numba

from spark_csr._cpu.cache import njit
from spark_csr._specialise import specialise
from spark_csr.config import config

_first_call = threading.Lock()
_turn = None
_forked = False


def _remember_fork():
    """GNU OpenMP ends a child process that enters it if its parent had."""
    global _forked
    _forked = _turn is not None and numba.threading_layer() == "omp"


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_remember_fork)


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
    serial = types.FunctionType(kernel.__code__, kernel.__globals__, kernel.__name__, kernel.__defaults__)
    serial.__module__, serial.__doc__ = kernel.__module__, kernel.__doc__
    serial.__qualname__ = f"{kernel.__qualname__}_on_one_core"
    options = {"nogil": True, "cache": True}
    return njit(**options)(serial), njit(parallel=True, **options)(kernel)


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


def run_parallel(kernel, *args):
    """Call a parallel kernel on as many cores as `config.threads` allows."""
    if _forked:
        raise RuntimeError(
            "a forked process cannot run parallel kernels after its parent has (GNU OpenMP): use multiprocessing's "
            "'spawn' or 'forkserver', or install tbb"
        )
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
