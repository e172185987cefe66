"""The parts of a matrix below and above a diagonal."""

import numpy as np

from spark_csr._array import as_operand, namespace_of
from spark_csr._engine import njit
from spark_csr._operations.form.record import Csr
from spark_csr.primitives.compact import compact
from spark_csr.primitives.counts import offsets_from_counts
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import segment_ids
from spark_csr.primitives.segmented import segmented_reduce


@njit
def _is_below(i, rows, indices, k, keep):
    """Return whether entry `i` is on diagonal `k`, or below it."""
    keep[i] = indices[i] - rows[i] <= k


@njit
def _is_above(i, rows, indices, k, keep):
    """Return whether entry `i` is on diagonal `k`, or above it."""
    keep[i] = indices[i] - rows[i] >= k


def triangle(csr, k, upper):
    """Return the entries on diagonal `k` and below it, with `upper` those on it and above. Row `i` meets it in column `i + k`.

    *Cost*: the row of every entry, written and read; a mask; one read of the entries, one write of those kept. *Order*: kept.
    """
    rows = segment_ids(csr.indptr)
    indices = as_operand(csr.indices)
    keep = namespace_of(indices).empty(indices.size, np.bool_)
    for_each(indices.size, _is_above if upper else _is_below, rows, indices, int(k), keep)
    return select_masked(csr, keep)


def select_masked(csr, keep):
    """Return the entries that a mask selects."""
    counts = segmented_reduce(keep, csr.indptr, "sum")
    return Csr(offsets_from_counts(counts), compact(csr.indices, keep), compact(csr.data, keep), csr.shape)
