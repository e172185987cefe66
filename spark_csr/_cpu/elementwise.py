"""Merge the patterns of two matrices on all cores: a tile at a time, see `merge_rows`."""

import functools

import numpy as np

from spark_csr._cpu.tuning import TUNING
from spark_csr._cpu.unite import unite_kernel
from spark_csr._engine import compile_kernel, cores_for, for_tiles, helper, njit, specialise
from spark_csr._shared import merge_rows
from spark_csr._shared.merge_rows import unite_tile


def merge_tile_size(entries):
    """Return how many entries of both matrices and row ends a tile takes."""
    return TUNING.elementwise_tile if entries > TUNING.elementwise_serial else TUNING.elementwise_serial


@njit
def _count_tile(tile, patterns, cuts, both, before):
    before[tile + 1] = merge_rows.count_tile(np.int64(tile), *patterns, cuts, both)


@compile_kernel
def _count_tiles(cores, a_indptr, a_indices, b_indptr, b_indices, cuts, both, before):
    """Count the columns before every tile, and in all."""
    patterns = a_indptr, a_indices, b_indptr, b_indices
    for_tiles(cores, before.size - 1, _count_tile, (patterns, cuts, both, before))
    before[0] = 0
    for t in range(before.size - 1):
        before[t + 1] += before[t]


@helper(inlined=False)
def _unite_tile(tile, matrices, cuts, before, indptr, indices, out, zeros):
    zeros[tile] = unite_tile(np.int64(tile), *matrices, cuts, before, indptr, indices, out)


def _unite_tiles(cores, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, out, zeros):
    indptr[0] = 0
    matrices = a_indptr, a_indices, a, b_indptr, b_indices, b
    for_tiles(cores, before.size - 1, _unite_tile, (matrices, cuts, before, indptr, indices, out, zeros))


@njit
def _intersect_tile(tile, matrices, cuts, before, indptr, indices, left, right):
    merge_rows.intersect_tile(np.int64(tile), *matrices, cuts, before, indptr, indices, left, right)


@compile_kernel
def _intersect_tiles(cores, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, left, right):
    indptr[0] = 0
    matrices = a_indptr, a_indices, a, b_indptr, b_indices, b
    for_tiles(cores, before.size - 1, _intersect_tile, (matrices, cuts, before, indptr, indices, left, right))


@compile_kernel
def _width(a_indptr, a_indices, b_indptr, b_indices):
    """Return how many columns there are up to the last that has an entry."""
    width, one = np.uint64(0), np.uint64(1)
    for row in range(one, np.uint64(a_indptr.size)):
        if a_indptr[row] > a_indptr[row - one]:
            width = max(width, np.uint64(a_indices[np.uint64(a_indptr[row]) - one]) + one)
        if b_indptr[row] > b_indptr[row - one]:
            width = max(width, np.uint64(b_indices[np.uint64(b_indptr[row]) - one]) + one)
    return width


@compile_kernel
def _intersect_noted(a_indptr, a_indices, a, b_indptr, b_indices, b, width, indptr, indices, left, right):
    """Note the position of every entry of a row of `a` at its column, and look there for every entry of `b`."""
    places, one, k, most = np.zeros(width, np.uint32), np.uint64(1), np.uint64(0), np.uint64(indices.size)
    for row in range(np.uint64(indptr.size) - one):
        start = np.uint64(a_indptr[row])
        for i in range(start, np.uint64(a_indptr[row + one])):
            places[a_indices[i]] = i + one
        j, stop = np.uint64(b_indptr[row]), np.uint64(b_indptr[row + one])
        while j < stop and k < most:
            behind = np.uint64(places[b_indices[j]])
            indices[k], left[k], right[k] = b_indices[j], a[max(behind, one) - one], b[j]
            k += np.uint64(behind > start)
            j += one
        indptr[row + one] = k


@functools.cache
def _union_kernel(combine, dtype):
    return compile_kernel(specialise(_unite_tiles, **merge_rows.store_meanings(combine, dtype)))


def count_merged(a, b, cuts, both, before):
    """Count the columns before each of several tiles, and in all, that either matrix has, or if `both` each of them has."""
    _count_tiles(cores_for(_count_tiles), *a, *b, cuts, both, before)


def fill_union(combine, a, b, cuts, before, indptr, indices, out, zeros):
    """Write the union: `out` takes both values or, with `combine`, the result; `zeros` takes how many results of each tile are
    zero.

    Of a single tile, results that are zero are left out.
    """
    if before.size == 2:
        zeros[0] = 0
        unite_kernel(combine, a[2].dtype)(*a, *b, indptr, indices, out)
        return
    kernel = _union_kernel(combine, a[2].dtype)
    kernel(cores_for(kernel), *a, *b, cuts, before, indptr, indices, out, zeros)


def fill_intersection(a, b, cuts, before, indptr, indices, left, right):
    """Write the entries that both matrices have, with both values."""
    cores = 1
    if before.size > 2:
        cores = cores_for(_intersect_tiles)
    else:
        width = _width(*a[:2], *b[:2])
        if width <= TUNING.elementwise_wide * (a[1].size + b[1].size):
            indptr[0] = 0
            _intersect_noted(*a, *b, width, indptr, indices, left, right)
            return
    _intersect_tiles(cores, *a, *b, cuts, before, indptr, indices, left, right)
