"""The command `compile`: compile kernels before they are needed, on all cores, and keep them.

Design: a kernel is compiled when it is called, so operations are called. Small and large operands may need different kernels,
so each operation runs on both. Each operation is a task of a pool of processes. Two of them may compile the same kernel, which
costs time and nothing else.
"""

import functools
import multiprocessing
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

import numpy as np

from spark_csr._cli import DTYPES
from spark_csr._cli.calls import CALLS, SIZES, operands
from spark_csr._cli.errors import CommandError
from spark_csr._cli.progress import Progress
from spark_csr._config import config
from spark_csr._engine import MOST, store
from spark_csr._operations.form.memory import available_memory

EVERYDAY = (("float64", "int32"), ("float32", "int32"))
"""Pairs of a dtype of values and a dtype of index arrays."""

MEMORY = 3 << 29
"""About the largest number of bytes that a process needs."""

WINDOWS = 61
"""The largest number of processes that a pool may have on Windows."""

ALL = tuple((dtype, index) for index in ("int32", "int64") for dtype in DTYPES)


def run(options):
    """Compile kernels, and print how many were compiled."""
    folder = store.writable()
    if folder is None:
        raise CommandError(f"no folder can keep kernels: set {store.VARIABLE} to a folder that can be written to")
    kinds = ALL if options.all else EVERYDAY
    if options.dtype:
        kinds = [
            (dtype, index) for index in dict.fromkeys(index for _, index in kinds) for dtype in dict.fromkeys(options.dtype)
        ]
    work = [(kind, name) for kind in kinds for name in CALLS]
    before, start = set(store.files()), time.perf_counter()
    jobs = min(options.jobs or _jobs(), len(work))
    with Progress(len(work)) as progress:
        used = _compile(work, jobs, progress)
    kernels = [file for file in store.files() if file.suffix == ".object"]
    made = len([file for file in kernels if file not in before])
    seconds = time.perf_counter() - start
    print(f"compiled {made} kernels in {seconds:.0f} s; {len(kernels)} are kept, and new ones are in {folder}")
    if options.copy_to is not None:
        try:
            store.copy_to(options.copy_to, used)
        except OSError as error:
            raise CommandError(f"{options.copy_to} takes no files: {error.strerror or error}") from error
        print(f"copied {len(used)} files that were used to {options.copy_to}")
    return 0


def _jobs():
    """Return the number of processes that compile: one for each core, if there is memory for them."""
    return max(1, min(MOST, available_memory(np.empty(0)) // MEMORY, WINDOWS if sys.platform == "win32" else MOST))


def _compile(work, jobs, progress):
    """Call every operation once, in `jobs` processes. Return the names of the files that they used."""
    used = set()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        futures = {pool.submit(call, *piece): piece for piece in work}
        try:
            for future in as_completed(futures):
                (dtype, index), name = futures[future]
                used |= future.result()
                progress.say(f"{name}, {dtype} and {index}")
                progress.tick()
        except BrokenProcessPool as error:
            raise CommandError(
                "a process ended while it compiled, perhaps for lack of memory: --jobs 1 needs the least"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)
    return used


def call(kind, name):
    """Call one operation on small and on large operands; leave out dtypes that it refuses.

    Return the names of the files of kernels that this process used since the last call.
    """
    dtype, index = map(np.dtype, kind)
    _call_with(dtype, index, name)
    used = frozenset(store.used)
    store.used.clear()
    return used


def _call_with(dtype, index, name):
    for size in SIZES.get(name, ("small", "large")):
        with config(threads=2, verbose=False), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for given in _operands(dtype, index, size):
                try:
                    CALLS[name](given)
                except TypeError:  # the operation is not defined for this dtype
                    return


@functools.lru_cache(maxsize=1)
def _operands(dtype, index, size):
    return operands(dtype, index, size)
