"""Entries whose row and column need more than 32 bits, to the three arrays of a compressed matrix.

Design: a radix sort by row alone, of as many digits as rows have, and a sort of the columns of every row in shared memory.
Values are moved last, in the order of the columns; there each column meets the one before it, so two entries of one position
are noticed.
"""

import functools

import numpy as np

from spark_csr._array import by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._cuda.foreach import for_each
from spark_csr._cuda.radix import list_digits, move_by_digits
from spark_csr._cuda.segmented_sort import segmented_sort, sort_tile_size
from spark_csr._cuda.unpack import BOX, key_meanings, load_with_before, unpack
from spark_csr._engine import specialise
from spark_csr._engine.gpu import Kernel, blocks_for, cuda
from spark_csr._engine.holes import THREADS
from spark_csr._shared.merge_path import Tiles, cut


def _take(payload, order, columns, rows, n, out, repeats):
    """Write the payload of each entry, and note whether the entry before has the same column and row."""
    i = np.int64(cuda.blockIdx.x) * THREADS + np.int64(np.uint32(cuda.threadIdx.x))
    column, before = load_with_before(columns, i, n)
    if i < n:
        out[i] = payload[np.int64(order[i])]
        if i > 0 and before == column and rows[i - 1] == rows[i]:
            repeats[0] = True


@functools.cache
def _kernel(key):
    return Kernel(specialise(_take, **key_meanings(key)), BOX.threads)


def assemble_by_row(major, minor, data, indptr, indices, out):
    """Do as `assemble` for entries in order of `minor` in a row. There are no fewer entries than rows."""
    n, xp = major.size, namespace_of(major)
    major, minor, out = (by_width(x) for x in (major, minor, out))
    digits = list_digits((1 << max(indptr.size - 2, 0).bit_length()) - 1)
    moved = tuple(xp.empty_like(x) for x in (major, out, minor))
    spares = tuple(xp.empty_like(x) for x in moved) if len(digits) > 1 else moved
    move_by_digits(digits, (major, None if data is None else by_width(data), minor), moved, spares)
    rows, payload, columns = moved
    unpack(rows, 0, indptr)
    listed, order, fits = n + indptr.size - 1, xp.empty(n, index_dtype(n)), columns.itemsize == indices.itemsize
    ordered = by_width(indices) if fits else xp.empty_like(columns)
    items = sort_tile_size(n)
    cuts = xp.empty(-(-listed // items) + 1, index_dtype(indptr.size))
    for_each(cuts.size, cut, indptr, indptr.size - 1, items, cuts)
    segmented_sort(Tiles(cuts, items, listed), indptr, columns, ordered, order)
    if not fits:
        indices[...] = ordered
    repeats = xp.zeros(1, bool)
    _kernel(ordered.dtype)(blocks_for(n, BOX.threads), payload, order, ordered, rows, n, out, repeats)
    return not to_host_scalar(repeats[0])
