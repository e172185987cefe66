"""`closeness_centrality`: one over the mean distance from all vertices that reach a vertex.

Design: without weights, 256 sources are searched from at once. Every vertex has one bit for each of them, and a level is one
pass in which a vertex collects the bits of the vertices before it. The new bits of a vertex are counted, so its distances are
summed without being stored, in integers; a vertex that all sources have reached is skipped. With weights see `dijkstra`.
Source: Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann & Vo, *The More the Merrier: Efficient Multi-Source Graph
Traversal*, VLDB 2014.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import by_width, to_host_scalar
from spark_csr._engine import njit
from spark_csr._progress import watch
from spark_csr.graph.algorithms.bfs import bfs
from spark_csr.graph.algorithms.checks import as_lengths, check_lengths
from spark_csr.graph.algorithms.dijkstra import sum_distances
from spark_csr.graph.edges import reverse_edges
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import Graph, arrays_of
from spark_csr.graph.vertices import read_vertices
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike, Progress

WORDS = 4
"""Words of 64 sources for each vertex. `_advance` has as many variables."""

FEW = 4
"""Up to so many vertices are searched from one by one. Not tuned."""


def closeness_centrality(
    G: Graph, u: ArrayLike | None = None, weighted: bool = False, wf_improved: bool = True, *, progress: Progress = None
) -> Array:
    """Compute the closeness centrality of every vertex: one over the mean distance to it from all vertices that reach it.

    Parameters
    ----------
    G : Graph
        The graph. In a directed graph, distances are those of paths that lead to a vertex, as in networkx. For paths that leave
        it pass `G.transpose`.
    u : int, name, or array_like of these, optional
        The vertices to compute the centrality of. Default: all vertices.
    weighted : bool, default: False
        If True, weights are lengths and must not be negative. If False, every edge has length 1.
    wf_improved : bool, default: True
        Whether to multiply by the share of the other vertices that reach the vertex (Wasserman & Faust).
    progress : bool or function, optional
        True shows on stderr from how many vertices the search is done: a bar of tqdm if that is installed, else lines. A
        function is called as `progress(vertices, total)` with the number of vertices that are done, and of all.

    Returns
    -------
    (n,) array of float64, or (k,) array for `k` vertices in `u`
        The centrality of every vertex; 0 if no other vertex reaches it, or if all that do are at distance 0.

    Raises
    ------
    ValueError
        If a vertex in `u` is out of range; or, with `weighted`, if a length is negative or NaN (the message names the first
        one).
    KeyError
        If no vertex has one of the names.
    TypeError
        If `G` is not a Graph, if a vertex is neither an integer nor a name, or if `weighted` is True and lengths are complex.
    MemoryError
        If there is no room for scratch memory.

    Notes
    -----
    *Cost*: for every 256 vertices one pass over the edges for each level of a search, without the edges of vertices that all of
    the 256 have reached, and one host read for each level. Scratch: 112 bytes for each vertex. For four or fewer vertices in
    `u`, a search from each. With `weighted`, a search with a heap for each vertex in `u`, several at a time; on a GPU each is
    one thread. Directed graphs are reversed the first time. *Order*: exact without weights; with them the same bits on every
    run and for any number of threads. *Empty input*: an empty array.

    Examples
    --------
    >>> from spark_csr.graph import Graph, closeness_centrality
    >>> G = Graph([[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 0], [0, 1, 0, 0]], directed=False)
    >>> closeness_centrality(G)
    array([0.6, 1. , 0.6, 0.6])
    >>> closeness_centrality(G, 1)
    array([1.])
    """
    xp, csr = arrays_of(G)
    n = csr.shape[0]
    wanted = Frontier.all(G)._list() if u is None else read_vertices(G, u, "u")
    few = u is not None and wanted.size <= FEW
    with watch(progress, "closeness_centrality", "vertices", wanted.size if few or weighted else n) as report:
        if weighted:
            lengths = as_lengths(csr)
            check_lengths(csr)
            back = csr.plan(reverse_edges) if G.directed else csr
            totals, reached = sum_distances(back, gather(lengths, back.data) if G.directed else lengths, wanted, report)
        elif few:
            totals, reached = _search_from_each(xp, csr, G.directed, wanted, report)
        else:
            totals, reached = _search_from_all(csr, csr.plan(reverse_edges) if G.directed else csr, report)
            if u is not None:
                totals, reached = gather(totals, wanted), gather(reached, wanted)
    others = (reached - 1).astype(np.float64)
    found = xp.where(totals > 0, others / xp.where(totals > 0, totals, 1), 0.0)
    return found * (others / max(n - 1, 1)) if wf_improved else found


def _search_from_each(xp, csr, directed, wanted, report):
    """Return, for some vertices, the sum of the distances to each, and how many vertices reach it."""
    back = Graph._of(csr.plan(reverse_edges) if directed else csr, directed)
    totals, reached = xp.zeros(wanted.size, np.int64), xp.zeros(wanted.size, np.int64)
    for i in range(wanted.size):
        distance = bfs(back, wanted[i : i + 1])[0]
        found = distance >= 0
        totals[i], reached[i] = xp.where(found, distance, 0).sum(dtype=np.int64), found.sum()
        if report is not None:
            report(i + 1, wanted.size)
    return totals, reached


def _search_from_all(csr, back, report):
    """Return, for every vertex, the sum of the distances to it, and how many vertices reach it."""
    n, xp = csr.shape[0], csr.xp
    totals, reached = xp.zeros(n, np.int64), xp.ones(n, np.int64)
    seen, now, new = (allocate_array(xp, WORDS * n, np.dtype(np.uint64), f"{WORDS * n} words") for _ in range(3))
    graph = back.indptr, by_width(back.indices)
    for first in range(0, n, 64 * WORDS):
        for_each(n, _begin, first, seen, now)
        level, active = 0, True
        while active:
            level, changed = level + 1, xp.zeros(1, np.int32)
            for_each(n, _advance, *graph, first, n, level, now, seen, new, totals, reached, changed)
            now, new, active = new, now, to_host_scalar(changed[0]) != 0
        if report is not None:
            report(min(first + 64 * WORDS, n), n)
    return totals, reached


@njit
def _begin(v, first, seen, now):
    """Write the bits of a vertex before a search: its own, if it is one of the sources."""
    here, at = np.uint64(v) * np.uint64(WORDS), np.int64(v) - first
    for w in range(WORDS):
        word = np.uint64(0)
        if at >= 64 * w and at < 64 * (w + 1):
            word = np.uint64(1) << np.uint64(at - 64 * w)
        seen[here + np.uint64(w)] = word
        now[here + np.uint64(w)] = word


@njit(forceinline=True)
def _all_sources(first, n, w):
    """Return the bits of the sources that there are in a word."""
    count = n - first - 64 * w
    return np.uint64(0xFFFFFFFFFFFFFFFF) if count >= 64 else (np.uint64(1) << np.uint64(max(count, 0))) - np.uint64(1)


@njit(forceinline=True)
def _count_bits(word):
    """Return the number of bits that are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word += word >> np.uint64(8)
    word += word >> np.uint64(16)
    word += word >> np.uint64(32)
    return np.int64(word & np.uint64(0x7F))


