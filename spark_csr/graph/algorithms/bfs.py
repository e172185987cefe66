"""`bfs`: breadth-first search that changes direction.

Design: cores search all levels in one call (`breadth_first`). On a GPU a search is a walk: a vertex's level and the vertex it
was reached from are one number, of which the least is kept. So levels claim vertices without races, in either direction, and
the smallest source wins on any device. Source: Beamer, Asanović & Patterson, *Direction-Optimizing Breadth-First Search*, SC
2012.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spark_csr._array import as_positions, by_width, goes_to_gpu, index_dtype, namespace_of
from spark_csr._dispatch import backend_of
from spark_csr._engine import lean, njit
from spark_csr._shared.atomics import atomic_min
from spark_csr.graph.algorithms.checks import limit_of
from spark_csr.graph.algorithms.levels import NOBODY, NOT_REACHED, SHIFT, check_numbered, unpack_one
from spark_csr.graph.edges import reverse_edges
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.advance import edge_arguments
from spark_csr.graph.operators.pull import ALPHA, BETA
from spark_csr.graph.operators.walk import Walk
from spark_csr.graph.vertices import read_vertices
from spark_csr.primitives._calls import INT64, compile_test
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike
    from spark_csr.graph.graph import Graph

LEAST = 1 << 14
"""Edges of a level up to which "auto" never pulls: visiting them takes no longer than starting kernels. Not tuned."""

DIRECTIONS = "auto", "push", "pull"

NOWHERE = np.zeros(0, bool)
"""An empty array of flags of levels."""


def bfs(
    G: Graph,
    source: ArrayLike,
    *,
    direction: Literal["auto", "push", "pull"] = "auto",
    alpha: float = ALPHA,
    beta: float = BETA,
    depth_limit: int | None = None,
) -> tuple[Array, Array]:
    """Search breadth first: compute how many edges away each vertex is, and the vertex before it on a shortest path.

    Parameters
    ----------
    G : Graph
        The graph. Weights are ignored.
    source : int, name, or array_like of these
        The vertices to start from; all of them are at distance 0. In a graph that has names, they may be names: see
        `Graph.vertex`.
    direction : {"auto", "push", "pull"}, default: "auto"
        "push" visits the edges that leave the vertices of a level. "pull" visits, for each vertex that is not reached yet, the
        edges that enter it, until one comes from the level. "auto" chooses for each level by the rule of `alpha` and `beta`.
        The result is the same.
    alpha : float, default: 15
        "auto" pulls if two conditions hold. The first: the number of edges that leave the level, times `alpha`, exceeds the
        number of edges that leave vertices of this level or vertices that are not reached yet. It never pulls from a level that
        few edges leave.
    beta : float, default: 18
        The second condition: the number of edges that leave the level, times `beta`, exceeds the number of vertices.
    depth_limit : int, optional
        Search no further than this many edges away. Default: search everywhere.

    Returns
    -------
    distance : (n,) array of int32
        The number of edges from the nearest source; -1 for vertices that were not reached.
    predecessor : (n,) array of int32, or int64 for 2**31 or more vertices
        For each vertex `v`, the vertex with the lowest number among those that are one edge nearer to a source and have an edge
        to `v`; -1 for sources and for vertices that were not reached.

    Raises
    ------
    ValueError
        If a source is out of range, if `direction` is unknown, if `depth_limit` is negative, or if there are 2**32 or more
        vertices.
    TypeError
        If `G` is not a Graph, or if a source is neither an integer nor a name.

    Notes
    -----
    *Cost*: "push" visits every edge at most once. "pull" may visit an edge once for each level, and needs the reversed edges,
    which are found the first time and kept with the graph. On the cores the search is one call. On a GPU there is at most one
    host read for each level, and one for many small levels together. Scratch: 8 bytes for each vertex; on the cores up to 24
    for each vertex that is reached. *Order*: the same result on every run and on any device. *Empty input*: without sources no
    vertex is reached.

    Examples
    --------
    >>> from spark_csr.graph import Graph, bfs, k_hop
    >>> G = Graph([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]])
    >>> bfs(G, 0)
    (array([0, 1, 1, 2], dtype=int32), array([-1,  0,  0,  1], dtype=int32))
    >>> k_hop(G, 0, 1)
    (array([0, 1, 2], dtype=int32), array([0, 1, 1], dtype=int32))
    >>> bfs(Graph.from_edges(["ann", "bob"], ["bob", "cleo"]), "bob")[0]
    array([-1,  0,  1], dtype=int32)
    """
    return search(G, source, direction, alpha, beta, depth_limit, NOWHERE)


def search(
    G: Graph, source: Array, direction: str, alpha: float, beta: float, depth_limit: int | None, ways: Any
) -> tuple[Array, Array]:
    """Return the levels and the vertices they were reached from.

    `ways` is an array of flags on the host, one for each of the first levels: True is written for those that were pulled from.
    """
    xp, csr = arrays_of(G)
    if direction not in DIRECTIONS:
        raise ValueError(f"direction must be 'auto', 'push' or 'pull', got {direction!r}")
    n, depth = csr.shape[0], limit_of("depth_limit", depth_limit)
    check_numbered(n)
    sources = read_vertices(G, source, "source")
    distance, predecessor = xp.empty(n, np.int32), xp.empty(n, index_dtype(n))
    edges, found = (csr.indptr, by_width(csr.indices)), (distance, predecessor)
    rule = direction, alpha, beta, depth
    if goes_to_gpu(distance):
        reached = _search_by_walk(G, csr, sources, *rule, ways)
        for_each(n, unpack_one, reached, *found)
    else:
        backend_of(distance).breadth_first(*edges, sources, *rule, *found, ways, functools.partial(_entering_edges, csr))
    return found


def _entering_edges(csr, find=True):
    """Return the offsets and the sources of the edges that enter every vertex.

    Without `find`, return None if they are not known yet.
    """
    back = csr.plan(reverse_edges) if find else csr.plans.get(reverse_edges)
    return None if back is None else (back.indptr, by_width(back.indices))


def _search_by_walk(G, csr, sources, direction, alpha, beta, depth, ways):
    """Return, by the steps of a walk, every vertex's level and the vertex it was reached from in one number."""
    n, walk = csr.shape[0], Walk(csr, None, sources, G._scratch)
    reached = namespace_of(walk.items).full(n, NOT_REACHED, np.uint64)
    reached[as_positions(walk.items)] = NOBODY
    func = compile_test(_reach, edge_arguments(INT64), (reached,))
    while walk.items.size and walk.level < depth:
        unseen = csr.indices.size - walk.seen
        rule = direction == "auto" and walk.edges > LEAST and walk.edges * alpha > unseen and walk.edges * beta > n
        if rule or direction == "pull":
            ways[walk.level : walk.level + 1] = True
            among = _level_in_bits(reached, walk.level)
            walk.step(n, _pull_tile, (*_entering_edges(csr), among, reached, np.uint64(walk.level)), ())
        else:
            walk.advance(func, (reached,), depth - walk.level)
    return reached


