"""`expand`: from vertices to their edges, by an exclusive scan of their degrees and a load-balancing search.

Source: Merrill, Garland & Grimshaw, *Scalable GPU Graph Traversal*, 2012; Baxter, *moderngpu*, 2013.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spark_csr._array import index_dtype, namespace_of, same_device
from spark_csr._engine import njit
from spark_csr._operations.select.ranges import Ranges, expand_ranges
from spark_csr.graph.frontier import Frontier, extent_of
from spark_csr.graph.graph import arrays_of
from spark_csr.primitives._memory import allocate_array
from spark_csr.primitives.foreach import for_each
from spark_csr.primitives.search import search_trusted
from spark_csr.primitives.sort import gather

if TYPE_CHECKING:
    from spark_csr._operations.form.record import Csr
    from spark_csr._types import Array
    from spark_csr.graph.graph import Graph


def check_frontier(G: Graph, frontier: Frontier, kind: str | None = None) -> Csr:
    """Return the record of a graph if the frontier is one of that graph; raise TypeError or ValueError otherwise."""
    _, csr = arrays_of(G)
    if not isinstance(frontier, Frontier):
        raise TypeError(f"frontier must be a Frontier, got {type(frontier).__name__}: use Frontier.of(G, items)")
    if kind not in (None, frontier.kind):
        raise ValueError(f"the frontier must be of kind {kind!r}, got one of kind {frontier.kind!r}")
    n = extent_of(G, frontier.kind)
    if frontier.n != n:
        raise ValueError(
            f"the frontier is of a graph that has {frontier.n} items of kind {frontier.kind!r}, but G has {n}: "
            f"use Frontier.of(G, items)"
        )
    same_device(csr.indptr, frontier._list() if frontier._bitmap is None else frontier._bitmap)
    return csr


def ranges_of(csr: Csr, frontier: Frontier) -> tuple[Array, Array, Array, int]:
    """Return the vertices whose edges are meant, where the edges of each start, the offsets of these edges, and their total."""
    items = frontier._list()
    if frontier.kind == "vertex" and frontier._ascending and items.size == frontier.n:
        return items, csr.indptr, csr.indptr, csr.indices.size
    if frontier.kind == "edge":
        items = gather(csr.indices, items)
    return ranges_of_items(csr, items)


def ranges_of_items(csr: Csr, items: Array, edges: int | None = None) -> tuple[Array, Array, Array, int]:
    """Return the same as `ranges_of` for vertices in an array.

    `edges` is their total number of edges where it is known, so that nothing is read from the device.
    """
    return items, *expand_ranges(Ranges.of_rows(items, csr.indptr), edges)


@njit
def _add_start(i, starts, segment, rank, edges):
    edges[i] = starts[segment[i]] + rank[i]


def _list_edges_of(csr, starts, offsets, total):
    """Return the edges of ranges, with the segment and the rank of each."""
    edges = allocate_array(namespace_of(offsets), total, index_dtype(csr.indices.size), f"{total} edges")
    segment, rank = search_trusted(offsets, total)
    for_each(total, _add_start, starts, segment, rank, edges)
    return edges, segment, rank


def list_edges(csr: Csr, frontier: Frontier) -> tuple[Array, Array]:
    """Return the edges that leave the vertices of a frontier, and the offsets of the vertices among them."""
    _, starts, offsets, total = ranges_of(csr, frontier)
    return _list_edges_of(csr, starts, offsets, total)[0], offsets


def expand(G: Graph, frontier: Frontier) -> tuple[Array, Array, Array]:
    """List all edges that leave a frontier, in order.

    Parameters
    ----------
    G : Graph
        The graph.
    frontier : Frontier
        The vertices whose edges are listed. For a frontier of edges, the edges that leave their targets are listed.

    Returns
    -------
    edges : (total,) array of ints
        The ids of the edges; int32 where they fit, otherwise int64.
    segment : (total,) array of ints
        The position in the frontier of the item that each edge leaves.
    rank : (total,) array of ints
        The rank of each edge among those that leave the same item.

    Notes
    -----
    *Cost*: a scan of the frontier's degrees, then each result is written once; one host read. *Order*: by position in the
    frontier, then by rank. *Empty input*: empty arrays. `segment` does not contain the positions of items without edges.

    Examples
    --------
    >>> from spark_csr.graph import Frontier, Graph, expand
    >>> G = Graph([[0, 1, 1], [0, 0, 1], [1, 0, 0]])
    >>> expand(G, Frontier.of(G, [2, 0]))
    (array([3, 0, 1], dtype=int32), array([0, 1, 1], dtype=int32), array([0, 0, 1], dtype=int32))
    """
    csr = check_frontier(G, frontier)
    return _list_edges_of(csr, *ranges_of(csr, frontier)[1:])
