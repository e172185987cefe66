"""`traverse`: advance from frontier to frontier until one is empty."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from spark_csr.graph.frontier import Frontier
from spark_csr.graph.operators.advance import edge_arguments
from spark_csr.graph.operators.expand import check_frontier
from spark_csr.graph.operators.walk import Walk
from spark_csr.primitives._calls import check_state, compile_test
from spark_csr.primitives._check import count_of
from spark_csr.primitives.scan import as_storable

if TYPE_CHECKING:
    from collections.abc import Callable

    from spark_csr._types import Array, Number
    from spark_csr.graph.graph import Graph


def traverse(
    G: Graph,
    frontier: Frontier,
    func: Callable[..., Any],
    state: tuple[Array | Number, ...] = (),
    *,
    depth_limit: int | None = None,
) -> Frontier:
    """Advance from each frontier to the next until a frontier is empty.

    Parameters, result and exceptions that are not listed are those of `advance`; the first frontier is of vertices.

    Parameters
    ----------
    func : callable
        `func(src, dst, edge, weight, *state) -> bool`, with the arguments of `func` in `advance`. Each call that returns True
        puts `dst` into the next frontier, so `dst` is repeated if several calls do so. The function must record in `state`
        which vertices it has reached, and must in the end return False for every edge; otherwise the traversal does not stop.
        It may write by `atomic_add`, `atomic_min` and `atomic_max`, or write the same value as all other calls that write to
        that element. The other rules for the function are those of `func` in `advance`.
    depth_limit : int, optional
        The largest number of advances, at least 0, and so of edges from the first frontier to a vertex that is reached.
        Default: until a frontier is empty.

    Returns
    -------
    Frontier
        The last frontier. It is empty unless `depth_limit` was reached.

    Notes
    -----
    *Cost*: a visit to every edge that leaves a frontier. One call of compiled code works through small frontiers (below 2**18
    edges on the cores, 2**13 on a GPU) one after the other. Each larger frontier takes two launches and one host read. *Order*:
    the order of the vertices in a frontier depends on the order in which calls happen to run, so it can differ from run to run.
    *Empty input*: an empty frontier; nothing is called.

    Examples
    --------
    Find how many edges away from vertex 1 every vertex is:

    >>> import numpy as np
    >>> from spark_csr.graph import Frontier, Graph, atomic_min, traverse
    >>> G = Graph([[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]])
    >>> distance = np.array([9, 0, 9, 9])
    >>> def reach(src, dst, edge, weight, distance):
    ...     return atomic_min(distance, dst, distance[src] + 1) == 9
    >>> traverse(G, Frontier.of(G, 1), reach, (distance,))
    Frontier(0 of 4 vertices, cpu)
    >>> distance
    array([2, 0, 1, 2])
    """
    csr = check_frontier(G, frontier, "vertex")
    state, data = check_state(state, csr.indptr), as_storable(csr.data)
    func = compile_test(func, edge_arguments(data.dtype), state)
    depth = sys.maxsize if depth_limit is None else count_of("depth_limit", depth_limit)
    walk = Walk(csr, data, frontier._list(), G._scratch)
    while walk.items.size and walk.level < depth:
        walk.advance(func, state, depth - walk.level)
    return Frontier._of("vertex", frontier.n, walk.items)
