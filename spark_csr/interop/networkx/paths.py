"""networkx's functions of path lengths and of spanning trees, by `bfs`, `sssp` and `minimum_spanning_tree`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from spark_csr._operations.form.record import rows_of_entries
from spark_csr.graph import bfs, minimum_spanning_tree, path, sssp
from spark_csr.interop.networkx.convert import EXACT
from spark_csr.interop.networkx.limits import bind_as_networkx, defer_to_networkx

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def single_source_shortest_path_length(G: NodeGraph, source: Any, cutoff: float | None = None) -> dict[Any, int]:
    """Compute how many edges away each node is, as `networkx.single_source_shortest_path_length` does."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    distance, _ = bfs(G.unweighted_graph, G.place[source], depth_limit=_count_levels(cutoff))
    return _nearest_first(G, distance, distance >= 0)


def _count_levels(cutoff):
    """Return the number of levels to search: as many as are smaller than `cutoff`, rounded up."""
    if cutoff is None or cutoff == math.inf:
        return None
    return math.ceil(cutoff) if cutoff > 0 else 0


@bind_as_networkx
def single_source_dijkstra_path_length(
    G: NodeGraph, source: Any, cutoff: float | None = None, weight: str = "weight"
) -> dict[Any, float]:
    """Compute the length of a shortest path to each node, as `networkx.single_source_dijkstra_path_length` does."""
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


@bind_as_networkx
def multi_source_dijkstra_path_length(
    G: NodeGraph, sources: Collection[Any], cutoff: float | None = None, weight: str = "weight"
) -> dict[Any, float]:
    """Compute the length of a shortest path from the nearest source to each node, as networkx's function of this name does."""
    if not sources:
        raise ValueError("sources must name at least one node, got none")
    for node in sources:
        if node not in G:
            raise nx.NodeNotFound(f"Node {node} not found in graph")
    refuse_infinite(G, weight)
    limit = math.inf if cutoff is None else cutoff
    starts = [G.place[node] for node in sources]
    with defer_to_networkx():
        distance = sssp(G.weighted_graph(weight), starts, return_predecessors=False, limit=max(limit, 0))
    if limit < 0:
        return dict.fromkeys(sources, 0)
    near = (distance <= limit) & (distance < math.inf)
    return _nearest_first(G, distance, near, _are_whole(G, weight, distance[near]))


def refuse_infinite(G: NodeGraph, weight: str | None) -> None:
    """Leave graphs to networkx that have infinite weights, or weights of which a path may have an infinite length."""
    largest = abs(G.weights[weight].astype(np.float64)).max(initial=0) if G.has_weights(weight) else 0
    if not float(largest) * len(G) < math.inf:
        raise NotImplementedError(
            f"weight={weight!r}: nodes at an infinite distance count as unreachable here, but not in networkx"
        )


def _are_whole(G, weight, distances):
    """Return whether distances are integers in networkx; raise NotImplementedError if they are not exact."""
    whole = not G.has_weights(weight) or G.weights[weight].dtype.kind in "biu"
    if whole and (distances >= EXACT).any():
        raise NotImplementedError("distances are computed in float64, which does not hold all integers from 2**53 on")
    return whole


@bind_as_networkx
def dijkstra_path_length(G: NodeGraph, source: Any, target: Any, weight: str = "weight") -> float:
    """Compute the length of a shortest path between two nodes, as `networkx.dijkstra_path_length` does."""
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    if source == target:
        return 0
    distance, _ = _search(G, source, target, weight)
    far = distance[[G.place[target]]] if target in G else np.array([math.inf])
    if not 0 <= far[0] < math.inf:  # a level of -1 is none
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return int(far[0]) if _are_whole(G, weight, far) else far[0].item()


@bind_as_networkx
def dijkstra_path(G: NodeGraph, source: Any, target: Any, weight: str = "weight") -> list[Any]:
    """Return a shortest path between two nodes, as `networkx.dijkstra_path` does."""
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    return _path_to(G, source, target, weight)


