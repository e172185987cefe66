"""`for_each`: the body, once for every index, on all cores."""

import functools

import numpy as np
from numba import prange

from spark_csr._cpu.threads import compiled_both_ways, run_parallel
from spark_csr._specialise import specialise

SERIAL = 4096  # below this many indices a parallel region costs more than the loop; not tuned further


def _loop(n, arrays):
    for i in prange(n):
        body(np.int64(i), *arrays)


@functools.cache
def _kernels(function):
    return compiled_both_ways(specialise(_loop, body=function))


def for_each(n, body, *arrays):
    serial, parallel = _kernels(body)
    if n <= SERIAL:
        serial(n, arrays)
    else:
        run_parallel(parallel, n, arrays)
