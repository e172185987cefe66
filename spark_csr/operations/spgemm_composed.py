"""`A @ B` as its definition reads, in public primitives: row-wise cartesian products, sort by place, segmented reduction.

Design: products are expanded a piece at a time, so that what they need stays under `config.spgemm_memory`. A row may be cut:
what a piece has of it is put in front of the next piece's products. Cost: where there are several pieces, all are gone
through twice, first to learn how large the result is.
"""

import functools
from typing import NamedTuple

import numpy as np
from numba import njit

from spark_csr import ops
from spark_csr._array import index_dtype, namespace_of, same_device, to_host_scalar
from spark_csr._specialise import specialise
from spark_csr.operations import memory
from spark_csr.operations.record import Csr
from spark_csr.operations.spmv import computed_dtype
from spark_csr.primitives import (
    argsort,
    cartesian_product,
    for_each,
    offsets_from_counts,
    offsets_from_segment_ids,
    segment_ids,
    segmented_reduce,
    sort,
)
from spark_csr.primitives._memory import room

BYTES = 128
"""Scratch memory of one product at most: two positions, row, key, order, what sorting holds, two copies of its value."""


class Piece(NamedTuple):
    """Entries `start:stop` of A, which lie in rows `first:last`; `ends`: no later piece has entries of these rows."""

    first: int
    last: int
    start: int
    stop: int
    ends: bool


@njit
def _count_products(row, a_indptr, a_indices, b_indptr, counts):
    """How many scalar products a row of the result is made of."""
    total = np.int64(0)
    for p in range(np.uint64(a_indptr[row]), np.uint64(a_indptr[row + 1])):
        j = np.uint64(a_indices[p])
        total += np.int64(b_indptr[j + np.uint64(1)]) - np.int64(b_indptr[j])
    counts[row] = total


def products_of_rows(a, b):
    """The number of scalar products behind every row of `A @ B`, in int64."""
    counts = namespace_of(a.data).empty(a.shape[0], np.int64)
    for_each(a.shape[0], _count_products, a.indptr, a.indices, b.indptr, counts)
    return counts


def pieces(a, b, limit):
    """Cut A into pieces of at most `limit` products: whole rows where they fit, else entries of one row, one at least."""
    xp, (rows, columns) = namespace_of(a.data), (a.shape[0], b.shape[1])
    before = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(products_of_rows(a, b))])
    most_rows = (2**63 - 1) // max(columns, 1)  # so that a row and a column fit into one key
    first = 0
    while first < rows:
        fitting = to_host_scalar(xp.searchsorted(before, before[first] + limit, side="right")) - 1
        last = min(max(fitting, first + 1), first + most_rows, rows)
        start, stop = to_host_scalar(a.indptr[first]), to_host_scalar(a.indptr[last])
        cuts = [start, *_cuts_within(a, b, start, stop, limit)] if fitting <= first else [start]
        for begin, end in zip(cuts, [*cuts[1:], stop], strict=True):
            yield Piece(first, last, begin, end, end == stop)
        first = last


def _cuts_within(a, b, start, stop, limit):
    """Where the entries `start:stop` of a long row are cut, `start` left out."""
    xp, j = namespace_of(a.data), a.indices[start:stop]
    before = xp.cumsum((b.indptr[1:][j] - b.indptr[:-1][j]).astype(np.int64))
    targets = xp.arange(limit, to_host_scalar(before[-1]), limit)
    cuts = xp.unique(xp.searchsorted(before, targets, side="right"))
    return [start + cut for cut in cuts.tolist() if cut]


def _multiply_pair(i, left, right, a, b, out):
    out[i] = scalar(multiply(a[np.uint64(left[i])], b[np.uint64(right[i])]))  # noqa: F821


@functools.cache
def multiplier(ring, dtype):
    """The body for `for_each` that multiplies an entry of A with one of B."""
    return njit(specialise(_multiply_pair, multiply=ring.multiply_for(dtype), scalar=dtype.type))


def _expand(a, b, ring, mask, piece):
    """The place (row in the piece x columns + column) and value of every product of a piece."""
    xp, columns = namespace_of(a.data), b.shape[1]
    entries = xp.arange(piece.start, piece.stop)
    j = a.indices[piece.start : piece.stop]
    _, left, right = cartesian_product((entries, entries + 1), (b.indptr[:-1][j], b.indptr[1:][j]))
    rows = segment_ids(a.indptr[piece.first : piece.last + 1].clip(piece.start, piece.stop))
    places = rows[left - piece.start].astype(np.int64) * columns + b.indices[right]
    if mask is not None:
        kept = _stored(mask, piece, places)
        places, left, right = places[kept], left[kept], right[kept]
    values = xp.empty(places.size, a.data.dtype)
    for_each(places.size, multiplier(ring, values.dtype), left, right, a.data, b.data, values)
    return places, values


