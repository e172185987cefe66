"""How a row of a table is timed, once for all tables.

Libraries take turns in rounds within one process. Each timed block comes after an idle pause and an untimed call, for other
libraries' threads keep spinning after their calls. A ratio is the median over rounds of `their time / our time` within a round,
so a disturbance that lasts longer than a round meets both; the ratio of the least times is told beside it. As long as a ratio
is not known to 5 %, further rounds follow, up to `--most`. Every result is compared with ours before anything is timed.
"""

import dataclasses
import math
import sys
import time
from collections.abc import Callable

import numpy as np

import peers
from peers.results import alike
from spark_csr._cli import gpu, measure

PAUSE, LONG_PAUSE = 0.05, 0.25  # seconds: MKL's threads spin for 0.2 s after a call


@dataclasses.dataclass
class Row:
    """An operation of `peers` with its operands, which are made when the row's turn comes."""

    name: str
    operation: str
    operands: Callable
    wanted: float | None = None
    """How many times faster than each library of `against` ours should be."""
    moved: Callable | None = None
    """A function of the operands: the bytes that must move."""
    against: tuple = ("scipy", "numpy", "awkward", "cupy", "torch on a GPU", "cuda.compute")
    without: tuple = ()
    """Libraries that are left out."""

    def figures(self, options):
        """What is told of the row: times by library, and whatever else there is."""
        operands = self.operands()
        found = {"wrong": [], "left_out": {}}
        calls = self.calls(operands, options, found)
        functions = list(calls.values())
        if options.device == "cpu":
            found |= summary(calls, rounds_on_cores(calls, options))
        else:
            found["host_reads"] = host_reads(functions[0])
            called = rounds_on_gpu(functions, gpu.call_time, options)
            for name, seconds in {"call": called, "host": rounds_on_gpu(functions, host_time, options)}.items():
                found[name] = {library: float(s) for library, s in zip(calls, np.median(seconds, axis=0), strict=True)}
            worked = called if found["host_reads"] else rounds_on_gpu(functions, gpu.kernel_time, options)
            found |= summary(calls, worked)
        if self.moved is not None:
            found["bytes"] = int(self.moved(*operands))
        return found

    def calls(self, operands, options, found):
        """By library the call to be timed, ours first; notes who is left out, and whose result differs from ours."""
        calls, expected = {}, None
        for library in peers.libraries(self.operation, options.device):
            beside = library in peers.OURS or options.beside is None or library in options.beside
            if library in self.without or not beside:
                continue
            try:
                call = peers.prepared(self.operation, library, *operands)
                result = call()
            except Exception as error:  # a library that is missing or fails must not hide the others
                if library in peers.OURS:
                    raise
                found["left_out"][library] = f"{type(error).__name__}: {error}"
                continue
            expected = result if not calls else expected
            if calls and not alike(self.operation, expected, library, result):
                found["wrong"].append(library)
            calls[library] = call
        if options.device != "cpu" and len(calls) == 1:
            here = peers.prepared(self.operation, "ours", *operands)()
            if not alike(self.operation, expected, "ours", here):
                found["wrong"].append("ours on the processor")
        return calls


def line(row, options, copy):
    """One line of a table, as data."""
    found = {"name": row.name, "wanted": row.wanted} | row.figures(options)
    against = [ratio["median"] for library, ratio in found["ratios"].items() if library in row.against]
    if row.wanted and against and options.size >= 1:  # what is wanted is said of full sizes
        found["reached"] = bool(min(against) >= row.wanted)
    if found.get("bytes"):
        found["bandwidth"] = found["bytes"] / next(iter(found["seconds"].values()))["least"]
        found["share_of_copy"] = found["bandwidth"] / copy
    return found


def summary(libraries, seconds):
    """Times and ratios of (rounds, libraries) seconds, of which ours are the first."""
    libraries, middle, least = list(libraries), np.median(seconds, axis=0), seconds.min(axis=0)
    times = {x: {"median": float(middle[k]), "least": float(least[k])} for k, x in enumerate(libraries)}
    ratios = {
        x: {"median": measure.speedup(seconds, 0, k), "least": float(least[k] / least[0])} for k, x in enumerate(libraries) if k
    }
    return {"rounds": len(seconds), "seconds": times, "ratios": ratios}


def rounds_on_cores(calls, options):
    """(rounds, libraries) seconds per call."""
    functions = list(calls.values())
    pause = 0.001 if options.smoke else LONG_PAUSE if any(x.startswith("mkl") for x in calls) else PAUSE
    if not any(isinstance(f, peers.Fresh) for f in functions):
        block = 0.001 if options.smoke else 0.02
        return measure.time_rounds(functions, rounds=options.rounds, block=block, pause=pause, most=options.most)
    seconds = []
    while len(seconds) < options.rounds or (len(seconds) < options.most and not measure.are_clear(np.array(seconds))):
        seconds.append([_seconds_in_place(function, pause) for function in functions])
    return np.array(seconds)


def _seconds_in_place(function, pause):
    """One call on a fresh copy, after an untimed one."""
    function()
    call = function.fresh()
    time.sleep(pause)
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def rounds_on_gpu(functions, timer, options):
    """(rounds, libraries) seconds per call: by the clock, or that the device is at work."""
    return gpu.time_rounds(functions, rounds=options.rounds, timer=timer, seconds=0.001 if options.smoke else options.turn)


def host_time(function, calls):
    """Seconds until a call returns, with nothing queued before it: the median of some calls."""
    seconds = []
    for _ in range(min(calls, 5)):
        gpu.synchronize()
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return np.median(seconds)


def host_reads(function):
    """How often a call waits for values of the device."""
    modules = [module for name, module in sys.modules.items() if name.startswith("spark_csr.")]
    places = [(module, name) for module in modules for name in ("to_host_scalar", "to_host_list") if hasattr(module, name)]
    reads, kept = [], [(module, name, getattr(module, name)) for module, name in places]
    for module, name, read in kept:
        setattr(module, name, lambda x, read=read: (reads.append(x), read(x))[1])
    try:
        function()
    finally:
        for module, name, read in kept:
            setattr(module, name, read)
    return len(reads)


def geometric_mean(values):
    """Of ratios, what a typical one is."""
    return math.exp(sum(map(math.log, values)) / len(values))
