"""`A @ x` on the cores: gather, multiply and sum in one pass over the matrix."""

import functools

import numpy as np
from numba import njit

from spark_csr._cpu.memory import ask_ahead
from spark_csr._cpu.segmented import reduction
from spark_csr._cpu.threads import run_parallel
from spark_csr._specialise import specialise
from spark_csr.half import stored_reader


def _product(operands, position):
    data, indices, x = operands
    return multiply(scalar(stored(data[position])), scalar(x[np.uint64(indices[position])]))


@njit(forceinline=True)
def _ask_product(operands, position):
    ask_ahead(operands[0], position)
    ask_ahead(operands[1], position)


@functools.cache
def _kernels(ring, dtype, half):
    product = specialise(_product, multiply=ring.multiply, scalar=dtype.type, stored=stored_reader(half))
    return reduction(ring.add, dtype, njit(forceinline=True)(product), _ask_product, True)


def prepare_spmv(tiles, ring, indptr, indices, stored, dtype):
    """All that repeated products of one pattern share; returns `launch(data, x, y)`."""
    half = stored == np.float16
    serial, parallel, identity = _kernels(ring, dtype, half)
    rows, items, _ = tiles

    def launch(data, x, y):
        operands = (data.view(np.uint16) if half else data, indices, x)
        if rows.size == 2:
            serial(operands, indptr, rows, items, identity, y)
        else:
            run_parallel(parallel, operands, indptr, rows, items, identity, y)

    return launch
