"""`bfs`: breadth-first search that changes direction.

Design: cores do all levels in one call (`breadth_first`). Elsewhere a search is a walk: a vertex's level and the vertex it was
reached from are one number, of which the least is kept, so levels claim vertices without races, in either direction, and the
smallest source wins on any device. Source: Beamer, Asanović & Patterson,
*Direction-Optimizing Breadth-First Search*, SC 2012.
"""

import functools
import operator
import sys

import numpy as np

from spark_csr._array import by_width, index_dtype, namespace_of
from spark_csr._dispatch import backend_of
from spark_csr._numba import njit
from spark_csr._numba.lean import lean
from spark_csr._shared.atomics import atomic_min
from spark_csr.graph.algorithms.levels import NOBODY, NOT_REACHED, SHIFT, check_numbered, unpack_one
from spark_csr.graph.edges import reverse_edges
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.advance import edge_arguments
from spark_csr.graph.operators.pull import ALPHA, BETA
from spark_csr.graph.operators.visits import INT64, compile_test
from spark_csr.graph.operators.walk import Walk
from spark_csr.primitives.foreach import for_each

LEAST = 1 << 14
"""Edges of a level up to which "auto" never pulls: to go along them takes no longer than to start kernels. Not tuned."""

DIRECTIONS = "auto", "push", "pull"

NOWHERE = np.zeros(0, bool)
"""Flags of no level."""


def bfs(G, source, *, direction="auto", alpha=ALPHA, beta=BETA, depth_limit=None):
    """Find how many edges away each vertex is, and the vertex it is reached from.

    Parameters
    ----------
    G : Graph
        Weights are ignored.
    source : int, or sequence of ints
        The vertices to start from; all of them are at distance 0.
    direction : {"auto", "push", "pull"}
        "push" follows the edges that leave a level; "pull" looks, for every vertex not reached yet, for an edge that comes from
        the level; "auto" chooses for each level what costs less. The result is the same.
    alpha, beta : number
        "auto" pulls from a level whose edges, times `alpha`, exceed the edges not looked at yet, and, times `beta`, the number
        of vertices. It never pulls from a level of few edges.
    depth_limit : int, optional
        Search no further than this many edges away. Default: everywhere.

    Returns
    -------
    distance : (n,) int32 array
        -1 where not reached.
    predecessor : (n,) int32 array, int64 for 2**31 vertices
        The smallest of the vertices one step nearer; -1 for sources and where not reached.

    Raises
    ------
    ValueError
        For a source that is no vertex, an unknown direction, a negative `depth_limit`, or 2**32 vertices.
    TypeError
        For what is no Graph, or a source that is no integer.

    Notes
    -----
    *Cost*: a visit to every edge at most; on the cores one call, on a GPU at most one host read for each level, one for many
    small levels. Pulling needs the reversed edges, found the first time and kept with the graph. Scratch: 8 bytes for each
    vertex; on the cores up to 24 for each vertex that is reached. *Order*: same result every run, on any device. *Empty
    input*: no sources reach nothing.

    Examples
    --------
    >>> from spark_csr.graph import Graph, bfs
    >>> bfs(Graph([[0, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0]]), 0)
    (array([0, 1, 1, 2], dtype=int32), array([-1,  0,  0,  1], dtype=int32))
    """
    return search(G, source, direction, alpha, beta, depth_limit, NOWHERE)


def search(G, source, direction, alpha, beta, depth_limit, ways):
    """Return the levels and the vertices they were reached from. Write into `ways`, flags of levels on the host, which levels
    were pulled from, as far as it is long."""
    xp, csr = arrays_of(G)
    if direction not in DIRECTIONS:
        raise ValueError(f"direction must be 'auto', 'push' or 'pull', got {direction!r}")
    n, depth = csr.shape[0], sys.maxsize if depth_limit is None else operator.index(depth_limit)
    if depth < 0:
        raise ValueError(f"depth_limit must be at least 0, got {depth_limit}")
    check_numbered(n)
    sources = _sources(xp, G, source, n)
    distance, predecessor = xp.empty(n, np.int32), xp.empty(n, index_dtype(n))
    edges, found = (csr.indptr, by_width(csr.indices)), (distance, predecessor)
    rule = direction, alpha, beta, depth
    if not backend_of(distance).breadth_first(*edges, sources, *rule, *found, ways, functools.partial(_entering, csr)):
        reached = _search_by_walk(G, csr, sources, *rule, ways)
        for_each(n, unpack_one, reached, *found)
    return found


def _sources(xp, G, source, n):
    """The vertices to start from; one that is plain takes no checks of arrays."""
    if type(source) is int and 0 <= source < n:
        return xp.full(1, source, index_dtype(n))
    return Frontier._from_argument("source", G, source)._list()


def _entering(csr, find=True):
    """The offsets and the sources of edges that enter every vertex; without `find` None where they are not known yet."""
    back = csr.plan(reverse_edges) if find else csr.plans.get(reverse_edges)
    return None if back is None else (back.indptr, by_width(back.indices))


def _search_by_walk(G, csr, sources, direction, alpha, beta, depth, ways):
    """Return for every vertex its level and the vertex it was reached from, in one number: by the steps of a walk."""
    n, walk = csr.shape[0], Walk(csr, None, sources, G._scratch)
    reached = namespace_of(walk.items).full(n, NOT_REACHED, np.uint64)
    reached[walk.items] = NOBODY
    func = compile_test(_reach, edge_arguments(INT64), (reached,))
    while walk.items.size and walk.level < depth:
        unseen = csr.indices.size - walk.seen
        rule = direction == "auto" and walk.edges > LEAST and walk.edges * alpha > unseen and walk.edges * beta > n
        if rule or direction == "pull":
            ways[walk.level : walk.level + 1] = True
            among = _level_in_bits(reached, walk.level)
            walk.step(n, _pull_tile, (*_entering(csr), among, reached, np.uint64(walk.level)), ())
        else:
            walk.advance(func, (reached,), depth - walk.level)
    return reached


@lean
def _reach(src, dst, edge, level, reached):
    """Push: the least number stays; who found none is the one that leads on."""
    source, target = np.uint64(src), np.uint64(dst)
    mine = np.uint64(level + 1) << SHIFT | source
    return mine < reached[target] and atomic_min(reached, target, mine) == NOT_REACHED


def _level_in_bits(reached, level):
    """Which vertices are of a level: a bit each, so that what pulls finds them in a near cache."""
    n = reached.size
    bits = namespace_of(reached).empty(-(-n // 64), np.uint64)
    for_each(bits.size, _pack_bits, reached, n, np.uint64(level), bits)
    return bits


@njit
def _pack_bits(i, reached, n, level, bits):
    first, word = np.uint64(i) * np.uint64(64), np.uint64(0)
    for k in range(min(np.uint64(64), np.uint64(n) - first)):
        word |= np.uint64(reached[first + k] >> SHIFT == level) << k
    bits[np.uint64(i)] = word


@lean
def _pull_tile(start, stop, starts, sources, among, reached, level, shift, counts, out):
    """Pull, to vertices `start` to `stop`: sources ascend, so the first of the level is the least."""
    place, one = start, np.uint64(1)
    for target in range(start, stop):
        if reached[target] == NOT_REACHED:
            for p in range(np.uint64(starts[target]), np.uint64(starts[target + one])):
                source = np.uint64(sources[p])
                if among[source >> np.uint64(6)] >> (source & np.uint64(63)) & one != np.uint64(0):
                    reached[target] = (level + one) << SHIFT | source
                    out[place] = target
                    place += one
                    break
    counts[start >> np.uint64(shift)] = place - start
