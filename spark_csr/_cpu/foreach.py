"""`for_each`: the body, once for every index, on all cores."""

import functools

import numpy as np
from numba import njit, prange

from spark_csr._cpu.threads import run_parallel
from spark_csr._specialise import specialise

SERIAL = 4096  # below this many indices a parallel region costs more than the loop; not tuned further


def _loop(n, arrays):
    for i in range(n):
        body(np.int64(i), *arrays)


def _loop_on_all_cores(n, arrays):
    """Another function, not another option: Numba's cache on disk tells functions apart by name, not `parallel`."""
    for i in prange(n):
        body(np.int64(i), *arrays)


@functools.cache
def _kernels(function):
    serial, parallel = (specialise(loop, body=function) for loop in (_loop, _loop_on_all_cores))
    return njit(nogil=True, cache=True)(serial), njit(parallel=True, nogil=True, cache=True)(parallel)


def for_each(n, body, *arrays):
    serial, parallel = _kernels(body)
    if n <= SERIAL:
        serial(n, arrays)
    else:
        run_parallel(parallel, n, arrays)
