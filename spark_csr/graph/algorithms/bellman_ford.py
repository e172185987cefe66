"""`bellman_ford`: shortest paths by lengths that may be negative.

Design: vertices whose distance became less hand it on to their neighbours, all at once, until no distance changes. A distance
is the least of sums along paths, so it does not depend on the order of visits. After 32 rounds, and whenever their number has
doubled, the edges by which distances became less are searched for a cycle: going around one lowers the distance of its vertex
again and again. Which edges are noted depends on the order of visits, so predecessors are found in the end. Source: Bellman
1958; Ford 1956; Cherkassky & Goldberg, *Negative-Cycle Detection Algorithms*, 1999.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

import numpy as np

from spark_csr._array import as_positions, to_host_scalar
from spark_csr._engine import lean, njit
from spark_csr._operations.form.record import rows_of_entries
from spark_csr._shared.atomics import atomic_max, atomic_min
from spark_csr.graph.algorithms.checks import as_lengths, check_weights
from spark_csr.graph.algorithms.levels import NOBODY, NOT_REACHED, SHIFT, check_numbered, unpack
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.advance import edge_arguments
from spark_csr.graph.operators.uniquify import uniquify
from spark_csr.graph.operators.walk import Walk
from spark_csr.primitives._calls import INT64, compile_test
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr._types import Array, ArrayLike
    from spark_csr.graph.graph import Graph

FIRST_LOOK = 32
"""The number of rounds before the first search for a cycle. Not tuned."""


@overload
def bellman_ford(G: Graph, source: ArrayLike, *, return_predecessors: Literal[True] = ...) -> tuple[Array, Array]: ...


@overload
def bellman_ford(G: Graph, source: ArrayLike, *, return_predecessors: Literal[False]) -> Array: ...


def bellman_ford(G: Graph, source: ArrayLike, *, return_predecessors: bool = True) -> tuple[Array, Array] | Array:
    """Compute the length of a shortest path to each vertex, and the vertex before it, where lengths may be negative.

    Use `sssp`, which is faster, if no length is negative. Parameters, result and exceptions that are not listed are those of
    `sssp`. ValueError is raised if the sources reach a cycle of negative length: then there are no shortest paths. See the
    example of `sssp`.

    Parameters
    ----------
    G : Graph
        The graph. Weights are lengths. An edge of infinite length counts as missing. In an undirected graph an edge of negative
        length is a cycle of negative length.

    Returns
    -------
    distance : (n,) array of float64
        The length of a shortest path from any source; inf for vertices that were not reached. It is negative at a source that
        another one reaches by a path of negative length.
    predecessor : (n,) array of int32, or int64 for 2**31 or more vertices
        Only with `return_predecessors`: for each vertex, the vertex before it on a shortest path, of these paths one that has
        the fewest edges, and of several such vertices the one with the lowest number. It is -1 for sources at distance 0, and
        for vertices that were not reached.

    Notes
    -----
    Sums are those of float64: a cycle of length 0 counts as negative if rounding makes a distance less on each turn.

    *Cost*: a round visits the edges of all vertices whose distance became less in the round before. There are at most as many
    rounds as vertices, and mostly about as many as a shortest path has edges; one more visit to every edge for predecessors.
    Searches for a cycle are done by one core, or by one thread of a GPU: one for each doubling of the number of rounds beyond
    32. On a GPU there is one host read for each launch. Scratch: 32 bytes for each vertex. *Order*: the same result on every
    run, for any number of threads and on any device. *Empty input*: without sources no vertex is reached.
    """
    xp, csr = arrays_of(G)
    n, data = csr.shape[0], as_lengths(csr)
    check_numbered(n)
    if data.dtype.kind == "f":
        check_weights(csr, ~(data > -np.inf), "not be NaN or -inf, as lengths", "use numpy.nan_to_num")
    sources = uniquify(Frontier._from_argument("source", G, source))._list()
    distance, entered = xp.full(n, np.inf), xp.full(n, -1, np.int64)
    distance[as_positions(sources)] = 0
    walk, look = Walk(csr, None, sources, G._scratch), FIRST_LOOK
    state = data, distance, entered, xp.zeros(n, np.int64)
    func = compile_test(_relax, edge_arguments(INT64), state)
    while walk.items.size:
        walk.advance(func, state, look - walk.level)
        if walk.items.size and walk.level >= look:
            _refuse_cycles(csr, data, distance, entered, walk.level >= n)
            look = min(2 * look, max(n, look + 1))
    if not return_predecessors:
        return distance
    roots = sources[as_positions((distance[as_positions(sources)] == 0).nonzero()[0])]
    return distance, _find_predecessors(G, data, roots, distance)


@lean
def _relax(src, dst, edge, level, lengths, distance, entered, rounds):
    """Hand a distance on; return whether it is the first in its round to make that of `dst` less, and note the edge if so.

    Which edges are noted depends on the order of visits: a cycle of them is verified before it counts.
    """
    reached = distance[src] + lengths[edge]
    if reached < distance[dst] and atomic_min(distance, dst, reached) > reached and atomic_max(rounds, dst, level + 1) <= level:
        entered[dst] = edge
        return True
    return False


def _refuse_cycles(csr, data, distance, entered, too_long):
    """Raise ValueError if edges by which distances became less are a cycle, or if there were as many rounds as vertices."""
    n, xp = distance.size, csr.xp
    found = xp.full(1, int(too_long), np.int32)
    if not too_long:
        for_each(1, _find_cycle, entered, csr.plan(rows_of_entries), data, distance, xp.zeros(n, np.int64), found)
    if to_host_scalar(found[0]):
        raise ValueError(
            "there are no shortest paths: the sources reach a cycle of negative length (in an undirected graph, an edge of "
            "negative length is one)"
        )


@njit
def _find_cycle(i, entered, sources, lengths, distance, seen, found):
    """Follow edges backwards from every vertex, and around a cycle if there is one: does it lower the distance?"""
    for v in range(entered.size):
        here, mark = np.uint64(v), v + 1
        while seen[here] == 0 and entered[here] >= 0:
            seen[here] = mark
            here = np.uint64(sources[entered[here]])
        if seen[here] == mark:
            last, total = here, distance[here]
            while True:
                edge = entered[here]
                total, here = total + lengths[edge], np.uint64(sources[edge])
                if here == last:
                    break
            if total < distance[last]:
                found[0] = 1
                return


def _find_predecessors(G, data, roots, distance):
    """Return predecessors by a breadth-first search along edges that end shortest paths."""
    reached = G._csr.xp.full(distance.size, NOT_REACHED, np.uint64)
    reached[as_positions(roots)] = NOBODY
    walk, state = Walk(G._csr, data, roots, G._scratch), (distance, reached)
    func = compile_test(_reach, edge_arguments(data.dtype), state)
    while walk.items.size:
        walk.advance(func, state)
    if to_host_scalar(((distance < np.inf) & (reached == NOT_REACHED)).any()):
        raise ValueError("there are no shortest paths: rounding makes the length of a cycle that the sources reach negative")
    return unpack(reached)[1]


@lean
def _reach(src, dst, edge, length, distance, reached):
    source, target = np.uint64(src), np.uint64(dst)
    mine = ((reached[source] >> SHIFT) + 1) << SHIFT | source
    if not distance[target] < np.inf or distance[source] + length != distance[target] or mine >= reached[target]:
        return False
    return atomic_min(reached, target, mine) == NOT_REACHED
