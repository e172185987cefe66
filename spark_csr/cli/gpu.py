"""The same on a GPU, with CuPy: events for what the kernels take, the clock for what a call takes.

CuPy is imported when a function is called, which nobody does who has not asked for a GPU.
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
    """CuPy, imported now."""
    return importlib.import_module("cupy")


def kernel_time(function, calls=20):
    """Seconds per call that the device is at work, launch cost left out.

    A kernel that only waits goes first, so that all calls are queued by the time the device gets to them.
    """
    for _ in range(2):
        function()
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


def call_time(function, calls=50):
    """Seconds per call by the clock, with one wait for the device at the end: the larger of host and device work."""
    for _ in range(2):
        function()
    synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        function()
    synchronize()
    return (time.perf_counter() - start) / calls


def time_rounds(functions, rounds=5, after_round=None, timer=kernel_time):
    """As `measure.time_rounds`: (rounds, functions) seconds per call, functions taking turns."""
    seconds = np.empty((rounds, len(functions)))
    for r in range(rounds):
        for k, function in enumerate(functions):
            seconds[r, k] = timer(function)
        if after_round is not None:
            after_round()
    return seconds


def copy_bandwidth(megabytes=1024):
    """Bytes per second, read and written together, of a copy on the device: the best of several."""
    cupy = cupy_module()
    x = cupy.ones(megabytes * 125_000)
    out = cupy.empty_like(x)
    return 2 * x.nbytes / time_rounds([lambda: cupy.copyto(out, x)], rounds=5).min()


def synchronize():
    """Wait until the current device has nothing left to do."""
    cupy_module().cuda.Device().synchronize()


def device_name():
    """The name of the current device, as its maker gives it."""
    cupy = cupy_module()
    return cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["name"].decode()


@functools.cache
def _busy():
    return cupy_module().RawKernel(_BUSY, "busy")


def _queue_time(function, calls):
    """Seconds that the host needs to queue the calls."""
    synchronize()
    start = time.perf_counter()
    for _ in range(calls):
        function()
    elapsed = time.perf_counter() - start
    synchronize()
    return elapsed
