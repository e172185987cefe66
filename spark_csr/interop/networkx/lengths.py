"""networkx's functions of paths by length: Dijkstra's by `search_by_heap`, and Bellman & Ford's by `bellman_ford`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr import graph as ours
from spark_csr.interop.networkx.convert import EXACT
from spark_csr.interop.networkx.limits import bind_as_networkx
from spark_csr.interop.networkx.search import path_to, paths_of, search_by_heap

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from spark_csr._types import Array
    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def multi_source_dijkstra(
    G: NodeGraph, sources: Collection[Any], target: Any = None, cutoff: float | None = None, weight: str = "weight"
) -> tuple[Any, Any]:
    """Compute lengths and paths from the nearest source, as `networkx.multi_source_dijkstra` does."""
    _check_sources(G, sources)
    if target in sources:
        return 0, [target]
    order, distance, before = settle(G, sources, weight, target, cutoff)
    if target is None:
        return dict(zip(G.nodes_of(order), distance, strict=True)), paths_of(G, order, before)
    if not (order.size and order[-1] == G.place.get(target)):
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return distance[-1], path_to(G.nodes, int(order[-1]), before)


@bind_as_networkx
def multi_source_dijkstra_path(
    G: NodeGraph, sources: Collection[Any], cutoff: float | None = None, weight: str = "weight"
) -> dict[Any, list[Any]]:
    """Return a shortest path from the nearest source to each node, as `networkx.multi_source_dijkstra_path` does."""
    order, _, before = settle(G, sources, weight, None, cutoff)
    return paths_of(G, order, before)


@bind_as_networkx
def multi_source_dijkstra_path_length(
    G: NodeGraph, sources: Collection[Any], cutoff: float | None = None, weight: str = "weight"
) -> dict[Any, float]:
    """Compute the length of a shortest path from the nearest source to each node, as networkx's function of this name does."""
    order, distance, _ = settle(G, sources, weight, None, cutoff)
    return dict(zip(G.nodes_of(order), distance, strict=True))


@bind_as_networkx
def single_source_dijkstra(
    G: NodeGraph, source: Any, target: Any = None, cutoff: float | None = None, weight: str = "weight"
) -> tuple[Any, Any]:
    """Compute lengths and paths from a node, as `networkx.single_source_dijkstra` does."""
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


@bind_as_networkx
def single_source_dijkstra_path(
    G: NodeGraph, source: Any, cutoff: float | None = None, weight: str = "weight"
) -> dict[Any, list[Any]]:
    """Return a shortest path to each node, as `networkx.single_source_dijkstra_path` does."""
    return multi_source_dijkstra_path(G, {source}, cutoff, weight)


@bind_as_networkx
def single_source_dijkstra_path_length(
    G: NodeGraph, source: Any, cutoff: float | None = None, weight: str = "weight"
) -> dict[Any, float]:
    """Compute the length of a shortest path to each node, as `networkx.single_source_dijkstra_path_length` does."""
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


@bind_as_networkx
def all_pairs_dijkstra(
    G: NodeGraph, cutoff: float | None = None, weight: str = "weight"
) -> Iterator[tuple[Any, tuple[Any, Any]]]:
    """Generate lengths and paths between all nodes, as `networkx.all_pairs_dijkstra` does."""
    return ((node, multi_source_dijkstra(G, {node}, None, cutoff, weight)) for node in G)


@bind_as_networkx
def all_pairs_dijkstra_path(
    G: NodeGraph, cutoff: float | None = None, weight: str = "weight"
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    """Generate shortest paths between all nodes, as `networkx.all_pairs_dijkstra_path` does."""
    return ((node, multi_source_dijkstra_path(G, {node}, cutoff, weight)) for node in G)


@bind_as_networkx
def all_pairs_dijkstra_path_length(
    G: NodeGraph, cutoff: float | None = None, weight: str = "weight"
) -> Iterator[tuple[Any, dict[Any, float]]]:
    """Generate the lengths of shortest paths between all nodes, as `networkx.all_pairs_dijkstra_path_length` does."""
    return ((node, multi_source_dijkstra_path_length(G, {node}, cutoff, weight)) for node in G)


@bind_as_networkx
def dijkstra_path(G: NodeGraph, source: Any, target: Any, weight: str = "weight") -> list[Any]:
    """Return a shortest path between two nodes, as `networkx.dijkstra_path` does."""
    return multi_source_dijkstra(G, {source}, target, None, weight)[1]


@bind_as_networkx
def dijkstra_path_length(G: NodeGraph, source: Any, target: Any, weight: str = "weight") -> float:
    """Compute the length of a shortest path between two nodes, as `networkx.dijkstra_path_length` does."""
    try:
        return multi_source_dijkstra(G, {source}, target, None, weight)[0]
    except nx.NetworkXNoPath as error:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}") from error


def _check_sources(G, sources):
    if not sources:
        raise ValueError("sources must not be empty")
    for node in sources:
        if node not in G:
            raise nx.NodeNotFound(f"Node {node} not found in graph")


def settle(
    G: NodeGraph,
    sources: Collection[Any],
    weight: str | None,
    target: Any = None,
    cutoff: float | None = None,
    backwards: bool = False,
) -> tuple[Array, list[Any], Array]:
    """Search from nodes by `search_by_heap`; distances are a list of numbers, and those of sources are integers."""
    _check_sources(G, sources)
    graph = _lengths(G, weight, 0, "Dijkstra's algorithm takes no negative ones", backwards)
    starts = dict.fromkeys(G.place[node] for node in sources)
    last = G.place[target] if target in G else None
    order, distance, before = search_by_heap(graph, starts, last, cutoff)
    return order, [0] * len(starts) + _as_numbers(G, weight, distance[len(starts) :]), before


