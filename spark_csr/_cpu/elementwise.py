"""Merge the patterns of two matrices on all cores: a tile at a time, see `merge_rows`."""

import functools

from numba import prange

from spark_csr import merge_rows
from spark_csr._cpu.cache import njit
from spark_csr._cpu.threads import compiled_both_ways, run_parallel
from spark_csr._specialise import specialise

TILE = 16384
"""Entries of both matrices and row ends a tile takes. Not tuned."""

SERIAL = 32768
"""Entries and row ends up to which one core does it all. Not tuned."""


def merged_items(entries):
    """How many entries of both matrices and row ends a tile takes."""
    return TILE if entries > SERIAL else SERIAL


def _run(kernels, tiles, *args):
    if tiles == 1:
        kernels[0](*args)
    else:
        run_parallel(kernels[1], *args)


def _count_tiles(a_indptr, a_indices, b_indptr, b_indices, cuts, both, before):
    """Columns before every tile, and in all."""
    for t in prange(before.size - 1):
        before[t + 1] = merge_rows.count_tile(t, a_indptr, a_indices, b_indptr, b_indices, cuts, both)
    before[0] = 0
    for t in range(before.size - 1):
        before[t + 1] += before[t]


def _union_tiles(a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, out, zeros):
    indptr[0] = 0
    for t in prange(before.size - 1):
        zeros[t] = tile(t, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, out)


def _intersect_tiles(a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, left, right):
    indptr[0] = 0
    for t in prange(before.size - 1):
        merge_rows.intersect_tile(t, a_indptr, a_indices, a, b_indptr, b_indices, b, cuts, before, indptr, indices, left, right)


_count = njit(parallel=True, nogil=True, cache=True)(_count_tiles)
_intersect = compiled_both_ways(_intersect_tiles)


@functools.cache
def _union(combine, dtype):
    place = merge_rows.store_both
    if combine is not None:
        place = njit(forceinline=True)(specialise(merge_rows.store_combined, combine=combine))
    tile = njit(forceinline=True)(specialise(merge_rows.union_tile, place=place, scalar=dtype.type))
    return compiled_both_ways(specialise(_union_tiles, tile=tile))


def count_merged(a, b, cuts, both, before):
    """Columns before each of several tiles, and in all, that either matrix has, or with `both` each of them."""
    run_parallel(_count, *a, *b, cuts, both, before)


def fill_union(combine, a, b, cuts, before, indptr, indices, out, zeros):
    """The union; `out` takes both values, or with `combine` the result. `zeros`: for each tile, how many results are zero."""
    _run(_union(combine, a[2].dtype), before.size - 1, *a, *b, cuts, before, indptr, indices, out, zeros)


def fill_intersection(a, b, cuts, before, indptr, indices, left, right):
    """What both matrices have, with both values."""
    _run(_intersect, before.size - 1, *a, *b, cuts, before, indptr, indices, left, right)
