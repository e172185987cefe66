"""networkx's breadth-first traversals, by `search_by_queue`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr.interop.networkx.limits import bind_as_networkx, under_name
from spark_csr.interop.networkx.search import search_by_queue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def bfs_edges(
    G: NodeGraph,
    source: Any,
    reverse: bool = False,
    depth_limit: float | None = None,
    sort_neighbors: Callable[..., Any] | None = None,
) -> Iterator[tuple[Any, Any]]:
    """Generate the edges of a breadth-first search, as `networkx.bfs_edges` does."""
    order, _, before = _visit(G, source, depth_limit)
    yield from zip(G.nodes_of(before[order[1:]]), G.nodes_of(order[1:]), strict=True)


@bind_as_networkx
def bfs_layers(G: NodeGraph, sources: Any) -> Iterator[list[Any]]:
    """Generate the nodes at each distance from some nodes, as `networkx.bfs_layers` does."""
    starts = {sources} if sources in G else set(sources)
    for node in starts:
        _check_node(G, node)
    order, level, _ = search_by_queue(G.unweighted_graph, [G.place[node] for node in starts])
    nodes = G.nodes_of(order)
    for size in np.bincount(level).tolist():
        yield list(itertools.islice(nodes, size))


@bind_as_networkx
def descendants_at_distance(G: NodeGraph, source: Any, distance: float) -> set[Any]:
    """Return the nodes at a distance from a node, as `networkx.descendants_at_distance` does."""
    _check_node(G, source)
    order, level, _ = search_by_queue(G.unweighted_graph, [G.place[source]], distance)
    return set(G.nodes_of(order[level == distance]))


descendants = under_name("descendants", lambda G, source: set(G.nodes_of(_visit(G, source)[0][1:])))
ancestors = under_name("ancestors", lambda G, source: set(G.nodes_of(_visit(G, source, backwards=True)[0][1:])))


def _visit(G, source, depth_limit=None, backwards=False):
    _check_node(G, source, "digraph" if G.is_directed() else "graph")
    graph = G.unweighted_graph.transpose if backwards and G.is_directed() else G.unweighted_graph
    return search_by_queue(graph, [G.place[source]], depth_limit)


def _check_node(G, node, kind="graph"):
    if node not in G:
        raise nx.NetworkXError(f"The node {node} is not in the {kind}.")
