"""`closeness_centrality`: one over the mean distance from all vertices that reach a vertex.

Design: see `all_distances`, and with weights `dijkstra`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._progress import watch
from spark_csr.graph.algorithms.all_distances import search_from_all
from spark_csr.graph.algorithms.bfs import bfs
from spark_csr.graph.algorithms.checks import as_lengths, check_lengths
from spark_csr.graph.algorithms.dijkstra import sum_distances
from spark_csr.graph.edges import reverse_edges
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import Graph, arrays_of
from spark_csr.graph.vertices import read_vertices
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike, Progress

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
    TypeError
        If `G` is not a Graph, if a vertex is neither an integer nor a name, or if `weighted` is True and lengths are complex.

    Notes
    -----
    *Cost*: for every 256 vertices one pass over the edges for each level of a search, without the edges of vertices that all of
    the 256 have reached, and one host read for each level. Scratch: 124 bytes for each vertex. For four or fewer vertices in
    `u`, a search from each. With `weighted`, a search with a heap for each vertex in `u`, several at a time; on a GPU each is
    one thread. Directed graphs are reversed the first time. *Order*: exact without weights; with them the same bits on every
    run and for any number of threads. *Empty input*: an empty array.

    Examples
    --------
    >>> from spark_csr.graph import Graph, closeness_centrality
    >>> from spark_csr.graph import eccentricity, harmonic_centrality
    >>> A = [[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 0], [0, 1, 0, 0]]
    >>> G = Graph(A, directed=False)
    >>> closeness_centrality(G), closeness_centrality(G, 1)
    (array([0.6, 1. , 0.6, 0.6]), array([1.]))
    >>> harmonic_centrality(G), eccentricity(G)
    (array([2., 3., 2., 2.]), array([2, 1, 2, 2], dtype=int32))
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
            totals, _, reached = sum_distances(back, gather(lengths, back.data) if G.directed else lengths, wanted, report)
        elif few:
            totals, reached = _search_from_each(xp, csr, G.directed, wanted, report)
        else:
            totals, _, reached, _ = search_from_all(csr.plan(reverse_edges) if G.directed else csr, report)
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
