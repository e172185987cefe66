"""`sssp`: shortest paths by weight from some vertices to all.

Design: a distance is the least of sums along paths, whatever the order in which edges are relaxed, so that is left to the
device (`relax`). Predecessors are found afterwards, among the edges that end shortest paths.
"""

import numpy as np

from spark_csr._array import by_width, index_dtype, namespace_of, to_host_scalar
from spark_csr._dispatch import backend_of
from spark_csr._numba.lean import lean
from spark_csr._shared.atomics import atomic_min
from spark_csr.graph.algorithms.checks import as_lengths, check_lengths
from spark_csr.graph.algorithms.levels import NOBODY, NOT_REACHED, SHIFT, check_numbered, unpack
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.advance import advance, edge_arguments
from spark_csr.graph.operators.uniquify import uniquify
from spark_csr.graph.operators.visits import compile_test
from spark_csr.graph.operators.walk import Walk

SAMPLES = 4096
"""Lengths that say how long edges are, about. Not tuned."""


def sssp(G, source, *, return_predecessors=True, limit=np.inf):
    """Find how far away each vertex is, and the last step of a shortest path to it.

    Parameters
    ----------
    G : Graph
        Weights are lengths, at least 0; an infinite one is no edge.
    source : int, or sequence of ints
        The vertices to start from; all of them are at distance 0.
    return_predecessors : bool
        Whether to return the predecessors too.
    limit : number
        Search no further than this distance.

    Returns
    -------
    distance : (n,) float64 array
        inf where not reached.
    predecessor : (n,) int32 array, int64 for 2**31 vertices
        Only with `return_predecessors`: the vertex before on a shortest path, the smallest that is nearer; where only edges of
        length zero lead here, one by the fewest of these. -1 for sources and where not reached.

    Raises
    ------
    ValueError
        For negative and NaN lengths (the first is named), a source that is no vertex, a negative or NaN limit, or 2**32
        vertices.
    TypeError
        For what is no Graph, a source that is no integer, or complex lengths.

    Notes
    -----
    *Cost*: near to one visit to every edge where lengths vary little, more otherwise; one more for predecessors. Vertices are
    gone through by steps of distance (delta-stepping; Meyer & Sanders 2003) that are derived from the mean length and the mean
    degree; with one host read for each launch on a GPU. Scratch: 24 bytes for each vertex; on the cores 28, and 12 for each.
    *Order*: same result every run and for any number of threads, on any device. *Empty input*: no sources reach nothing.

    Examples
    --------
    >>> from spark_csr.graph import Graph, sssp
    >>> G = Graph([[0, 9, 2, 0], [0, 0, 0, 1], [0, 3, 0, 8], [0, 0, 0, 0]])
    >>> sssp(G, 0)
    (array([0., 5., 2., 6.]), array([-1,  2,  0,  1], dtype=int32))
    """
    xp, csr = arrays_of(G)
    check_numbered(csr.shape[0])
    if not limit >= 0:
        raise ValueError(f"limit must be at least 0, got {limit}")
    data, sources = as_lengths(csr), uniquify(Frontier._from_argument("source", G, source))._list()
    distance = xp.full(csr.shape[0], np.inf)
    distance[sources] = 0
    edges = csr.indptr, by_width(csr.indices), data
    if not sources.size or backend_of(data).relax(*edges, _estimate_mean(data), by_width(sources), distance, float(limit)):
        check_lengths(csr)
    return (distance, _find_predecessors(G, data, sources, distance)) if return_predecessors else distance


def _estimate_mean(data):
    """Return about the mean length, from a sample of fixed positions; of all lengths if those are zero. It changes no
    distance."""
    some = data[:: data.size // SAMPLES | 1]
    mean = to_host_scalar(some.sum(dtype=np.float64)) / max(some.size, 1)
    return mean if mean > 0 else to_host_scalar(data.sum(dtype=np.float64)) / max(data.size, 1)


def _find_predecessors(G, data, sources, distance):
    """Return the predecessor of every vertex: the smallest one from which a last edge of positive length comes.

    Where all last edges have length zero, see `_find_level_predecessors`.
    """
    xp, n, reached = namespace_of(distance), distance.size, Frontier("vertex", bitmap=distance < np.inf)
    last = advance(G, reached, _relax, (distance,), direction="pull", unique=True, candidates=reached)
    before = xp.full(n, -1, index_dtype(n))
    before[last.items] = last.sources
    if len(last) + sources.size < len(reached):
        missing = (before < 0) & reached.bitmap
        missing[sources] = False
        before = xp.where(missing, _find_level_predecessors(G, data, missing, distance), before)
    return before


@lean
def _relax(src, dst, edge, length, distance):
    return distance[src] < distance[dst] and distance[src] + length == distance[dst]


def _find_level_predecessors(G, data, missing, distance):
    """Return predecessors by edges of length zero: breadth-first search along these, from vertices that are reached by
    others."""
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
    mine = ((reached[source] >> SHIFT) + np.uint64(1)) << SHIFT | source
    if distance[source] != distance[target] or distance[source] + length != distance[target] or mine >= reached[target]:
        return False
    return atomic_min(reached, target, mine) == NOT_REACHED
