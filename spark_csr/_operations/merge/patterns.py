"""The patterns of two matrices laid side by side: their union or what they have in common, with the values of both."""

import numpy as np

from spark_csr._array import as_operand, by_width, index_dtype, same_device, to_host_scalar, trim
from spark_csr._dispatch import backend_of
from spark_csr._operations.form import check
from spark_csr._operations.form.canonical import canonical
from spark_csr._operations.form.record import Csr
from spark_csr._shared.merge_rows import cut_rows
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each


def match_formats(a, b):
    """Return both in canonical format, of one dtype and one width of each index array."""
    same_device(a.data, b.data)
    a, b = canonical(a), canonical(b)
    if a.data.dtype != b.data.dtype:
        dtype = np.result_type(a.data.dtype, b.data.dtype)
        a, b = (m.with_data(m.data.astype(dtype, copy=False)) for m in (a, b))
    if a.indptr.dtype == b.indptr.dtype and a.indices.dtype == b.indices.dtype:
        return a, b
    pointer = np.result_type(a.indptr.dtype, b.indptr.dtype)
    return tuple(Csr(m.indptr.astype(pointer), check.as_index(m.indices, m.shape[1]), m.data, m.shape) for m in (a, b))


def have_equal_patterns(a, b, merge=None):
    """Return whether both have the same pattern: the same arrays, or, once columns are counted, no entry that the other
    lacks."""
    if merge is None:
        return a.indptr is b.indptr and a.indices is b.indices
    _, before, total = merge
    return total == a.indices.size == b.indices.size and before.size > 2


def count_merged(a, b, both):
    """Return the cuts of two patterns into tiles of equal work, the columns of the result before each tile, and in all.

    Of a single tile nothing is counted: the total is what it cannot exceed.
    """
    backend, xp, rows = a.backend, a.xp, a.shape[0]
    sizes = a.indices.size, b.indices.size
    entries = sum(sizes) + rows
    items = backend.merge_tile_size(entries)
    if entries <= items:
        bound = min(sizes) if both else sum(sizes)
        return xp.asarray((0, 0, 0, rows, *sizes)), xp.asarray((0, bound)), bound
    tiles = -(-entries // items)
    patterns = (a.indptr, a.indices), (b.indptr, b.indices)
    cuts, before = xp.empty(3 * tiles + 3, np.int64), xp.empty(tiles + 1, np.int64)
    for_each(tiles + 1, cut_rows, *patterns[0], *patterns[1], rows, items, cuts)
    backend.count_merged(*patterns, cuts, both, before)
    return cuts, before, to_host_scalar(before[-1])


def merge_union(fused, a, b, merge, truth=False):
    """Return the `indptr` and `indices` of the union, and the values of both matrices.

    With the operator `fused`: of the values combined (bools if it tells a `truth`); and how many of each tile are zero.
    """
    cuts, before, total = merge
    xp, dtype = a.xp, a.data.dtype
    indptr, indices = _allocate_pattern(a.shape, total, xp)
    dtypes = (dtype, dtype) if fused is None else (np.dtype(bool) if truth else dtype,)
    out = tuple(allocate_array(xp, total, kind, f"{total} entries") for kind in dtypes)
    zeros = xp.empty(before.size - 1, np.int64)
    moved = out if fused else tuple(map(by_width, out))
    operands = (_arrays(m, fused is None) for m in (a, b))
    backend_of(indptr).fill_union(fused, *operands, cuts, before, indptr, indices, moved, zeros)
    stop = _find_end(indptr, before, total)
    return indptr, trim(indices, stop), tuple(trim(values, stop) for values in out), zeros


def merge_intersection(a, b, merge):
    """Return the `indptr` and `indices` of the intersection, and the values of both matrices."""
    cuts, before, total = merge
    xp, dtype = a.xp, a.data.dtype
    indptr, indices = _allocate_pattern(a.shape, total, xp)
    left, right = (allocate_array(xp, total, dtype, f"{total} entries") for _ in range(2))
    operands = (_arrays(m, True) for m in (a, b))
    backend_of(indptr).fill_intersection(*operands, cuts, before, indptr, indices, *map(by_width, (left, right)))
    stop = _find_end(indptr, before, total)
    return indptr, trim(indices, stop), (trim(left, stop), trim(right, stop))


def _arrays(csr, by_bits):
    """Return the arrays that kernels read: values are seen as integers of their width."""
    data = as_operand(csr.data)
    return csr.indptr, csr.indices, by_width(data) if by_bits else data


def _allocate_pattern(shape, total, xp):
    """Allocate the pattern of a result with `total` entries."""
    what = f"{total} entries in {shape[0]} rows"
    return allocate_array(xp, shape[0] + 1, index_dtype(total), what), allocate_array(xp, total, index_dtype(shape[1]), what)


def _find_end(indptr, before, total):
    """Return how many entries were written: as many as were counted, but a single tile is not counted first."""
    return total if before.size > 2 else to_host_scalar(indptr[-1])
