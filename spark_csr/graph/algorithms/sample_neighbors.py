"""`sample_neighbors`: some of the neighbours of vertices, of their neighbours, and so on, as graph neural networks are trained.

Design: each vertex draws its neighbours by itself, with random numbers that are a function of the seed and the vertex, by
Floyd's algorithm: as many draws as neighbours are wanted, whatever the degree. New vertices are numbered in the order in which
edges lead to them: the first edge to a vertex is found by an atomic maximum, so the numbers do not depend on the threads. The
tables of all vertices begin with zeros, which operating systems provide without writing them. Source: Bentley & Floyd, *A
Sample of Brilliance*, 1987; Hamilton, Ying & Leskovec, *Inductive Representation Learning on Large Graphs*, 2017.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spark_csr._array import index_dtype, to_host_scalar
from spark_csr._engine import lean, njit
from spark_csr._operations.form.record import Csr
from spark_csr._shared.atomics import atomic_max
from spark_csr.graph.graph import Graph, arrays_of
from spark_csr.graph.philox import random_unit, seed_of
from spark_csr.graph.vertices import read_vertices
from spark_csr.primitives._check import find_first_true, integer
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.compact import compact
from spark_csr.primitives.counts import scan_trusted_counts
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_csr._types import Array, ArrayLike


MOST = 2**62
"""Edges that no machine has room for."""


class NeighborSample(NamedTuple):
    """A sample of a graph: the named tuple that `sample_neighbors` returns.

    Parameters
    ----------
    graph : Graph
        The sampled edges, as a directed graph of the sampled vertices.
    vertices : (k,) array of ints
        For each vertex of `graph`, its number in the original graph. The sources are the first.
    edges : (m,) array of ints
        For each edge of `graph`, its number in the original graph.
    offsets : list of ints
        The vertices that were first reached after `i` hops are `vertices[offsets[i]:offsets[i + 1]]`.

    Examples
    --------
    >>> from spark_csr.graph import Graph, sample_neighbors
    >>> found = sample_neighbors(Graph([[0, 5], [7, 0]]), 0, [1])
    >>> found.graph, found.vertices
    (Graph(2 vertices, 1 edges, directed, cpu), array([0, 1], dtype=int32))
    """

    graph: Graph
    vertices: Array
    edges: Array
    offsets: list[int]


def sample_neighbors(
    G: Graph, source: ArrayLike, sizes: Sequence[int], *, replace: bool = False, seed: int = 0
) -> NeighborSample:
    """Draw some edges of every source at random, then some edges of every vertex that these lead to, and so on.

    Parameters
    ----------
    G : Graph
        The graph. Edges are drawn with equal probabilities among those that leave a vertex. For those that enter it pass
        `G.transpose`.
    source : int, name, or array_like of these
        The vertices to start from (names: see `Graph.vertex`). None may be named twice.
    sizes : sequence of ints
        For every hop, the number of edges to draw from every vertex that was first reached in the previous hop; -1 for all
        edges.
    replace : bool, default: False
        If True, edges are drawn with replacement: exactly that number from every vertex that has edges. If False, all edges of
        a vertex are drawn if it has no more than that number.
    seed : int, default: 0
        The seed of the random numbers, in [0, 2**64). Use another one for every batch and epoch.

    Returns
    -------
    NeighborSample
        A named tuple of `graph`, `vertices`, `edges` and `offsets`. Row `i` of `graph.matrix` has the edges that were drawn for
        `vertices[i]`, with their weights, so `graph.matrix @ features[vertices]` adds up the features of sampled neighbours.

    Raises
    ------
    ValueError
        If a source is out of range or named twice, if a size is less than -1, or if `seed` is out of range.
    TypeError
        If `G` is not a Graph, if a source is neither an integer nor a name, or if a size or `seed` is not an integer.

    Notes
    -----
    Each vertex draws edges once, in the hop after the one that reaches it first, as in PyTorch Geometric's `NeighborLoader`.
    What a vertex draws depends on its number, its edges, the size, `replace` and the seed only, not on the other vertices.
    *Cost*: for a size `s`, `s` random numbers for each vertex, and `s * s / 2` comparisons; three host reads for each hop.
    Scratch: 8 bytes for each vertex of the graph, of which only those of sampled vertices are touched on the cores. *Order*:
    the edges of a vertex in the order of the graph; vertices in the order of the first edge that leads to them. Both are the
    same on every run and on any device, since random numbers are those of Philox 4x32-10. *Empty input*: no vertices.

    Examples
    --------
    >>> from spark_csr.graph import Graph, random_walk, sample_neighbors
    >>> G = Graph([[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 1], [1, 0, 1, 0]])
    >>> found = sample_neighbors(G, [0], [2, 1], seed=3)
    >>> found.vertices, found.offsets
    (array([0, 1, 3], dtype=int32), [0, 1, 3, 3])
    >>> found.graph.matrix.toarray()
    array([[0, 1, 1],
           [1, 0, 0],
           [1, 0, 0]])
    >>> random_walk(Graph([[0, 1, 0], [0, 0, 1], [0, 0, 0]]), [0, 2], 3)
    array([[ 0,  1,  2, -1],
           [ 2, -1, -1, -1]], dtype=int32)
    """
    xp, csr = arrays_of(G)
    n, key = csr.shape[0], seed_of(seed)
    sizes = [integer("a size", size) for size in sizes]
    if any(size < -1 for size in sizes):
        raise ValueError(f"sizes must be at least 0, or -1 for all edges, got {min(sizes)}")
    frontier = read_vertices(G, source, "source")
    most = MOST if replace else csr.indices.size  # of a vertex; sums of counts stay below 2**63
    number, first = xp.zeros(n, np.int32 if n < 2**31 - 1 else np.int64), xp.zeros(n, np.int64)
    _check_distinct(xp, frontier, number)
    vertices, edges, counts, targets, offsets = [frontier], [], [], [], [0, frontier.size]
    for size in sizes:
        drawn, size = xp.empty(frontier.size, np.int64), min(size, most // max(frontier.size if replace else 1, 1))
        for_each(frontier.size, _count, frontier, csr.indptr, size, int(replace), drawn)
        starts = scan_trusted_counts(drawn)
        total = to_host_scalar(starts[-1])
        chosen = allocate_array(xp, total, index_dtype(csr.indices.size), f"{total} edges")
        for_each(frontier.size, _draw, frontier, csr.indptr, starts, int(replace and size >= 0), *key, chosen)
        reached = gather(csr.indices, chosen)
        for_each(total, _note_first, reached, total, number, first)
        is_new = xp.empty(total, bool)
        for_each(total, _is_first, reached, total, number, first, is_new)
        frontier = compact(reached, is_new)
        for_each(frontier.size, _number, frontier, offsets[-1], number)
        vertices.append(frontier)
        edges.append(chosen)
        counts.append(drawn)
        targets.append(reached)
        offsets.append(offsets[-1] + frontier.size)
    return _assemble(G, number, vertices, edges, counts, targets, offsets)


def _check_distinct(xp, sources, number):
    """Number the sources; raise ValueError if one is named twice."""
    for_each(sources.size, _number, sources, 0, number)
    at = find_first_true(gather(number, sources) != xp.arange(1, sources.size + 1))
    if at is not None:
        raise ValueError(f"source must name a vertex once, got {to_host_scalar(sources[at])} twice: use numpy.unique(source)")


def _assemble(G, number, vertices, edges, counts, targets, offsets):
    """Return the sample: rows for the vertices of all hops, those of the last one without edges."""
    xp, csr = arrays_of(G)
    vertices, k = xp.concatenate(vertices), offsets[-1]
    edges = xp.concatenate(edges) if edges else xp.empty(0, index_dtype(csr.indices.size))
    counts = xp.concatenate([*counts, xp.zeros(k - sum(x.size for x in counts), np.int64)])
    targets = xp.concatenate(targets) if targets else xp.empty(0, csr.indices.dtype)
    indptr = scan_trusted_counts(counts).astype(index_dtype(max(edges.size, k)), copy=False)
    indices = (gather(number, targets) - 1).astype(indptr.dtype, copy=False)
    graph = G._derive(Csr(indptr, indices, gather(csr.data, edges), (k, k)), True, vertices)
    return NeighborSample(graph, vertices, edges, offsets)


@njit
def _count(i, frontier, indptr, size, replace, drawn):
    """Write how many edges a vertex draws."""
    here = frontier[i]
    degree = indptr[here + 1] - indptr[here]
    wanted = degree if size < 0 or (replace and degree == 0) else size
    drawn[i] = wanted if replace else min(wanted, degree)


@njit
def _draw(i, frontier, indptr, starts, replace, key_low, key_high, chosen):
    """Write the edges that a vertex draws, in ascending order: by Floyd's algorithm, or independently with `replace`."""
    vertex = np.int64(frontier[i])
    first, degree = np.int64(indptr[vertex]), indptr[vertex + 1] - indptr[vertex]
    begin = np.uint64(starts[i])
    count = starts[np.uint64(i) + 1] - np.int64(begin)
    for k in range(count):
        if not replace and count == degree:
            chosen[begin + np.uint64(k)] = first + k
            continue
        bound = degree if replace else degree - count + k + 1
        edge = first + np.int64(random_unit(key_low, key_high, vertex, k) * np.float64(bound))
        at = np.int64(0)
        while at < k and chosen[begin + np.uint64(at)] < edge:
            at += 1
        if not replace and at < k and chosen[begin + np.uint64(at)] == edge:
            at, edge = k, first + bound - 1
        for j in range(k - at):
            chosen[begin + np.uint64(k - j)] = chosen[begin + np.uint64(k - j - 1)]
        chosen[begin + np.uint64(at)] = edge


@lean
def _note_first(i, reached, total, number, first):
    """Note the first edge that leads to a vertex which has no number yet."""
    vertex = np.uint64(reached[i])
    if number[vertex] == 0:
        atomic_max(first, vertex, total - i)


@njit
def _is_first(i, reached, total, number, first, is_new):
    vertex = reached[i]
    is_new[i] = number[vertex] == 0 and first[vertex] == total - i


@lean
def _number(i, frontier, before, number):
    """Number a vertex; one that is named twice gets the larger number."""
    atomic_max(number, np.uint64(frontier[i]), before + i + 1)
