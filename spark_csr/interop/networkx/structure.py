"""networkx's functions of triangles and cores, by `triangles`, `clustering`, `transitivity` and `core_number`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx

from spark_csr import graph as ours
from spark_csr.interop.networkx.limits import bind_as_networkx, under_name

if TYPE_CHECKING:
    from spark_csr.interop.networkx.convert import NodeGraph


triangles = under_name("triangles", lambda G, nodes=None: _select_nodes(G, ours.triangles(G.unweighted_graph), nodes))
clustering = under_name(
    "clustering", lambda G, nodes=None, weight=None: _select_nodes(G, ours.clustering(G.unweighted_graph), nodes)
)
transitivity = under_name("transitivity", lambda G: ours.transitivity(G.unweighted_graph) or 0)


@bind_as_networkx
def average_clustering(G: NodeGraph, nodes: Any = None, weight: None = None, count_zeros: bool = True) -> float:
    """Compute the mean clustering coefficient of an undirected graph, as `networkx.average_clustering` does without weights."""
    found = clustering(G, nodes).values()
    found = list(found) if count_zeros else [value for value in found if abs(value) > 0]
    return sum(found) / len(found)


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
