"""`betweenness`: count the shortest paths of a graph that lead through each vertex.

Design: operators would take one launch for every level of every source. Here all sources are one launch: a core, or a block of
a GPU, takes one source after another and adds its results to a row of its own in a table. Which sources a row takes depends on
nothing but their number, so the result is the same for any number of threads. Source: Brandes, *A Faster Algorithm for
Betweenness Centrality*, 2001.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import as_positions, by_width, to_host_scalar
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._progress import watch
from spark_csr.graph.algorithms.checks import as_lengths, check_weights
from spark_csr.graph.algorithms.dijkstra import add_rows, steps_of, sum_shares
from spark_csr.graph.edges import combine_edges, reverse_edges
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.intersection import simplify
from spark_csr.primitives._check import find_first_true, integer
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import gather, sort

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike, Progress
    from spark_csr.graph.graph import Graph

LONG = 2.0**960
"""Above this, the sum of a path's lengths might overflow."""


def betweenness(
    G: Graph,
    k: int | None = None,
    normalized: bool = True,
    endpoints: bool = False,
    seed: int | random.Random | None = None,
    *,
    sources: ArrayLike | None = None,
    weighted: bool = False,
    progress: Progress = None,
) -> Array:
    """Compute the betweenness centrality of every vertex: the share of shortest paths through it, summed over pairs.

    Parameters
    ----------
    G : Graph
        The graph. A path is a sequence of vertices, as in networkx, so several edges between the same two vertices do not make
        further paths.
    k : int, optional
        Estimate the result from this number of randomly chosen sources. Default: use all vertices.
    normalized : bool, default: True
        Whether to divide by the number of pairs.
    endpoints : bool, default: False
        Whether to count both ends of a path among the vertices that it leads through.
    seed : int or random.Random, optional
        The seed, or the generator, of the random choice. A number chooses the same vertices as in networkx if the nodes are the
        vertices in order.
    sources : int, name, or array_like of these, optional
        Estimate the result from these vertices (names: see `Graph.vertex`). Give at most one of `k` and `sources`.
    weighted : bool, default: False
        If True, weights are lengths, which must be positive, and shortest paths are those of least length. Of several edges
        between two vertices the shortest counts; an edge of infinite length counts as missing. If False, every edge has length
        1.
    progress : bool or function, optional
        True shows on stderr how many sources are done: a bar of tqdm if that is installed, else lines. A function is called as
        `progress(sources, total)` with the number of sources that are done, and of all.

    Returns
    -------
    (n,) array of float64
        The centrality of every vertex, scaled as in networkx 3.6: without `endpoints`, the centrality of a source is estimated
        from the other sources, as paths that begin at a vertex do not lead through it. With `k` or `sources` of one vertex, and
        without `endpoints`, the result at that vertex is NaN if the graph has three or more vertices.

    Raises
    ------
    ValueError
        If `k` is not between 1 and n, if both `k` and `sources` are given, or if `sources` is empty, is out of range or names a
        vertex twice; or, with `weighted`, if a length is not positive (the message names the first one).
    OverflowError
        If there are more shortest paths than a float64 can count, 1e308, as in a grid of 520 by 520 vertices.
    TypeError
        If `G` is not a Graph, if a source is neither an integer nor a name, or if `weighted` is True and lengths are complex.

    Notes
    -----
    *Cost*: two visits to every edge for each source; two launches, one host read, and the host reads of the checks. A GPU takes
    as many sources at once as it has room for, and is idle in part if there are fewer. Scratch on the cores: up to 64 sums for
    each vertex, as many as fit in 2**28 bytes but at least 8, and for each core 32 bytes for each vertex and 4 for each edge on
    a shortest path. Scratch on a GPU: 2**30 bytes, or 36 for each vertex if that is more. Directed graphs are reversed the
    first time. With `weighted`, each source takes a search with a heap, which is one thread on a GPU, and sums of lengths are
    compared exactly. *Order*: the same bits on every run and for any number of threads. *Empty input*: an empty array.

    Examples
    --------
    >>> from spark_csr.graph import Graph, betweenness, edge_betweenness
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 0], [0, 1, 0, 0]]
    >>> G = Graph(A, directed=False)
    >>> betweenness(G, normalized=False), edge_betweenness(G, normalized=False)
    (array([0., 3., 0., 0.]), array([3., 3., 3., 3., 3., 3.]))
    """
    xp, csr = arrays_of(G)
    chosen = choose_sources(G, k, seed, sources)
    if not csr.shape[0]:
        return xp.zeros(0)
    with watch(progress, "betweenness", "sources", len(chosen)) as report:
        if weighted:
            total = sum_shares(*_shortest_edges(csr), chosen._list(), endpoints, report)
        else:
            if not csr.plan(has_canonical_columns):
                csr = csr.plan(simplify)
            back = csr.plan(reverse_edges) if G.directed else csr
            total = _sum_over_sources(csr, back, chosen._list(), endpoints, report)
    if not to_host_scalar(xp.isfinite(total).all()):  # an infinite number of paths makes the sum of its vertex NaN
        raise OverflowError("there are more shortest paths than a float64 can count, 1e308: choose other sources")
    return _scale(total, None if k is None and sources is None else chosen._list(), normalized, G.directed, endpoints)


