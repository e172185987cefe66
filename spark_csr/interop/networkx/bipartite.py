"""networkx's functions of bipartite graphs, by a search that visits nodes in networkx's order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr._engine import njit
from spark_csr.interop.networkx.components import is_connected
from spark_csr.interop.networkx.limits import bind_as_networkx
from spark_csr.primitives.foreach import for_each

if TYPE_CHECKING:
    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def color(G: NodeGraph) -> dict[Any, int]:
    """Compute a coloring with two colors, as `networkx.bipartite.color` does."""
    order, colors = _color(G)
    return dict(zip(G.nodes_of(order), colors[order].tolist(), strict=True))


def _color(G):
    """Return the vertices in the order of visits, those without edges last, and the colors of all."""
    csr, n = G.unweighted_graph._csr, len(G)
    colors, order, count = np.full(n, -1), np.empty(n, np.int64), np.zeros(1, np.int64)
    for_each(1, _color_all, csr.indptr, csr.indices, colors, np.empty(n, np.int64), order, count)
    if count[0] < 0:
        raise nx.NetworkXError("Graph is not bipartite.")
    order[count[0] :] = np.flatnonzero(colors < 0)
    return order, np.maximum(colors, 0)


@njit
def _color_all(i, indptr, indices, colors, stack, order, count):
    """Write the colors of vertices that have edges, and the vertices in the order of visits; count -1 if there are none."""
    size, done = np.int64(0), np.int64(0)
    for start in range(colors.size):
        if colors[start] < 0 and indptr[start] < indptr[start + 1]:
            colors[start], order[done], stack[0] = 1, start, start
            done, size = done + 1, 1
        while size:
            size -= 1
            v = stack[size]
            for e in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
                w = np.uint64(indices[e])
                if colors[w] == colors[v]:
                    count[0] = -1
                    return
                if colors[w] < 0:
                    colors[w], order[done], stack[size] = 1 - colors[v], w, w
                    done, size = done + 1, size + 1
    count[0] = done


@bind_as_networkx
def is_bipartite(G: NodeGraph) -> bool:
    """Return whether the graph has a coloring with two colors, as `networkx.is_bipartite` does."""
    try:
        _color(G)
    except nx.NetworkXError:
        return False
    return True


@bind_as_networkx
def sets(G: NodeGraph, top_nodes: None = None) -> tuple[set[Any], set[Any]]:
    """Return the nodes of either color, as `networkx.bipartite.sets` does."""
    if not is_connected(G):
        raise nx.AmbiguousSolution("Disconnected graph: Ambiguous solution for bipartite sets.")
    order, colors = _color(G)
    return set(G.nodes_of(order[colors[order] == 1])), set(G.nodes_of(order[colors[order] == 0]))
