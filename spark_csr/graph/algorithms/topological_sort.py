"""`topological_sort`, `topological_generations`: orders in which every edge leads from an earlier vertex to a later one.

Design: a vertex whose last entering edge is removed is in the next generation, which is a walk. The generation of a vertex is
the number of edges on the longest path to it, so it does not depend on which thread removes which edge; a stable sort by
generation gives the order. Source: Kahn, *Topological Sorting of Large Networks*, 1962.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from spark_csr._engine import lean
from spark_csr._shared.atomics import atomic_add
from spark_csr.graph.frontier import Frontier
from spark_csr.graph.graph import arrays_of
from spark_csr.graph.operators.advance import edge_arguments
from spark_csr.graph.operators.filter import filter
from spark_csr.graph.operators.walk import Walk
from spark_csr.primitives._calls import INT64, compile_test
from spark_csr.primitives._check import find_first_true
from spark_csr.primitives.sort import argsort

if TYPE_CHECKING:
    from spark_csr._types import Array
    from spark_csr.graph.graph import Graph


def topological_sort(G: Graph) -> Array:
    """Sort the vertices of an acyclic graph so that every edge leads from an earlier vertex to a later one.

    Parameters, result and exceptions that are not listed are those of `topological_generations`. *Cost*: that, and a sort of
    small integers. networkx has the same generations, but another order within them. See the example of
    `topological_generations`.

    Returns
    -------
    (n,) array of int32, or int64 for 2**31 or more vertices
        The vertices by generation (see `topological_generations`), those of one generation in ascending order.
    """
    return argsort(topological_generations(G))


def topological_generations(G: Graph) -> Array:
    """Compute the generation of every vertex of an acyclic graph: the number of edges on the longest path that ends there.

    Parameters
    ----------
    G : Graph
        A directed graph without cycles. Weights are ignored.

    Returns
    -------
    (n,) array of int32
        The generations. Vertices that no edge enters have 0.

    Raises
    ------
    ValueError
        If the graph has a cycle, or is undirected and has edges (the message names a vertex on a cycle or behind one).

    Notes
    -----
    *Cost*: the degrees of entering edges, one visit to every edge, at most one host read for each generation, and one for many
    small generations together. *Order*: exact. *Empty input*: an empty array.

    Examples
    --------
    >>> from spark_csr.graph import Graph, topological_generations
    >>> from spark_csr.graph import topological_sort
    >>> G = Graph([[0, 0, 0, 0], [1, 0, 0, 1], [0, 1, 0, 1], [1, 0, 0, 0]])
    >>> topological_generations(G), topological_sort(G)
    (array([3, 1, 0, 2], dtype=int32), array([2, 1, 3, 0], dtype=int32))
    """
    xp, csr = arrays_of(G)
    waiting, generation = G.degrees("in"), xp.zeros(csr.shape[0], np.int32)
    state = waiting, generation
    walk = Walk(csr, None, filter(Frontier.all(G), _is_first, (waiting,))._list(), G._scratch)
    func = compile_test(_release, edge_arguments(INT64), state)
    while walk.items.size:
        walk.advance(func, state)
    at = find_first_true(waiting > 0)
    if at is not None:
        raise ValueError(
            f"a topological order needs a graph without cycles, but vertex {at} is on a cycle, or can be reached from one: "
            f'connected_components(G, "strong") shows the cycles'
        )
    return generation


@lean
def _is_first(vertex, waiting):
    return waiting[vertex] == 0


@lean
def _release(src, dst, edge, level, waiting, generation):
    """Remove an edge; return whether it was the last that entered its target, whose generation is then the next one."""
    if atomic_add(waiting, dst, -1) != 1:
        return False
    generation[dst] = level + 1
    return True
