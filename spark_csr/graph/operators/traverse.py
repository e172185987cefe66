"""`traverse`: advance from frontier to frontier until one is empty."""

import operator
import sys

from spark_csr.graph.frontier import Frontier
from spark_csr.graph.operators.advance import edge_arguments
from spark_csr.graph.operators.expand import check_frontier
from spark_csr.graph.operators.visits import check_state, compile_test
from spark_csr.graph.operators.walk import Walk
from spark_csr.primitives.scan import as_storable


def traverse(G, frontier, func, state=(), *, depth_limit=None):
    """Call `advance` again and again, from each frontier to the next, until one is empty.

    Parameters
    ----------
    G : Graph
    frontier : Frontier of vertices
    func : function
        `func(src, dst, edge, weight, *state) -> bool`, as that of `advance`: says whether `dst` is in the next frontier, once
        for every edge for which it says so. It must come to say no, by what it notes in its state: by `atomic_add`,
        `atomic_min` and `atomic_max`, or by writing what every other writer of a slot writes too.
    state : tuple of (k,) arrays and numbers
    depth_limit : int, optional
        Advance at most so many times: no further than so many edges away. Default: until a frontier is empty.

    Returns
    -------
    Frontier
        The last one: empty unless `depth_limit` was reached.

    Raises
    ------
    ValueError, TypeError, MemoryError
        As `advance`; ValueError for a negative `depth_limit`.

    Notes
    -----
    *Cost*: a visit to every edge that leaves a frontier. Small frontiers (below 2**18 edges on the cores, 2**13 on
    a GPU) follow each other inside of one kernel; of others each takes six launches and one host read. *Order*: that of
    vertices in a frontier depends on which call came first. *Empty input*: an empty frontier; nothing is called.

    Examples
    --------
    How far is it, in edges?

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
    depth = sys.maxsize if depth_limit is None else operator.index(depth_limit)
    if depth < 0:
        raise ValueError(f"depth_limit must be at least 0, got {depth_limit}")
    walk = Walk(csr, data, frontier._list(), G._scratch)
    while walk.items.size and walk.level < depth:
        walk.advance(func, state, depth - walk.level)
    return Frontier._of("vertex", frontier.n, walk.items)