@bind_as_networkx
def shortest_path(
    G: NodeGraph, source: Any = None, target: Any = None, weight: str | None = None, method: str = "dijkstra"
) -> Any:
    """Return a shortest path, or shortest paths to all nodes, as `networkx.shortest_path` does."""
    if source is None and target is None:
        return ((node, shortest_path(G, node, None, weight)) for node in G)
    _check_nodes(G, source, target)
    if source is not None and target is not None:
        return _path_to(G, source, target, weight)
    backwards = source is None
    distance, before = _search(G, target if backwards else source, None, weight, backwards)
    vertices = np.flatnonzero((distance >= 0) & (distance < math.inf))
    vertices = vertices[np.argsort(distance[vertices], kind="stable")]
    found = {}
    for vertex, between in zip(vertices.tolist(), path(before, vertices).to_lists(), strict=True):
        nodes = [G.nodes[v] for v in between]
        found[G.nodes[vertex]] = nodes[::-1] if backwards else nodes
    return found


@bind_as_networkx
def shortest_path_length(
    G: NodeGraph, source: Any = None, target: Any = None, weight: str | None = None, method: str = "dijkstra"
) -> Any:
    """Compute the length of a shortest path, or of shortest paths to all nodes, as `networkx.shortest_path_length` does."""
    if source is None and target is None:
        return ((node, shortest_path_length(G, node, None, weight)) for node in G)
    if weight is not None and source is not None:
        if target is not None:
            return dijkstra_path_length(G, source, target, weight)
        return single_source_dijkstra_path_length(G, source, None, weight)
    _check_nodes(G, source, target)
    if source is not None and target is not None:
        return len(_path_to(G, source, target, None)) - 1
    backwards = source is None
    distance, _ = _search(G, target if backwards else source, None, weight, backwards)
    near = (distance >= 0) & (distance < math.inf)
    return _nearest_first(G, distance, near, weight is None or _are_whole(G, weight, distance[near]))


@bind_as_networkx
def has_path(G: NodeGraph, source: Any, target: Any) -> bool:
    """Return whether there is a path between two nodes, as `networkx.has_path` does."""
    _check_nodes(G, source, target)
    return bool(bfs(G.unweighted_graph, G.place[source])[0][G.place[target]] >= 0)


def _check_nodes(G, source, target):
    """Raise NodeNotFound if a node is not in the graph; either may be None."""
    if source is not None and source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    if target is not None and target not in G:
        raise nx.NodeNotFound(f"Target {target} is not in G")


def _search(G, source, target, weight, backwards=False):
    """Return the distances from a node, and the vertices before, as far as needed for a target that is not None."""
    graph = G.weighted_graph(weight)
    graph = graph.transpose if backwards and graph.directed else graph
    if weight is None:
        return bfs(graph, G.place[source])
    refuse_infinite(G, weight)
    targets = None if target is None or target not in G else G.place[target]
    with defer_to_networkx():
        return sssp(graph, G.place[source], targets)


def _path_to(G, source, target, weight):
    """Return the nodes on a path."""
    if source == target:
        return [source]
    distance, before = _search(G, source, target, weight)
    if target not in G or not 0 <= distance[G.place[target]] < math.inf:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return list(G.nodes_of(path(before, G.place[target])))


def _nearest_first(G, distance, near, whole=True):
    """Return a dict by node of the distances that are near enough, as integers if they are whole."""
    vertices = np.flatnonzero(near)
    vertices = vertices[np.argsort(distance[vertices], kind="stable")]
    values = distance[vertices].astype(np.int64) if whole else distance[vertices]
    return dict(zip(G.nodes_of(vertices), values.tolist(), strict=True))


@bind_as_networkx
def minimum_spanning_edges(
    G: NodeGraph,
    algorithm: str = "kruskal",
    weight: str = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
) -> Iterator[tuple[Any, ...]]:
    """Generate the edges of a minimum spanning tree, as `networkx.minimum_spanning_edges` does."""
    with defer_to_networkx():
        tree = minimum_spanning_tree(G.weighted_graph(weight))._csr
    order = np.argsort(tree.data, kind="stable")
    sources, targets = rows_of_entries(tree)[order], tree.indices[order]
    edges = zip(G.nodes_of(sources), G.nodes_of(targets), strict=True)
    if not data:
        return edges
    rows = G.rows
    if rows is None:
        raise NotImplementedError("data=True: the graph was converted without the attributes of its edges, use data=False")
    return ((u, v, rows[i][v]) for i, (u, v) in zip(sources.tolist(), edges, strict=True))
