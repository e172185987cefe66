"""Merge the patterns of two matrices on all cores: a tile at a time, see `merge_rows`."""

import functools

import numpy as np

from spark_csr import merge_rows
from spark_csr._cpu.cache import njit
from spark_csr._cpu.team import for_tiles
from spark_csr._cpu.threads import compiled, cores_for
from spark_csr._specialise import specialise

TILE = 16384
"""Entries of both matrices and row ends a tile takes. Not tuned."""

SERIAL = 32768
"""Entries and row ends up to which one core does it all. Not tuned."""


def merged_items(entries):
    """How many entries of both matrices and row ends a tile takes."""
    return TILE if entries > SERIAL else SERIAL


@njit
def _count_tile(tile, patterns, cuts, both, before):
    before[tile + np.uint64(1)] = merge_rows.count_tile(np.int64(tile), *patterns, cuts, both)


@compiled
def _count_tiles(cores, a_indptr, a_indices, b_indptr, b_indices, cuts, both, before):
    """Columns before every tile, and in all."""
    patterns = a_indptr, a_indices, b_indptr, b_indices
    for_tiles(cores, before.size - 1, _count_tile, (patterns, cuts, both, before))
    before[0] = 0
    for t in range(before.size - 1):
        before[t + 1] += before[t]


def _union_tile(tile, matrices, cuts, before, indptr, indices, out, zeros):
    zeros[tile] = union_tile(np.int64(tile), *matrices, cuts, before, indptr, indices, out)


def _union_tiles(cores, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, out, zeros):
    indptr[0] = 0
    matrices = a_indptr, a_indices, a, b_indptr, b_indices, b
    for_tiles(cores, before.size - 1, tile, (matrices, cuts, before, indptr, indices, out, zeros))


@njit
def _intersect_tile(tile, matrices, cuts, before, indptr, indices, left, right):
    merge_rows.intersect_tile(np.int64(tile), *matrices, cuts, before, indptr, indices, left, right)


@compiled
def _intersect_tiles(cores, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, left, right):
    indptr[0] = 0
    matrices = a_indptr, a_indices, a, b_indptr, b_indices, b
    for_tiles(cores, before.size - 1, _intersect_tile, (matrices, cuts, before, indptr, indices, left, right))


@functools.cache
def _union(combine, dtype):
    place = merge_rows.store_both
    if combine is not None:
        place = njit(forceinline=True)(specialise(merge_rows.store_combined, combine=combine))
    merged = njit(forceinline=True)(specialise(merge_rows.union_tile, place=place, scalar=dtype.type))
    return compiled(specialise(_union_tiles, tile=njit(specialise(_union_tile, union_tile=merged))))


def _cores(kernel, before):
    """Return how many cores work on the tiles of `before`: one on a single tile."""
    return 1 if before.size == 2 else cores_for(kernel)


def count_merged(a, b, cuts, both, before):
    """Columns before each of several tiles, and in all, that either matrix has, or with `both` each of them."""
    _count_tiles(cores_for(_count_tiles), *a, *b, cuts, both, before)


def fill_union(combine, a, b, cuts, before, indptr, indices, out, zeros):
    """The union; `out` takes both values, or with `combine` the result. `zeros`: for each tile, how many results are zero."""
    kernel = _union(combine, a[2].dtype)
    kernel(_cores(kernel, before), *a, *b, cuts, before, indptr, indices, out, zeros)


def fill_intersection(a, b, cuts, before, indptr, indices, left, right):
    """What both matrices have, with both values."""
    _intersect_tiles(_cores(_intersect_tiles, before), *a, *b, cuts, before, indptr, indices, left, right)
