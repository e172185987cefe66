"""networkx's functions of paths by number of edges, by `search_by_queue`, and those that choose a method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx

from spark_csr.graph import bfs
from spark_csr.interop.networkx.lengths import (
    bellman_ford_path,
    bellman_ford_path_length,
    dijkstra_path_length,
    paths_from,
    relax,
    settle,
)
from spark_csr.interop.networkx.limits import bind_as_networkx
from spark_csr.interop.networkx.search import path_to, paths_of, search_by_queue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def single_source_shortest_path_length(G: NodeGraph, source: Any, cutoff: float | None = None) -> dict[Any, int]:
    """Compute how many edges away each node is, as `networkx.single_source_shortest_path_length` does."""
    return _lengths_from(G, source, cutoff)


def _lengths_from(G, source, cutoff):
    order, level, _ = _visit(G, source, cutoff, f"Source {source} is not in G")
    return dict(zip(G.nodes_of(order), level, strict=True))


@bind_as_networkx
def single_target_shortest_path_length(G: NodeGraph, target: Any, cutoff: float | None = None) -> dict[Any, int]:
    """Compute how many edges each node is away from a target, as `networkx.single_target_shortest_path_length` does."""
    order, level, _ = _visit(G, target, cutoff, f"Target {target} is not in G", True)
    return dict(zip(G.nodes_of(order), level, strict=True))


@bind_as_networkx
def all_pairs_shortest_path_length(G: NodeGraph, cutoff: float | None = None) -> Iterator[tuple[Any, dict[Any, int]]]:
    """Generate the numbers of edges between all nodes, as `networkx.all_pairs_shortest_path_length` does."""
    for node in G:
        yield node, _lengths_from(G, node, cutoff)


@bind_as_networkx
def single_source_shortest_path(G: NodeGraph, source: Any, cutoff: float | None = None) -> dict[Any, list[Any]]:
    """Return a shortest path to each node, as `networkx.single_source_shortest_path` does."""
    return _paths_from(G, source, cutoff)


def _paths_from(G, source, cutoff):
    order, _, before = _visit(G, source, cutoff, f"Source {source} not in G")
    return paths_of(G, order, before)


@bind_as_networkx
def all_pairs_shortest_path(G: NodeGraph, cutoff: float | None = None) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    """Generate shortest paths between all nodes, as `networkx.all_pairs_shortest_path` does."""
    for node in G:
        yield node, _paths_from(G, node, cutoff)


def _visit(G, node, cutoff, missing, backwards=False):
    """Return the vertices in the order of visits, their levels as a list, and the vertices before."""
    if node not in G:
        raise nx.NodeNotFound(missing)
    graph = G.unweighted_graph.transpose if backwards and G.is_directed() else G.unweighted_graph
    order, level, before = search_by_queue(graph, [G.place[node]], cutoff)
    return order, level.tolist(), before


def _search(G, node, weight, method, backwards=False):
    """Search from a node by any method, backwards if it is a target; return what `_visit` does."""
    if method == "bellman-ford":
        return relax(G, node, weight, backwards)
    if method == "dijkstra":
        return settle(G, [node], weight, backwards=backwards)
    return _visit(G, node, None, f"Source {node} is not in G", backwards)


def _choose_method(weight, method):
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


@bind_as_networkx
def shortest_path(
    G: NodeGraph, source: Any = None, target: Any = None, weight: str | None = None, method: str = "dijkstra"
) -> Any:
    """Return a shortest path, or shortest paths to all nodes, as `networkx.shortest_path` does."""
    chosen = _choose_method(weight, method)
    if source is not None and target is not None:
        return bellman_ford_path(G, source, target, weight) if chosen == "bellman-ford" else _path_to(G, source, target, weight)
    order_paths = paths_from if chosen == "bellman-ford" else paths_of
    if source is not None or target is not None:
        backwards = source is None
        order, _, before = _search(G, target if backwards else source, weight, chosen, backwards)
        paths = order_paths(G, order, before)
        return {node: nodes[::-1] for node, nodes in paths.items()} if backwards else paths
    return ((node, shortest_path(G, node, None, weight, method)) for node in G)


def _path_to(G, source, target, weight):
    """Return the nodes on a path between two nodes."""
    _check_nodes(G, source, target)
    if source == target:
        return [source]
    before = bfs(G.unweighted_graph, G.place[source])[1] if weight is None else settle(G, [source], weight, target)[2]
    if before[G.place[target]] < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return path_to(G.nodes, G.place[target], before)


@bind_as_networkx
def shortest_path_length(
    G: NodeGraph, source: Any = None, target: Any = None, weight: str | None = None, method: str = "dijkstra"
) -> Any:
    """Compute the length of a shortest path, or of shortest paths to all nodes, as `networkx.shortest_path_length` does."""
    chosen = _choose_method(weight, method)
    if source is not None and target is not None:
        if chosen == "unweighted":
            return len(_path_to(G, source, target, None)) - 1
        return (dijkstra_path_length if chosen == "dijkstra" else bellman_ford_path_length)(G, source, target, weight)
    if source is not None or target is not None:
        order, distance, _ = _search(G, target if source is None else source, weight, chosen, source is None)
        return dict(zip(G.nodes_of(order), distance, strict=True))
    return ((node, shortest_path_length(G, node, None, weight, method)) for node in G)


def _check_nodes(G, source, target):
    """Raise NodeNotFound if a node is not in the graph."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    if target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")


@bind_as_networkx
def has_path(G: NodeGraph, source: Any, target: Any) -> bool:
    """Return whether there is a path between two nodes, as `networkx.has_path` does."""
    _check_nodes(G, source, target)
    return bool(bfs(G.unweighted_graph, G.place[source])[0][G.place[target]] >= 0)
