"""Sum the products of a row in lanes: `A @ x` of floats.

Design: four products are added to four sums at once, then two to two, then the last one. Which entry goes to which sum depends
on the length of the row alone. Where lengths change from row to row, processors mispredict how many products are left; there
all steps are of four, and what does not belong to the row becomes zero.
"""

import functools
from typing import NamedTuple

import numpy as np

from spark_csr._cpu.memory import ask_ahead
from spark_csr._holes import ASKS_COLUMNS, BYTES_AHEAD, IS_FAR, dot, dot_from
from spark_csr._numba import njit
from spark_csr._numba.intrinsics.lanes import (
    filled,
    filled_wide,
    first_of,
    gathered,
    halved,
    loaded,
    plus,
    strided,
    summed,
    times,
)
from spark_csr._specialise import inlined

ONE, TWO, FOUR, EIGHT = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(8)


def _dot_from(operands, start, stop, pattern, first, identity):
    """Return the sum of products `start` to `stop`. Their columns are those of the entries from `pattern` on, plus `first`."""
    data, indices, x = operands
    four = filled(identity)
    while start + FOUR <= stop:
        if IS_FAR:
            ask_ahead(data, start, BYTES_AHEAD)
        if IS_FAR and ASKS_COLUMNS:
            ask_ahead(indices, start, BYTES_AHEAD)
        four = plus(four, times(loaded(four, data, start), gathered(four, x, indices, pattern, first)))
        start, pattern = start + FOUR, pattern + FOUR
    two = halved(four)
    if start + TWO <= stop:
        two = plus(two, times(loaded(two, data, start), gathered(two, x, indices, pattern, first)))
        start, pattern = start + TWO, pattern + TWO
    total = summed(two)
    if start < stop:
        total += data[start] * x[first + np.uint64(indices[pattern])]
    return total


def _dot(operands, start, stop, identity):
    """Return the sum of products `start` to `stop`."""
    return dot_from(operands, start, stop, start, np.uint64(0), identity)


def _dot_masked(operands, start, stop, identity):
    """Return the sum of products `start` to `stop`, without a branch on how many there are in the last step of four."""
    data, indices, x = operands
    four, none = filled(identity), np.uint64(0)
    if max(start + FOUR, stop + FOUR - ONE) > np.uint64(size_of(data)):
        return dot(operands, start, stop, identity)
    products = times(loaded(four, data, start), gathered(four, x, indices, start, none))
    four, start = plus(four, first_of(products, stop - start)), start + FOUR
    while start < stop:
        if IS_FAR:
            ask_ahead(data, start, BYTES_AHEAD)
            ask_ahead(indices, start, BYTES_AHEAD)
        products = times(loaded(four, data, start), gathered(four, x, indices, start, none))
        four, start = plus(four, first_of(products, stop - start)), start + FOUR
    return summed(halved(four))


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
    sums = filled_wide(identity)
    for j in range(length):
        if IS_FAR:
            ask_ahead(data, position + EIGHT * j, BYTES_AHEAD)
        items = loaded(sums, x, column + np.uint64(indices[pattern + j]))
        sums = plus(sums, times(strided(sums, data, position + j, length), items))
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
    meanings = {"IS_FAR": far, "BYTES_AHEAD": ahead}
    dot = inlined(_dot, dot_from=inlined(_dot_from, ASKS_COLUMNS=True, **meanings))
    masked = inlined(_dot_masked, dot=dot, **meanings)
    return Dots(dot, masked, *(inlined(f, ASKS_COLUMNS=False, **meanings) for f in (_dot_from, _dot_eight)))
