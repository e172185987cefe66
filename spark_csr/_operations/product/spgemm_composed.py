"""Compute `A @ B` with public primitives, as its definition reads: cartesian products by row, a sort by position, a reduction.

Design: scalar products are expanded a piece at a time, so that what they need stays under `config.spgemm_memory`. A row may be
cut: what a piece has of it is put in front of the products of the next piece. A piece has at least as many products as a row of
the result may have entries, otherwise most of the time would go into what is carried from piece to piece, and at least `LEAST`,
otherwise it would go into calls. Cost: if there are several pieces, all are computed twice, first to learn the size of the
result.
"""

import functools
from typing import NamedTuple

import numpy as np

from spark_csr import _ops as ops
from spark_csr._array import device_of, namespace_of, to_host_scalar
from spark_csr._engine import njit, specialise
from spark_csr._engine.holes import add, multiply, scalar
from spark_csr._operations.form import memory
from spark_csr._operations.product.spgemm_result import build_result, check_product, convert_operands
from spark_csr._operations.product.spgemm_size import count_products
from spark_csr.primitives import (
    argsort,
    cartesian_product,
    for_each,
    load_balance_search,
    offsets_from_segment_ids,
    segment_ids,
    sort,
)

BYTES = 256
"""The most bytes of scratch memory that one scalar product needs: two positions, row, key, order, what sorting holds, two
copies of its value, and as much for what earlier pieces had of its row."""

LEAST = {"cpu": 1 << 13, "cuda": 1 << 18}
"""The fewest products of a piece: 2 MiB on the cores, 64 MiB on a GPU, where a piece takes about a hundred launches. Pieces of
32 products took 190 times as long as a single piece, pieces of 8,192 1.4 times (EPYC, one core, 2026-11). Not tuned on a
GPU."""


class Piece(NamedTuple):
    """Entries `start:stop` of A, which lie in rows `first:last`; `ends` is True if no later piece has entries of these rows."""

    first: int
    last: int
    start: int
    stop: int
    ends: bool


def piece_size(a, b, budget):
    """Return how many products a piece may have: as many as fit into `budget` bytes, but not too few."""
    least = LEAST[device_of(a.data).partition(":")[0]]
    longest = to_host_scalar(count_products(a, b)[0].max()) if a.shape[0] else 0
    return max(budget // BYTES, least, min(longest, b.shape[1]))


def cut_pieces(a, b, limit):
    """Yield pieces of A of at most `limit` products: whole rows if they fit, else entries of one row, at least one."""
    xp, (rows, columns) = a.xp, (a.shape[0], b.shape[1])
    before = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(count_products(a, b)[0])])
    most_rows = (2**63 - 1) // max(columns, 1)  # so that a row and a column fit into one key
    first = 0
    while first < rows:
        fitting = to_host_scalar(xp.searchsorted(before, before[first] + limit, side="right")) - 1
        last = min(max(fitting, first + 1), first + most_rows, rows)
        start, stop = to_host_scalar(a.indptr[first]), to_host_scalar(a.indptr[last])
        cuts = [start, *_cut_row(a, b, start, stop, limit)] if fitting <= first else [start]
        for begin, end in zip(cuts, [*cuts[1:], stop], strict=True):
            yield Piece(first, last, begin, end, end == stop)
        first = last


def _cut_row(a, b, start, stop, limit):
    """Return the positions at which the entries `start:stop` of a long row are cut, without `start`."""
    xp, j = a.xp, a.indices[start:stop]
    before = xp.cumsum((b.indptr[1:][j] - b.indptr[:-1][j]).astype(np.int64))
    targets = xp.arange(limit, to_host_scalar(before[-1]), limit)
    cuts = xp.unique(xp.searchsorted(before, targets, side="right"))
    return [start + cut for cut in map(to_host_scalar, cuts) if cut]


def _multiply_pair(i, left, right, a, b, out):
    out[i] = scalar(multiply(a[left[i]], b[right[i]]))


def _combine_run(i, starts, identity, values, out):
    """Combine the products of one position from left to right, as the fused kernels do: so the bits do not depend on pieces."""
    total = scalar(identity[0])
    for p in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
        total = scalar(add(total, values[p]))
    out[i] = total


@functools.cache
def make_bodies(ring, dtype):
    """Return the bodies for `for_each` that multiply entries and that combine the products of one position."""
    meanings = {"add": ring.add.op, "multiply": ring.multiply_for(dtype), "scalar": dtype.type}
    return tuple(njit(specialise(body, **meanings)) for body in (_multiply_pair, _combine_run))