def _shortest_edges(csr):
    """Return one edge for each pair of vertices, the shortest, and the lengths as kernels take them."""
    lengths = as_lengths(csr)
    check_weights(csr, ~(lengths > 0), "be positive, as lengths", "use weighted=False")
    csr = combine_edges(csr.with_data(lengths), "min")
    lengths = csr.data
    if lengths.dtype == np.float64 and to_host_scalar(((lengths > LONG) & (lengths < np.inf)).any()):
        lengths = lengths * 2.0**-64  # which is exact, and no path has more edges
    return csr, lengths


def choose_sources(G, k, seed, sources):
    """Return the sources as a frontier."""
    n = G.n_vertices
    if k is not None and sources is not None:
        raise ValueError(f"give k or sources, not both: got k={k} and sources={sources!r}")
    if sources is None and k is None:
        return Frontier.all(G)
    if sources is None:
        k = integer("k", k)
        if not 1 <= k <= n:
            raise ValueError(f"k must be at least 1 and at most the number of vertices, {n}, got {k}")
        by = seed if hasattr(seed, "sample") else random.Random(seed)
        return Frontier.of(G, by.sample(range(n), k))
    chosen = Frontier._from_argument("sources", G, sources)
    if not len(chosen):
        raise ValueError("sources must hold at least one vertex, got none")
    if to_host_scalar(chosen._as_bitmap().sum()) < len(chosen):
        in_order = sort(chosen._list())
        twice = to_host_scalar(in_order[find_first_true(in_order[1:] == in_order[:-1])])
        raise ValueError(f"sources must be distinct, got {twice} twice")
    return chosen


def _sum_over_sources(csr, back, sources, endpoints, report):
    """Return, for every vertex, the sum of the results of all sources, from rows of a table that are added in order."""
    n, xp, backend = csr.shape[0], csr.xp, csr.backend
    rows = backend.brandes_rows(n, sources.size)
    table = allocate_array(xp, rows * n, np.dtype(np.float64), f"{rows} x {n} sums").reshape(rows, n)
    table.fill(0)
    arrays = csr.indptr, by_width(csr.indices), back.indptr, by_width(back.indices)
    for some in steps_of(csr, rows, sources.size, report):
        backend.brandes(*arrays, by_width(sources[some]), float(bool(endpoints)), table)
    out = xp.empty(n)
    for_each(n, add_rows, table.reshape(rows * n), rows, n, out)
    return out


def _scale(total, sources, normalized, directed, endpoints):
    """Scale as networkx does: from some sources to all, from pairs to shares, from ordered pairs to pairs."""
    others = total.size - (not endpoints)
    if others < 2:
        return total
    both = 1 if directed or normalized else 2
    pairs = others * (others - 1) if normalized else 1
    count = others if sources is None else sources.size
    out = total * (others / (count * both * pairs))
    if sources is not None and not endpoints:  # paths from a source do not count for the source itself
        own = others / ((count - 1) * both * pairs) if count > 1 else np.nan
        out[as_positions(sources)] = gather(total, sources) * own
    return out
