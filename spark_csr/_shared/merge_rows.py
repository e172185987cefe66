"""The merge of the rows of two matrices, a tile at a time: the same code in a thread of a GPU and on a core.

Design: the list "entries of row 0 of both matrices by column, its end, entries of row 1, ..." is cut into equal tiles, inside
rows too, so that no row is too long to be shared out. Within a tile nobody can predict which matrix has the next column, so
the loops take no branch on it. Columns of a row must ascend, none twice. Source: merge path (Odeh, Green, Mwassi, Shmueli &
Birk, 2012); equal columns stay together as in Baxter's balanced path (*moderngpu*, 2013).
"""

import numpy as np

from spark_csr._engine import helper, njit
from spark_csr._engine.holes import combine, scalar, store_pair
from spark_csr._shared.merge_path import split


@njit
def cut_rows(tile, a_indptr, a_indices, b_indptr, b_indices, rows, items, cuts):
    """Write where entry `tile * items` of the list lies: its row, and the entries of either matrix before it."""
    entry = min(tile * items, a_indptr[rows] + b_indptr[rows] + rows)
    low, high = np.int64(0), rows
    while low < high:
        middle = (low + high) >> 1
        if a_indptr[middle + 1] + b_indptr[middle + 1] + middle < entry:
            low = middle + 1
        else:
            high = middle
    i, j = np.uint64(a_indptr[low]), np.uint64(b_indptr[low])
    if low < rows:
        i_stop, j_stop = np.uint64(a_indptr[low + 1]), np.uint64(b_indptr[low + 1])
        inside = np.uint64(entry - low - np.int64(i) - np.int64(j))
        of_a = split(a_indices, i, i_stop - i, b_indices, j, j_stop - j, inside)
        i, j = i + of_a, j + (inside - of_a)
        if of_a > 0 and j < j_stop and a_indices[i - 1] == b_indices[j]:
            j += 1
    cuts[3 * tile] = low
    cuts[3 * tile + 1] = i
    cuts[3 * tile + 2] = j


@njit(forceinline=True)
def _count_matches(a, i, i_stop, b, j, j_stop):
    """Count the columns that two ranges of entries have in common."""
    found = np.uint64(0)
    while i < i_stop and j < j_stop:
        x, y = a[i], b[j]
        found += np.uint64(x == y)
        i += np.uint64(x <= y)
        j += np.uint64(y <= x)
    return found


@njit(forceinline=True)
def count_tile(tile, a_indptr, a_indices, b_indptr, b_indices, cuts, both):
    """Count the columns of a tile that either matrix has, or if `both` each of them has."""
    at = 3 * np.uint64(tile)
    row, i, j = np.uint64(cuts[at]), np.uint64(cuts[at + 1]), np.uint64(cuts[at + 2])
    at += 3
    last_row, i_last, j_last = np.uint64(cuts[at]), np.uint64(cuts[at + 1]), np.uint64(cuts[at + 2])
    entries = i_last - i + (j_last - j)
    found = np.uint64(0)
    while row < last_row:
        i_stop, j_stop = np.uint64(a_indptr[row + 1]), np.uint64(b_indptr[row + 1])
        found += _count_matches(a_indices, i, i_stop, b_indices, j, j_stop)
        i, j, row = i_stop, j_stop, row + 1
    found += _count_matches(a_indices, i, i_last, b_indices, j, j_last)
    return np.int64(found) if both else np.int64(entries - found)


@helper
def unite_tile(tile, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, out):
    """Write the columns of a tile that either matrix has, and by `store_pair` both values, 0 for a missing one.

    Return how many results are zero.
    """
    at = 3 * np.uint64(tile)
    row, i, j = np.uint64(cuts[at]), np.uint64(cuts[at + 1]), np.uint64(cuts[at + 2])
    at += 3
    last_row, i_last, j_last = np.uint64(cuts[at]), np.uint64(cuts[at + 1]), np.uint64(cuts[at + 2])
    k, zeros, absent = np.uint64(before[tile]), np.uint64(0), scalar(0)
    while row <= last_row:
        i_stop, j_stop = i_last, j_last
        if row < last_row:
            i_stop, j_stop = np.uint64(a_indptr[row + 1]), np.uint64(b_indptr[row + 1])
        while i < i_stop and j < j_stop:
            x, y, u, v = a_indices[i], b_indices[j], a[i], b[j]
            of_a, of_b = x <= y, y <= x
            indices[k] = x if of_a else y
            zeros += np.uint64(store_pair(out, k, u if of_a else absent, v if of_b else absent))
            i += np.uint64(of_a)
            j += np.uint64(of_b)
            k += 1
        while i < i_stop:
            indices[k] = a_indices[i]
            zeros += np.uint64(store_pair(out, k, a[i], absent))
            i, k = i + 1, k + 1
        while j < j_stop:
            indices[k] = b_indices[j]
            zeros += np.uint64(store_pair(out, k, absent, b[j]))
            j, k = j + 1, k + 1
        row += 1
        if row <= last_row:
            indptr[row] = k
    return zeros


@njit(forceinline=True)
def intersect_tile(tile, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, left, right):
    """Write the columns of a tile that both matrices have, with both values; stop when all that were counted are found."""
    at = 3 * np.uint64(tile)
    row, i, j = np.uint64(cuts[at]), np.uint64(cuts[at + 1]), np.uint64(cuts[at + 2])
    at += 3
    last_row, i_last, j_last = np.uint64(cuts[at]), np.uint64(cuts[at + 1]), np.uint64(cuts[at + 2])
    k, stop = np.uint64(before[tile]), np.uint64(before[tile + 1])
    while row <= last_row:
        i_stop, j_stop = i_last, j_last
        if row < last_row:
            i_stop, j_stop = np.uint64(a_indptr[row + 1]), np.uint64(b_indptr[row + 1])
        while i < i_stop and j < j_stop and k < stop:
            x, y = a_indices[i], b_indices[j]
            indices[k], left[k], right[k] = x, a[i], b[j]
            i += np.uint64(x <= y)
            j += np.uint64(y <= x)
            k += np.uint64(x == y)
        i, j, row = i_stop, j_stop, row + 1
        if row <= last_row:
            indptr[row] = k


@njit(forceinline=True)
def store_both(out, k, u, v):
    """Store the values side by side, to be combined afterwards by whatever the array library can compute."""
    out[0][k] = u
    out[1][k] = v
    return False


@helper
def store_combined(out, k, u, v):
    """Store the combined value; return whether it is zero."""
    result = combine(u, v)
    out[0][k] = result
    return result == 0


def store_meanings(combine, dtype):
    """Return what the names in `unite_tile` mean for values of a dtype: both are stored, or what `combine` makes of them."""
    return {"store_pair": store_both if combine is None else store_combined, "combine": combine, "scalar": dtype.type}
