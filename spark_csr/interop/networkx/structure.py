"""networkx's functions of triangles and cores, by `triangles`, `clustering`, `transitivity` and `core_number`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx

from spark_csr import graph as ours
from spark_csr.interop.networkx.limits import bind_as_networkx

if TYPE_CHECKING:
    from spark_csr.interop.networkx.convert import NodeGraph


@bind_as_networkx
def triangles(G: NodeGraph, nodes: Any = None) -> dict[Any, int] | int:
    """Count the triangles that every node is part of, as `networkx.triangles` does."""
    return _select_nodes(G, ours.triangles(G.unweighted_graph), nodes)


@bind_as_networkx
def clustering(G: NodeGraph, nodes: Any = None, weight: None = None) -> dict[Any, float] | float:
    """Compute the clustering coefficient of every node, as `networkx.clustering` does without weights."""
    return _select_nodes(G, ours.clustering(G.unweighted_graph), nodes)


@bind_as_networkx
def average_clustering(G: NodeGraph, nodes: Any = None, weight: None = None, count_zeros: bool = True) -> float:
    """Compute the mean clustering coefficient of an undirected graph, as `networkx.average_clustering` does without weights."""
    found = clustering(G, nodes).values()  # type: ignore[union-attr]
    found = list(found) if count_zeros else [value for value in found if abs(value) > 0]
    return sum(found) / len(found)


@bind_as_networkx
def transitivity(G: NodeGraph) -> float:
    """Compute the transitivity of an undirected graph, as `networkx.transitivity` does."""
    return ours.transitivity(G.unweighted_graph) or 0


def _select_nodes(G, values, nodes):
    """Return the value of one node, or a dict of those of a container that are in the graph, or of all nodes."""
    if nodes is None:
        return G.to_dict(values)
    if nodes in G:
        return values[G.place[nodes]].item()
    try:
        return {node: values[G.place[node]].item() for node in nodes if node in G}
    except TypeError as error:
        raise nx.NetworkXError(f"Node {nodes} is not in the graph.") from error


@bind_as_networkx
def core_number(G: NodeGraph) -> dict[Any, int]:
    """Compute the core number of every node, as `networkx.core_number` does."""
    G_, csr = G.unweighted_graph, G.unweighted_graph._csr
    if (G_.sources() == csr.indices).any():
        raise nx.NetworkXNotImplemented("Input graph has self loops which is not permitted")
    return G.to_dict(ours.core_number(G_))