def _lengths(G, weight, least, hint, backwards):
    """Return the graph with lengths of `least` or more; leave other lengths to networkx."""
    graph = G.weighted_graph(weight)
    lengths = graph._csr.data
    if lengths.size and not lengths.min() >= least:
        raise NotImplementedError(f"weight={weight!r} must be at least {least}, got {lengths.min()}: {hint}")
    return graph.transpose if backwards and G.is_directed() else graph


def _as_numbers(G, weight, distances):
    """Return distances as a list, of integers if all lengths are; raise NotImplementedError if these are not exact."""
    if G.has_weights(weight) and G.weights[weight].dtype.kind not in "biu":
        return distances.tolist()
    if (abs(distances) >= EXACT).any():
        raise NotImplementedError("distances are computed in float64, which does not hold all integers from 2**53 on")
    return distances.astype(np.int64).tolist()


@bind_as_networkx
def single_source_bellman_ford(G: NodeGraph, source: Any, target: Any = None, weight: str = "weight") -> tuple[Any, Any]:
    """Compute lengths, which may be negative, and paths from a node, as `networkx.single_source_bellman_ford` does."""
    if source == target:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} is not found in the graph")
        return 0, [source]
    order, distance, before = relax(G, source, weight)
    if target is None:
        return dict(zip(G.nodes_of(order), distance, strict=True)), paths_from(G, order, before)
    at = np.flatnonzero(order == G.place[target]) if target in G else order[:0]
    if not at.size:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return distance[at[0]], path_to(G.nodes, G.place[target], before)


@bind_as_networkx
def single_source_bellman_ford_path(G: NodeGraph, source: Any, weight: str = "weight") -> dict[Any, list[Any]]:
    """Return a shortest path to each node, as `networkx.single_source_bellman_ford_path` does."""
    order, _, before = relax(G, source, weight)
    return paths_from(G, order, before)


@bind_as_networkx
def single_source_bellman_ford_path_length(G: NodeGraph, source: Any, weight: str = "weight") -> dict[Any, float]:
    """Compute the length of a shortest path to each node, as `networkx.single_source_bellman_ford_path_length` does."""
    order, distance, _ = relax(G, source, weight)
    return dict(zip(G.nodes_of(order), distance, strict=True))


@bind_as_networkx
def all_pairs_bellman_ford_path(G: NodeGraph, weight: str = "weight") -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    """Generate shortest paths between all nodes, as `networkx.all_pairs_bellman_ford_path` does."""
    return ((node, single_source_bellman_ford_path(G, node, weight)) for node in G)


@bind_as_networkx
def all_pairs_bellman_ford_path_length(G: NodeGraph, weight: str = "weight") -> Iterator[tuple[Any, dict[Any, float]]]:
    """Generate the lengths of shortest paths between all nodes, as `networkx.all_pairs_bellman_ford_path_length` does."""
    return ((node, single_source_bellman_ford_path_length(G, node, weight)) for node in G)


@bind_as_networkx
def bellman_ford_path(G: NodeGraph, source: Any, target: Any, weight: str = "weight") -> list[Any]:
    """Return a shortest path between two nodes, as `networkx.bellman_ford_path` does."""
    return single_source_bellman_ford(G, source, target, weight)[1]


@bind_as_networkx
def bellman_ford_path_length(G: NodeGraph, source: Any, target: Any, weight: str = "weight") -> float:
    """Compute the length of a shortest path between two nodes, as `networkx.bellman_ford_path_length` does."""
    if source == target:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} not found in graph")
        return 0
    try:
        return single_source_bellman_ford(G, source, target, weight)[0]
    except nx.NetworkXNoPath as error:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}") from error


@bind_as_networkx
def negative_edge_cycle(G: NodeGraph, weight: str = "weight", heuristic: bool = True) -> bool:
    """Return whether the graph has a cycle of negative length, as `networkx.negative_edge_cycle` does."""
    graph = _lengths(G, weight, LOWEST, HINT, False)
    try:
        ours.bellman_ford(graph, range(len(G)), return_predecessors=False)
    except ValueError:
        return True
    return False


LOWEST, HINT = -np.finfo(np.float64).max, "lengths must not be NaN or -inf"


def relax(G: NodeGraph, source: Any, weight: str | None, backwards: bool = False) -> tuple[Array, list[Any], Array]:
    """Search from a node by `bellman_ford`; return the vertices from the nearest on, their distances, and those before."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    graph = _lengths(G, weight, LOWEST, HINT, backwards)
    try:
        distance, before = ours.bellman_ford(graph, G.place[source])
    except ValueError as error:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from error
    order = np.flatnonzero(distance < np.inf)
    order = order[np.argsort(distance[order], kind="stable")]
    return order, _as_numbers(G, weight, distance[order]), before


def paths_from(G: NodeGraph, order: Array, before: Array) -> dict[Any, list[Any]]:
    """Return what `paths_of` does, where the vertex before another one may come after it in the order."""
    lists = ours.path(before, order).to_lists()
    return {node: [G.nodes[u] for u in between] for node, between in zip(G.nodes_of(order), lists, strict=True)}
