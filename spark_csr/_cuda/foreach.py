"""`for_each`: the body, once for every index, one thread each. `for_each_tile` and `for_few`: the same, an index is a tile."""

import functools

import numpy as np

from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, blocks_for, box, cuda
from spark_csr._engine.holes import THREADS, body

BOX = box(256, 1)  # not tuned


def _visit(n, arrays):
    i = np.int64(cuda.blockIdx.x) * THREADS + cuda.threadIdx.x
    if i < n:
        body(i, *arrays)


def _visit_tile(n, arrays):
    i = np.int64(cuda.blockIdx.x) * THREADS + cuda.threadIdx.x
    if i < n:
        body(np.uint64(i), np.uint64(i + 1), *arrays)


@functools.cache
def _kernel(function):
    return Kernel(specialise(_visit, body=function, THREADS=BOX.threads), BOX.threads, views=True)


@functools.cache
def _tile_kernel(function):
    return Kernel(specialise(_visit_tile, body=function, THREADS=BOX.threads), BOX.threads, views=True)


def for_each(n, body, *arrays):
    _kernel(body)(blocks_for(n, BOX.threads), n, arrays)


def for_few(n, work, body, *arrays):
    for_each(n, body, *arrays)


def visit_tile_size(n):
    """Return how many of `n` indices a tile takes, a power of two."""
    return 1


def for_each_tile(n, body, *arrays):
    _tile_kernel(body)(blocks_for(n, BOX.threads), n, arrays)
