"""How many products `A @ B` is made of, and whether bounds alone say that its result cannot fit.

Design: a row of the result has at most as many entries as products, or columns, and at least as many as the longest row of B
in it. Where this does not decide, the caller counts the entries, as it does for every product, and stops when those counted so
far do not fit. Cost: one pass over A's entries, where the upper bound does not fit; a MemoryError takes at most as long as the
first of the two passes.
"""

import numpy as np

from spark_csr._array import namespace_of, to_host_scalar
from spark_csr._operations.form import memory
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.form.record import Csr
from spark_csr.primitives import load_balance_search, offsets_from_counts, segmented_reduce


def count_products(a, b):
    """Return how many scalar products each row of the result is made of, in int64, and what the backend has counted."""
    products = a.xp.empty(a.shape[0], np.int64)
    return products, a.backend.count_products(a.indptr, a.indices, b.indptr, b.indices, a.data.dtype, products)


def find_longest_factors(a, b):
    """Return the number of entries of the longest row of B that takes part in each row of the result."""
    lengths = (b.indptr[1:] - b.indptr[:-1])[a.indices].astype(np.int64, copy=False)
    return segmented_reduce(lengths, a.indptr, "max").clip(0)


def room_if_limited(a, b, products, itemsize):
    """Return the bytes that are available, or None where the result, of `itemsize` bytes an entry, fits for certain.

    MemoryError if bounds alone say that it cannot fit.
    """
    free = memory.available_memory(a.data)
    most = to_host_scalar(namespace_of(products).minimum(products, b.shape[1]).sum())
    if most * itemsize <= free:
        return None
    if b.plan(has_canonical_columns):
        least = to_host_scalar(find_longest_factors(a, b).sum())
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
