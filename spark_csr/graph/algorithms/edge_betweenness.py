"""`edge_betweenness`: count the shortest paths of a graph that lead through each edge.

Design: as `betweenness` with weights, see `dijkstra`: a row of a table collects what some sources find. Without weights every
length is 1. Source: Brandes, *On Variants of Shortest-Path Betweenness Centrality and their Generic Computation*, 2008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._array import as_positions, by_width, to_host_scalar
from spark_csr._engine import njit
from spark_csr._operations.form.canonical import sort_indices
from spark_csr._operations.form.facts import has_canonical_columns
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._progress import watch
from spark_csr.graph.algorithms.betweenness import LONG, choose_sources
from spark_csr.graph.algorithms.checks import as_lengths, check_weights
from spark_csr.graph.algorithms.dijkstra import add_rows, allocate_rows, settle, steps_of, work_of
from spark_csr.graph.edges import number_edges, reverse_edges
from spark_csr.graph.graph import arrays_of
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each, for_few

if TYPE_CHECKING:
    import random

    from spark_csr._types import Array, ArrayLike, Progress
    from spark_csr.graph.graph import Graph


def edge_betweenness(
    G: Graph,
    k: int | None = None,
    normalized: bool = True,
    seed: int | random.Random | None = None,
    *,
    sources: ArrayLike | None = None,
    weighted: bool = False,
    progress: Progress = None,
) -> Array:
    """Compute the betweenness centrality of every edge: the share of shortest paths through it, summed over pairs of vertices.

    Parameters, result and exceptions that are not listed are those of `betweenness`. See the example of `betweenness`.

    Parameters
    ----------
    G : Graph
        The graph. If it has several edges from one vertex to another, ValueError is raised and names the first two vertices.

    Returns
    -------
    (m,) array of float64
        The centrality of every stored edge, in the order of `G.matrix.data`, scaled as in networkx. Both directions of an edge
        of an undirected graph have the same centrality, that of paths in either direction.

    Notes
    -----
    *Cost*: for each source a search with a heap, which is one thread on a GPU, and one more visit to every edge. Scratch: up to
    64 sums for each edge and 64 times 48 bytes for each vertex, as many as fit in 2**28 bytes but at least 8. *Order*: the same
    bits on every run and for any number of threads. *Empty input*: an empty array.
    """
    xp, csr = arrays_of(G)
    n, m = csr.shape[0], csr.indices.size
    chosen = choose_sources(G, k, seed, sources)._list()
    there = _check_single(csr)
    lengths = as_lengths(csr) if weighted else xp.ones(m, np.int8)
    if weighted:
        check_weights(csr, ~(lengths > 0), "be positive, as lengths", "use weighted=False")
        if lengths.dtype == np.float64 and to_host_scalar(((lengths > LONG) & (lengths < np.inf)).any()):
            lengths = lengths * 2.0**-64  # as in betweenness
    if not m:
        return xp.zeros(0)
    with watch(progress, "edge_betweenness", "sources", chosen.size) as report:
        total = _sum_over_sources(csr, lengths, chosen, report)
    if not to_host_scalar(xp.isfinite(total).all()):
        raise OverflowError("there are more shortest paths than a float64 can count, 1e308: choose other sources")
    if not G.directed:
        edge, back = as_positions(there), as_positions(csr.plan(reverse_edges).data)
        total[edge] = total[edge] + total[back]
    if n < 2:
        return total
    return total * (1 / (chosen.size * (n - 1)) if normalized else n / (chosen.size * (1 if G.directed else 2)))


def _check_single(csr):
    """Return the ids of the edges in the order of their ends; raise ValueError if two edges have the same ends."""
    if csr.plan(has_canonical_columns):
        return csr.xp.arange(csr.indices.size)
    there = sort_indices(number_edges(csr))
    rows, columns = rows_of_entries(there), there.indices
    at = find_first_true((rows[1:] == rows[:-1]) & (columns[1:] == columns[:-1]))
    if at is not None:
        u, v = to_host_scalar(rows[at]), to_host_scalar(columns[at])
        raise ValueError(
            f"there must be at most one edge from one vertex to another, got several {u} -> {v}: "
            "use G.symmetrize(combine=...), or Graph of the matrix after sum_duplicates()"
        )
    return there.data


def _sum_over_sources(csr, lengths, sources, report):
    """Return, for every edge, its shares of the shortest paths from the sources, from rows of a table added in order."""
    n, m, xp = csr.shape[0], csr.indices.size, csr.xp
    rows, scratch = allocate_rows(csr, sources, m)
    table = allocate_array(xp, rows * m, np.dtype(np.float64), f"{rows} x {m} sums")
    table.fill(0)
    graph, arrays = (csr.indptr, by_width(csr.indices), lengths), (*scratch, xp.empty(rows * n), table)
    for some in steps_of(csr, rows, sources.size, report):
        chosen = sources[some]
        for_few(rows, work_of(csr, chosen.size), _add_row, rows, n, m, chosen, *graph, *arrays)
    out = xp.empty(m)
    for_each(m, add_rows, table, rows, m, out)
    return out


@njit
def _add_row(row, rows, n, m, sources, indptr, indices, lengths, heap, keys, place, distance, paths, order, share, table):
    """Add to a row of the table what its sources find: from the last vertex on, edges hand on what paths bring to ends."""
    base, mine = np.uint64(row) * np.uint64(n), np.uint64(row) * np.uint64(m)
    for s in range(np.uint64(row), np.uint64(sources.size), np.uint64(rows)):
        source = np.uint64(sources[s])
        settled = settle(source, indptr, indices, lengths, base, heap, keys, place, distance, paths, order)
        for k in range(settled):
            u, total = np.uint64(order[base + settled - 1 - k]), 0.0
            here, at = distance[base + u], place[base + u]
            for e in range(np.uint64(indptr[u]), np.uint64(indptr[u + 1])):
                v = np.uint64(indices[e])
                if place[base + v] < at and here + np.float64(lengths[e]) == distance[base + v]:
                    passed = paths[base + u] * share[base + v]
                    table[mine + e] += passed
                    total += passed
            share[base + u] = (1.0 + total) / paths[base + u]
        for k in range(settled):
            place[base + np.uint64(order[base + k])] = 0
