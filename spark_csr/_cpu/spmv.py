"""`A @ x` on the cores: gather, multiply and sum in one pass over the matrix."""

import functools
from typing import NamedTuple

import numpy as np
from numba import njit

from spark_csr._cpu.memory import ask_ahead as ask_for
from spark_csr._cpu.segmented import ask_nothing, interleaved, on_one_core, reduce_kernels
from spark_csr._cpu.threads import run_parallel
from spark_csr._specialise import specialise
from spark_csr.half import product_meanings

SHORT = 8
"""Entries of the longest row up to which one core sums rows in order: the sums of short rows overlap without help."""


def _reduce_near(operands, start, stop, total):
    """`total` and items `start` to `stop`, left to right, two for each test of the end; they are in the cache."""
    while start + np.uint64(2) <= stop:
        total = scalar(add(total, item(operands, start)))
        total = scalar(add(total, item(operands, start + np.uint64(1))))
        start += np.uint64(2)
    for last in range(start, start + (stop - start & np.uint64(1))):
        total = scalar(add(total, item(operands, last)))
    return total


def _reduce_far(operands, start, stop, total):
    """The same, asking memory ahead for what comes."""
    while start < stop:
        ask_ahead(operands, start)
        pause = min(stop, start + np.uint64(8))
        while start < pause:
            total = scalar(add(total, item(operands, start)))
            start += np.uint64(1)
    return total


def _product(operands, position):
    data, indices, x = operands
    return multiply(scalar(stored(data[position])), scalar(x[np.uint64(indices[position])]))


@njit(forceinline=True)
def _ask_product(operands, position):
    ask_for(operands[0], position)
    ask_for(operands[1], position)


class Kernels(NamedTuple):
    """Of one semiring and type: on one core for short rows, on one core for any, and on all cores."""

    short: object
    serial: object
    parallel: object


@functools.cache
def _kernels(ring, dtype, half):
    product = njit(forceinline=True)(specialise(_product, **product_meanings(ring, dtype, half)))
    meanings = {"add": ring.add.op, "scalar": dtype.type, "item": product}
    near = njit(inline="always")(specialise(_reduce_near, **meanings))
    far = njit(inline="always")(specialise(_reduce_far, ask_ahead=_ask_product, **meanings))
    short, _ = reduce_kernels(near, meanings)
    serial, _ = reduce_kernels(interleaved(near, ask_nothing, meanings), meanings)
    _, parallel = reduce_kernels(interleaved(far, _ask_product, meanings), meanings)
    return Kernels(short, serial, parallel)


def prepare_spmv(tiles, ring, indptr, indices, stored, dtype):
    """All that repeated products of one pattern share; returns `launch(data, x, y)`."""
    half = stored == np.float16
    kernels = _kernels(ring, dtype, half)
    rows, items, identity = tiles.rows, tiles.items, ring.add.identity_for(dtype)
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
