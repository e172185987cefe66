"""A set of columns in bits, two levels high: it is walked in ascending order, and cleared on the way, at a cost of its members.

Bit `c` of `bits` stands for column `c`, bit `w` of `words` says that word `w` of `bits` holds one.
"""

import numpy as np

from spark_csr._engine import njit


def empty_bitmaps(cores, columns):
    """Return an empty set for each core: `bits` and `words`, with rows in cache lines of their own."""
    sizes = (columns >> 6) + 1, (columns >> 12) + 1
    return tuple(np.zeros((cores, (size | 15) + 17), np.uint64) for size in sizes)


@njit(forceinline=True)
def put(bits, words, column):
    word = column >> 6
    bits[word] |= 1 << (column & 63)
    words[word >> 6] |= 1 << (word & 63)


@njit(forceinline=True)
def has_column(bits, column):
    return bits[column >> 6] >> (column & 63) & 1 != 0


@njit(forceinline=True)
def drop(bits, column):
    """Remove a column from a set that is never walked: `words` is left alone."""
    bits[column >> 6] &= ~(1 << (column & 63))


@njit(forceinline=True)
def put_row(bits, indptr, indices, row):
    """Put the columns of a row of a matrix into a set that is never walked."""
    for p in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
        column = np.uint64(indices[p])
        bits[column >> 6] |= 1 << (column & 63)


@njit(forceinline=True)
def clear_row(bits, indptr, indices, row):
    """Empty a set that holds columns of this row only."""
    for p in range(np.uint64(indptr[row]), np.uint64(indptr[row + 1])):
        bits[np.uint64(indices[p]) >> 6] = np.uint64(0)
