"""`A @ x` on the cores: gather, multiply and sum in one pass over the matrix."""

import functools

import numpy as np
from numba import njit

from spark_csr._cpu.memory import ask_ahead
from spark_csr._cpu.segmented import SHORT, on_one_core, reduction
from spark_csr._cpu.threads import run_parallel
from spark_csr._specialise import specialise
from spark_csr.half import product_meanings


def _product(operands, position):
    data, indices, x = operands
    return multiply(scalar(stored(data[position])), scalar(x[np.uint64(indices[position])]))


@njit(forceinline=True)
def _ask_product(operands, position):
    ask_ahead(operands[0], position)
    ask_ahead(operands[1], position)


@functools.cache
def _kernels(ring, dtype, half):
    product = specialise(_product, **product_meanings(ring, dtype, half))
    return reduction(ring.add, dtype, njit(forceinline=True)(product), _ask_product, True)


def prepare_spmv(tiles, ring, indptr, indices, stored, dtype):
    """All that repeated products of one pattern share; returns `launch(data, x, y)`."""
    half = stored == np.float16
    kernels = _kernels(ring, dtype, half)
    rows, items, identity = tiles.rows, tiles.items, kernels.identity
    serially = on_one_core(tiles)
    if serially:
        kernel = kernels.short if np.diff(indptr).max(initial=0) <= SHORT else kernels.serial

    def launch(data, x, y):
        operands = (data.view(np.uint16) if half else data, indices, x)
        if serially:
            kernel(operands, indptr, rows, items, identity, y)
        else:
            run_parallel(kernels.parallel, operands, indptr, rows, items, identity, y)

    return launch
