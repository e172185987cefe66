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
    """Count the triangles that every node is part of, as `networkx.triangles` does.

    Parameters
    ----------
    G : NodeGraph
        An undirected graph.
    nodes : node or container of nodes, optional
        The nodes to return the numbers of. Default: all nodes.

    Returns
    -------
    dict or int
        The number of triangles of every node, or a number if `nodes` is one node.

    Raises
    ------
    networkx.NetworkXError
        If `nodes` is neither a node of the graph nor a container.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, triangles
    >>> triangles(convert_from_nx(nx.complete_graph(3)))
    {0: 1, 1: 1, 2: 1}
    """
    return _select_nodes(G, ours.triangles(G.unweighted_graph), nodes)


@bind_as_networkx
def clustering(G: NodeGraph, nodes: Any = None, weight: None = None) -> dict[Any, float] | float:
    """Compute the clustering coefficient of every node of an undirected graph, as `networkx.clustering` does without weights.

    Parameters
    ----------
    G : NodeGraph
        An undirected graph without repeated edges.
    nodes : node or container of nodes, optional
        The nodes to return the coefficients of. Default: all nodes.
    weight : None
        Weights are not supported: `can_run` refuses any other value.

    Returns
    -------
    dict or float
        The coefficient of every node, or a number if `nodes` is one node.

    Raises
    ------
    networkx.NetworkXError
        If `nodes` is neither a node of the graph nor a container.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import clustering, convert_from_nx
    >>> clustering(convert_from_nx(nx.complete_graph(3)), 0)
    1.0
    """
    return _select_nodes(G, ours.clustering(G.unweighted_graph), nodes)


@bind_as_networkx
def average_clustering(G: NodeGraph, nodes: Any = None, weight: None = None, count_zeros: bool = True) -> float:
    """Compute the mean clustering coefficient of an undirected graph, as `networkx.average_clustering` does without weights.

    Parameters
    ----------
    G : NodeGraph
        An undirected graph without repeated edges.
    nodes : container of nodes, optional
        The nodes to take the mean of. Default: all nodes.
    weight : None
        Weights are not supported: `can_run` refuses any other value.
    count_zeros : bool, default: True
        If False, the mean is that of the nodes whose coefficient is not 0.

    Returns
    -------
    float
        The mean.

    Raises
    ------
    ZeroDivisionError
        If there is no node to take the mean of.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import average_clustering, convert_from_nx
    >>> average_clustering(convert_from_nx(nx.complete_graph(3)))
    1.0
    """
    found = clustering(G, nodes).values()  # type: ignore[union-attr]
    found = list(found) if count_zeros else [value for value in found if abs(value) > 0]
    return sum(found) / len(found)


@bind_as_networkx
def transitivity(G: NodeGraph) -> float:
    """Compute the transitivity of an undirected graph, as `networkx.transitivity` does.

    Parameters
    ----------
    G : NodeGraph
        An undirected graph without repeated edges.

    Returns
    -------
    float
        The share of the paths of two edges whose ends are neighbours, or the integer 0 if there are no triangles.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, transitivity
    >>> transitivity(convert_from_nx(nx.complete_graph(3)))
    1.0
    """
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
    """Compute the core number of every node, as `networkx.core_number` does.

    Parameters
    ----------
    G : NodeGraph
        An undirected graph.

    Returns
    -------
    dict
        For every node, the largest k such that the node is in the k-core.

    Raises
    ------
    networkx.NetworkXNotImplemented
        If the graph has self-loops.

    Examples
    --------
    >>> import networkx as nx
    >>> from spark_csr.interop.networkx import convert_from_nx, core_number
    >>> core_number(convert_from_nx(nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3)])))
    {0: 2, 1: 2, 2: 2, 3: 1}
    """
    G_, csr = G.unweighted_graph, G.unweighted_graph._csr
    if (G_.sources() == csr.indices).any():
        raise nx.NetworkXNotImplemented("Input graph has self loops which is not permitted")
    return G.to_dict(ours.core_number(G_))