def _expand(a, b, ring, mask, piece):
    """Return the position (row in the piece x columns + column) and the value of every scalar product of a piece."""
    xp, columns = a.xp, b.shape[1]
    entries = xp.arange(piece.start, piece.stop)
    j = a.indices[piece.start : piece.stop]
    _, left, right = cartesian_product((entries, entries + 1), (b.indptr[:-1][j], b.indptr[1:][j]))
    rows = segment_ids(a.indptr[piece.first : piece.last + 1].clip(piece.start, piece.stop))
    places = rows[left - piece.start].astype(np.int64) * columns + b.indices[right]
    if mask is not None:
        kept = _flag_stored(mask, piece, places)
        places, left, right = places[kept], left[kept], right[kept]
    values = xp.empty(places.size, a.data.dtype)
    for_each(places.size, make_bodies(ring, values.dtype)[0], left, right, a.data, b.data, values)
    return places, values


def _flag_stored(mask, piece, places):
    """Return flags of the positions at which the mask stores an entry."""
    xp, (first, last) = namespace_of(places), piece[:2]
    start, stop = to_host_scalar(mask.indptr[first]), to_host_scalar(mask.indptr[last])
    rows = segment_ids(mask.indptr[first : last + 1]).astype(np.int64)
    wanted = sort(rows * mask.shape[1] + mask.indices[start:stop])
    if not wanted.size:
        return xp.zeros(places.size, bool)
    at = xp.searchsorted(wanted, places)
    return (at < wanted.size) & (wanted[xp.minimum(at, wanted.size - 1)] == places)


def _combine_positions(places, values, ring):
    """Return the sorted positions without duplicates, with the values of each position combined in order."""
    if not places.size:
        return places, values
    xp, dtype = namespace_of(places), values.dtype
    order = argsort(places, end_bit=max(to_host_scalar(places.max()).bit_length(), 1))
    places, values = places[order], values[order]
    first = xp.concatenate([xp.ones(1, bool), places[1:] != places[:-1]])
    starts = first.nonzero()[0]
    out, identity = xp.empty(starts.size, dtype), xp.full(1, ring.add.identity_for(dtype), dtype)
    for_each(starts.size, make_bodies(ring, dtype)[1], xp.append(starts, places.size), identity, values, out)
    return places[starts], out


def _compute_rows(a, b, ring, mask, budget):
    """Yield the pieces that end their rows, with the positions and values of these rows."""
    xp, held = a.xp, None
    for piece in cut_pieces(a, b, piece_size(a, b, budget)):
        places, values = _expand(a, b, ring, mask, piece)
        if held is not None:
            places, values = xp.concatenate([held[0], places]), xp.concatenate([held[1], values])
        places, values = _combine_positions(places, values, ring)
        held = None if piece.ends else (places, values)
        if piece.ends:
            yield piece, places, values


def count_composed(a, b, ring, mask, budget, counts):
    """Count the entries of every row of the product."""
    for piece, places, _ in _compute_rows(a, b, ring, mask, budget):
        offsets = offsets_from_segment_ids(places // b.shape[1], piece.last - piece.first)
        counts[piece.first : piece.last] = offsets[1:] - offsets[:-1]


def fill_composed(a, b, ring, mask, budget, starts, indices, data):
    """Write row `i` of the product from `starts[i]` on. Return whether one of the values is 0."""
    zero = False
    for piece, places, values in _compute_rows(a, b, ring, mask, budget):
        rows = places // b.shape[1]
        rank = load_balance_search(offsets_from_segment_ids(rows, piece.last - piece.first))[1]
        at = starts[piece.first : piece.last][rows] + rank
        indices[at], data[at] = places - rows * b.shape[1], values
        zero = zero or bool(to_host_scalar((values == 0).any()))
    return zero


def multiply_composed(a, b, ring=ops.PLUS_TIMES, mask=None):
    """Return `A @ B` of records, without a fused kernel; see `spgemm.spgemm` for the contract."""
    check_product(a, b, mask)
    a, b, result = convert_operands(a, b, ring)
    budget = memory.scratch_budget(a.data, 2**62)
    what = a, b, ring, mask, budget

    def fill(indptr, indices, data):
        return fill_composed(*what, indptr[:-1], indices, data)

    return build_result(a, b, ring, result, lambda counts: count_composed(*what, counts), fill)
