"""`betweenness`: through which vertices the shortest paths of a graph lead.

Design: operators would take one launch for every level of every source. Here all sources are one launch: a core, or a block of
a GPU, takes one source after another and adds what it finds to a row of its own in a table. Which sources a row takes depends
on nothing but their number, so the result is the same for any number of threads. Source: Brandes, *A Faster Algorithm for
Betweenness Centrality*, 2001.
"""

import operator
import random

import numpy as np

from spark_csr._array import by_width, to_host_scalar
from spark_csr._numba import njit
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr.graph.edges import reverse_edges
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.intersection import simplify
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import gather, sort


def betweenness(G, k=None, normalized=True, endpoints=False, seed=None, *, sources=None):
    """For every vertex the share of the shortest paths between others that lead through it, summed over all pairs of others.

    Parameters
    ----------
    G : Graph
        Weights count for nothing. A path is a sequence of vertices, as networkx has it: several edges between the same two
        make no further paths.
    k : int, optional
        Estimate from so many sources, chosen by chance. Default: all vertices.
    normalized : bool
        Divide by the number of pairs.
    endpoints : bool
        Count the two ends of a path among the vertices that it leads through.
    seed : int or random.Random, optional
        Who chooses. A number chooses the same vertices as networkx does, of a graph with vertices in order.
    sources : sequence of ints, optional
        Estimate from just these vertices, in place of `k`.

    Returns
    -------
    (n,) array of float64
        Scaled as by networkx 3.6, which counts pairs without the vertex itself; NaN for a single source without `endpoints`,
        of which nothing is known.

    Raises
    ------
    ValueError
        For `k` outside 1 to n, for no sources, for one that is no vertex or named twice, for `k` beside `sources`.
    OverflowError
        If there are more shortest paths than a float64 can count, 1e308, as in a grid of 520 by 520 vertices.
    TypeError
        For what is no Graph, or a source that is no integer.
    MemoryError
        If there is no room for the table.

    Notes
    -----
    *Cost*: two visits to every edge for each source; two launches, one host read, and those that check. A GPU takes as many
    sources at once as it has room for, and is idle in part with fewer. Scratch: 64 sums for each vertex, or 8 where that took
    more than 2**28 bytes, and for each core 32 bytes for each vertex and 4 for each edge that paths take; on a GPU 2**30 bytes,
    or 36 for each vertex where that is more. Directed graphs are reversed the first time. *Order*: same bits every run and for
    any number of threads. *Empty input*: no vertices.

    Examples
    --------
    >>> from spark_csr.graph import Graph, betweenness
    >>> betweenness(Graph([[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 0], [0, 1, 0, 0]], directed=False), normalized=False)
    array([0., 3., 0., 0.])
    """
    xp, csr = arrays_of(G)
    chosen = _choose_sources(G, k, seed, sources)
    if not csr.shape[0]:
        return xp.zeros(0)
    if not csr.plan(has_canonical_columns):
        csr = csr.plan(simplify)
    total = _sum_over_sources(csr, csr.plan(reverse_edges) if G.directed else csr, chosen._list(), endpoints)
    if not to_host_scalar(xp.isfinite(total).all()):  # a number of paths that is infinite makes its vertex's sum NaN
        raise OverflowError("there are more shortest paths than a float64 can count, 1e308: choose other sources")
    return _scale(total, None if k is None and sources is None else chosen._list(), normalized, G.directed, endpoints)


def _choose_sources(G, k, seed, sources):
    """Return the sources as a frontier."""
    n = G.n_vertices
    if k is not None and sources is not None:
        raise ValueError(f"give k or sources, not both: got k={k} and sources={sources!r}")
    if sources is None and k is None:
        return Frontier.all(G)
    if sources is None:
        k = operator.index(k)
        if not 1 <= k <= n:
            raise ValueError(f"k must be at least 1 and at most the number of vertices, {n}, got {k}")
        by = seed if isinstance(seed, random.Random) else random.Random(seed)
        return Frontier.of(G, by.sample(range(n), k))
    chosen = Frontier._from_argument("sources", G, sources)
    if not len(chosen):
        raise ValueError("sources must name a vertex, got none")
    if to_host_scalar(chosen._as_bitmap().sum()) < len(chosen):
        in_order = sort(chosen._list())
        twice = to_host_scalar(in_order[find_first_true(in_order[1:] == in_order[:-1])])
        raise ValueError(f"sources must be distinct, got {twice} twice")
    return chosen


def _sum_over_sources(csr, back, sources, endpoints):
    """Return for every vertex the sum of what the sources found, in rows of a table that are added in order."""
    n, xp, backend = csr.shape[0], csr.xp, csr.backend
    rows = backend.brandes_rows(n, sources.size)
    table = allocate_array(xp, rows * n, np.dtype(np.float64), f"{rows} x {n} sums").reshape(rows, n)
    table.fill(0)
    arrays = csr.indptr, by_width(csr.indices), back.indptr, by_width(back.indices)
    backend.brandes(*arrays, by_width(sources), float(bool(endpoints)), table)
    out = xp.empty(n)
    for_each(n, _add_rows, table.reshape(rows * n), rows, n, out)
    return out


@njit
def _add_rows(i, table, rows, n, out):
    total = 0.0
    for r in range(np.uint64(rows)):
        total += table[r * np.uint64(n) + np.uint64(i)]
    out[i] = total


def _scale(total, sources, normalized, directed, endpoints):
    """Scale as networkx does: from some sources to all, from pairs to shares, from ordered pairs to pairs."""
    others = total.size - (not endpoints)
    if others < 2:
        return total
    both = 1 if directed or normalized else 2
    pairs = others * (others - 1) if normalized else 1
    count = others if sources is None else sources.size
    out = total * (others / (count * both * pairs))
    if sources is not None and not endpoints:  # a source has found nothing of itself
        own = others / ((count - 1) * both * pairs) if count > 1 else np.nan
        out[sources] = gather(total, sources) * own
    return out
