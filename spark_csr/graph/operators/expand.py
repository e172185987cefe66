"""From vertices to their edges: degrees, an exclusive scan of them, and load-balancing search.

Source: Merrill, Garland & Grimshaw, *Scalable GPU Graph Traversal*, 2012; Baxter, *moderngpu*, 2013.
"""

import numpy as np

from spark_csr._array import index_dtype, namespace_of, same_device
from spark_csr._numba import njit
from spark_csr._operations.select.ranges import Ranges, expand_ranges
from spark_csr.graph.frontier import Frontier, extent_of
from spark_csr.graph.graph import arrays_of
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import search_trusted
from spark_csr.primitives.sort import gather


def check_frontier(G, frontier, kind=None):
    """Return the record of a graph, if the frontier is one of that graph; raise TypeError or ValueError otherwise."""
    _, csr = arrays_of(G)
    if not isinstance(frontier, Frontier):
        raise TypeError(f"frontier must be a Frontier, got {type(frontier).__name__}: use Frontier.of(G, items)")
    if kind not in (None, frontier.kind):
        raise ValueError(f"a frontier of kind {kind!r} is needed, got one of kind {frontier.kind!r}")
    n = extent_of(G, frontier.kind)
    if frontier.n != n:
        raise ValueError(
            f"the frontier counts {frontier.n} of kind {frontier.kind!r}, the graph {n}: use Frontier.of(G, items)"
        )
    same_device(csr.indptr, frontier._list() if frontier._bitmap is None else frontier._bitmap)
    return csr


def ranges_of(csr, frontier):
    """The vertices whose edges are meant, where each one's edges start, the offsets of these edges, and their total."""
    items = frontier._list()
    if frontier.kind == "vertex" and frontier._ascending and items.size == frontier.n:
        return items, csr.indptr, csr.indptr, csr.indices.size
    if frontier.kind == "edge":
        items = gather(csr.indices, items)
    return ranges_of_items(csr, items)


def ranges_of_items(csr, items, edges=None):
    """The same of vertices; `edges`: their total, where it is known, so that nothing is read from the device."""
    return items, *expand_ranges(Ranges.of_rows(items, csr.indptr), edges)


@njit
def _add_start(i, starts, segment, rank, edges):
    here = np.uint64(i)
    edges[here] = np.int64(starts[segment[here]]) + np.int64(rank[here])


def _list_edges_of(csr, starts, offsets, total):
    """Return the edges of ranges, with the segment and the rank of each."""
    edges = allocate_array(namespace_of(offsets), total, index_dtype(csr.indices.size), f"{total} edges")
    segment, rank = search_trusted(offsets, total)
    for_each(total, _add_start, starts, segment, rank, edges)
    return edges, segment, rank


def list_edges(csr, frontier):
    """Return the edges that leave the vertices of a frontier, and the offsets of vertices among them."""
    _, starts, offsets, total = ranges_of(csr, frontier)
    return _list_edges_of(csr, starts, offsets, total)[0], offsets


def expand(G, frontier):
    """All edges that leave a frontier, in order.

    Parameters
    ----------
    G : Graph
    frontier : Frontier
        Of vertices; of edges: those that leave their targets.

    Returns
    -------
    edges : (total,) array
        Ids; int32 where they fit.
    segment : (total,) array
        The position in the frontier that each one leaves.
    rank : (total,) array
        Its rank among those.

    Raises
    ------
    ValueError, TypeError
        For a frontier of another graph, or on another device.
    MemoryError
        If there is no room for them.

    Notes
    -----
    *Cost*: a scan of the frontier's degrees, then each result is written once; one host read. *Order*: by position in the
    frontier, then by rank. *Empty input*: empty arrays; vertices without edges appear in no segment.

    Examples
    --------
    >>> from spark_csr.graph import Frontier, Graph, expand
    >>> G = Graph([[0, 1, 1], [0, 0, 1], [1, 0, 0]])
    >>> expand(G, Frontier.of(G, [2, 0]))
    (array([3, 0, 1], dtype=int32), array([0, 1, 1], dtype=int32), array([0, 0, 1], dtype=int32))
    """
    csr = check_frontier(G, frontier)
    return _list_edges_of(csr, *ranges_of(csr, frontier)[1:])
