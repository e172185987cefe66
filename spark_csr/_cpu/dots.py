"""Sum the products of a row in lanes: `A @ x` of floats.

Design: four products are added to four sums at once, then two to two, then the last one. Which entry goes to which sum depends
on the length of the row alone. Where lengths change from row to row, processors mispredict how many products are left; there
all steps are of four, and what does not belong to the row becomes zero.
"""

import functools
from typing import NamedTuple

import numpy as np

from spark_csr._cpu.memory import prefetch_ahead
from spark_csr._engine import helper, inline, njit
from spark_csr._engine.holes import PREFETCH_DISTANCE_BYTES, Hole
from spark_csr._engine.numba.intrinsics.lanes import (
    add_lanes,
    clear_rest,
    fill,
    fill_wide,
    gather,
    halve,
    load,
    load_strided,
    multiply_lanes,
    sum_pair,
)

PREFETCHES = Hole("PREFETCHES: bool", "Whether a matrix is larger than the cache, so that its entries are prefetched.")
PREFETCHES_COLUMNS = Hole(
    "PREFETCHES_COLUMNS: bool",
    "Whether column indices are prefetched too. They are not where rows have their column indices in common.",
)


@helper
def _dot_from(operands, start, stop, pattern, first, identity):
    """Return the sum of products `start` to `stop`. Their columns are those of the entries from `pattern` on, plus `first`."""
    data, indices, x = operands
    four = fill(identity)
    while start + 4 <= stop:
        if PREFETCHES:
            prefetch_ahead(data, start, PREFETCH_DISTANCE_BYTES)
        if PREFETCHES and PREFETCHES_COLUMNS:
            prefetch_ahead(indices, start, PREFETCH_DISTANCE_BYTES)
        four = add_lanes(four, multiply_lanes(load(four, data, start), gather(four, x, indices, pattern, first)))
        start, pattern = start + 4, pattern + 4
    two = halve(four)
    if start + 2 <= stop:
        two = add_lanes(two, multiply_lanes(load(two, data, start), gather(two, x, indices, pattern, first)))
        start, pattern = start + 2, pattern + 2
    total = sum_pair(two)
    if start < stop:
        total += data[start] * x[first + np.uint64(indices[pattern])]
    return total


@helper
def _dot(operands, start, stop, identity):
    """Return the sum of products `start` to `stop`."""
    return _dot_from(operands, start, stop, start, np.uint64(0), identity)


def _dot_masked(operands, start, stop, identity):
    """Return the sum of products `start` to `stop`, without a branch on how many there are in the last step of four."""
    data, indices, x = operands
    four, none = fill(identity), np.uint64(0)
    if max(start + 4, stop + 3) > np.uint64(size_of(data)):
        return _dot(operands, start, stop, identity)
    products = multiply_lanes(load(four, data, start), gather(four, x, indices, start, none))
    four, start = add_lanes(four, clear_rest(products, stop - start)), start + 4
    while start < stop:
        if PREFETCHES:
            prefetch_ahead(data, start, PREFETCH_DISTANCE_BYTES)
            prefetch_ahead(indices, start, PREFETCH_DISTANCE_BYTES)
        products = multiply_lanes(load(four, data, start), gather(four, x, indices, start, none))
        four, start = add_lanes(four, clear_rest(products, stop - start)), start + 4
    return sum_pair(halve(four))


@njit(forceinline=True)
def size_of(data):
    """Return the number of items. In a function of its own, since Numba counts references to what is read across branches."""
    return data.size


def _dot_eight(operands, position, length, pattern, column, identity):
    """Return the sums of eight rows of `length` entries, from entry `position` on.

    The columns of the first row are those of the entries from `pattern` on, plus `column`; those of each other row are one
    larger than those of the row before.
    """
    data, indices, x = operands
    sums = fill_wide(identity)
    for j in range(length):
        if PREFETCHES:
            prefetch_ahead(data, position + 8 * j, PREFETCH_DISTANCE_BYTES)
        items = load(sums, x, column + np.uint64(indices[pattern + j]))
        sums = add_lanes(sums, multiply_lanes(load_strided(sums, data, position + j, length), items))
    return sums


class Dots(NamedTuple):
    """Functions that sum one row, of any length or of irregular ones, and one or eight rows of a run, see `shifts`."""

    any: object
    irregular: object
    one_of_run: object
    eight_of_run: object


@functools.cache
def dots(far, ahead):
    """Return the `Dots` for matrices in the cache, or in memory, which is asked for so many bytes ahead of time."""
    meanings = {"PREFETCHES": far, "PREFETCH_DISTANCE_BYTES": ahead}
    of_any = (inline(f, PREFETCHES_COLUMNS=True, **meanings) for f in (_dot, _dot_masked))
    of_run = (inline(f, PREFETCHES_COLUMNS=False, **meanings) for f in (_dot_from, _dot_eight))
    return Dots(*of_any, *of_run)
