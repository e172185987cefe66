"""The softmax of every row: a core takes a tile of whole rows, and keeps it in its cache from the first step to the last.

Design: differences to the greatest of each row, exponentials of the whole tile, sums and quotients of each row. The exponential
is written out, as a loop over calls of a library's would not be done by vectors: the reduction of the argument is Cody and
Waite's (1980), the polynomial Taylor's, its error below that of rounding. Rows longer than a tile can be for one core go
through the same steps one after the other, each over equal tiles.
"""

import functools

import numpy as np

from spark_csr import _ops as ops
from spark_csr._cpu.segmented import is_for_one_core, range_reducer, segmented_reduce
from spark_csr._cpu.tuning import TUNING
from spark_csr._engine import compile_kernel, cores_for, for_tiles, helper, njit, run_on_all_cores, specialise
from spark_csr._engine.holes import Hole, scalar
from spark_csr._shared.merge_path import tile_bounds

max_range = Hole("max_range(operands, start, stop, identity) -> scalar", "Do as `reduce_range`, for the maximum.")
sum_range = Hole("sum_range(operands, start, stop, identity) -> scalar", "Do as `reduce_range`, for the sum.")
apply_softmax_step = Hole(
    "apply_softmax_step(x, out, k, result) -> value",
    "Return element `k` after a step of a softmax, computed from `x` or `out` and from the result of its row.",
)

PER_LN2 = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""The first has so many zeros at its end that its product with an exponent is exact."""

ROUND = 1.5 * 2.0**52
"""What is added to this is rounded to a whole number, which its last bits then are."""

LEAST = -746.0
"""The exponential of anything below is zero."""


@njit(forceinline=True)
def _power_of_two(n):
    return np.int64((n + 1023) << 52).view(np.float64)


@njit(forceinline=True)
def exponential(x):
    """Return e**x for x <= 0, or NaN: within two units in the last place."""
    x = np.float64(LEAST) if x < LEAST else np.float64(x)
    rounded = x * PER_LN2 + ROUND
    n = rounded - ROUND
    r = (x - n * LN2_HIGH) - n * LN2_LOW
    total = 1.0 / 6227020800.0
    total = total * r + 1.0 / 479001600.0
    total = total * r + 1.0 / 39916800.0
    total = total * r + 1.0 / 3628800.0
    total = total * r + 1.0 / 362880.0
    total = total * r + 1.0 / 40320.0
    total = total * r + 1.0 / 5040.0
    total = total * r + 1.0 / 720.0
    total = total * r + 1.0 / 120.0
    total = total * r + 1.0 / 24.0
    total = total * r + 1.0 / 6.0
    total = total * r + 0.5
    total = (total * r + 1.0) * r + 1.0
    exponent = np.float64(rounded).view(np.int64) - np.float64(ROUND).view(np.int64)
    half = exponent >> 1  # 2**exponent itself may be too small for a number whose product is not
    return total * _power_of_two(half) * _power_of_two(exponent - half)


@helper(inlined=False)
def _softmax_tile(tile, x, offsets, tile_rows, lowest, out):
    """Write the softmax of the rows that end in a tile, each whole."""
    first, last = np.uint64(tile_rows[tile]), np.uint64(tile_rows[tile + 1])
    start, stop = np.uint64(offsets[first]), np.uint64(offsets[last])
    for row in range(first, last):
        row_start, row_end = np.uint64(offsets[row]), np.uint64(offsets[row + 1])
        greatest = max_range((x,), row_start, row_end, lowest)
        for k in range(row_start, row_end):
            out[k] = x[k] - greatest
    for k in range(start, stop):
        out[k] = exponential(out[k])
    for row in range(first, last):
        row_start, row_end = np.uint64(offsets[row]), np.uint64(offsets[row + 1])
        total = sum_range((out,), row_start, row_end, scalar(0))
        for k in range(row_start, row_end):
            out[k] /= total


def _softmax_tiles(cores, x, offsets, tile_rows, lowest, out):
    for_tiles(cores, tile_rows.size - 1, _softmax_tile, (x, offsets, tile_rows, lowest, out))


@helper(inlined=False)
def _visit_tile(tile, x, offsets, tile_rows, items, results, out):
    """Apply a step to the items of a tile, each with the result of its row."""
    rows = np.uint64(results.size)
    row, _, position, stop = tile_bounds(tile, tile + 1, tile_rows, items, np.uint64(x.size) + rows, np.uint64(0))
    while position < stop:
        row_end = min(np.uint64(offsets[row + 1]), stop)
        result = results[row]
        for k in range(position, row_end):
            out[k] = apply_softmax_step(x, out, k, result)
        position = row_end
        row += 1


def _visit_tiles(cores, x, offsets, tile_rows, items, results, out):
    for_tiles(cores, tile_rows.size - 1, _visit_tile, (x, offsets, tile_rows, items, results, out))


@njit(forceinline=True)
def _shifted_exponential(x, out, k, greatest):
    return exponential(x[k] - greatest)


@njit(forceinline=True)
def _quotient(x, out, k, total):
    """Return a quotient. It reads `out` under its own name: under another name of the same memory, the loop would not be
    vectorised.
    """
    return out[k] / total


@functools.cache
def _whole_rows_kernel(dtype):
    reduced = {"max_range": range_reducer(MAX, dtype), "sum_range": range_reducer(SUM, dtype)}
    return compile_kernel(specialise(_softmax_tiles, scalar=dtype.type, **reduced))


@functools.cache
def _step_kernel(apply_softmax_step):
    return compile_kernel(specialise(_visit_tiles, apply_softmax_step=apply_softmax_step))


SUM, MAX = ops.MONOIDS["sum"], ops.MONOIDS["max"]


def softmax(tiles, offsets, x, out):
    if (offsets[1:] - offsets[:-1]).max() > TUNING.softmax_long:
        _take_steps(tiles, offsets, x, out)
        return
    kernel = _whole_rows_kernel(x.dtype)
    cores = 1 if is_for_one_core(tiles) else cores_for(kernel)
    kernel(cores, x, offsets, tiles.rows, MAX.identity_for(x.dtype), out)


def _take_steps(tiles, offsets, x, out):
    results = np.empty(offsets.size - 1, x.dtype)
    segmented_reduce(tiles, MAX, offsets, x, results)
    run_on_all_cores(_step_kernel(_shifted_exponential), x, offsets, tiles.rows, tiles.items, results, out)
    segmented_reduce(tiles, SUM, offsets, out, results)
    run_on_all_cores(_step_kernel(_quotient), x, offsets, tiles.rows, tiles.items, results, out)
