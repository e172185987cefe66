"""Merge the patterns of two matrices on a GPU: a thread takes a small tile, see `merge_rows`.

Design: tiles so small that neighbouring threads read and write neighbouring lines, which the cache puts together. No shared
memory, no carry: counts, a scan, then every thread writes its own.
"""

import functools

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import namespace_of
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.scan import scan
from spark_csr._cuda.tuning import TUNING
from spark_csr._engine import inline
from spark_csr._engine.gpu import device_function
from spark_csr._shared import merge_rows
from spark_csr._shared.merge_rows import unite_tile


def merge_tile_size(entries):
    """Return how many entries of both matrices and row ends a tile takes."""
    return TUNING.elementwise_items


@device_function
def count_body(tile, a_indptr, a_indices, b_indptr, b_indices, cuts, both, counts):
    """Count the columns of one tile."""
    counts[tile] = merge_rows.count_tile(tile, a_indptr, a_indices, b_indptr, b_indices, cuts, both)


def _unite_body(tile, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, out, zeros):
    if tile == 0:
        indptr[0] = 0
    zeros[tile] = unite_tile(tile, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, out)


@device_function
def intersect_body(tile, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, left, right):
    """Write the columns of one tile that both matrices have."""
    if tile == 0:
        indptr[0] = 0
    merge_rows.intersect_tile(tile, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, left, right)


@functools.cache
def unite_body(combine, dtype):
    """Return the body for one dtype, which stores both values side by side, or combined."""
    return inline(_unite_body, **merge_rows.store_meanings(combine, dtype))


def count_merged(a, b, cuts, both, before):
    """Count the columns before each of several tiles, and in all, that either matrix has, or if `both` each of them has."""
    counts = namespace_of(before).empty(before.size - 1, before.dtype)
    for_each(counts.size, count_body, *a, *b, cuts, both, counts)
    operands, total = (counts, before[:-1]), before[-1:]
    scan(ops.monoid("sum"), before.dtype, counts.size, ops.element, ops.store, operands, total, exclusive=True)


def fill_union(combine, a, b, cuts, before, indptr, indices, out, zeros):
    """Write the union: `out` takes both values or, with `combine`, the result; `zeros` takes how many results of each tile are
    zero.
    """
    body = unite_body(combine, np.dtype(a[2].dtype))
    for_each(before.size - 1, body, *a, *b, cuts, before, indptr, indices, out, zeros)


def fill_intersection(a, b, cuts, before, indptr, indices, left, right):
    """Write the entries that both matrices have, with both values."""
    for_each(before.size - 1, intersect_body, *a, *b, cuts, before, indptr, indices, left, right)
