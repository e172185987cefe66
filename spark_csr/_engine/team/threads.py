"""How many cores a kernel may use, and the threads that are its workers.

Workers start when a kernel may first use more than one core. A forked process has none of its parent's threads: it starts its
own workers when it needs them. Where there is but one core, a thread in place of the workers loads the function that leads
jobs, which answers Ctrl-C.
"""

import contextlib
import os
import threading

import numba

from spark_csr._config import config
from spark_csr._engine.kernel import Kernel
from spark_csr._engine.meaning import can_raise
from spark_csr._engine.signals import delay_signals
from spark_csr._engine.team import MOST, add_lock, add_thread, forget_workers, publish, serve
from spark_csr._engine.team.tuning import TUNING

_starting = threading.RLock()
_workers = -1
"""How many workers this process has started; -1 before it was told by what numbers jobs are led."""


def _after_fork():
    """Reset the state of a forked child, which has none of its parent's threads: whoever held a lock is gone, too."""
    global _starting, _workers
    _starting, _workers = threading.RLock(), -1
    forget_workers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _start_workers(count):
    """Start workers until there are `count`. They are daemons: a process ends without waiting for them.

    A worker is counted before it starts. If it cannot start, kernels run on fewer cores; two workers of one number would share
    scratch memory and give wrong results.
    """
    global _workers
    with delay_signals(), _starting:
        for worker in range(_workers + 1, count + 1):
            add_lock(worker)
            _workers = worker
            if worker > 0 or count == 0:
                with contextlib.suppress(RuntimeError):  # the system has no more threads
                    threading.Thread(target=_work, args=(worker,), name=f"spark_csr worker {worker}", daemon=True).start()


def _work(worker):
    """Run a worker in this thread. It does not return, unless it is number 0: the thread whose job is open does its work."""
    if worker > 0:
        add_thread(worker)
    with config(verbose=False):  # the calling thread prints the notice, workers do not
        waking = TUNING.team_wake, TUNING.team_longest_wake
        _publish(TUNING.team_hand_over, TUNING.team_spin, *waking, TUNING.team_patience, TUNING.team_rarely)
    if worker > 0:
        _serve(worker)


def count_cores():
    """Return how many cores may be used: at most `config.threads`."""
    threads = config.threads
    return MOST if threads is None else min(threads, MOST)


def cores_for(kernel):
    """Return how many cores `kernel` may use: those of `count_cores`; one if it can raise, so that the first error counts."""
    cores = count_cores()
    if cores > 1 and can_raise(kernel):
        cores = 1
    if cores > _workers + 1:
        _start_workers(cores - 1)
    return cores


def compile_kernel(kernel=None, **options):
    """Return the `Kernel` of a function, `@njit` or not, which Python calls; if nothing is to be compiled, the function."""
    if kernel is None:
        return lambda kernel: compile_kernel(kernel, **options)
    return kernel if numba.config.DISABLE_JIT else Kernel(getattr(kernel, "py_func", kernel), **options)


def run_on_all_cores(kernel, *args):
    """Call `kernel(cores, *args)` with as many cores as it may use."""
    return kernel(cores_for(kernel), *args)


def as_argument(scalar):
    """Return a NumPy scalar as a Python number where Numba gives both one type: it takes 0.3 us less to look at."""
    number = scalar.item()
    return number if numba.typeof(number) == numba.typeof(scalar) else scalar


_publish, _serve = compile_kernel(publish), compile_kernel(serve)
