"""`compile`: compile kernels before they are needed, on all cores, and keep them.

Design: a kernel is compiled when it is called, so operations are called, on small and on large operands: what differs between
them is compiled too. Every operation is a piece of work for a process of a pool; two processes may compile the same kernel,
which costs time and nothing else.
"""

import functools
import multiprocessing
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

import numpy as np

from spark_csr import _kept
from spark_csr._cpu.team import MOST
from spark_csr.cli import DTYPES
from spark_csr.cli.calls import CALLS, SIZES, operands
from spark_csr.cli.errors import CommandError
from spark_csr.cli.progress import Progress
from spark_csr.config import config

EVERYDAY = (("float64", "int32"), ("float32", "int32"))
"""Dtypes of values and of index arrays."""

ALL = tuple((dtype, index) for index in ("int32", "int64") for dtype in DTYPES)


def run(options):
    """Compile, and say how many kernels were."""
    if not _kept.folders():
        raise CommandError(f"there is no folder for kernels: set {_kept.VARIABLE} to a folder that can be written to")
    kinds = ALL if options.all else EVERYDAY
    if options.dtype:
        kinds = [(dtype, index) for index in dict.fromkeys(index for _, index in kinds) for dtype in options.dtype]
    work = [(kind, name) for kind in kinds for name in CALLS]
    before, start = set(_kept.files()), time.perf_counter()
    jobs = min(options.jobs or MOST, len(work))
    with Progress(len(work)) as progress:
        _compile(work, jobs, progress)
    kernels = [file for file in _kept.files() if file.suffix == ".object"]
    made = len([file for file in kernels if file not in before])
    print(f"compiled {made} kernels in {time.perf_counter() - start:.0f} s; {len(kernels)} are kept in {_kept.folders()[0]}")
    return 0


def _compile(work, jobs, progress):
    """Call every operation once, in `jobs` processes."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = {pool.submit(call, *piece): piece for piece in work}
        try:
            for future in as_completed(futures):
                (dtype, index), name = futures[future]
                future.result()
                progress.say(f"{name}, {dtype} and {index}")
                progress.tick()
        except BrokenProcessPool as error:
            raise CommandError("a process ended while it compiled: is there enough memory? --jobs 1 takes the least") from error
        finally:
            pool.shutdown(cancel_futures=True)


def call(kind, name):
    """Do one operation on small and on large operands; refused dtypes are left out."""
    dtype, index = map(np.dtype, kind)
    for size in SIZES.get(name, ("small", "large")):
        with config(threads=2, verbose=False), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for given in _operands(dtype, index, size):
                try:
                    CALLS[name](given)
                except TypeError:  # the operation is not defined for this dtype
                    return


@functools.lru_cache(maxsize=2)
def _operands(dtype, index, size):
    return operands(dtype, index, size)