@njit
def _advance(v, indptr, indices, first, n, level, now, seen, new, totals, reached, changed):
    """Collect the bits of the vertices before a vertex; note those that are new, and add their distances."""
    here, one, two, three = np.uint64(v) * np.uint64(WORDS), np.uint64(1), np.uint64(2), np.uint64(3)
    a, b, c, d = seen[here], seen[here + one], seen[here + two], seen[here + three]
    w = ~a & _all_sources(first, n, 0)
    x = ~b & _all_sources(first, n, 1)
    y = ~c & _all_sources(first, n, 2)
    z = ~d & _all_sources(first, n, 3)
    e = f = g = h = np.uint64(0)
    if (w | x | y | z) != np.uint64(0):
        for k in range(np.uint64(indptr[np.uint64(v)]), np.uint64(indptr[np.uint64(v) + one])):
            there = np.uint64(indices[k]) * np.uint64(WORDS)
            e |= now[there]
            f |= now[there + one]
            g |= now[there + two]
            h |= now[there + three]
        e, f, g, h = e & w, f & x, g & y, h & z
        count = _count_bits(e) + _count_bits(f) + _count_bits(g) + _count_bits(h)
        if count:
            totals[np.uint64(v)] += level * count
            reached[np.uint64(v)] += count
            changed[0] = 1
            seen[here], seen[here + one], seen[here + two], seen[here + three] = a | e, b | f, c | g, d | h
    new[here], new[here + one], new[here + two], new[here + three] = e, f, g, h
