"""Distances between all vertices, summed over sources without being stored.

Design: 256 sources are searched from at once. Every vertex has one bit for each of them, and a level is one pass in which a
vertex collects the bits of the vertices before it. The new bits of a vertex are counted, so its distances are summed in
integers; a vertex that all sources have reached is skipped. Source: Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann
& Vo, *The More the Merrier: Efficient Multi-Source Graph Traversal*, VLDB 2014.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spark_csr._array import by_width, to_host_scalar
from spark_csr._engine import njit
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._operations.form.record import Csr
    from spark_csr._types import Array

WORDS = 4
"""Words of 64 sources for each vertex. `_advance` has as many variables."""


class Distances(NamedTuple):
    """For every vertex, of its distances from all vertices that reach it: their sum, that of their inverses, their number with
    its own, which is 0, and the greatest."""

    totals: Array
    inverses: Array
    reached: Array
    farthest: Array


def search_from_all(back: Csr, report: Callable[[int, int], object] | None) -> Distances:
    """Search from all vertices. Row `v` of `back` holds the vertices from which edges lead to `v`."""
    n, xp = back.shape[0], back.xp
    found = Distances(xp.zeros(n, np.int64), xp.zeros(n), xp.ones(n, np.int64), xp.zeros(n, np.int32))
    seen, now, new = (allocate_array(xp, WORDS * n, np.dtype(np.uint64), f"{WORDS * n} words") for _ in range(3))
    graph = back.indptr, by_width(back.indices)
    for first in range(0, n, 64 * WORDS):
        for_each(n, _begin, first, seen, now)
        level, active = 0, True
        while active:
            level, changed = level + 1, xp.zeros(1, np.int32)
            for_each(n, _advance, *graph, first, n, level, now, seen, new, *found, changed)
            now, new, active = new, now, to_host_scalar(changed[0]) != 0
        if report is not None:
            report(min(first + 64 * WORDS, n), n)
    return found


@njit
def _begin(v, first, seen, now):
    """Write the bits of a vertex before a search: its own, if it is one of the sources."""
    here, at = np.uint64(v) * WORDS, v - first
    for w in range(WORDS):
        word = np.uint64(0)
        if at >= 64 * w and at < 64 * (w + 1):
            word = 1 << np.uint64(at - 64 * w)
        seen[here + np.uint64(w)] = word
        now[here + np.uint64(w)] = word


@njit(forceinline=True)
def _all_sources(first, n, w):
    """Return the bits of the sources that there are in a word."""
    count = n - first - 64 * w
    return np.uint64(0xFFFFFFFFFFFFFFFF) if count >= 64 else (1 << np.uint64(max(count, 0))) - 1


@njit(forceinline=True)
def _count_bits(word):
    """Return the number of bits that are set."""
    word -= (word >> 1) & 0x5555555555555555
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word += word >> 8
    word += word >> 16
    word += word >> 32
    return np.int64(word & 0x7F)


@njit
def _advance(v, indptr, indices, first, n, level, now, seen, new, totals, inverses, reached, farthest, changed):
    """Collect the bits of the vertices before a vertex; note those that are new, and add their distances."""
    here = np.uint64(v) * WORDS
    a, b, c, d = seen[here], seen[here + 1], seen[here + 2], seen[here + 3]
    w = ~a & _all_sources(first, n, 0)
    x = ~b & _all_sources(first, n, 1)
    y = ~c & _all_sources(first, n, 2)
    z = ~d & _all_sources(first, n, 3)
    e = f = g = h = np.uint64(0)
    if (w | x | y | z) != 0:
        for k in range(np.uint64(indptr[v]), np.uint64(indptr[np.uint64(v) + 1])):
            there = np.uint64(indices[k]) * WORDS
            e |= now[there]
            f |= now[there + 1]
            g |= now[there + 2]
            h |= now[there + 3]
        e, f, g, h = e & w, f & x, g & y, h & z
        count = _count_bits(e) + _count_bits(f) + _count_bits(g) + _count_bits(h)
        if count:
            totals[v] += level * count
            inverses[v] += np.float64(count) / np.float64(level)
            reached[v] += count
            farthest[v] = max(farthest[v], level)
            changed[0] = 1
            seen[here], seen[here + 1], seen[here + 2], seen[here + 3] = a | e, b | f, c | g, d | h
    new[here], new[here + 1], new[here + 2], new[here + 3] = e, f, g, h
