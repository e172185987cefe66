"""`A @ x` on the cores: gather, multiply and sum in one pass over the matrix.

Design: how a row is summed depends on the pattern alone, so the bits do not depend on the number of threads. If row lengths
vary, branch mispredictions cost more than the products. Then the kernel computes the first four products of every row without a
branch, and replaces those beyond the row's end by the identity. Otherwise a plain loop is faster. It is also faster on one
core, where the processor learns the lengths of a few thousand rows. Under `plus_times`, float32 and float64 are summed in lanes
(see `dots`), unless one core takes a matrix all of whose rows are shorter than `LANES`. Other products are summed one by one,
and in eight partial sums from 16 entries on. Runs of shifted rows have kernels of their own (see `shifts`).

What the kernel for float64 and `plus_times` does where rows are neither irregular nor shifted, as plain Python. Its outer loops
are `_reduce_tiles` and `_reduce_tile` of `segmented`; `_dot` of `dots`, which calls `_dot_from`, is filled in for
`reduce_range`::

    for tile in range(tiles):  # on all cores
        row, last_row, start, stop = tile_bounds(tile)
        while row <= last_row:
            end = indptr[row + 1] if row < last_row else stop
            four = np.zeros(4)
            while start + 4 <= end:
                four, start = four + data[start : start + 4] * x[indices[start : start + 4]], start + 4
            two = four[:2] + four[2:]
            if start + 2 <= end:
                two, start = two + data[start : start + 2] * x[indices[start : start + 2]], start + 2
            total = two[0] + two[1]
            if start < end:
                total, start = total + data[start] * x[indices[start]], start + 1
            if row < last_row:
                y[row] = total
            else:
                carry[tile] = total  # the part of a row that ends in a later tile
            row += 1
    running = 0.0
    for tile in range(tiles - 1):  # on one core
        running, cut_row = running + carry[tile], tile_rows[tile + 1]
        if tile_rows[tile + 2] > cut_row:  # the row ends in the next tile
            y[cut_row], running = running + y[cut_row], 0.0
"""

import functools
from typing import NamedTuple

import numpy as np

from spark_csr import _ops as ops
from spark_csr._cpu.dots import dots, size_of
from spark_csr._cpu.memory import prefetch_ahead
from spark_csr._cpu.segmented import interleaved_reducer, is_for_one_core, prefetch_nothing, reduce_kernel
from spark_csr._cpu.shifts import dot_kernel, runs_of, shifted_kernel
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import as_argument, cores_for, helper, inline
from spark_csr._engine.holes import PREFETCH_DISTANCE_BYTES, add, decode, multiply, read_item, reduce_range, scalar
from spark_csr._engine.numba.intrinsics.lanes import LANES
from spark_csr._engine.numba.intrinsics.vectors import keep_first
from spark_csr._shared.half import product_meanings


def _reduce_in_order(operands, start, stop, total):
    """Add items `start` to `stop`, which are in the cache, to `total`, left to right.

    It does as `segmented._reduce_in_order`, with one test of the end for two items.
    """
    while start + 2 <= stop:
        total = scalar(add(total, read_item(operands, start)))
        total = scalar(add(total, read_item(operands, start + 1)))
        start += 2
    for last in range(start, start + (stop - start & 1)):
        total = scalar(add(total, read_item(operands, last)))
    return total


def _reduce_masked(operands, start, stop, identity):
    """Reduce items `start` to `stop`: the first four at once, without a branch on how many there are.

    There are as many items as `operands[0]` has elements.
    """
    total = identity
    if start + 4 <= np.uint64(size_of(operands[0])):
        a = read_item(operands, start)
        b = read_item(operands, start + 1)
        c = read_item(operands, start + 2)
        d = read_item(operands, start + 3)
        a, b, c, d = keep_first(stop - start, identity, (a, b, c, d))
        total = scalar(add(scalar(add(a, b)), scalar(add(c, d))))
        start = min(start + 4, stop)
    return scalar(add(total, reduce_range(operands, start, stop, identity)))


@helper
def _product(operands, position):
    data, indices, x = operands
    return scalar(multiply(scalar(decode(data[position])), scalar(x[indices[position]])))


