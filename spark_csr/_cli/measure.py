"""The bandwidth of memory, and timings of functions side by side, on the cores.

The threads of some libraries spin for a while after a call, and so slow down the next function. Hence every timed block is
preceded by an idle pause and one untimed call, and functions that are compared take turns, in a new order every round: memory
pages that one function has just given back change the time of the next.
"""

import time

import numpy as np

from spark_csr._engine import compile_kernel, for_tiles, njit, run_on_all_cores

PAUSE = 0.02  # seconds; this is enough if no other library has threads

BLOCK = 65536
"""The number of items that a core reads or copies at a time."""


@njit(fastmath=True)
def _add_block(tile, x, sums):
    """Add up the items of a block."""
    start, total = tile * BLOCK, 0.0
    for i in range(start, min(start + BLOCK, np.uint64(x.size))):
        total += x[i]
    sums[tile] = total


@compile_kernel
def add_up(cores, x):
    """Return the sum of `x`, which all cores read."""
    sums = np.empty(-(-x.size // BLOCK))
    for_tiles(cores, sums.size, _add_block, (x, sums))
    return sums.sum()


@njit
def _copy_block(tile, x, out):
    """Copy the items of a block."""
    start = tile * BLOCK
    for i in range(start, min(start + BLOCK, np.uint64(x.size))):
        out[i] = x[i]


@compile_kernel
def _copy(cores, x, out):
    for_tiles(cores, -(-x.size // BLOCK), _copy_block, (x, out))


def read_bandwidth(megabytes=256):
    """Return the bytes per second at which all cores read memory: the best of several sums over an array larger than caches."""
    x = np.ones(megabytes * 125_000)
    return x.nbytes / _best(lambda: run_on_all_cores(add_up, x))


def copy_bandwidth(megabytes=256):
    """Return the bytes per second, read and written together, at which all cores copy memory: the best of several copies."""
    x = np.ones(megabytes * 125_000)
    out = np.ones_like(x)
    return 2 * x.nbytes / _best(lambda: run_on_all_cores(_copy, x, out))


def _best(function):
    return time_rounds([function], rounds=7).min()


CLEAR = 0.05
"""The standard error of a ratio, relative to it, below which no further rounds are needed."""


def time_rounds(functions, rounds=5, block=0.02, pause=PAUSE, after_round=None, most=None):
    """Time functions in turn.

    Parameters
    ----------
    functions : list of callables without arguments
        The functions to time. Each is called twice before anything is counted.
    rounds : int
        The number of turns of each function.
    block : float
        The duration of the calls that make one timing, in seconds, about.
    pause : float
        The seconds to wait before each timing. MKL's threads spin for 0.2 s after a call; SciPy has none.
    after_round : callable, optional
        A function that is called without arguments after every round.
    most : int, optional
        The largest number of rounds. Further rounds follow as long as the ratios of the times to those of the first function
        are not clear: some machines change between two speeds every tenth of a second.

    Returns
    -------
    (at least rounds, len(functions)) array
        Seconds per call. Compare within a row: its timings are neighbours in time.
    """
    counts = [_calls_in(block, function) for function in functions]
    most = max(rounds, most or 0)
    seconds = np.empty((most, len(functions)))
    order = np.random.default_rng(0)
    for r in range(most):
        if r >= rounds and are_clear(seconds[:r]):
            return seconds[:r]
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


def are_clear(seconds):
    """Return whether the medians over rounds of the ratios to the first function are known to within `CLEAR`."""
    ratios = seconds[:, 1:] / seconds[:, :1]
    low, middle, high = np.percentile(ratios, (25, 50, 75), axis=0)
    error = 0.93 * (high - low) / np.sqrt(len(ratios))  # that of a median of normally distributed values
    return bool((error <= CLEAR * middle).all())


def _calls_in(block, function):
    function()
    start = time.perf_counter()
    function()
    return max(1, min(10_000, int(block / max(time.perf_counter() - start, 1e-7))))


def speedup(seconds, of, over):
    """Return how many times as fast function `of` is as function `over`: the median over rounds of the ratio within a round."""
    return float(np.median(seconds[:, over] / seconds[:, of]))