@lean
def _reach(src, dst, edge, level, reached):
    """Push: keep the least number of a vertex; return True if it had none yet, so that one visit adds it to the level."""
    source, target = np.uint64(src), np.uint64(dst)
    mine = np.uint64(level + 1) << SHIFT | source
    return mine < reached[target] and atomic_min(reached, target, mine) == NOT_REACHED


def _level_in_bits(reached, level):
    """Return which vertices are of a level, as one bit each, so that pulling finds them in a near cache."""
    n = reached.size
    bits = namespace_of(reached).empty(-(-n // 64), np.uint64)
    for_each(bits.size, _pack_bits, reached, n, np.uint64(level), bits)
    return bits


@njit
def _pack_bits(i, reached, n, level, bits):
    first, word = np.uint64(i) * 64, np.uint64(0)
    for k in range(min(np.uint64(64), np.uint64(n) - first)):
        word |= np.uint64(reached[first + k] >> SHIFT == level) << k
    bits[i] = word


@lean
def _pull_tile(start, stop, starts, sources, among, reached, level, shift, counts, out):
    """Pull, to vertices `start` to `stop`. Sources ascend, so the first one that is of the level is the least."""
    place = start
    for target in range(start, stop):
        if reached[target] == NOT_REACHED:
            for p in range(np.uint64(starts[target]), np.uint64(starts[target + 1])):
                source = np.uint64(sources[p])
                if among[source >> 6] >> (source & 63) & 1 != 0:
                    reached[target] = (level + 1) << SHIFT | source
                    out[place] = target
                    place += 1
                    break
    counts[start >> np.uint64(shift)] = place - start
