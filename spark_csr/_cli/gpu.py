"""Timing on a GPU with CuPy: events measure the kernels, the clock measures the calls.

CuPy is imported when a function is called, so never unless a GPU is asked for.
"""

import functools
import importlib
import time

import numpy as np

_BUSY = r"""
extern "C" __global__ void busy(long long ticks) {
    long long start = clock64();
    while (clock64() - start < ticks) { }
}
"""


def cupy_module():
    """Return CuPy, imported now."""
    return importlib.import_module("cupy")


def calls_that_fit(function, seconds=0.5, most=20):
    """Return how many calls take about `seconds`: at least 1, at most `most`. The second of two calls is timed."""
    function()
    return int(min(max(seconds / max(_time_calls(function, 1), 1e-7), 1), most))


def kernel_time(function, calls=None):
    """Return the seconds per call that the device works, without launch costs, for functions that read nothing back.

    A kernel that only waits is launched first, so that all calls are queued by the time the device starts them. If a function
    reads a result on the host, its first read waits for that kernel and later calls are not queued: use `call_time`.
    """
    calls = calls or calls_that_fit(function)
    queued = _queue_time(function, calls)
    ticks = int(min(queued * 3 + 0.001, 0.1) * 2e9)  # no GPU's clock is much above 2 GHz: the wait is never too short
    cupy = cupy_module()
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    _busy()((1,), (1,), (np.int64(ticks),))
    begin.record()
    for _ in range(calls):
        function()
    end.record()
    end.synchronize()
    return cupy.cuda.get_elapsed_time(begin, end) * 1e-3 / calls


def call_time(function, calls=None):
    """Return the seconds per call by the clock, with one wait for the device at the end: the larger of host and device work."""
    calls = calls or calls_that_fit(function, most=50)
    return _time_calls(function, calls) / calls


def time_rounds(functions, rounds=5, after_round=None, timer=kernel_time, seconds=0.5):
    """Time functions in turn, as `measure.time_rounds` does; return (rounds, functions) seconds per call.

    A turn takes about `seconds`, or one call if that takes longer.
    """
    counts = [calls_that_fit(function, seconds) for function in functions]
    found = np.empty((rounds, len(functions)))
    for r in range(rounds):
        for k, function in enumerate(functions):
            found[r, k] = timer(function, counts[k])
        if after_round is not None:
            after_round()
    return found


def copy_bandwidth(megabytes=1024):
    """Return the bytes per second, read and written together, of a copy on the device: the best of several."""
    cupy = cupy_module()
    x = cupy.ones(megabytes * 125_000)
    out = cupy.empty_like(x)
    return 2 * x.nbytes / time_rounds([lambda: cupy.copyto(out, x)], rounds=5).min()


def synchronize():
    """Wait until the current device has finished all work."""
    cupy_module().cuda.Device().synchronize()


def device_name():
    """Return the name that the manufacturer gives to the current device."""
    cupy = cupy_module()
    return cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()


@functools.cache
def _busy():
    return cupy_module().RawKernel(_BUSY, "busy")


def _queue_time(function, calls):
    """Return the seconds that the host needs to queue the calls."""
    synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        function()
    elapsed = time.perf_counter() - start
    synchronize()
    return elapsed


def _time_calls(function, calls):
    """Return the seconds until all calls are done."""
    synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        function()
    synchronize()
    return time.perf_counter() - start
