"""Will the result of `A @ B` fit? Told from bounds and from a sample of rows, before the time is spent to count it.

Design: a row of the result has at most as many entries as products, or columns, or entries of its mask, and at least as many
as the longest row of B in it. Where this does not decide, some rows are counted, drawn in proportion to the upper bound: the
share of the bound that they reach, less what chance can add to it (Hoeffding 1963), is believed. Cost: nothing for results
that fit for certain; else about as much as a hundred million products.
"""

import math

import numpy as np
from numba import njit

from spark_csr._array import namespace_of, to_host_scalar
from spark_csr.operations import memory
from spark_csr.operations.canonical import has_canonical_columns
from spark_csr.operations.record import Csr
from spark_csr.primitives import for_each, load_balance_search, offsets_from_counts

SAMPLE = 256
"""Rows to be counted."""

PRODUCTS = 10**8
"""Products that the counted rows may have."""

DOUBT = 1e-6
"""How likely the sample may mislead at most."""


@njit
def count_products(row, a_indptr, a_indices, b_indptr, counts):
    """How many scalar products a row of the result is made of."""
    total = np.int64(0)
    for p in range(np.uint64(a_indptr[row]), np.uint64(a_indptr[row + 1])):
        j = np.uint64(a_indices[p])
        total += np.int64(b_indptr[j + np.uint64(1)]) - np.int64(b_indptr[j])
    counts[row] = total


@njit
def longest_factor(row, a_indptr, a_indices, b_indptr, longest):
    """The entries of the longest row of B that takes part in a row of the result."""
    most = np.int64(0)
    for p in range(np.uint64(a_indptr[row]), np.uint64(a_indptr[row + 1])):
        j = np.uint64(a_indices[p])
        most = max(most, np.int64(b_indptr[j + np.uint64(1)]) - np.int64(b_indptr[j]))
    longest[row] = most


def per_row(body, a, b):
    """What `count_products` or `longest_factor` says of every row, in int64."""
    out = namespace_of(a.data).empty(a.shape[0], np.int64)
    for_each(a.shape[0], body, a.indptr, a.indices, b.indptr, out)
    return out


def check_room(a, b, mask, products, itemsize, count):
    """MemoryError if the result, of `itemsize` bytes an entry, surely or almost surely does not fit.

    `count(rows)` gives the number of entries of some rows.
    """
    free, xp = memory.available(a.data), namespace_of(a.data)
    most = xp.minimum(products, b.shape[1])
    if mask is not None:
        most = xp.minimum(most, mask.indptr[1:] - mask.indptr[:-1])
    if to_host_scalar(most.sum()) * itemsize <= free:
        return
    if mask is None and b.plan(has_canonical_columns):
        least = to_host_scalar(per_row(longest_factor, a, b).sum())
        if least * itemsize > free:
            raise memory.too_large(least, least * itemsize, free, "at least ")
    likely, surely = _estimate(products, most, count)
    if surely * itemsize > free:
        raise memory.too_large(likely, likely * itemsize, free, "about ")


def _estimate(products, most, count):
    """How many entries the result has, about and most probably at least."""
    xp = namespace_of(products)
    before = xp.cumsum(most)
    bound = to_host_scalar(before[-1])
    spread = (xp.arange(SAMPLE) * 157 % SAMPLE + 0.5) * (bound / SAMPLE)
    rows = xp.searchsorted(before, spread)
    rows = rows[: int((xp.cumsum(products[rows]) <= PRODUCTS).sum())]
    if not rows.size:
        return 0, 0
    share = to_host_scalar((count(rows) / most[rows]).mean())
    chance = math.sqrt(math.log(1 / DOUBT) / (2 * rows.size))
    return int(share * bound), int((share - chance) * bound)


def taken_rows(csr, rows):
    """A matrix of some of the rows."""
    starts = csr.indptr[rows].astype(np.int64)
    offsets = offsets_from_counts(csr.indptr[1:][rows] - csr.indptr[:-1][rows])
    row, rank = load_balance_search(offsets)
    entries = starts[row] + rank
    return Csr(offsets, csr.indices[entries], csr.data[entries], (rows.size, csr.shape[1]))
