"""`sssp`: shortest paths by weight from some vertices to all.

Design: a distance is the least of sums along paths, whatever the order in which edges are relaxed, so the order is left to the
backend (`relax`). Predecessors are found afterwards, among the edges that end shortest paths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from spark_csr._array import as_positions, by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._engine import lean
from spark_csr._shared.atomics import atomic_min
from spark_csr.graph.algorithms.checks import as_lengths, check_lengths
from spark_csr.graph.algorithms.levels import NOBODY, NOT_REACHED, SHIFT, check_numbered, unpack
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.advance import advance, edge_arguments
from spark_csr.graph.operators.uniquify import uniquify
from spark_csr.graph.operators.walk import Walk
from spark_csr.graph.vertices import read_vertices
from spark_csr.primitives._calls import compile_test

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike
    from spark_csr.graph.graph import Graph

SAMPLES = 4096
"""The number of lengths from which the mean length is estimated. Not tuned."""


@overload
def sssp(
    G: Graph, source: ArrayLike, target: ArrayLike | None = ..., *, return_predecessors: Literal[True] = ..., limit: float = ...
) -> tuple[Array, Array]: ...


@overload
def sssp(
    G: Graph, source: ArrayLike, target: ArrayLike | None = ..., *, return_predecessors: Literal[False], limit: float = ...
) -> Array: ...


@overload
def sssp(
    G: Graph, source: ArrayLike, target: ArrayLike | None = ..., *, return_predecessors: bool, limit: float = ...
) -> tuple[Array, Array] | Array: ...


def sssp(
    G: Graph, source: ArrayLike, target: ArrayLike | None = None, *, return_predecessors: bool = True, limit: float = np.inf
) -> tuple[Array, Array] | Array:
    """Compute the length of a shortest path to each vertex, and the last vertex before it on such a path.

    Parameters
    ----------
    G : Graph
        The graph. Weights are lengths and must not be negative. An edge of infinite length counts as missing.
    source : int, name, or array_like of these
        The vertices to start from; all of them are at distance 0. In a graph that has names, they may be names: see
        `Graph.vertex`.
    target : int, name, or array_like of these, optional
        The vertices to search for: the search ends when all of them are reached. Vertices that are further away than all
        targets count as not reached. Default: search for all vertices. `path` returns the path to a target.
    return_predecessors : bool, default: True
        Whether to return the predecessors too.
    limit : float, default: inf
        Search no further than this distance.

    Returns
    -------
    distance : (n,) array of float64
        The length of a shortest path from the nearest source; inf for vertices that were not reached.
    predecessor : (n,) array of int32, or int64 for 2**31 or more vertices
        Only with `return_predecessors`: for each vertex `v`, the vertex before `v` on a shortest path. If several vertices can
        be before `v`, the result is the one with the lowest number among those at a smaller distance than `v`. An edge
        of length 0 leads to a vertex at the same distance. If every shortest path to `v` ends with such edges, the
        result is the vertex before `v` on a path that ends with as few of them as possible. It is -1 for sources and
        for vertices that were not reached.

    Raises
    ------
    ValueError
        If a length is negative or NaN (the message names the first one), if a source or target is out of range, if `limit` is
        negative or NaN, or if there are 2**32 or more vertices.
    TypeError
        If `G` is not a Graph, if a source or target is neither an integer nor a name, or if lengths are complex.

    Notes
    -----
    *Cost*: about one visit to every edge if lengths vary little, and more otherwise. Predecessors take one more visit to every
    edge. With `target`, the edges of vertices that are further away are only tested for negative lengths. Vertices are
    processed by steps of distance (delta-stepping; Meyer & Sanders 2003). The size of a step is derived from
    the mean length and the mean degree. On a GPU there is one host read for each launch. Scratch for each
    vertex: 24 bytes on a GPU; on the cores 28 bytes, and 12 more for each core. *Order*: the same result on every run, for any
    number of threads and on any device. *Empty input*: without sources no vertex is reached.

    Examples
    --------
    >>> from spark_csr.graph import Graph, bellman_ford, sssp
    >>> G = Graph([[0, 9, 2, 0], [0, 0, 0, 1], [0, 3, 0, 8], [0, 0, 0, 0]])
    >>> sssp(G, 0)
    (array([0., 5., 2., 6.]), array([-1,  2,  0,  1], dtype=int32))
    >>> sssp(G, 0, 1, return_predecessors=False)
    array([ 0.,  5.,  2., inf])
    >>> bellman_ford(Graph([[0, 9, 2], [0, 0, -4], [0, 0, 0]]), 0)[0]
    array([0., 9., 2.])
    """
    xp, csr = arrays_of(G)
    check_numbered(csr.shape[0])
    if not limit >= 0:
        raise ValueError(f"limit must be at least 0, got {limit}")
    data, sources = as_lengths(csr), uniquify(Frontier._from_argument("source", G, source))._list()
    targets = sources[:0] if target is None else read_vertices(G, target, "target")
    distance = xp.full(csr.shape[0], np.inf)
    distance[as_positions(sources)] = 0
    edges, rule = (csr.indptr, by_width(csr.indices), data), (float(limit), targets)
    if not sources.size or backend_of(data).relax(*edges, _estimate_mean(data), by_width(sources), distance, *rule):
        check_lengths(csr)
    if targets.size:
        distance[distance > distance[targets].max()] = np.inf
    return (distance, _find_predecessors(G, data, sources, distance)) if return_predecessors else distance


def _estimate_mean(data):
    """Return an estimate of the mean length, from a sample at fixed positions, or from all lengths if those are zero.

    It does not change any distance.
    """
    some = data[:: data.size // SAMPLES | 1]
    with np.errstate(over="ignore"):
        mean = to_host_scalar(some.sum(dtype=np.float64)) / max(some.size, 1)
        return mean if mean > 0 else to_host_scalar(data.sum(dtype=np.float64)) / max(data.size, 1)


def _find_predecessors(G, data, sources, distance):
    """Return the predecessor of every vertex: the smallest one from which a last edge of positive length comes.

    Where all last edges have length zero, see `_find_level_predecessors`.
    """
    xp, n, reached = namespace_of(distance), distance.size, Frontier("vertex", bitmap=distance < np.inf)
    last = advance(G, reached, _relax, (distance,), direction="pull", unique=True, candidates=reached)
    before = xp.full(n, -1, index_dtype(n))
    before[as_positions(last.items)] = last.sources
    if len(last) + sources.size < len(reached):
        missing = (before < 0) & reached.bitmap
        missing[as_positions(sources)] = False
        before = xp.where(missing, _find_level_predecessors(G, data, missing, distance), before)
    return before


@lean
def _relax(src, dst, edge, length, distance):
    return distance[src] < distance[dst] and distance[src] + length == distance[dst]


def _find_level_predecessors(G, data, missing, distance):
    """Return predecessors by edges of length zero, from a breadth-first search that begins at the vertices already known."""
    reached = namespace_of(distance).where(missing, NOT_REACHED, NOBODY)
    known = Frontier("vertex", bitmap=(distance < np.inf) & ~missing)
    walk, state = Walk(G._csr, data, known._list(), G._scratch), (distance, reached)
    func = compile_test(_reach_level, edge_arguments(data.dtype), state)
    while walk.items.size:
        walk.advance(func, state)
    return unpack(reached)[1]


@lean
def _reach_level(src, dst, edge, length, distance, reached):
    source, target = np.uint64(src), np.uint64(dst)
    mine = ((reached[source] >> SHIFT) + 1) << SHIFT | source
    if distance[source] != distance[target] or distance[source] + length != distance[target] or mine >= reached[target]:
        return False
    return atomic_min(reached, target, mine) == NOT_REACHED
