"""How fast memory is, and how functions are timed side by side, on the processor.

Libraries with threads of their own keep them spinning for a while after a call, and so disturb whoever comes next. Hence
every timed block is preceded by an idle pause and one untimed call, and functions that are compared take turns, in a new
order every round: pages that one has just given back cost the next one more or less than others.
"""

import time

import numpy as np
from numba import prange

from spark_csr._cpu.cache import njit
from spark_csr._cpu.threads import run_parallel

PAUSE = 0.02  # seconds: enough where no other library has threads


@njit(parallel=True, fastmath=True, cache=True)
def _sum(x):
    total = 0.0
    for i in prange(x.size):
        total += x[i]
    return total


@njit(parallel=True, cache=True)
def _copy(x, out):
    for i in prange(x.size):
        out[i] = x[i]


def read_bandwidth(megabytes=256):
    """Bytes per second at which all cores read memory: the best of several sums over an array larger than caches."""
    x = np.ones(megabytes * 125_000)
    return x.nbytes / _best(lambda: run_parallel(_sum, x))


def copy_bandwidth(megabytes=256):
    """Bytes per second, read and written together, at which all cores copy memory: the best of several copies."""
    x = np.ones(megabytes * 125_000)
    out = np.ones_like(x)
    return 2 * x.nbytes / _best(lambda: run_parallel(_copy, x, out))


def _best(function):
    return time_rounds([function], rounds=7).min()


def time_rounds(functions, rounds=5, block=0.02, pause=PAUSE, after_round=None):
    """Time functions in turn.

    Parameters
    ----------
    functions : list of callables without arguments
        Each is called twice before anything counts.
    rounds : int
        How often each has its turn.
    block : float
        Seconds of calls that make one timing, about.
    pause : float
        Seconds to wait before each. MKL's threads spin for 0.2 s after a call, SciPy has none.
    after_round : callable, optional
        Called without arguments after every round.

    Returns
    -------
    (rounds, len(functions)) array
        Seconds per call. Compare within a row: its timings are neighbours in time.
    """
    counts = [_calls_in(block, function) for function in functions]
    seconds = np.empty((rounds, len(functions)))
    order = np.random.default_rng(0)
    for r in range(rounds):
        for k in order.permutation(len(functions)):
            function = functions[k]
            time.sleep(pause)
            function()
            calls = range(counts[k])
            start = time.perf_counter()
            for _ in calls:
                function()
            seconds[r, k] = (time.perf_counter() - start) / counts[k]
        if after_round is not None:
            after_round()
    return seconds


def _calls_in(block, function):
    function()
    start = time.perf_counter()
    function()
    return max(1, min(10_000, int(block / max(time.perf_counter() - start, 1e-7))))


def speedup(seconds, of, over):
    """How many times faster function `of` is than function `over`: the median over rounds of the ratio within a round."""
    return float(np.median(seconds[:, over] / seconds[:, of]))
