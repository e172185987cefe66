"""How many products `A @ B` is made of, and whether bounds alone say that its result cannot fit.

Design: a row of the result has at most as many entries as products, or columns, and at least as many as the longest row of B
in it. Where this does not decide, the caller counts the entries, as it does for every product, and stops when those counted so
far do not fit. Cost: one pass over A's entries, where the upper bound does not fit; a MemoryError takes at most as long as the
first of the two passes.
"""

import numpy as np

from spark_csr._array import namespace_of, to_host_scalar
from spark_csr._numba import njit
from spark_csr._operations.form import memory
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.form.record import Csr
from spark_csr.primitives import for_each, load_balance_search, offsets_from_counts


@njit
def count_row_products(row, a_indptr, a_indices, b_indptr, counts):
    """Write how many scalar products a row of the result is made of."""
    total = np.int64(0)
    for p in range(np.uint64(a_indptr[row]), np.uint64(a_indptr[row + 1])):
        j = np.uint64(a_indices[p])
        total += np.int64(b_indptr[j + np.uint64(1)]) - np.int64(b_indptr[j])
    counts[row] = total


@njit
def find_longest_factor(row, a_indptr, a_indices, b_indptr, longest):
    """Write the number of entries of the longest row of B that takes part in a row of the result."""
    most = np.int64(0)
    for p in range(np.uint64(a_indptr[row]), np.uint64(a_indptr[row + 1])):
        j = np.uint64(a_indices[p])
        most = max(most, np.int64(b_indptr[j + np.uint64(1)]) - np.int64(b_indptr[j]))
    longest[row] = most


def compute_per_row(body, a, b):
    """Return what `count_row_products` or `find_longest_factor` computes for every row, in int64."""
    out = a.xp.empty(a.shape[0], np.int64)
    for_each(a.shape[0], body, a.indptr, a.indices, b.indptr, out)
    return out


def room_if_limited(a, b, products, itemsize):
    """Return the bytes that are available, or None where the result, of `itemsize` bytes an entry, fits for certain.

    MemoryError if bounds alone say that it cannot fit.
    """
    free = memory.available_memory(a.data)
    most = to_host_scalar(namespace_of(products).minimum(products, b.shape[1]).sum())
    if most * itemsize <= free:
        return None
    if b.plan(has_canonical_columns):
        least = to_host_scalar(compute_per_row(find_longest_factor, a, b).sum())
        if least * itemsize > free:
            raise memory.size_error(least, least * itemsize, free, "at least ")
    return free


def take_rows(csr, rows):
    """Return a matrix of some of the rows."""
    starts = csr.indptr[rows].astype(np.int64)
    offsets = offsets_from_counts(csr.indptr[1:][rows] - csr.indptr[:-1][rows])
    row, rank = load_balance_search(offsets)
    entries = starts[row] + rank
    return Csr(offsets, csr.indices[entries], csr.data[entries], (rows.size, csr.shape[1]))