@helper
def _prefetch_product(operands, position):
    prefetch_ahead(operands[0], position, PREFETCH_DISTANCE_BYTES)
    prefetch_ahead(operands[1], position, PREFETCH_DISTANCE_BYTES)


class Kernels(NamedTuple):
    """The kernels of one semiring and type."""

    short: object  # one core, only short rows
    serial: object  # one core, rows of any length
    regular: object  # all cores, rows of similar length
    irregular: object  # all cores, rows of varying length
    shifted: object  # runs of rows that are shifted (see `shifts`), on one core or all


class Reducers(NamedTuple):
    """Functions that sum the products of a row, for rows such as the kernels of these names are for."""

    short: object
    serial: object
    regular: object
    irregular: object


def row_reducers(ring, dtype, half, ahead):
    """Return the `Reducers` of one semiring and type."""
    meanings = product_meanings(ring, dtype, half) | {"read_item": _product, "PREFETCH_DISTANCE_BYTES": ahead}
    in_order = inline(_reduce_in_order, **meanings)
    near, far = (interleaved_reducer(in_order, prefetch, meanings) for prefetch in (prefetch_nothing, _prefetch_product))
    return Reducers(in_order, near, far, inline(_reduce_masked, reduce_range=far, **meanings))


@functools.cache
def _kernels(ring, dtype, half, ahead):
    meanings = {"add": ring.add.op, "scalar": dtype.type}
    reducers = row_reducers(ring, dtype, half, ahead)
    kernels = (reduce_kernel(reducer, meanings, reads=("operands",)) for reducer in reducers)
    return Kernels(*kernels, shifted=shifted_kernel({**product_meanings(ring, dtype, half), **meanings}))


@functools.cache
def _dot_kernels(dtype, far, ahead):
    meanings, functions = {"add": ops.PLUS_TIMES.add.op, "scalar": dtype.type}, dots(far, ahead)
    regular, irregular = (reduce_kernel(dot, meanings, reads=("operands",)) for dot in (functions.any, functions.irregular))
    return Kernels(short=regular, serial=regular, regular=regular, irregular=irregular, shifted=dot_kernel(functions))


def is_irregular(lengths):
    """Return whether the lengths of rows change so often that processors mispredict them."""
    return np.count_nonzero(lengths[1:] != lengths[:-1]) > TUNING.spmv_irregular * lengths.size


def prepare_spmv(tiles, ring, indptr, indices, stored, dtype):
    """Return `launch(data, x, y)`, which holds all that repeated products of one pattern share."""
    half = stored == np.float16
    in_lanes = ring == ops.PLUS_TIMES and stored == dtype and dtype.char in "fd"
    identity, pattern = as_argument(ring.add.identity_for(dtype)), (indptr, tiles.rows, tiles.items)
    lengths, serially = np.diff(indptr), is_for_one_core(tiles)
    longest, runs = lengths.max(initial=0), None
    if not serially or (in_lanes and tiles.entries > TUNING.spmv_runs_from):
        runs = runs_of(indptr, indices, lengths, tiles.rows)
    if in_lanes and (longest >= LANES or not serially or runs is not None):
        far = indices.size * (dtype.itemsize + indices.itemsize) > TUNING.spmv_far_bytes
        kernels = _dot_kernels(dtype, far, TUNING.memory_ahead)
    else:
        kernels = _kernels(ring, dtype, half, TUNING.memory_ahead)
    if runs is not None:
        kernel, pattern = kernels.shifted, (runs, tiles.rows, TUNING.spmv_runs_ahead)
    elif serially:
        kernel = kernels.short if longest <= TUNING.spmv_short_row else kernels.serial
    else:
        maskable = dtype.kind in "iuf" and ring.add in ops.MONOIDS.values()
        kernel = kernels.irregular if maskable and is_irregular(lengths) else kernels.regular

    def launch(data, x, y):
        operands = (data.view(np.uint16) if half else data, indices, x)
        kernel(1 if serially else cores_for(kernel), operands, *pattern, identity, y)

    return launch