def _stored(mask, piece, places):
    """Whether the mask stores an entry at these places."""
    xp, (first, last) = namespace_of(places), piece[:2]
    start, stop = to_host_scalar(mask.indptr[first]), to_host_scalar(mask.indptr[last])
    rows = segment_ids(mask.indptr[first : last + 1]).astype(np.int64)
    wanted = sort(rows * mask.shape[1] + mask.indices[start:stop])
    if not wanted.size:
        return xp.zeros(places.size, bool)
    at = xp.searchsorted(wanted, places)
    return (at < wanted.size) & (wanted[xp.minimum(at, wanted.size - 1)] == places)


def _reduce(places, values, monoid):
    """Sorted places without duplicates; the values of one place combined in order."""
    if not places.size:
        return places, values
    xp, dtype = namespace_of(places), values.dtype
    order = argsort(places, end_bit=max(to_host_scalar(places.max()).bit_length(), 1))
    places, values = places[order], values[order]
    first = xp.concatenate([xp.ones(1, bool), places[1:] != places[:-1]])
    starts = first.nonzero()[0]
    op = "any" if dtype == bool and monoid is ops.MONOIDS["sum"] else monoid
    values = segmented_reduce(values, xp.append(starts, places.size), op).astype(dtype, copy=False)
    return places[starts], values


def _results(a, b, ring, mask, limit):
    """Per piece that ends its rows: the piece, its places and values."""
    xp, held = namespace_of(a.data), None
    for piece in pieces(a, b, limit):
        places, values = _expand(a, b, ring, mask, piece)
        if held is not None:
            places, values = xp.concatenate([held[0], places]), xp.concatenate([held[1], values])
        places, values = held = _reduce(places, values, ring.add)
        if piece.ends:
            held = None
            if ring is ops.PLUS_TIMES:
                kept = values != 0
                places, values = places[kept], values[kept]
            yield piece, places, values


def composed(a, b, ring=ops.PLUS_TIMES, mask=None):
    """`A @ B` of records; see `spgemm.spgemm` for the contract."""
    xp, (rows, columns) = namespace_of(a.data), (a.shape[0], b.shape[1])
    result = ring.result_dtype(a.data.dtype, b.data.dtype)
    dtype = computed_dtype(result)
    a, b = (csr.with_data(csr.data.astype(dtype, copy=False)) for csr in (a, b))
    limit = max(memory.budget(a.data) // BYTES, 1)
    counts, total = xp.zeros(rows, np.int64), 0
    for piece, places, _ in _results(a, b, ring, mask, limit):
        offsets = offsets_from_segment_ids(places // max(columns, 1), piece.last - piece.first)
        counts[piece.first : piece.last] = offsets[1:] - offsets[:-1]
        total += places.size
    indices = room(xp, total, index_dtype(columns), f"the columns of {total} entries")
    data = room(xp, total, result, f"the values of {total} entries")
    at = 0
    for _, places, values in _results(a, b, ring, mask, limit):
        indices[at : at + places.size] = places % max(columns, 1)
        data[at : at + places.size] = values
        at += places.size
    return Csr(offsets_from_counts(counts), indices, data, (rows, columns))


def spgemm_composed(A, B):
    """`A @ B` written with the public primitives: the definition that the fused kernels are tested against.

    Parameters
    ----------
    A : csr_array, shape (m, k)
    B : csr_array, shape (k, n)
        On the device of `A`.

    Returns
    -------
    csr_array, shape (m, n)
        Of dtype `numpy.result_type(A, B)`; rows sorted, no duplicates, no zeros.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    TypeError
        For what is not a `csr_array`, or mixed devices.
    MemoryError
        If there is no room for the result.

    Notes
    -----
    *Cost*: a sort of all products, where `A @ B` reads and adds each once; twice if they do not fit into
    `config.spgemm_memory` at a time. *Order*: same bits every run, other rounding than `A @ B`. *Empty input*: legal. Source:
    expand, sort, compress (Bell, Dalton & Olson, *Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods*, 2012).

    Examples
    --------
    >>> from spark_csr import csr_array, spgemm_composed
    >>> spgemm_composed(csr_array([[1, 2], [0, 3]]), csr_array([[0, 4], [5, 0]])).toarray()
    array([[10,  4],
           [15,  0]])
    """
    for X in (A, B):
        if getattr(X, "format", None) != "csr":
            raise TypeError(f"spgemm_composed takes two csr_arrays, got {type(X).__name__}: use X.tocsr()")
    check_product(A._csr, B._csr)
    return A._of(composed(A._csr, B._csr))


def check_product(a, b, mask=None):
    """TypeError for mixed devices, ValueError for shapes that do not fit."""
    same_device(*a.arrays, *b.arrays)
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"dimension mismatch in @: {a.shape} and {b.shape}; the second needs {a.shape[1]} rows")
    if mask is not None:
        same_device(*a.arrays, *mask.arrays)
        if mask.shape != (a.shape[0], b.shape[1]):
            raise ValueError(f"mask must have the shape of the product, {(a.shape[0], b.shape[1])}, got {mask.shape}")
